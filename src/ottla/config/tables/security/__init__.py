"""Settings of security that brokers and clients share, written once."""
