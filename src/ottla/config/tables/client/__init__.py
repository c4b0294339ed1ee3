"""Every setting of the clients: `producer.PRODUCER`, `consumer.CONSUMER` and `admin.ADMIN`, by name."""
