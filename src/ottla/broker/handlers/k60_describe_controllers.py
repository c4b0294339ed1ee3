"""DescribeCluster on a controller's listener: the controllers, and which of them is active (KIP-919).

Versions: 0-2
 1: which kind of nodes is asked for; 2: fenced brokers, of which there are none among controllers

Only registered controllers are known, each by the listener that was asked; the active one is -1 until it is among them.
"""

from ottla.broker.context import RequestContext
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import DescribeClusterRequest, DescribeClusterResponse
from ottla.protocol.messages.cluster import DescribeClusterResponse_DescribeClusterBroker as Node
from ottla.security.operations import CLUSTER_NAME, NOT_ASKED, Operation, ResourceType, operation_bits

BROKERS, CONTROLLERS = 1, 2
TYPES_SINCE = 1
NO_NODE = -1


def describe_controllers(context: RequestContext, request: DescribeClusterRequest) -> DescribeClusterResponse:
    """The answer, from what this controller has replayed."""
    parts = context.controller
    if not parts.office.controller.finalised.has("controller registration"):
        raise RequestRefused(
            ErrorCode.UNSUPPORTED_VERSION, "At this metadata.version controllers cannot be asked directly."
        )
    context.demand(Operation.ALTER)
    if request.endpoint_type != CONTROLLERS:
        return _mismatched(context.version, request.endpoint_type)
    nodes = [
        Node(registered.controller_id, end_point.host, end_point.port, None)
        for registered in sorted(parts.office.controller.controllers, key=lambda each: each.controller_id)
        for end_point in registered.end_points
        if end_point.name == context.listener
    ]
    leader_id = parts.quorum.leader_id
    operations = NOT_ASKED
    if request.include_cluster_authorized_operations:
        may_see = context.authorize(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME)
        allowed = context.authorized_operations(ResourceType.CLUSTER, CLUSTER_NAME) if may_see else ()
        operations = operation_bits(allowed)
    return DescribeClusterResponse(
        endpoint_type=CONTROLLERS,
        cluster_id=parts.cluster_id,
        controller_id=leader_id if leader_id is not None and leader_id in {n.broker_id for n in nodes} else NO_NODE,
        brokers=nodes,
        cluster_authorized_operations=operations,
    )


def _mismatched(version: int, endpoint_type: int) -> DescribeClusterResponse:
    """Somebody looks for brokers here, or for what there is not."""
    code = ErrorCode.MISMATCHED_ENDPOINT_TYPE if endpoint_type == BROKERS else ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
    if version < TYPES_SINCE:
        code = ErrorCode.INVALID_REQUEST
    return DescribeClusterResponse(
        error_code=code,
        error_message=f"This is a controller's listener, and nodes of type {endpoint_type} were asked for.",
    )


def failed(request: DescribeClusterRequest, code: int, message: str) -> DescribeClusterResponse:
    """A refusal."""
    del request
    return DescribeClusterResponse(error_code=code, error_message=message)
