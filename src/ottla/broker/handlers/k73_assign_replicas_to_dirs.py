"""AssignReplicasToDirs: a broker says in which log directories its replicas are (KIP-858), each partition for itself.

Versions: 0
"""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.controller import AssignReplicasToDirsRequest, AssignReplicasToDirsResponse
from ottla.security.operations import Operation


def assign_replicas_to_dirs(
    context: RequestContext, request: AssignReplicasToDirsRequest
) -> Coroutine[Any, Any, AssignReplicasToDirsResponse]:
    """The answer, when the assignment is committed."""
    context.demand(Operation.CLUSTER_ACTION)
    office = context.controller.office
    return office.submit(partial(office.controller.directories.assign, request))


def failed(request: AssignReplicasToDirsRequest, code: int, message: str) -> AssignReplicasToDirsResponse:
    """A refusal of all of them."""
    del request, message
    return AssignReplicasToDirsResponse(error_code=code)
