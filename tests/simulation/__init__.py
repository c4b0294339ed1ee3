"""Seeded simulations: each suite runs a scenario under thousands of seeds (`make sim`), or twenty (`make test`)."""
