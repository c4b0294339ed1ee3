"""Answering what did not come over the network: a request in an envelope, or one that this node asks itself.

The handler is the one that the network's requests go to, and cannot tell the difference: its `Reply` is a promise.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.broker.context import RequestContext
from ottla.errors import OttlaError, PeerError
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.world.api import Future, World

if TYPE_CHECKING:
    from ottla.broker.handlers.table import Served


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

    @property
    def is_wanted(self) -> bool:
        """Whether anybody still waits."""
        return not self._future.done()

    def if_gone(self, forget: Callable[[], object]) -> None:
        """Whoever asks without the network waits for the answer."""

    def refuse(self, why: str) -> None:
        """There is no connection that could end."""
        if not self._future.done():
            self._future.set_exception(OttlaError(why))


async def respond(
    world: World, served: "Served", body: Message, context: Callable[[Promise], RequestContext]
) -> Message:
    """The answer to a request; `context` says its circumstances. NOT_CONTROLLER is raised: one asks elsewhere then."""
    future: Future[Message] = world.future()
    try:
        outcome = served.handle(context(Promise(future)), body)
        if outcome is None:
            return await future
        return outcome if isinstance(outcome, Message) else await outcome
    except OttlaError as error:
        if isinstance(error, PeerError) and error.code == ErrorCode.NOT_CONTROLLER:
            raise
        return refusal(served, body, error)


def refusal(served: "Served", body: Message, error: OttlaError) -> Message:
    """The answer to a request that is refused as a whole."""
    if served.failed is None:
        raise error
    code = error.code if isinstance(error, PeerError) else ErrorCode.UNKNOWN_SERVER_ERROR
    return served.failed(body, code, str(error))
