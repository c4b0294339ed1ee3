"""A log directory: whose it is, its lock, its checkpoints and marks."""
