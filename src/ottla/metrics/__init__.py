"""What a node counts and measures: under Kafka's names, cheap where it is written, put together where it is read."""
