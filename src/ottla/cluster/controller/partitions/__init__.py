"""Partitions as the controller has them: the table, whoever changes it, and where new replicas go."""
