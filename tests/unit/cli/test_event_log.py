"""Lines that a node writes about itself."""

import io
import logging
import re
from collections.abc import Iterator

import pytest

from ottla.cli import event_log

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (?P<rest>.*)")


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What is written at the level info."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    event_log.begin("info", stream)
    yield stream
    logging.captureWarnings(capture=False)
    root.handlers, root.level = handlers, level


def rest(line: str) -> str:
    """A line without its time."""
    found = LINE.fullmatch(line)
    assert found is not None, line
    return found["rest"]


def test_an_event_is_a_text_with_fields(written: io.StringIO) -> None:
    """Level, text, fields in the order in which they were given, and the part that says it."""
    logging.getLogger("ottla.storage.manager.manager").info("logs loaded", extra={"directory": "/data", "logs": 3})
    assert rest(written.getvalue().rstrip("\n")) == "INFO  logs loaded directory=/data logs=3 (storage.manager.manager)"


@pytest.mark.parametrize(
    ("value", "shown"),
    [("a b", '"a b"'), ("a=b", '"a=b"'), ("", '""'), ('"', '"\\""'), ("a\nb", '"a\\nb"'), (None, "None")],
)
def test_values_stay_in_one_line(written: io.StringIO, value: object, shown: str) -> None:
    """A value that could be taken for something else is quoted, so that no event can look like two."""
    logging.getLogger("ottla").warning("odd", extra={"why": value})
    assert rest(written.getvalue().rstrip("\n")) == f"WARNING odd why={shown} (ottla)"


def test_levels(written: io.StringIO) -> None:
    """What is below the level is not written."""
    logging.getLogger("ottla.network").debug("a detail")
    assert not written.getvalue()


def test_a_fault_has_its_traceback(written: io.StringIO) -> None:
    """A fault of ours is shown with the place that it came from."""
    logging.getLogger("ottla.raft").error("a fault of ours", exc_info=AssertionError("never so"))
    first, *trace = written.getvalue().splitlines()
    assert rest(first) == "ERROR a fault of ours (raft)"
    assert trace[-1] == "AssertionError: never so"
