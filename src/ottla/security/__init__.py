"""Who may do what: values and pure exchanges, no I/O.

- `operations.py`  resources, operations on them, and the bits that say which of them somebody may do
"""
