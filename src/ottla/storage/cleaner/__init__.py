"""Compaction: of each key only the newest record stays, and what remains keeps its offset.

`policy` says which log is worth it and how far it may be cleaned, `dirty` learns the newest offset of every key,
`filtering` decides batch by batch what stays, `transactions` what an abort takes away, `grouping` which segments become
one. `cleaner` is the shell that does it to a log, `schedule` the one that does it to all logs, one after the other.
"""
