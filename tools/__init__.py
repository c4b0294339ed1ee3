"""Scripts that make what is generated, and check what is written. Nothing in here is installed."""
