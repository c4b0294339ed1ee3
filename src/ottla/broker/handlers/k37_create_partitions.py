"""CreatePartitions: topics get more partitions, each for itself.

Versions: 0-3
"""

from ottla.broker.context import RequestContext
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import CreatePartitionsRequest, CreatePartitionsResponse
from ottla.protocol.messages.topics import CreatePartitionsResponse_CreatePartitionsTopicResult as Result
from ottla.security.operations import Operation, ResourceType


async def create_partitions(context: RequestContext, request: CreatePartitionsRequest) -> CreatePartitionsResponse:
    """The controller's answer, when the partitions are committed."""
    topics = context.controller.office.controller.topics
    names = dict.fromkeys(topic.name for topic in request.topics)
    refused = [name for name in names if not context.authorize(Operation.ALTER, ResourceType.TOPIC, name)]
    asked = CreatePartitionsRequest(
        [topic for topic in request.topics if topic.name not in refused], request.timeout_ms, request.validate_only
    )
    response: CreatePartitionsResponse = await context.controller.decide(
        lambda now_ms: topics.create_partitions(asked, now_ms), request.timeout_ms
    )
    code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    response.results = [*response.results, *(Result(name, code, None) for name in refused)]
    return response


def failed(request: CreatePartitionsRequest, code: int, message: str) -> CreatePartitionsResponse:
    """A refusal of all of them."""
    return CreatePartitionsResponse(results=[Result(topic.name, code, message) for topic in request.topics])
