"""Ottla: a Kafka-compatible event-streaming platform in Python.

This package imports nothing by itself: each part is imported from where it lives, so that a broker never pays
for a client, and neither pays for Spark. `docs/architecture.md` draws the house.
"""

__version__ = "0.1.0.dev0"
