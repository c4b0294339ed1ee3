"""Apache Kafka's own programs, as peers for the tests: their jars, and how to run a class out of them."""
