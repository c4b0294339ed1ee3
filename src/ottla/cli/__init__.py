"""The command `ottla`: one module per subcommand, with Kafka's names and flags."""
