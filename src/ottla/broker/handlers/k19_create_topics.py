"""CreateTopics: topics are made, each for itself.

Versions: 2-7
 4: -1 for the default number of partitions and replicas (KIP-464); 5: the answer has the topic's settings (KIP-525)
 7: the topic's id

Whoever may create on the cluster may create any topic. Settings are told to whoever may describe them.
"""

from ottla.broker.context import RequestContext
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import CreateTopicsRequest, CreateTopicsResponse
from ottla.protocol.messages.topics import CreateTopicsResponse_CreatableTopicResult as Result
from ottla.security.operations import CLUSTER_NAME, Operation, ResourceType


async def create_topics(context: RequestContext, request: CreateTopicsRequest) -> CreateTopicsResponse:
    """The controller's answer, when the topics are committed."""
    topics = context.controller.office.controller.topics
    names = {topic.name for topic in request.topics}
    describable = _allowed(context, Operation.DESCRIBE_CONFIGS, names)
    creatable = names
    if not context.authorize(Operation.CREATE, ResourceType.CLUSTER, CLUSTER_NAME):
        creatable = _allowed(context, Operation.CREATE, names)
    asked = CreateTopicsRequest(
        [topic for topic in request.topics if topic.name in creatable], request.timeout_ms, request.validate_only
    )
    response: CreateTopicsResponse = await context.controller.decide(
        lambda now_ms: topics.create(asked, now_ms, describable=describable), request.timeout_ms
    )
    if refused := [name for name in dict.fromkeys(topic.name for topic in request.topics) if name not in creatable]:
        code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        response.topics = [*response.topics, *(Result(name, error_code=code) for name in refused)]
    return response


def _allowed(context: RequestContext, operation: Operation, names: set[str]) -> set[str]:
    return {name for name in names if context.authorize(operation, ResourceType.TOPIC, name)}


def failed(request: CreateTopicsRequest, code: int, message: str) -> CreateTopicsResponse:
    """A refusal of all of them."""
    return CreateTopicsResponse(
        topics=[Result(name=topic.name, error_code=code, error_message=message) for topic in request.topics]
    )
