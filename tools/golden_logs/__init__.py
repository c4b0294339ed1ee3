"""What `make_golden_logs` is made of: a broker that is started and stopped, and what is written to it."""
