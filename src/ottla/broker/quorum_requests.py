"""What the quorum is asked over the network: it answers without knowing of versions, and here is what a version lacks.

Always true: an answer says nothing that the version of its request has no field for (where the leader is, directories).
"""

from ottla.broker.context import RequestContext
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.narrow import narrow


async def ask_quorum(context: RequestContext, request: Message) -> Message:
    """The quorum's answer, in the version of the request."""
    response = await context.controller.quorum.handle(request)
    narrow(response, context.version)
    return response
