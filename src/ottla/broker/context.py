"""What a handler knows of whoever asks, and the two doors that it goes through before it works for them.

`authorize` is where ACLs will decide and `charge` where quotas will count. Until they exist everybody may do
everything, as in a Kafka without an authorizer, and nobody is throttled; handlers ask all the same, so that nothing has
to be found later.
"""

from dataclasses import dataclass

from ottla.broker.cluster_view import ClusterView
from ottla.security.operations import OPERATIONS, Operation, ResourceType


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One request's circumstances."""

    view: ClusterView
    version: int
    principal: str
    listener: str
    security_protocol: str
    client_id: str | None
    client_address: str
    forwarded_by: str | None = None
    is_controller_listener: bool = False

    def authorize(self, operation: Operation, resource_type: ResourceType, name: str) -> bool:
        """Whether the principal may do this."""
        assert operation in OPERATIONS[resource_type], f"no {operation.name} on {resource_type.name} {name}"
        return True

    def authorized_operations(self, resource_type: ResourceType, name: str) -> frozenset[Operation]:
        """All that the principal may do to a resource."""
        return frozenset(each for each in OPERATIONS[resource_type] if self.authorize(each, resource_type, name))

    def charge(self, size_bytes: int) -> int:
        """Count what the request cost; the time in ms for which the client is asked to wait."""
        del size_bytes
        return 0
