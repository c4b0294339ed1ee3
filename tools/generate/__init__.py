"""Writes what is generated from something else in this repository: run it as `make docs`."""
