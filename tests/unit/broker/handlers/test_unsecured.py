"""What a broker without authorizer and tokens answers to whoever asks for them."""

import pytest

from ottla.broker.handlers.controller_table import CONTROLLER_HANDLERS
from ottla.broker.handlers.k29_describe_acls import describe_acls
from ottla.broker.handlers.k30_create_acls import create_acls
from ottla.broker.handlers.k31_delete_acls import delete_acls
from ottla.broker.handlers.k38_create_delegation_token import create_delegation_token
from ottla.broker.handlers.k39_renew_delegation_token import renew_delegation_token
from ottla.broker.handlers.k40_expire_delegation_token import expire_delegation_token
from ottla.broker.handlers.k41_describe_delegation_token import describe_delegation_token
from ottla.broker.handlers.table import HANDLERS
from ottla.errors import MalformedMessage
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.security import (
    CreateAclsRequest,
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
    DeleteAclsRequest,
    DescribeAclsRequest,
    DescribeDelegationTokenRequest,
    ExpireDelegationTokenRequest,
    RenewDelegationTokenRequest,
)
from tests.unit.broker.handlers.circumstances import context

LITERAL, ALLOW, READ, TOPIC, ANY = 3, 3, 3, 2, 1
CREATION = CreateAclsRequest.AclCreation(TOPIC, "t", LITERAL, "User:a", "*", READ, ALLOW)
FILTER = DeleteAclsRequest.DeleteAclsFilter(ANY, None, ANY, None, None, ANY, ANY)


def test_there_are_no_acls() -> None:
    """Each creation and each filter is SECURITY_DISABLED, and so is asking for them."""
    code = ErrorCode.SECURITY_DISABLED
    described = describe_acls(context(3), DescribeAclsRequest(ANY, None, ANY, None, None, ANY, ANY))
    assert (described.error_code, list(described.resources)) == (code, [])
    assert [each.error_code for each in create_acls(context(3), CreateAclsRequest([CREATION] * 2)).results] == [
        code
    ] * 2
    deleted = delete_acls(context(3), DeleteAclsRequest([FILTER]))
    assert [(each.error_code, list(each.matching_acls)) for each in deleted.filter_results] == [(code, [])]


def test_numbers_that_kafka_does_not_know_are_answered_all_the_same() -> None:
    """Only 0 is what it calls unknown; a type from the future is an ACL that is refused like others."""
    described = describe_acls(context(3), DescribeAclsRequest(9, None, 9, None, None, 99, 9))
    assert described.error_code == ErrorCode.SECURITY_DISABLED


@pytest.mark.parametrize("numbers", [(0, 3, 2, 2), (2, 0, 2, 2), (2, 3, 0, 2), (2, 3, 2, 0)])
def test_a_number_that_stands_for_nothing_ends_the_connection(numbers: tuple[int, int, int, int]) -> None:
    """Kafka cannot read such a request, so there is no answer to it."""
    resource_type, pattern_type, operation, permission_type = numbers
    with pytest.raises(MalformedMessage):
        describe_acls(
            context(3),
            DescribeAclsRequest(resource_type, None, pattern_type, None, None, operation, permission_type),
        )
    assert HANDLERS[ApiKey.DESCRIBE_ACLS].failed is None


@pytest.mark.parametrize(
    ("security_protocol", "principal", "code"),
    [
        ("PLAINTEXT", "User:ANONYMOUS", ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED),
        ("SSL", "User:ANONYMOUS", ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED),
        ("SSL", "User:CN=alice", ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED),
        ("SASL_SSL", "User:alice", ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED),
    ],
)
def test_there_are_no_tokens(security_protocol: str, principal: str, code: ErrorCode) -> None:
    """Who has not proved who it is may not ask for tokens; others learn that there are none."""
    asks = context(3, security_protocol=security_protocol, principal=principal)
    created = create_delegation_token(asks, CreateDelegationTokenRequest())
    assert (created.error_code, created.expiry_timestamp_ms, created.hmac) == (code, -1, b"")
    assert renew_delegation_token(asks, RenewDelegationTokenRequest()).error_code == code
    expired = expire_delegation_token(asks, ExpireDelegationTokenRequest())
    assert (expired.error_code, expired.expiry_timestamp_ms) == (code, -1)
    assert describe_delegation_token(asks, DescribeDelegationTokenRequest()).error_code == code


@pytest.mark.parametrize("version", CreateDelegationTokenRequest.VERSIONS)
def test_the_owner_of_the_token_that_is_refused(version: int) -> None:
    """Whoever asks would have owned it, or since version 3 whom it asked for."""
    asks = context(version, principal="User:alice")
    own = create_delegation_token(asks, CreateDelegationTokenRequest())
    back = CreateDelegationTokenResponse.read(own.to_bytes(version), version)
    assert (back.principal_type, back.principal_name) == ("User", "alice")
    assert back.token_requester_principal_name == ("alice" if version >= 3 else "")
    if version >= 3:
        other = create_delegation_token(asks, CreateDelegationTokenRequest("User", "bob"))
        assert (other.principal_name, other.token_requester_principal_name) == ("bob", "alice")


def test_a_controller_refuses_tokens_as_a_broker_does() -> None:
    """Whoever has not proved who it is may not ask a controller for tokens either."""
    asks = context(3, is_controller_listener=True)
    answer = create_delegation_token(asks, CreateDelegationTokenRequest())
    assert answer.error_code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    assert {ApiKey.DESCRIBE_ACLS, ApiKey.CREATE_ACLS, ApiKey.CREATE_DELEGATION_TOKEN} <= CONTROLLER_HANDLERS.keys()
