"""CreateAcls: SECURITY_DISABLED for each, as Kafka answers it without an authorizer.

Versions: 1-3
 1: pattern types (KIP-290); 3: resources of type user (KIP-373)
"""

from ottla.broker.context import RequestContext
from ottla.broker.handlers.k29_describe_acls import NO_AUTHORIZER, check_numbers
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.security import CreateAclsRequest, CreateAclsResponse
from ottla.protocol.messages.security import CreateAclsResponse_AclCreationResult as Result


def create_acls(context: RequestContext, request: CreateAclsRequest) -> CreateAclsResponse:
    """The refusals."""
    del context
    for each in request.creations:
        check_numbers(each.resource_type, each.resource_pattern_type, each.operation, each.permission_type)
    return CreateAclsResponse(results=[Result(ErrorCode.SECURITY_DISABLED, NO_AUTHORIZER) for _ in request.creations])
