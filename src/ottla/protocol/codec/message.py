"""The base classes of all messages, and what every message can do: be read, be written, be compared, be shown.

A message is a plain object with slots, one class for all its versions: a field that a version lacks carries its
default. Arrays are sequences to be read, not changed in place: what is read may be a list, or a tuple where that is
cheaper. A struct that nobody has set is a shared default, and refuses assignment.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self, TypeVar

from ottla.errors import UnsupportedVersion
from ottla.protocol.codec import notation
from ottla.protocol.codec.reader import compile_reader
from ottla.protocol.codec.schema import MessageSchema
from ottla.protocol.codec.wire import UnknownTags
from ottla.protocol.codec.writer import compile_writer

T = TypeVar("T")
Buffer = bytes | memoryview
Chunk = Any  # bytes, a memoryview, or another sized thing that the network can send: what `records` was given


class _Make:
    """`X.make(...)` is `X(...)` at half its price: a call of a plain function with keywords, where the class's own
    call would pack them into a dict. It is written from the signature of `__init__` at its first use.
    """

    def __get__(self, instance: object, owner: type[T]) -> type[T]:
        code = owner.__init__.__code__  # every struct has an `__init__` of its own
        names = code.co_varnames[1 : code.co_argcount]
        lines = [f"def make({', '.join(names)}):", " self = new(cls)", *(f" self.{name} = {name}" for name in names)]
        namespace: dict[str, Any] = {"new": object.__new__, "cls": owner}
        exec("\n".join([*lines, " self.unknown_tags = ()", " return self"]), namespace)  # noqa: S102 - our own text
        make = namespace["make"]
        make.__defaults__ = owner.__init__.__defaults__
        owner.make = staticmethod(make)  # type: ignore[attr-defined]
        made: type[T] = make
        return made


class Struct:
    """Fields in slots, and the tagged fields that this node does not know but hands on."""

    __slots__ = ("unknown_tags",)
    make: ClassVar = _Make()
    unknown_tags: UnknownTags
    _default: ClassVar[Any] = None

    @classmethod
    def default(cls) -> Self:
        """The one struct with all defaults, shared by whoever has set nothing; it cannot be changed."""
        if cls._default is None:
            frozen = type(
                cls.__name__, (cls,), {"__slots__": (), "__setattr__": _refuse, "__qualname__": cls.__qualname__}
            )
            default = cls()
            default.__class__ = frozen
            cls._default = default
        shared: Self = cls._default
        return shared

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Struct) or _fields(type(self)) != _fields(type(other)):
            return NotImplemented
        return all(_equal(getattr(self, name), getattr(other, name)) for name in (*_fields(type(self)), "unknown_tags"))

    __hash__ = None  # type: ignore[assignment] # values with fields that change have no hash

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={_shown(getattr(self, name))}" for name in _fields(type(self)))
        return f"{type(self).__qualname__}({fields})"


class Message(Struct):
    """A message in all its versions."""

    __slots__ = ()
    KEY: ClassVar[int | None] = None  # of a request or response: its API key; of a record: its type
    VERSIONS: ClassVar[range]
    _readers: ClassVar[dict[int, Callable[..., Any]]]
    _prefix_readers: ClassVar[dict[int, Callable[..., Any]]]
    _writers: ClassVar[dict[int, Callable[..., list[Chunk]]]]

    def __init_subclass__(cls) -> None:
        cls._readers, cls._prefix_readers, cls._writers = {}, {}, {}

    @classmethod
    def schema(cls) -> MessageSchema:
        """What the schema text says about this message."""
        return notation.family(cls.__module__.rpartition(".")[2])[cls.__name__]

    @classmethod
    def read(cls, buffer: Buffer, version: int, position: int = 0) -> Self:
        """Read the message that reaches from `position` to the end of `buffer`."""
        reader = cls._readers.get(version)
        if reader is None:
            cls._check(version)
            reader = cls._readers[version] = compile_reader(cls.schema(), cls, version, prefix=False)
        message: Self = reader(buffer, position)
        return message

    @classmethod
    def read_prefix(cls, buffer: Buffer, version: int, position: int = 0) -> tuple[Self, int]:
        """Read the message that starts at `position`; returns it and the position behind it."""
        reader = cls._prefix_readers.get(version)
        if reader is None:
            cls._check(version)
            reader = cls._prefix_readers[version] = compile_reader(cls.schema(), cls, version, prefix=True)
        result: tuple[Self, int] = reader(buffer, position)
        return result

    def write(self, version: int) -> list[Chunk]:
        """The message as chunks: joined bytes, and between them the records as they were given."""
        writer = self._writers.get(version)
        if writer is None:
            self._check(version)
            writer = self._writers[version] = compile_writer(self.schema(), type(self), version)
        return writer(self)

    def to_bytes(self, version: int) -> bytes:
        """The message as one piece of bytes: for what is small, or going into a record or a file."""
        return b"".join(self.write(version))

    @classmethod
    def _check(cls, version: int) -> None:
        if version not in cls.VERSIONS:
            raise UnsupportedVersion(f"{cls.__name__} has versions {cls.schema().versions}, not {version}")


def _fields(cls: type) -> tuple[str, ...]:
    """The names of a struct's own fields; a shared default's class has none of its own."""
    fields: tuple[str, ...] = cls.__dict__["__slots__"] or cls.__mro__[1].__dict__.get("__slots__", ())
    return () if fields == ("unknown_tags",) else fields


def _equal(one: object, other: object) -> bool:
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str | bytes | memoryview):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one == other


def _shown(value: object) -> str:
    """Bytes are shown by their length: they may be a password's, or a megabyte's."""
    return f"<{len(value)} bytes>" if isinstance(value, bytes | bytearray | memoryview) else repr(value)


def _refuse(self: Struct, name: str, value: object) -> None:
    raise AttributeError(f"{type(self).__qualname__}.{name}: this is the shared default; build a new one to set it")
