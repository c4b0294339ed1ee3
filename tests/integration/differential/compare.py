"""Two answers, compared field by field.

Elements of an array are matched by what identifies them, batches by what they hold. A difference has a place: the path
of fields to it, with what identifies each element on the way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ottla.errors import OttlaError
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.records.batch import HEADER_SIZE, LENGTH_END, CompressionType, RecordBatch
from ottla.protocol.records.record import records_of
from tests.integration.differential.bounds import shown
from tests.integration.differential.cases import Step
from tests.integration.differential.named import FAILURES, NAMED, Leaf
from tests.integration.differential.sides import Side, Told
from tests.integration.differential.templates.template import CONTROLLER

# What an element of an array is told apart by, the first that it has.
IDENTITIES: Final = (
    ("resource_type", "resource_name"),
    ("topic", "topic_id"),
    ("name", "topic_id"),
    ("name",),
    ("topic",),
    ("topic_name",),
    ("topic_id",),
    ("partition_index",),
    ("partition_id",),
    ("partition",),
    ("index",),
    ("api_key",),
    ("node_id",),
    ("broker_id",),
    ("replica_id",),
    ("producer_id",),
    ("user",),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """What is not the same, and not explained."""

    path: tuple[str, ...]  # field names
    place: str  # the same with what identifies the elements
    left: Any
    right: Any

    def __str__(self) -> str:
        return f"{self.place}: {shown(self.left)} and {shown(self.right)}"


class Comparison:
    """Of the answers of two brokers to the same question."""

    def __init__(self, step: Step, left: Side, right: Side, used: set[str]) -> None:
        """`used` collects the names of differences that explained something."""
        self.step, self.left, self.right, self.used = step, left, right, used

    def differences(self, left: Told, right: Told) -> list[Difference]:
        """All that nothing explains."""
        if left.tree is None or right.tree is None:
            if left.failure == right.failure:
                return []
            if fails_inside(right):
                self.used.add(FAILURES)
                return []
            return [Difference(("(answer)",), "(answer)", left.failure or "answered", right.failure or "answered")]
        if fails_inside(right) and not fails_inside(left):
            self.used.add(FAILURES)
            return []
        return list(self._walk((), "", left.tree, right.tree))

    def _walk(self, path: tuple[str, ...], place: str, left: Any, right: Any) -> Iterator[Difference]:
        if isinstance(left, dict) and isinstance(right, dict):
            for name in left | right:
                yield from self._walk((*path, name), f"{place}.{name}".lstrip("."), left.get(name), right.get(name))
        elif isinstance(left, list) and isinstance(right, list):
            yield from self._arrays(path, place, left, right)
        elif (
            path
            and path[-1] == "records"
            and self.step.listener != CONTROLLER
            and isinstance(left, bytes)
            and isinstance(right, bytes)
        ):
            yield from self._walk(path, place, batches(left), batches(right))
        elif left != right and not self._explained(path, left, right):
            yield Difference(path, place, left, right)

    def _arrays(self, path: tuple[str, ...], place: str, left: list[Any], right: list[Any]) -> Iterator[Difference]:
        lefts, rights = self._keyed(self.left, path, left), self._keyed(self.right, path, right)
        if path == ("api_keys",):
            self.used.add("APIs not served")
            for keyed in (lefts, rights):
                for missing in set(lefts) ^ set(rights):
                    keyed.pop(missing, None)
        for key in sorted(lefts.keys() | rights.keys()):
            inside = f"{place}[{key}]"
            if key not in lefts or key not in rights:
                yield Difference(path, inside, lefts.get(key, "nothing"), rights.get(key, "nothing"))
            else:
                yield from self._walk(path, inside, lefts[key], rights[key])

    def _keyed(self, side: Side, path: tuple[str, ...], elements: list[Any]) -> dict[str, Any]:
        """Elements by what identifies them, or by their position; those that are there twice are counted."""
        keyed: dict[str, Any] = {}
        for at, element in enumerate(elements):
            key = self._identity(side, element) or f"#{at:03}"
            while key in keyed:
                key += "'"
            if path[-1] == "configs" and key.startswith("ottla."):
                self.used.add("settings of our own")
                continue
            keyed[key] = element
        return keyed

    def _identity(self, side: Side, element: Any) -> str:
        if not isinstance(element, dict):
            return ""
        for fields in IDENTITIES:
            if fields[0] in element and all(name in element for name in fields):
                values = [element[name] for name in fields]
                return " ".join(
                    (side.topic_of(value) or "id") if isinstance(value, bytes) else str(value) for value in values
                )
        return ""

    def _explained(self, path: tuple[str, ...], left: Any, right: Any) -> bool:
        leaf = Leaf(self.step.api, self.step.listener, path, left, right, self.left, self.right)
        for named in NAMED:
            if named.explains(leaf):
                self.used.add(named.name)
                return True
        return False


def fails_inside(told: Told) -> bool:
    """Whether an answer says no more than that something unexpected happened, or does not come."""
    return told.failure == "silent" or says(told.tree, ErrorCode.UNKNOWN_SERVER_ERROR)


def says(tree: Any, error: ErrorCode) -> bool:
    """Whether this error is anywhere in an answer."""
    if isinstance(tree, dict):
        return tree.get("error_code") == error or any(says(value, error) for value in tree.values())
    return isinstance(tree, list) and any(says(value, error) for value in tree)


def batches(data: bytes) -> dict[str, Any]:
    """What is in a row of batches: their headers and their records, and how much of another one follows."""
    found: list[Any] = []
    position = 0
    while len(data) - position >= HEADER_SIZE:
        end = position + LENGTH_END + int.from_bytes(data[position + 8 : position + LENGTH_END], "big")
        if end > len(data):
            break
        found.append(_batch(data[position:end]))
        position = end
    return {"batches": found, "and_more": len(data) > position}


def _batch(data: bytes) -> dict[str, Any]:
    batch = RecordBatch(memoryview(data))
    whole: dict[str, Any] = {
        "base_offset": batch.base_offset,
        "last_offset": batch.last_offset,
        "leader_epoch": batch.partition_leader_epoch,
        "attributes": batch.attributes,
        "max_timestamp": batch.max_timestamp,
        "base_timestamp": batch.base_timestamp,
        "producer": [batch.producer_id, batch.producer_epoch, batch.base_sequence],
    }
    try:
        batch.check()
        whole["contents"] = [repr((each.offset, each.key, each.value, each.headers)) for each in records_of(batch)]
        if batch.compression_type is CompressionType.NONE:
            whole["bytes"] = data[HEADER_SIZE:]
    except (OttlaError, ValueError) as unreadable:
        whole["unreadable"] = type(unreadable).__name__
    return whole
