"""Levels of loggers."""

import logging
from collections.abc import Iterator

import pytest

from ottla.broker.settings import loggers
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode

NAME = "ottla.tests.loggers"


@pytest.fixture(autouse=True)
def logger() -> Iterator[logging.Logger]:
    """A logger that is as it was afterwards."""
    found = logging.getLogger(NAME)
    yield found
    found.setLevel(logging.NOTSET)


def test_levels_are_told_and_set(logger: logging.Logger) -> None:
    """A logger without a level of its own goes by those above it; one that is set is told so, until it is deleted."""
    inherited = loggers.levels()[NAME]
    assert inherited == loggers.levels()["root"]
    loggers.change([(NAME, loggers.SET, "TRACE")])
    assert (loggers.levels()[NAME], logger.isEnabledFor(5)) == ("TRACE", True)
    loggers.change([(NAME, loggers.SET, "FATAL")])
    assert (loggers.levels()[NAME], logger.isEnabledFor(logging.ERROR)) == ("FATAL", False)
    loggers.change([(NAME, loggers.DELETE, None)])
    assert loggers.levels()[NAME] == inherited


def test_others_loggers_are_not_ours() -> None:
    """What a program around us logs is not shown, nor changed."""
    logging.getLogger("somebody.else")
    assert "somebody.else" not in loggers.levels()
    with pytest.raises(RequestRefused):
        loggers.check([("somebody.else", loggers.SET, "INFO")])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("ottla.nowhere", loggers.SET, "INFO"), ErrorCode.INVALID_CONFIG),
        ((NAME, loggers.SET, "LOUD"), ErrorCode.INVALID_CONFIG),
        ((NAME, loggers.SET, "info"), ErrorCode.INVALID_CONFIG),
        (("root", loggers.DELETE, None), ErrorCode.INVALID_REQUEST),
        ((NAME, 2, "INFO"), ErrorCode.INVALID_REQUEST),
    ],
)
def test_what_cannot_be_set(change: tuple[str, int, str | None], code: ErrorCode) -> None:
    """Unknown loggers and levels, a root without a level, and lists of levels are refused with Kafka's codes."""
    with pytest.raises(RequestRefused) as refused:
        loggers.check([change])
    assert refused.value.code == code
