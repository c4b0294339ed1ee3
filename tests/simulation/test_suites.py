"""Twenty seeds of every suite, as `make test` runs them."""

import pytest

from tests.simulation.suite import ENOUGH_SEEDS, run
from tests.simulation.table import SUITES


@pytest.mark.parametrize("name", SUITES)
def test_twenty_seeds_go_well(name: str) -> None:
    """Every seed keeps the suite's promises, most of them count, and every fault and checker was exercised."""
    result = run(SUITES[name], range(ENOUGH_SEEDS))
    assert not result.complaints(), "\n".join(result.complaints())
