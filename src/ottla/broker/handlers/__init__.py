"""One file an API, named by its key; `table.py` has them all."""
