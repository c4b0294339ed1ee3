"""DescribeCluster on a broker's listener: the brokers that clients of the listener can reach (KIP-700).

Versions: 0-2
 1: which kind of nodes is asked for (KIP-919): controllers are known on their own listeners only
 2: fenced brokers too (KIP-1073)

`controller_id` is some live broker's, as KRaft answers it.
"""

from typing import Final

from ottla.broker.context import RequestContext
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import DescribeClusterRequest, DescribeClusterResponse
from ottla.protocol.messages.cluster import DescribeClusterResponse_DescribeClusterBroker as BrokerAnswer
from ottla.security.operations import CLUSTER_NAME, NOT_ASKED, Operation, ResourceType, operation_bits

BROKERS, CONTROLLERS = 1, 2
TYPES_SINCE: Final = 1


def describe_cluster(context: RequestContext, request: DescribeClusterRequest) -> DescribeClusterResponse:
    """The answer."""
    if request.endpoint_type != BROKERS:
        return _mismatched(context.version, request.endpoint_type)
    cache, operations = context.broker.metadata, NOT_ASKED
    if request.include_cluster_authorized_operations:
        may_see = context.authorize(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME)
        allowed = context.authorized_operations(ResourceType.CLUSTER, CLUSTER_NAME) if may_see else ()
        operations = operation_bits(allowed)
    registered = cache.registered_on(context.listener) if request.include_fenced_brokers else None
    return DescribeClusterResponse(
        error_message=None,
        endpoint_type=BROKERS,
        cluster_id=cache.cluster_id,
        controller_id=cache.controller_id(context.listener),
        brokers=[
            BrokerAnswer(broker.node_id, end_point.host, end_point.port, broker.rack, broker.fenced)
            for broker, end_point in (cache.brokers_on(context.listener) if registered is None else registered)
        ],
        cluster_authorized_operations=operations,
    )


def _mismatched(version: int, endpoint_type: int) -> DescribeClusterResponse:
    """Somebody looks for controllers here, or for what there is not."""
    code = ErrorCode.MISMATCHED_ENDPOINT_TYPE if endpoint_type == CONTROLLERS else ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
    if version < TYPES_SINCE:
        code = ErrorCode.INVALID_REQUEST
    return DescribeClusterResponse(
        error_code=code, error_message=f"This is a broker's listener, and nodes of type {endpoint_type} were asked for."
    )
