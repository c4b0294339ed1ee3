"""The way of a request through a node: frame -> body -> handler -> answer.

What the network has cut out and whose header it has read arrives here on the loop, in order; the frame is dead when
`serve` returns. What cannot be answered ends the connection, as in Kafka: an API that the listener does not serve, a
body that is not the message, an error of ours.

`respond` is the same for what comes without a frame of its own: a request in an envelope, or one that this node asks
itself.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.handlers.table import CONTROLLER_HANDLERS, HANDLERS, Served
from ottla.broker.parts import BrokerParts, ControllerParts
from ottla.errors import OttlaError, PeerError
from ottla.network.limits import Reason
from ottla.network.request import Request
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.world.api import Future, World


class RequestPath:
    """Serves the requests of one node."""

    def __init__(
        self,
        world: World,
        report: Callable[[str, BaseException], None],
        *,
        broker: BrokerParts | None = None,
        controller: ControllerParts | None = None,
    ) -> None:
        self._world, self._report = world, report
        self.broker, self.controller = broker, controller

    def serve(self, request: Request) -> None:
        """Answer a request, or refuse it. A body that cannot be read raises the peer's fault."""
        settings = request.connection.listener.settings
        served = (CONTROLLER_HANDLERS if settings.is_control else HANDLERS).get(request.api)
        if served is None:
            request.refuse(f"{request.api.name} is not served on listener {settings.name}", Reason.UNSUPPORTED)
            return
        body = served.request.read(request.frame, request.version, request.body)
        context = RequestContext(
            request,
            version=request.version,
            principal=request.principal,
            listener=request.listener,
            security_protocol=request.security_protocol,
            client_id=request.client_id,
            client_address=request.client_address,
            broker=self.broker,
            controller=self.controller,
            is_controller_listener=settings.is_control,
        )
        try:
            outcome = served.handle(context, body)
        except PeerError as error:
            outcome = refusal(served, body, error)
        if outcome is None:
            return
        if isinstance(outcome, Message):
            request.answer(outcome)
        else:
            self._world.spawn(self._answer_later(request, served, body, outcome), request.api.name)

    async def _answer_later(
        self, request: Request, served: Served, body: Message, outcome: Coroutine[Any, Any, Message]
    ) -> None:
        try:
            response = await outcome
        except OttlaError as error:
            if served.failed is None:
                request.refuse(str(error))
                return
            response = refusal(served, body, error)
        except Exception as error:
            self._report(f"serving {request.api.name}", error)
            request.refuse("an error of ours", Reason.OURS)
            return
        if request.is_wanted:
            request.answer(response)


def refusal(served: Served, body: Message, error: OttlaError) -> Message:
    """The answer to a request that is refused as a whole."""
    if served.failed is None:
        raise error
    code = error.code if isinstance(error, PeerError) else ErrorCode.UNKNOWN_SERVER_ERROR
    return served.failed(body, code, str(error))


class Promise:
    """Where the answer to a request goes that did not come over the network."""

    __slots__ = ("_future",)

    def __init__(self, future: Future[Message]) -> None:
        self._future = future

    def answer(self, response: Message) -> None:
        """This is the answer."""
        if not self._future.done():
            self._future.set_result(response)

    def answer_when_sent(self, make: Callable[[], Message]) -> None:
        """It is wanted now."""
        self.answer(make())

    def answer_nothing(self) -> None:
        """Whoever asks without the network wants an answer."""
        raise AssertionError("a request without a connection is always answered")

    def refuse(self, why: str) -> None:
        """There is no connection that could end."""
        if not self._future.done():
            self._future.set_exception(OttlaError(why))


async def respond(world: World, served: Served, body: Message, context: Callable[[Promise], RequestContext]) -> Message:
    """The answer to a request that did not come over the network; `context` says its circumstances."""
    future: Future[Message] = world.future()
    try:
        outcome = served.handle(context(Promise(future)), body)
        if outcome is None:
            return await future
        return outcome if isinstance(outcome, Message) else await outcome
    except PeerError as error:
        return refusal(served, body, error)
