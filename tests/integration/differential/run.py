"""Runs cases against both sides, and keeps what differed.

What follows a request (the looks) may differ for a moment, since a broker tells of a change a little after it was
made: a look is repeated until both say the same, or for as long as that may take.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from ottla.protocol.error_codes import ErrorCode
from tests.integration.differential.cases import Case, Step
from tests.integration.differential.compare import Comparison, Difference, says
from tests.integration.differential.named import named_case
from tests.integration.differential.sides import Side, Told
from tests.integration.differential.templates.template import CONTROLLER
from tests.integration.differential.trees import mapped

SAME_WITHIN_S: Final = 2.0
ELECTED_WITHIN_S: Final = 10.0
PAUSE_S: Final = 0.02
AT_ONCE: Final = 400  # cases whose topics are made together
SHOWN_EXAMPLES: Final = 2


@dataclass(frozen=True, slots=True)
class Found:
    """A difference, and the case and step in which it was seen."""

    case: Case
    step: Step
    difference: Difference


@dataclass
class Report:
    """What a run has seen."""

    pairs: int = 0
    by_api: Counter[str] = field(default_factory=Counter)
    found: list[Found] = field(default_factory=list)
    explained: set[str] = field(default_factory=set)

    def lines(self, examples: int = SHOWN_EXAMPLES) -> Iterator[str]:
        """Differences by API and field, the most frequent first, with examples."""
        groups: dict[tuple[str, str], list[Found]] = {}
        for each in self.found:
            groups.setdefault((each.step.api.message, ".".join(each.difference.path)), []).append(each)
        yield f"{self.pairs} pairs, {len(self.found)} differences in {len(groups)} places"
        for (api, path), those in sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1]))):
            yield f"\n{api} {path}: {len(those)}"
            seen: set[str] = set()
            for each in those:
                kind = f"{each.difference.left!r} {each.difference.right!r}"
                if kind in seen or len(seen) >= examples:
                    continue
                seen.add(kind)
                yield f"  {each.case.name}"
                yield f"    {each.step.api.message} v{each.step.version} {mapped(each.step.tree, _shortened)}"
                yield f"    {each.difference}"


def run(left: Side, right: Side, cases: Iterable[Case], seconds: float | None = None) -> Report:
    """Ask both sides everything, for so long."""
    report, pending = Report(), list(cases)
    give_up = time.monotonic() + (seconds or float("inf"))
    for start in range(0, len(pending), AT_ONCE):
        some = pending[start : start + AT_ONCE]
        left.prepare(some)
        right.prepare(some)
        for case in some:
            try:
                _ask(left, right, case, report)
            except ConnectionRefusedError as gone:
                words = "\n".join(f"{side.name}:\n{side.server.last_words()}" for side in (left, right))
                raise AssertionError(
                    f"nobody is there any more for {case.name}, or what was before it\n{words}"
                ) from gone
            if time.monotonic() > give_up:
                return report
    return report


def _ask(left: Side, right: Side, case: Case, report: Report) -> None:
    told: list[dict[str, object]] = [{}, {}]
    for at, step in enumerate(case.steps):
        for side, kept in zip((left, right), told, strict=True):
            side.told = kept
        differences = _pair(left, right, step, report)
        if case.tells and at == 0:
            told = [dict(left.told), dict(right.told)]
        report.found += _unnamed(case, step, differences, report)
    is_named = bool(named_case(case.name))
    for look in case.looks:
        give_up = time.monotonic() + (0 if is_named else SAME_WITHIN_S)
        while (differences := _pair(left, right, look, report)) and time.monotonic() < give_up:
            report.pairs -= 1
            report.by_api[look.api.message] -= 1
            time.sleep(PAUSE_S)
        report.found += _unnamed(case, look, differences, report)


def _unnamed(case: Case, step: Step, differences: list[Difference], report: Report) -> list[Found]:
    """The differences of a case, unless all of them have a name."""
    name = named_case(case.name)
    if name and differences:
        report.explained.add(name)
        return []
    return [Found(case, step, each) for each in differences]


def _pair(left: Side, right: Side, step: Step, report: Report) -> list[Difference]:
    """Ask both at the same time."""
    report.pairs += 1
    report.by_api[step.api.message] += 1
    left.send(step)
    right.send(step)
    comparison = Comparison(step, left, right, report.explained)
    told = left.receive(step)
    expects_it = step.listener != CONTROLLER or says(told.tree, ErrorCode.NOT_CONTROLLER)
    return comparison.differences(told, right.receive(step) if expects_it else _received(right, step))


def _received(right: Side, step: Step) -> Told:
    """What Kafka answers: a controller that has failed inside resigns, and is asked again once it is elected anew."""
    told, give_up = right.receive(step), time.monotonic() + ELECTED_WITHIN_S
    while says(told.tree, ErrorCode.NOT_CONTROLLER) and time.monotonic() < give_up:
        time.sleep(PAUSE_S)
        right.send(step)
        told = right.receive(step)
    return told


def _shortened(value: object) -> object:
    return f"<{len(value)} bytes>" if isinstance(value, bytes) and len(value) > 16 else value
