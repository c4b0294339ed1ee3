"""CreateDelegationToken: refused, since there are no tokens yet (KIP-48).

Versions: 1-3
 3: for another owner than oneself (KIP-373)

As in Kafka whoever has not proved who it is may not ask for tokens at all (DELEGATION_TOKEN_REQUEST_NOT_ALLOWED);
others learn that tokens are switched off (DELEGATION_TOKEN_AUTH_DISABLED).
"""

from typing import Final

from ottla.broker.context import RequestContext
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.security import CreateDelegationTokenRequest, CreateDelegationTokenResponse

NO_TIME: Final = -1
OTHERS_SINCE: Final = 3
NOBODY: Final = "User:ANONYMOUS"


def create_delegation_token(
    context: RequestContext, request: CreateDelegationTokenRequest
) -> CreateDelegationTokenResponse:
    """The refusal, with who would have owned the token."""
    kind, _, name = context.principal.partition(":")
    owner = (kind, name)
    if request.owner_principal_name:
        owner = (request.owner_principal_type or "", request.owner_principal_name)
    requester = (kind, name) if context.version >= OTHERS_SINCE else ("", "")
    return CreateDelegationTokenResponse(
        why_no_token(context), *owner, *requester, NO_TIME, NO_TIME, NO_TIME, token_id="", hmac=b""
    )


def why_no_token(context: RequestContext) -> ErrorCode:
    """The error that whoever asks is refused with."""
    protocol = context.security_protocol
    if protocol == "PLAINTEXT" or (protocol == "SSL" and context.principal == NOBODY):
        return ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    return ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED
