"""What clients were told, and what therefore must be so.

Every record is a text of its own: who wrote it, and the how-manieth of his it is in this partition. Always demanded:
an offset that was acknowledged, or read below the high watermark, holds the same text for ever after; nothing is read
that nobody wrote. At the end: what was acknowledged is there; what an idempotent producer wrote is there once, in
order, without a gap.
"""

from collections import Counter
from typing import NamedTuple


class Place(NamedTuple):
    """A partition."""

    topic: str
    partition: int


class History:
    """All that was told in one run."""

    def __init__(self) -> None:
        self.checks: Counter[str] = Counter()
        self.acknowledged = 0
        self._known: dict[Place, dict[int, str]] = {}  # by offset
        self._written: set[tuple[Place, str]] = set()
        self._promised: dict[Place, dict[int, str]] = {}  # acknowledged, by offset

    def tries(self, place: Place, text: str) -> None:
        """Somebody is about to write this."""
        self._written.add((place, text))

    def is_acknowledged(self, place: Place, offset: int, text: str) -> None:
        """The broker said that it is kept, there."""
        self.acknowledged += 1
        self._promised.setdefault(place, {})[offset] = text
        self._same(place, offset, text, "acknowledged")
        self.checks["acknowledged"] += 1

    def is_read(self, place: Place, offset: int, text: str) -> None:
        """Somebody read it."""
        assert (place, text) in self._written, f"{place} {offset}: {text!r} was never written there"
        self._same(place, offset, text, "read")
        self.checks["same bytes"] += 1

    def _same(self, place: Place, offset: int, text: str, how: str) -> None:
        known = self._known.setdefault(place, {}).setdefault(offset, text)
        assert known == text, f"{place} offset {offset}: {how} as {text!r}, known as {known!r}"

    # The end

    def judge(self, place: Place, log: dict[int, str], *, idempotent: bool) -> None:
        """What the whole partition holds at the end, by offset."""
        assert sorted(log) == list(range(len(log))), f"{place}: offsets have holes"
        for offset, text in self._promised.get(place, {}).items():
            assert log.get(offset) == text, f"{place} offset {offset}: {text!r} was acknowledged; {log.get(offset)!r}"
            self.checks["kept"] += 1
        if not idempotent:
            return
        numbers: dict[str, int] = {}
        for offset, text in sorted(log.items()):
            writer, _, number = text.rpartition(" ")
            expected = numbers.get(writer, -1) + 1
            assert int(number) == expected, f"{place} offset {offset}: {text!r}, where number {expected} comes next"
            numbers[writer] = expected
            self.checks["once and in order"] += 1
