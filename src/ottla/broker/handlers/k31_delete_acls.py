"""DeleteAcls: SECURITY_DISABLED for each filter, as Kafka answers it without an authorizer.

Versions: 1-3
 1: pattern types (KIP-290); 3: resources of type user (KIP-373)
"""

from ottla.broker.context import RequestContext
from ottla.broker.handlers.k29_describe_acls import NO_AUTHORIZER, check_numbers
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.security import DeleteAclsRequest, DeleteAclsResponse
from ottla.protocol.messages.security import DeleteAclsResponse_DeleteAclsFilterResult as Result


def delete_acls(context: RequestContext, request: DeleteAclsRequest) -> DeleteAclsResponse:
    """The refusals."""
    del context
    for each in request.filters:
        check_numbers(each.resource_type_filter, each.pattern_type_filter, each.operation, each.permission_type)
    code = ErrorCode.SECURITY_DISABLED
    return DeleteAclsResponse(filter_results=[Result(code, NO_AUTHORIZER) for _ in request.filters])
