"""The golden batches: what other clients wrote, and what they had been given. See tools/make_golden_batches.py."""

import json
from pathlib import Path
from typing import Any

from ottla.protocol.records.columns import Header

FOLDER = Path(__file__).parents[3] / "golden" / "batches"
ORIGIN: dict[str, dict[str, Any]] = json.loads((FOLDER / "origin.json").read_text())
Given = tuple[int, bytes | None, bytes | None, tuple[Header, ...]]


def batch_bytes(name: str) -> bytearray:
    """One file, in a buffer that can be written to."""
    return bytearray((FOLDER / name).read_bytes())


def given(set_name: str) -> list[Given]:
    """What every client was given: timestamps, keys, values and headers."""
    records = json.loads((FOLDER / "records.json").read_text())[set_name]
    return [
        (timestamp, _text(key), _text(value), tuple(Header(name, _text(content)) for name, content in headers))
        for timestamp, key, value, headers in records
    ]


def files(**wanted: object) -> list[str]:
    """The files about whose making all of this is said; None: nothing is said about it."""
    return [name for name, said in ORIGIN.items() if all(said.get(key) == value for key, value in wanted.items())]


def with_records() -> list[str]:
    """The files that hold one of the sets of records."""
    return [name for name, said in ORIGIN.items() if "records" in said]


def _text(value: Any) -> bytes | None:
    if value is None:
        return None
    whole = value[0] * value[1] if isinstance(value, list) else value
    return str(whole).encode()
