"""Topics are deleted, by name or by id.

One record deletes a topic with its partitions and its settings; brokers delete the files when they read it.
"""

from collections import Counter

from ottla.cluster.controller.partitions.elections import MAX_RECORDS, too_large
from ottla.cluster.controller.partitions.table import PartitionTable, Topic
from ottla.cluster.controller.topics import check_named_once
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import ZERO_UUID, Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import RemoveTopicRecord
from ottla.protocol.messages.topics import (
    DeleteTopicsRequest,
    DeleteTopicsRequest_DeleteTopicState,
    DeleteTopicsResponse,
)
from ottla.protocol.messages.topics import DeleteTopicsResponse_DeletableTopicResult as Result
from ottla.protocol.uuids import uuid_text
from ottla.replicated.decision import Decision

Wanted = tuple[str | None, Uuid]  # a name, or an id


class Deletion:
    """Requests to delete topics."""

    def __init__(self, table: PartitionTable, *, is_enabled: bool) -> None:
        self._table, self.is_enabled = table, is_enabled

    def delete(self, request: DeleteTopicsRequest, now_ms: int) -> Decision[Message, DeleteTopicsResponse]:
        """Delete topics; each for itself."""
        del now_ms
        if not self.is_enabled:
            raise RequestRefused(ErrorCode.TOPIC_DELETION_DISABLED, "delete.topic.enable is false on the controller.")
        wanted = [*request.topics, *(DeleteTopicsRequest_DeleteTopicState(name) for name in request.topic_names)]
        if len(wanted) > MAX_RECORDS:
            raise too_large(len(wanted))
        named = Counter(each.name for each in wanted)
        identified = Counter(each.topic_id for each in wanted if each.name is None)
        found: dict[Uuid, Result] = {}
        refused: dict[Wanted, Result] = {}  # each once: what is named twice is told so once
        for each in wanted:
            try:
                topic = self._find(each, identified[each.topic_id] if each.name is None else named[each.name])
            except RequestRefused as refusal:
                result = Result(each.name, each.topic_id, refusal.code, str(refusal))
                refused[each.name, each.topic_id] = result
                continue
            result = Result(topic.name, topic.topic_id, error_message=None)
            if topic.topic_id in found:  # by its name and by its id: which was meant nobody knows
                result.error_code, result.error_message = ErrorCode.INVALID_REQUEST, f"{topic.name} is named twice."
            found[topic.topic_id] = result
        records = [RemoveTopicRecord(topic_id) for topic_id, result in found.items() if not result.error_code]
        return Decision(records, DeleteTopicsResponse(responses=[*refused.values(), *found.values()]))

    def _find(self, wanted: DeleteTopicsRequest_DeleteTopicState, times: int) -> Topic:
        if (wanted.name is None) == (wanted.topic_id == ZERO_UUID):
            raise RequestRefused(ErrorCode.INVALID_REQUEST, "A topic has to be named by either its name or its id.")
        check_named_once(_shown(wanted), times)
        if wanted.name is not None:
            topic, code = self._table.topic(wanted.name), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        else:
            topic, code = self._table.topics.get(wanted.topic_id), ErrorCode.UNKNOWN_TOPIC_ID
        if topic is None:
            raise RequestRefused(code, f"There is no topic {_shown(wanted)}.")
        return topic


def _shown(wanted: DeleteTopicsRequest_DeleteTopicState) -> str:
    return wanted.name if wanted.name is not None else uuid_text(wanted.topic_id)
