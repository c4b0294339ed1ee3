"""What DescribeCluster answers on a broker's listener."""

import pytest

from ottla.broker.handlers.k60_describe_cluster import describe_cluster
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import DescribeClusterRequest, DescribeClusterResponse
from tests.unit.broker.handlers.circumstances import context


def test_brokers_are_those_of_the_listener() -> None:
    """Those that are alive, and on demand those that are fenced; a client knows only its own listener's."""
    living = describe_cluster(context(2), DescribeClusterRequest())
    assert [(each.broker_id, each.host, each.rack, each.is_fenced) for each in living.brokers] == [
        (1, "one", None, False),
        (2, "two", "r2", False),
    ]
    assert (living.cluster_id, living.controller_id, living.endpoint_type) == ("a-cluster", 1, 1)
    everybody = describe_cluster(context(2), DescribeClusterRequest(include_fenced_brokers=True))
    assert [(each.broker_id, each.is_fenced) for each in everybody.brokers] == [(1, False), (2, False), (4, True)]
    secret = describe_cluster(context(2, "SECRET"), DescribeClusterRequest())
    assert [(each.broker_id, each.host) for each in secret.brokers] == [(1, "one.secret")]


@pytest.mark.parametrize("version", DescribeClusterRequest.VERSIONS)
def test_operations_are_told_on_demand(version: int) -> None:
    """What one may do to the cluster, in every version."""
    answer = describe_cluster(context(version), DescribeClusterRequest(include_cluster_authorized_operations=True))
    back = DescribeClusterResponse.read(answer.to_bytes(version), version)
    assert back.cluster_authorized_operations == 0b1_1111_1010_0000
    silent = describe_cluster(context(version), DescribeClusterRequest())
    assert silent.cluster_authorized_operations == -(1 << 31)


@pytest.mark.parametrize(
    ("endpoint_type", "code"), [(2, ErrorCode.MISMATCHED_ENDPOINT_TYPE), (3, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE)]
)
def test_controllers_are_not_here(endpoint_type: int, code: ErrorCode) -> None:
    """Whoever looks for controllers on a broker's listener is told so."""
    answer = describe_cluster(context(2), DescribeClusterRequest(endpoint_type=endpoint_type))
    assert (answer.error_code, list(answer.brokers), answer.cluster_id) == (code, [], "")
