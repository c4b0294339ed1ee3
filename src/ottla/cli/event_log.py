"""What a node tells about itself, line by line on standard error.

    2026-11-20 00:05:01.123 INFO  started node=1 cluster=8sVgPWhqRQqfJ1FHDnpd7A took_ms=312 (broker.node)
    time                    level text    fields of the event                              who says it

Parts log events: a constant text, so that it can be searched for, and fields beside it (`extra` of the standard
library's logging). A field's value with blanks is quoted. Whoever runs a node in a program of their own sets up logging
as they like; only the command does it this way.
"""

import json
import logging
import sys
from typing import Final, TextIO

LEVELS: Final = ("debug", "info", "warning", "error")
_OUR_PREFIX: Final = "ottla."
# What every record has; all else are fields of the event.
_NO_FIELDS: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class EventFormatter(logging.Formatter):
    """Makes a line of an event, with the traceback of a fault below it."""

    default_time_format = "%Y-%m-%d %H:%M:%S"
    default_msec_format = "%s.%03d"

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        fields = "".join(
            f" {name}={_shown(value)}" for name, value in record.__dict__.items() if name not in _NO_FIELDS
        )
        who = record.name.removeprefix(_OUR_PREFIX)
        line = f"{self.formatTime(record)} {record.levelname:5} {record.getMessage()}{fields} ({who})"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def begin(level: str, stream: TextIO | None = None) -> None:
    """From now on events of this level and above are written."""
    handler = logging.StreamHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(EventFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.captureWarnings(capture=True)


def _shown(value: object) -> str:
    text = str(value)
    return text if text and text.isprintable() and not any(sign in text for sign in ' "=') else json.dumps(text)
