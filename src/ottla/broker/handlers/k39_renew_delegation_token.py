"""RenewDelegationToken: refused, since there are no tokens yet (KIP-48).

Versions: 1-2
"""

from ottla.broker.context import RequestContext
from ottla.broker.handlers.k38_create_delegation_token import NO_TIME, why_no_token
from ottla.protocol.messages.security import RenewDelegationTokenRequest, RenewDelegationTokenResponse


def renew_delegation_token(
    context: RequestContext, request: RenewDelegationTokenRequest
) -> RenewDelegationTokenResponse:
    """The refusal."""
    del request
    return RenewDelegationTokenResponse(error_code=why_no_token(context), expiry_timestamp_ms=NO_TIME)
