"""The compiled twin of `pure.py`."""
