"""Every suite by its name, for `make sim` and `make test`."""

from tests.simulation.network import NETWORK
from tests.simulation.storage import STORAGE
from tests.simulation.suite import Suite

SUITES: dict[str, Suite] = {STORAGE.name: STORAGE, NETWORK.name: NETWORK}
