"""Ottla and Apache Kafka, asked the same questions in the same state: their answers are the same, field by field.

`templates/` holds a valid request of every API and what is worth asking besides; `bounds.py` puts every field of the
valid ones at its bounds, in every version; `cases.py` makes cases of both, each with topics of its own; `sides.py`
brings both brokers into the same state and asks them; `compare.py` compares, and `named.py` lists the differences that
are none. `python -m tests.integration.differential` prints what is found.
"""
