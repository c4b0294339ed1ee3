"""DescribeDelegationToken: refused, since there are no tokens yet (KIP-48).

Versions: 1-3
 3: the answer tells who asked for a token (KIP-373)
"""

from ottla.broker.context import RequestContext
from ottla.broker.handlers.k38_create_delegation_token import why_no_token
from ottla.protocol.messages.security import DescribeDelegationTokenRequest, DescribeDelegationTokenResponse


def describe_delegation_token(
    context: RequestContext, request: DescribeDelegationTokenRequest
) -> DescribeDelegationTokenResponse:
    """The refusal."""
    del request
    return DescribeDelegationTokenResponse(error_code=why_no_token(context))
