"""The APIs that are served, each with the class of its request and its handler: one literal dict.

What is not in here is not advertised, and whoever asks for it all the same is disconnected, as Kafka does with an API
that a listener does not serve. A handler gets the circumstances and the request, and gives the response.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ottla.broker.context import RequestContext
from ottla.broker.handlers.k03_metadata import metadata
from ottla.broker.handlers.k18_api_versions import api_versions
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.cluster import MetadataRequest
from ottla.protocol.messages.connection import ApiVersionsRequest


class Served(NamedTuple):
    """One API."""

    request: type[Message]
    handle: Callable[[RequestContext, Any], Message]


HANDLERS: Final[dict[ApiKey, Served]] = {
    ApiKey.METADATA: Served(MetadataRequest, metadata),
    ApiKey.API_VERSIONS: Served(ApiVersionsRequest, lambda context, request: api_versions(context, request, HANDLERS)),
}
