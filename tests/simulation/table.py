"""Every suite by its name, for `make sim` and `make test`."""

from tests.simulation.channels import CHANNELS
from tests.simulation.cluster import CLUSTER
from tests.simulation.controllers import CONTROLLERS
from tests.simulation.first_node import NODE
from tests.simulation.ledger import LEDGER
from tests.simulation.logs import LOGS
from tests.simulation.metadata_quorum import METADATA_QUORUM
from tests.simulation.network import NETWORK
from tests.simulation.quorum import QUORUM
from tests.simulation.suite import Suite

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (LEDGER, LOGS, NETWORK, CHANNELS, NODE, QUORUM, METADATA_QUORUM, CONTROLLERS, CLUSTER)
}
