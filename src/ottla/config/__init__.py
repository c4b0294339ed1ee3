"""Every setting of Kafka 4.3, and the reader of `server.properties`."""
