"""The replicas that a broker holds: what it leads, what it follows, and what of both it may show.

`partition.py` is a partition as a machine, `isr.py`, `progress.py` and `high_watermark.py` its pure parts; the others
are shells: `replica_manager.py` makes partitions out of the metadata, `alter_partition.py` and `assigning.py` ask the
controller for what only the controller may change.
"""
