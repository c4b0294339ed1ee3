"""The cluster's metadata: records of `__cluster_metadata` become deltas, deltas become images, images become records.

An image is a value; a delta is what records do to one. `loader` knows batches, transactions and snapshots, `publisher`
hands (delta, image) on, `snapshot_file` and `bootstrap` are what a controller writes; `following` is the shell that
feeds them with what the quorum has committed. Nothing here reads a file or a clock by itself.
"""
