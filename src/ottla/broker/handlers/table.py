"""The APIs that are served, each with the class of its request and its handler: one literal dict a kind of listener.

What is not in here is not advertised, and whoever asks for it all the same is disconnected, as Kafka does with an API
that a listener does not serve.

A handler gets the circumstances and the request, and gives one of three things: the response; a coroutine, of which it
is the value; or None, when it has seen to it that `context.reply` is told later: what is served a hundred thousand
times a second goes without a task and a future. Views of the frame (records) are dead when a handler has returned, and
for a coroutine when it first waits. A `PeerError` that it raises is answered by `failed`, where there is one.
"""

from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from ottla.broker.context import RequestContext
from ottla.broker.handlers import k19_create_topics, k58_envelope, k62_broker_registration, k63_broker_heartbeat
from ottla.broker.handlers.k03_metadata import metadata
from ottla.broker.handlers.k18_api_versions import api_versions
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.cluster import MetadataRequest
from ottla.protocol.messages.connection import ApiVersionsRequest
from ottla.protocol.messages.controller import BrokerHeartbeatRequest, BrokerRegistrationRequest, EnvelopeRequest
from ottla.protocol.messages.topics import CreateTopicsRequest

Outcome = Message | Coroutine[Any, Any, Message] | None


class Served(NamedTuple):
    """One API."""

    request: type[Message]
    handle: Callable[[RequestContext, Any], Outcome]
    failed: Callable[[Any, int, str], Message] | None = None  # (request, error code, message): the whole is refused


HANDLERS: Final[dict[ApiKey, Served]] = {
    ApiKey.METADATA: Served(MetadataRequest, metadata),
    ApiKey.API_VERSIONS: Served(ApiVersionsRequest, lambda context, request: api_versions(context, request, HANDLERS)),
}

CONTROLLER_HANDLERS: Final[dict[ApiKey, Served]] = {
    ApiKey.API_VERSIONS: Served(
        ApiVersionsRequest, lambda context, request: api_versions(context, request, CONTROLLER_HANDLERS)
    ),
    ApiKey.CREATE_TOPICS: Served(CreateTopicsRequest, k19_create_topics.create_topics, k19_create_topics.failed),
    ApiKey.ENVELOPE: Served(
        EnvelopeRequest,
        lambda context, request: k58_envelope.envelope(context, request, CONTROLLER_HANDLERS),
        k58_envelope.failed,
    ),
    ApiKey.BROKER_REGISTRATION: Served(
        BrokerRegistrationRequest, k62_broker_registration.broker_registration, k62_broker_registration.failed
    ),
    ApiKey.BROKER_HEARTBEAT: Served(
        BrokerHeartbeatRequest, k63_broker_heartbeat.broker_heartbeat, k63_broker_heartbeat.failed
    ),
}
