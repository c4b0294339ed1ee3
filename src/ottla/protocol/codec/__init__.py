"""The codec: generates straight-line source for the reader and the writer of a (message, version) on first use.

- `notation.py`  the schema text -> `schema.py`'s values
- `source.py`    a program under construction: lines, and the field that each line is about
- `reader.py`    schema -> source of a reader
- `wire.py`      what that source calls: varints, bounds, the branches that are rarely taken
- `writer.py`    schema -> source of a writer
- `message.py`   the base classes of `ottla.protocol.messages`

Loops that walk a schema at run time cost several times what straight-line code does, and one class per version makes
every handler a collection of imports; `docs/decisions/` has the figures.
"""
