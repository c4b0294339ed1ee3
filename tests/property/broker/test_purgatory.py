"""The purgatory agrees with a list, whatever is parked, touched and withdrawn, and however time moves."""

from hypothesis import given
from hypothesis import strategies as st

from ottla.broker.data.purgatory import Parked, Purgatory

KEYS = "abcd"
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("park"), st.sets(st.sampled_from(KEYS), min_size=1), st.integers(0, 300)),
        st.tuples(st.just("touch"), st.sampled_from(KEYS), st.just(0)),
        st.tuples(st.just("withdraw"), st.integers(0, 20), st.just(0)),
        st.tuples(st.just("advance"), st.just(""), st.integers(0, 200)),
    ),
    max_size=60,
)
CAPACITY = 8


class Waiting:
    """Waits until all its keys were touched; a model of itself."""

    def __init__(self, keys: set[str], deadline_ms: int) -> None:
        self.keys, self.needs, self.deadline_ms = sorted(keys), set(keys), deadline_ms
        self.model_needs = set(keys)
        self.ends: list[str] = []
        self.expected: list[str] = []

    def attempt(self, key: str) -> bool:
        """A key was touched."""
        assert key in self.keys
        self.needs.discard(key)
        return not self.needs

    def complete(self) -> None:
        """Done."""
        self.ends.append("done")

    def expire(self) -> None:
        """Over."""
        self.ends.append("expired")


@given(STEPS)
def test_agrees_with_a_list(steps: list[tuple[str, object, int]]) -> None:
    """Each operation ends once, as soon as it must, and is nowhere afterwards."""
    now_ms = 0
    purgatory: Purgatory[str] = Purgatory(now_ms, CAPACITY)
    parked: list[tuple[Waiting, Parked[str]]] = []
    model: list[Waiting] = []
    for step, what, number in steps:
        if step == "park":
            assert isinstance(what, set)
            waiting = Waiting(what, now_ms + number)
            entry = purgatory.park(waiting, waiting.keys, waiting.deadline_ms)
            assert (entry is None) == (len(model) >= CAPACITY)
            if entry is not None:
                parked.append((waiting, entry))
                model.append(waiting)
        elif step == "touch":
            assert isinstance(what, str)
            purgatory.check(what)
            for waiting in model:
                waiting.model_needs.discard(what)
                if not waiting.model_needs:
                    waiting.expected.append("done")
        elif step == "withdraw" and isinstance(what, int) and what < len(parked):
            waiting, entry = parked[what]
            assert purgatory.withdraw(entry) == (waiting in model)
            model = [each for each in model if each is not waiting]
        elif step == "advance":
            now_ms += number
            purgatory.advance(now_ms)
            for waiting in model:
                if waiting.deadline_ms <= now_ms:
                    waiting.expected.append("expired")
        model = [waiting for waiting in model if not waiting.expected]
        assert all(waiting.ends == waiting.expected for waiting, _ in parked)
        assert len(purgatory) == len(model)
        assert purgatory.watched == len({key for waiting in model for key in waiting.keys})
        deadline = purgatory.deadline()
        assert (deadline is None) == (not model)
        if deadline is not None:
            assert deadline <= min(waiting.deadline_ms for waiting in model)
