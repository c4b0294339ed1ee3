"""Our own rules of the house, checked: what neither ruff, mypy nor import-linter can be told.

`source.py` finds and parses the files, `shape.py`, `rights.py` and `words.py` hold the rules, `table.py` lists them.
`python -m tools.tidy` prints one line a complaint: file, line, rule, reason.
"""
