"""What a node is in its cluster: a replica of the quorum, a controller, a broker; and how it becomes one."""
