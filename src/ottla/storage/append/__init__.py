"""What may be appended to a log, and what the log has to know of it: pure functions of bytes, settings and a time.

`leader` looks at what producers send and gives it its place; `replica` looks at what has its place already.
"""
