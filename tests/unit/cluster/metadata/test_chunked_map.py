"""A map that is cheap to change a little."""

import enum
import os
import random
import subprocess
import sys
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ottla.cluster.metadata.chunked_map import ChunkedMap, MapDelta

KEYS = st.integers(-5, 300) | st.text(max_size=2) | st.binary(max_size=2) | st.tuples(st.integers(0, 3), st.text())
CHANGES = st.dictionaries(KEYS, st.none() | st.integers(), max_size=150)


@given(st.lists(CHANGES, max_size=6))
def test_it_agrees_with_a_dict(steps: list[dict[Any, int | None]]) -> None:
    """After any changes it holds what a dict would hold, and the maps before it hold what they held."""
    made: ChunkedMap[Any, int] = ChunkedMap()
    model: dict[Any, int] = {}
    kept = []
    for changes in steps:
        kept.append((made, dict(model)))
        made = made.updated(changes)
        model = {key: value for key, value in (model | changes).items() if value is not None}
        assert made == model
        assert len(made) == len(model) == len(list(made))
        assert all(made[key] == made.get(key) == value for key, value in model.items())
        assert all(made.get(key, -1) == -1 and key not in made for key in changes if key not in model)
    for before, expected in kept:
        assert before == expected
        assert before.updated(before.changes_to(made)) == made


def test_a_change_shares_all_chunks_but_one() -> None:
    """One changed entry of 100,000 copies one chunk, and a chunk holds a few hundred entries at most."""
    large = ChunkedMap({number.to_bytes(16): number for number in range(100_000)})
    changed = large.updated({(5).to_bytes(16): -1})
    other = [chunk for chunk, before in zip(changed.chunks, large.chunks, strict=True) if chunk is not before]
    assert len(other) == 1
    assert len(large.chunks) <= 1_000
    assert max(map(len, large.chunks)) <= 400


def test_a_map_that_grows_gets_more_chunks() -> None:
    """A map that was filled one by one is not laid out worse than twice what one filled at once is."""
    grown: ChunkedMap[int, int] = ChunkedMap()
    for number in range(20_000):
        grown = grown.updated({number: number})
    at_once = ChunkedMap({number: number for number in range(20_000)})
    assert len(at_once.chunks) <= 2 * len(grown.chunks)
    assert grown == at_once


def test_without_changes_it_is_the_same_map() -> None:
    """Nothing to change costs nothing, and sharing can be seen."""
    made = ChunkedMap({1: 2})
    assert made.updated({}) is made
    assert MapDelta(made).apply() is made


def test_a_delta_names_only_what_differs() -> None:
    """What is set to what it was, or made and removed in between, is no change."""
    delta = MapDelta(ChunkedMap({1: 10, 2: 20}))
    delta[1] = 11
    delta[3] = 30
    del delta[2]
    del delta[4]
    assert delta.changes == {1: 11, 3: 30, 2: None}
    assert [delta.get(key) for key in (1, 2, 3, 4)] == [11, None, 30, None]
    delta[1] = 10
    delta[2] = 20
    del delta[3]
    assert not delta


def test_the_order_is_the_same_in_every_process() -> None:
    """Python's seeded hashes have no say in the order, so that two runs of a simulation see the same one."""
    rng = random.Random(7)
    keys: list[object] = [rng.randbytes(16) for _ in range(200)] + [f"topic-{number}" for number in range(200)]
    program = (
        "import random, zlib; from ottla.cluster.metadata.chunked_map import ChunkedMap; rng = random.Random(7);"
        "keys = [rng.randbytes(16) for _ in range(200)] + [f'topic-{n}' for n in range(200)];"
        "print(zlib.crc32(repr(list(ChunkedMap(dict.fromkeys(keys, 1)))).encode()))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert set(ChunkedMap(dict.fromkeys(keys, 1))) == set(keys)


class Kind(enum.IntEnum):
    """A number with a name."""

    TOPIC = 2


def test_keys_that_are_equal_are_one_key() -> None:
    """Settings are found, and forgotten, whether the kind of their resource is told by number or by name."""
    spoken = {(2, f"t{number}"): number for number in range(2_000)}
    full = ChunkedMap(spoken)
    assert len(full.chunks) > 1
    assert all(full.get((Kind.TOPIC, name)) == number for (_, name), number in spoken.items())
    delta = MapDelta(full)
    for _, name in spoken:
        del delta[Kind.TOPIC, name]
    assert not list(delta.apply())
