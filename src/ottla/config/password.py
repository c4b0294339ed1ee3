"""A value that must not be read by accident.

A `Password` shows itself as `[hidden]` in every text form: str, repr, format, f-strings, logs, tracebacks that print
variables, and the dataclasses and containers that hold it. It is no `str`, so it can be neither joined nor sliced, and
json and pickle refuse it. The one door is `reveal()`, which is easy to search for.

It protects from carelessness. Whoever can run code in the process can read it.
"""

from typing import NoReturn

HIDDEN = "[hidden]"


class Password:
    """A secret text; equal to another password with the same text."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself: for whoever hands it to a library that needs it."""
        return self._text

    def __repr__(self) -> str:
        return HIDDEN

    def __str__(self) -> str:
        return HIDDEN

    def __format__(self, spec: str) -> str:
        return format(HIDDEN, spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Password):
            return NotImplemented
        return self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __copy__(self) -> "Password":
        return self

    def __deepcopy__(self, memo: object) -> "Password":
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a password is not pickled: the bytes would show it")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self.__reduce__()
