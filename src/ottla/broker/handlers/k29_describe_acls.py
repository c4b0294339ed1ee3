"""DescribeAcls: SECURITY_DISABLED, as Kafka answers it without an authorizer.

Versions: 1-3
 1: pattern types (KIP-290); 3: resources of type user (KIP-373)

A filter with a 0, which stands for what is unknown, ends the connection, as in Kafka.
"""

from typing import Final

from ottla.broker.context import RequestContext
from ottla.errors import MalformedMessage
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.security import DescribeAclsRequest, DescribeAclsResponse

NO_AUTHORIZER: Final = "There are no ACLs here: no authorizer is configured."

UNKNOWN: Final = 0


def describe_acls(context: RequestContext, request: DescribeAclsRequest) -> DescribeAclsResponse:
    """The refusal."""
    del context
    check_numbers(request.resource_type_filter, request.pattern_type_filter, request.operation, request.permission_type)
    return DescribeAclsResponse(error_code=ErrorCode.SECURITY_DISABLED, error_message=NO_AUTHORIZER)


def check_numbers(*numbers: int) -> None:
    """`MalformedMessage` if a type, an operation or a permission is that of nothing."""
    if UNKNOWN in numbers:
        raise MalformedMessage(f"no ACL has the types, the operation and the permission {numbers}")
