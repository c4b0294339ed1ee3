"""Kafka's protocol as values: bytes in, values out, and back. No I/O, no clock, no state.

- `schema/`    every message and internal record, in a compact text of our own: the only place that knows versions
- `codec/`     reads that text, and generates the reader and the writer of a (message, version) on first use
- `messages/`  one class per message for all its versions (generated from `schema/`, so that types are known)
- `records/`   record batches: header, records, compression, and the kernel of per-record loops
- `headers.py` `framing.py` `api_keys.py` `error_codes.py`  what goes around a message
"""
