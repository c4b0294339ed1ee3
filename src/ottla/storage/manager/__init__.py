"""All logs of a node: loaded, made, kept in order, deleted."""
