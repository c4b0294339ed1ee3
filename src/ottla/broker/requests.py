"""The way of a request through a node: frame -> body -> handler -> answer.

What the network has cut out and whose header it has read arrives here on the loop, in order; the frame is dead when
`serve` returns. What cannot be answered ends the connection, as in Kafka: an API that the listener does not serve, a
body that is not the message.
"""

from ottla.broker.cluster_view import ClusterView
from ottla.broker.context import RequestContext
from ottla.broker.handlers.table import HANDLERS
from ottla.network.limits import Reason
from ottla.network.request import Request


class RequestPath:
    """Serves the requests of one node."""

    def __init__(self, view: ClusterView) -> None:
        self.view = view

    def serve(self, request: Request) -> None:
        """Answer a request, or refuse it. A body that cannot be read raises the peer's fault."""
        api, settings = request.api, request.connection.listener.settings
        served = HANDLERS.get(api)
        if served is None or not (api.on_controller if settings.is_control else api.on_broker):
            request.refuse(f"{api.name} is not served on listener {settings.name}", Reason.UNSUPPORTED)
            return
        body = served.request.read(request.frame, request.version, request.body)
        request.answer(served.handle(self._context(request), body))

    def _context(self, request: Request) -> RequestContext:
        return RequestContext(
            view=self.view,
            version=request.version,
            principal=request.principal,
            listener=request.listener,
            security_protocol=request.security_protocol,
            client_id=request.client_id,
            client_address=request.client_address,
            is_controller_listener=request.connection.listener.settings.is_control,
        )
