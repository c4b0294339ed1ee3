"""Every setting of Kafka 4.3: tables, values, layers, rules between settings, and the reader of `server.properties`."""
