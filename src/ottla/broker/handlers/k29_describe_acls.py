"""DescribeAcls: SECURITY_DISABLED, as Kafka answers it without an authorizer.

Versions: 1-3
 1: pattern types (KIP-290); 3: resources of type user (KIP-373)

A filter with a number that stands for nothing ends the connection, as in Kafka.
"""

from typing import Final

from ottla.broker.context import RequestContext
from ottla.errors import MalformedMessage
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.security import DescribeAclsRequest, DescribeAclsResponse

NO_AUTHORIZER: Final = "There are no ACLs here: no authorizer is configured."

# The numbers that are known; 1 (any) and for patterns 2 (match) are for filters only.
RESOURCE_TYPES, PATTERN_TYPES, OPERATIONS, PERMISSION_TYPES = range(1, 8), range(1, 5), range(1, 16), range(1, 4)


def describe_acls(context: RequestContext, request: DescribeAclsRequest) -> DescribeAclsResponse:
    """The refusal."""
    del context
    check_numbers(request.resource_type_filter, request.pattern_type_filter, request.operation, request.permission_type)
    return DescribeAclsResponse(error_code=ErrorCode.SECURITY_DISABLED, error_message=NO_AUTHORIZER)


def check_numbers(resource_type: int, pattern_type: int, operation: int, permission_type: int) -> None:
    """`MalformedMessage` for what stands for nothing."""
    if not (
        resource_type in RESOURCE_TYPES
        and pattern_type in PATTERN_TYPES
        and operation in OPERATIONS
        and permission_type in PERMISSION_TYPES
    ):
        raise MalformedMessage(
            f"no ACL: resource type {resource_type}, pattern type {pattern_type}, operation {operation}, "
            f"permission type {permission_type}"
        )
