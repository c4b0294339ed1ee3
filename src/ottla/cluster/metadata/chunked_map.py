"""An immutable map that is cheap to change a little: what images are made of, so that they share what did not change.

The entries lie in about sqrt(n) chunks, each a plain dict; a new map copies the chunks that change and the tuple of
chunks, and shares the others. One changed entry of 100,000 costs two copies of a few hundred references (6 us), a
lookup one more step than a dict. A hash trie was the alternative: faster above a million entries, three times the code.

Always true: a key's chunk follows from the key and the number of chunks alone, never from Python's seeded hashes, so
that two runs of a simulation see the same order; that order is no promise otherwise. Values are never None: `updated`
takes None to mean that a key goes. `MapDelta` collects such changes on top of a map; `changes` names only what differs.
"""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar, overload
from zlib import crc32

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T")
V_co = TypeVar("V_co", covariant=True)

SMALL: Final = 64  # up to here one chunk, and no need to look at keys
CROWDED: Final = 2  # a map gets more chunks when they hold this many times as many entries as there are chunks


class ChunkedMap(Mapping[K, V_co], Generic[K, V_co]):
    """A map that never changes."""

    __slots__ = ("_size", "chunks")

    def __init__(self, entries: Mapping[K, V_co] | None = None) -> None:
        self.chunks: tuple[dict[K, V_co], ...]
        self.chunks, self._size = _chunked(dict(entries or {}))

    def __getitem__(self, key: K) -> V_co:
        chunks = self.chunks
        if len(chunks) == 1:
            return chunks[0][key]
        return chunks[_number(key) & len(chunks) - 1][key]

    @overload
    def get(self, key: K, /) -> V_co | None: ...
    @overload
    def get(self, key: K, /, default: V_co | T) -> V_co | T: ...
    def get(self, key: K, /, default: Any = None) -> Any:
        """The value, or the default: without an exception on the way, since deltas ask for much that is not there."""
        chunks = self.chunks
        return chunks[_number(key) & len(chunks) - 1 if len(chunks) > 1 else 0].get(key, default)

    def __iter__(self) -> Iterator[K]:
        for chunk in self.chunks:
            yield from chunk

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"ChunkedMap({dict(self)})"

    def updated(self, changes: "Mapping[K, V_co | None]") -> "ChunkedMap[K, V_co]":
        """A map with these entries set, and without those whose value is None."""
        if not changes:
            return self
        chunks = list(self.chunks)
        owned: set[int] = set()
        mask, size = len(chunks) - 1, self._size
        for key, value in changes.items():
            at = _number(key) & mask if mask else 0
            if at not in owned:
                owned.add(at)
                chunks[at] = chunks[at].copy()
            chunk = chunks[at]
            before = len(chunk)
            if value is None:
                chunk.pop(key, None)
            else:
                chunk[key] = value
            size += len(chunk) - before
        new: ChunkedMap[K, V_co] = ChunkedMap.__new__(ChunkedMap)
        new.chunks, new._size = tuple(chunks), size
        if size > SMALL and size > CROWDED * len(chunks) * len(chunks):
            new.chunks, new._size = _chunked(new.entries())
        return new

    def changes_to(self, other: "ChunkedMap[K, V_co]") -> "dict[K, V_co | None]":
        """What `updated` would have to be given to make this map equal to another one."""
        if not self._size:
            return {**other.entries()}
        changes: dict[K, V_co | None] = {key: None for key in self if key not in other}
        for chunk in other.chunks:
            for key, value in chunk.items():
                own = self.get(key)
                if own is not value and own != value:
                    changes[key] = value
        return changes

    def entries(self) -> dict[K, V_co]:
        """All of it as one dict."""
        entries: dict[K, V_co] = {}
        for chunk in self.chunks:
            entries.update(chunk)
        return entries


class MapDelta(Generic[K, V]):
    """Changes on top of a map: looked up as if they were made, made by `apply`."""

    __slots__ = ("base", "changes")

    def __init__(self, base: ChunkedMap[K, V], changes: "dict[K, V | None] | None" = None) -> None:
        self.base = base
        self.changes: dict[K, V | None] = {} if changes is None else changes

    def get(self, key: K) -> V | None:
        """The value as it is now; None if there is none."""
        return self.changes[key] if key in self.changes else self.base.get(key)

    def __setitem__(self, key: K, value: V) -> None:
        self._change(key, value)

    def __delitem__(self, key: K) -> None:
        """Take a key away; one that is not there is no fault."""
        self._change(key, None)

    def __bool__(self) -> bool:
        return bool(self.changes)

    def _change(self, key: K, value: V | None) -> None:
        if self.base.get(key) == value:
            self.changes.pop(key, None)
        else:
            self.changes[key] = value

    def become(self, target: ChunkedMap[K, V]) -> None:
        """Change to what another map holds, whatever was changed before."""
        self.changes = self.base.changes_to(target)

    def apply(self) -> ChunkedMap[K, V]:
        """The map with the changes made; the same map if there are none."""
        return self.base.updated(self.changes)


def _chunked(entries: dict[K, V]) -> tuple[tuple[dict[K, V], ...], int]:
    """Entries laid out anew, in as many chunks as become them."""
    size = len(entries)
    if size <= SMALL:
        return (entries,), size
    count = 1
    while count * count < size:
        count *= 2
    chunks: tuple[dict[K, V], ...] = tuple({} for _ in range(count))
    for key, value in entries.items():
        chunks[_number(key) & count - 1][key] = value
    return chunks, size


def _number(key: Hashable) -> int:
    """A number that spreads keys over chunks, the same in every process, and for keys that are equal."""
    if isinstance(key, int):
        return int(key)
    if isinstance(key, bytes):
        return crc32(key)
    if isinstance(key, tuple):  # part by part: an enum's member equals its number, and is not shown as it
        return sum((at + 1) * _number(part) for at, part in enumerate(key))
    return crc32((key if isinstance(key, str) else repr(key)).encode("utf-8", "surrogatepass"))
