"""BrokerHeartbeat: a broker lives, has read so far, and wants to be fenced, unfenced or shut down.

Versions: 0-2
 1: log directories that have failed; 2: those that are cordoned (KIP-1066)

A heartbeat that is not decided on, and committed, within half a heartbeat's interval is answered REQUEST_TIMED_OUT: the
next one is on its way by then.
"""

from ottla.broker.context import RequestContext
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from ottla.security.operations import Operation


async def broker_heartbeat(context: RequestContext, request: BrokerHeartbeatRequest) -> BrokerHeartbeatResponse:
    """The answer: how the broker stands."""
    context.demand(Operation.CLUSTER_ACTION)
    controller = context.controller
    now_ms = controller.world.clock.monotonic_ms()
    timeout_ms = controller.config.integer("broker.heartbeat.interval.ms") // 2
    office = controller.office
    try:
        answer: BrokerHeartbeatResponse = await controller.decide(
            office.controller.broker_heartbeat(request, now_ms), timeout_ms
        )
    except RequestRefused as refusal:
        office.counts.timed_out_heartbeats += refusal.code == ErrorCode.REQUEST_TIMED_OUT
        raise
    return answer


def failed(request: BrokerHeartbeatRequest, code: int, message: str) -> BrokerHeartbeatResponse:
    """A refusal; whoever gets it takes itself for fenced, which is the default."""
    del request, message
    return BrokerHeartbeatResponse(error_code=code)
