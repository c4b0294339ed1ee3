"""The tables of settings, one family or noun a file.

A row is a `Setting`: name, type, default, importance, then valid values, whether it is dynamic, synonyms, and what it
is for in our own words. A row takes two or three lines because it is read as a row, so the formatter, which would make
ten of it, is off in these files. Tests compare every fact with Kafka's own definitions, whole sets at a time.
"""
