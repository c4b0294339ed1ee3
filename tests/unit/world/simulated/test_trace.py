"""The trace of a run and its hash."""

from ottla.world.simulated.trace import HASHED_AT_ONCE, KEPT_LINES, Trace


def traced(*texts: str) -> Trace:
    """A trace of events at one time on one node."""
    trace = Trace()
    for text in texts:
        trace.add(12_000_345_678, "broker-2", "crash", text)
    return trace


def test_a_line_has_time_node_kind_and_text() -> None:
    """A reader sees in seconds of virtual time what happened where."""
    assert traced("power lost").lines() == ["    12.000345  broker-2     crash      power lost"]


def test_lines_of_one_kind_can_be_asked_for() -> None:
    """A checker can look for what it wants."""
    trace = traced("a")
    trace.add(0, "broker-1", "start", "life 1")
    assert [line.split()[-1] for line in trace.lines("start")] == ["1"]
    assert len(trace.lines()) == trace.count == 2


def test_the_hash_takes_in_every_line_and_their_order() -> None:
    """One event more, less or at another place is another run."""
    hashes = {traced(*texts).hash() for texts in ([], ["a"], ["a", "b"], ["b", "a"], ["a", "b", "c"], ["ab"])}
    assert len(hashes) == 6
    assert traced("a", "b").hash() == traced("a", "b").hash()


def test_the_hash_takes_in_lines_that_are_no_longer_kept() -> None:
    """Only the newest lines are kept; a difference long ago still shows, whether or not the hash was asked for."""
    many = [str(number) for number in range(KEPT_LINES + HASHED_AT_ONCE // 2)]
    one, other = traced("x", *many), traced("y", *many)
    asked = traced("x", *many[:10])
    asked.hash()
    for text in many[10:]:
        asked.add(12_000_345_678, "broker-2", "crash", text)
    assert len(one.lines()) == KEPT_LINES
    assert one.lines() == other.lines()
    assert one.hash() != other.hash()
    assert one.hash() == asked.hash()


def test_what_is_mixed_in_shows_in_the_hash_alone() -> None:
    """The states of the sources of chance belong to a run, and are nothing to read."""
    trace = traced("a")
    trace.mix("0.25")
    assert len(trace.lines()) == 1
    assert trace.hash() != traced("a").hash()


def test_lines_are_shown_as_they_come() -> None:
    """Who replays a seed sees the trace while it runs."""
    shown: list[str] = []
    trace = Trace(shown.append)
    trace.add(0, "a", "b", "c")
    assert shown == trace.lines()
