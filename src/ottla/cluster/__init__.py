"""The cluster: the quorum of controllers, the metadata that they agree on, and the partitions' replicas."""
