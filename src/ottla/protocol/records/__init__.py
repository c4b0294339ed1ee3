"""Record batches: Kafka's message format 2, read, checked, stamped and built.

`batch` is the header, and what a broker does to it; `record` and `columns` are what is behind it, `compression` what
lies between, `kernel` the loops over single records. `builder` makes batches, `control` knows the records that are not
for users. Whatever is wrong with a stranger's bytes is one family of errors, `RecordError`. docs/on-disk.md has the
format in tables.
"""
