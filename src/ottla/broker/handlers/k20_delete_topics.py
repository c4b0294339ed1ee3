"""DeleteTopics: topics are deleted, by name or by id, each for itself.

Versions: 1-6
 3: TOPIC_DELETION_DISABLED, in place of INVALID_REQUEST; 5: error messages; 6: topics by id (KIP-516)

An id of a topic that one may not describe says nothing of its name. Unlike in Kafka nobody may delete topics by a right
to delete the cluster, which no ACL can give.
"""

from ottla.broker.context import RequestContext
from ottla.errors import RequestRefused
from ottla.protocol.codec.wire import ZERO_UUID
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import DeleteTopicsRequest, DeleteTopicsResponse
from ottla.protocol.messages.topics import DeleteTopicsRequest_DeleteTopicState as Wanted
from ottla.protocol.messages.topics import DeleteTopicsResponse_DeletableTopicResult as Result
from ottla.security.operations import Operation, ResourceType

DISABLED_SINCE = 3


async def delete_topics(context: RequestContext, request: DeleteTopicsRequest) -> DeleteTopicsResponse:
    """The controller's answer, when the topics are gone from the metadata."""
    deletion = context.controller.office.controller.deletion
    if not deletion.is_enabled and context.version < DISABLED_SINCE:
        raise RequestRefused(ErrorCode.INVALID_REQUEST, "Topics cannot be deleted here: delete.topic.enable is false.")
    allowed, refused = _sorted(context, _wanted(request))
    asked = DeleteTopicsRequest(topics=allowed, timeout_ms=request.timeout_ms)
    response: DeleteTopicsResponse = await context.controller.decide(
        lambda now_ms: deletion.delete(asked, now_ms), request.timeout_ms
    )
    response.responses = [*response.responses, *refused]
    return response


def _wanted(request: DeleteTopicsRequest) -> list[Wanted]:
    """All of them, in the form of version 6."""
    return [*request.topics, *(Wanted(name) for name in request.topic_names)]


def _sorted(context: RequestContext, wanted: list[Wanted]) -> tuple[list[Wanted], list[Result]]:
    """Those that may be deleted, and answers for the others."""
    name_of = context.controller.office.controller.table.name
    allowed, refused = [], []
    code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    for each in wanted:
        name = each.name if each.name is not None else name_of(each.topic_id)
        if name is None or context.authorize(Operation.DELETE, ResourceType.TOPIC, name):
            allowed.append(each)
        elif each.name is None:
            may_know = context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, name)
            refused.append(Result(name if may_know else None, each.topic_id, code))
        else:
            refused.append(Result(name, ZERO_UUID, code))
    return allowed, refused


def failed(request: DeleteTopicsRequest, code: int, message: str) -> DeleteTopicsResponse:
    """A refusal of all of them."""
    del message
    return DeleteTopicsResponse(responses=[Result(each.name, each.topic_id, code, None) for each in _wanted(request)])
