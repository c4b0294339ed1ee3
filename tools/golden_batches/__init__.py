"""The parts of make_golden_batches.py: each client, and the broker that stands in for one."""
