"""Columns over bytes that are not copied."""

from ottla.protocol.records.columns import Columns, Header
from ottla.protocol.records.kernel import index
from tests.unit.protocol.records.sections import record


def test_empty_columns_have_no_records() -> None:
    """Nothing is in them, and every column has its type."""
    columns = Columns.empty(b"data")
    assert len(columns) == 0
    assert columns.keys() == columns.values() == []
    assert [getattr(columns, name).typecode for name in Columns.__slots__[1:]] == ["q"] * 2 + ["i"] * 7


def test_single_records_are_sliced_when_they_are_asked_for() -> None:
    """One record's parts can be had without the others', out of any kind of buffer."""
    records = record(0, 0, b"a" * 100, None) + record(0, 1, None, b"b" * 10_000)
    for buffer in (records, bytearray(records), memoryview(records)):
        columns = index(buffer, 2, 0, 0)
        assert (columns.key(0), columns.value(0)) == (b"a" * 100, None)
        assert (columns.key(1), columns.value(1)) == (None, b"b" * 10_000)
        assert isinstance(columns.key(0), bytes)


def test_headers_are_decoded_when_they_are_asked_for() -> None:
    """Long names and values, of which the lengths take several bytes, and more than 63 headers."""
    many = tuple((b"%d" % at, b"x" * at if at % 2 else None) for at in range(100))
    records = record(0, 0, b"k", b"v", ((b"n" * 100, b"v" * 20_000),)) + record(0, 1, b"k", b"v", many)
    columns = index(records, 2, 0, 0)
    assert columns.headers(0) == (Header("n" * 100, b"v" * 20_000),)
    assert columns.headers(1) == tuple(Header(name.decode(), content) for name, content in many)


def test_header_keys_that_are_not_text_are_shown_as_java_does() -> None:
    """Bytes that are not UTF-8 become replacement characters; the record can be read all the same."""
    assert index(record(0, 0, b"k", b"v", ((b"a\xffb", b"x"),)), 1, 0, 0).headers(0) == (Header("a\ufffdb", b"x"),)
