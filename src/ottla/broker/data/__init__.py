"""The way of records: partitions, requests that wait for them, sessions of readers, ids of producers."""
