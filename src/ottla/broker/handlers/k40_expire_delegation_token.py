"""ExpireDelegationToken: refused, since there are no tokens yet (KIP-48).

Versions: 1-2
"""

from ottla.broker.context import RequestContext
from ottla.broker.handlers.k38_create_delegation_token import NO_TIME, why_no_token
from ottla.protocol.messages.security import ExpireDelegationTokenRequest, ExpireDelegationTokenResponse


def expire_delegation_token(
    context: RequestContext, request: ExpireDelegationTokenRequest
) -> ExpireDelegationTokenResponse:
    """The refusal."""
    del request
    return ExpireDelegationTokenResponse(error_code=why_no_token(context), expiry_timestamp_ms=NO_TIME)
