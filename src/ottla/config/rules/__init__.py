"""Rules between settings: what has to fit together before a node starts, or a topic, group or client is configured."""
