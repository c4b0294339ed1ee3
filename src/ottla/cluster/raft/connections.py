"""What is under way to each node: one request at a time, a timeout, and a pause after a failure.

    Ready --sent--> Awaiting --answered--> Ready
      ^                | timeout, refusal, broken connection
      +----pause-------+

Always true: a correlation id is used once; an answer that comes after its timeout is nobody's, and is dropped, so what
was asked in an earlier state is never mistaken for what is asked now. Nodes that are not asked any more are forgotten.
"""

from dataclasses import dataclass
from typing import Final

from ottla.cluster.raft.voters import Node
from ottla.protocol.codec.message import Message

NODES_MAX: Final = 1_000  # more voters and bootstrap servers than anybody has


@dataclass(slots=True)
class Connection:
    """What is known of one node."""

    correlation_id: int | None = None
    request: Message | None = None
    due_ms: int = 0  # awaiting: when the answer is too late; else: when it may be asked again
    is_paused: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that an answer belongs to, and the node that it went to."""

    node: Node
    request: Message


class Connections:
    """The nodes that we ask."""

    __slots__ = ("_by_node", "_next_correlation_id", "_nodes", "_request_timeout_ms", "_retry_backoff_ms")

    def __init__(self, request_timeout_ms: int, retry_backoff_ms: int) -> None:
        self._request_timeout_ms, self._retry_backoff_ms = request_timeout_ms, retry_backoff_ms
        self._by_node: dict[Node, Connection] = {}
        self._nodes: dict[int, Node] = {}  # by the correlation id of what is under way
        self._next_correlation_id = 0

    def is_ready(self, node: Node, now_ms: int) -> bool:
        """Whether a request may be sent."""
        self._expire(node, now_ms)
        connection = self._by_node.get(node)
        return connection is None or (connection.correlation_id is None and now_ms >= connection.due_ms)

    def is_failing(self, node: Node, now_ms: int) -> bool:
        """Whether its last request failed, and it is not yet time for the next."""
        self._expire(node, now_ms)
        connection = self._by_node.get(node)
        return connection is not None and connection.is_paused

    def ready_at_ms(self, node: Node) -> int:
        """When a request may be sent at the latest, if nothing is heard before."""
        connection = self._by_node.get(node)
        return 0 if connection is None else connection.due_ms

    def next_due_ms(self, now_ms: int) -> int | None:
        """When the first of what is under way is too late; None if nothing is."""
        for node in list(self._nodes.values()):
            self._expire(node, now_ms)
        return min((self._by_node[node].due_ms for node in self._nodes.values()), default=None)

    def sent(self, node: Node, request: Message, now_ms: int) -> int:
        """A request goes out; its correlation id."""
        assert self.is_ready(node, now_ms)
        if node not in self._by_node and len(self._by_node) >= NODES_MAX:
            self.reset()
        self._next_correlation_id += 1
        correlation_id = self._next_correlation_id
        self._by_node[node] = Connection(correlation_id, request, now_ms + self._request_timeout_ms)
        self._nodes[correlation_id] = node
        return correlation_id

    def answered(self, correlation_id: int) -> Asked | None:
        """An answer has come; what it answers, if that is still waited for."""
        node = self._nodes.pop(correlation_id, None)
        if node is None:
            return None
        request = self._by_node.pop(node).request
        assert request is not None
        return Asked(node, request)

    def failed(self, node: Node, now_ms: int) -> None:
        """The node gave no answer, or none that helps: leave it alone for a moment."""
        connection = self._by_node.get(node)
        if connection is not None and connection.correlation_id is not None:
            self._nodes.pop(connection.correlation_id, None)
        self._by_node[node] = Connection(due_ms=now_ms + self._retry_backoff_ms, is_paused=True)

    def reset(self) -> None:
        """A new state begins: whatever is under way belongs to the old one, and nobody has failed us yet."""
        self._by_node.clear()
        self._nodes.clear()

    def _expire(self, node: Node, now_ms: int) -> None:
        connection = self._by_node.get(node)
        if connection is None or now_ms < connection.due_ms:
            return
        if connection.correlation_id is not None:
            self.failed(node, now_ms)
        else:
            connection.is_paused = False
