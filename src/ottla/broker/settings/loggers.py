"""The loggers of this process as a resource whose levels can be told and set (KIP-412), under Kafka's names of levels.

Loggers belong to the process and not to a node: of two nodes in one process each tells, and sets, the same ones. Only
Ottla's own are named, and the root, whose level is that of all that have none. Levels are kept until the process ends.
"""

import logging
from collections.abc import Iterable
from typing import Final

from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode

ROOT: Final = "root"
OWN: Final = "ottla"
LEVELS: Final = {"FATAL": 50, "ERROR": 40, "WARN": 30, "INFO": 20, "DEBUG": 10, "TRACE": 5}
OPERATIONS: Final = range(4)  # of which lists have two to themselves
SET, DELETE = 0, 1


def levels() -> dict[str, str]:
    """The level that each logger goes by, by name."""
    found = {ROOT: _name(logging.getLogger().getEffectiveLevel())}
    for name in sorted(logging.Logger.manager.loggerDict):
        if _is_own(name):
            found[name] = _name(logging.getLogger(name).getEffectiveLevel())
    return found


def check(changes: Iterable[tuple[str, int, str | None]]) -> None:
    """Raise `RequestRefused` unless these changes (logger, operation, level) can all be made."""
    known = levels()
    for name, operation, level in changes:
        if operation not in OPERATIONS:
            raise RequestRefused(ErrorCode.UNKNOWN_SERVER_ERROR, f"There is no operation {operation} on {name}.")
        if operation not in (SET, DELETE):
            raise RequestRefused(ErrorCode.INVALID_REQUEST, f"A level of {name} can be set or deleted, and not edited.")
        if name not in known:
            raise RequestRefused(ErrorCode.INVALID_CONFIG, f"There is no logger {name}.")
        if operation == DELETE and name == ROOT:
            raise RequestRefused(ErrorCode.INVALID_REQUEST, "The root logger has to have a level.")
        if operation == SET and level not in LEVELS:
            raise RequestRefused(
                ErrorCode.INVALID_CONFIG, f"{name} cannot have the level {level}; levels are {', '.join(LEVELS)}."
            )


def change(changes: Iterable[tuple[str, int, str | None]]) -> None:
    """Make changes that have been checked."""
    for name, operation, level in changes:
        logger = logging.getLogger(None if name == ROOT else name)
        logger.setLevel(LEVELS[level] if operation == SET and level is not None else logging.NOTSET)


def _is_own(name: str) -> bool:
    return (name == OWN or name.startswith(f"{OWN}.")) and isinstance(
        logging.Logger.manager.loggerDict.get(name), logging.Logger
    )


def _name(number: int) -> str:
    return next((name for name, least in LEVELS.items() if number >= least), "TRACE")
