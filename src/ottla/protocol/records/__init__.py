"""Record batches: Kafka's message format 2, read, checked, stamped and built."""
