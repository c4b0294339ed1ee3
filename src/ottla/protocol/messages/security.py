"""Who may do what: ACLs, SCRAM credentials, delegation tokens.

Generated from `schema/security.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence


class DescribeAclsRequest(Message):
    """Asks for the ACLs that match a filter.

    Request 29, versions 1-3.
    Version 1: pattern types (KIP-290).
    Version 3: resources of type user (KIP-373).
    """

    KEY = 29
    VERSIONS = range(1, 4)
    __slots__ = (
        "resource_type_filter", "resource_name_filter", "pattern_type_filter", "principal_filter",
        "host_filter", "operation", "permission_type",
    )

    def __init__(
        self, resource_type_filter: int = 0, resource_name_filter: str | None = "", pattern_type_filter: int =
        3, principal_filter: str | None = "", host_filter: str | None = "", operation: int = 0, permission_type:
        int = 0
    ) -> None:
        self.resource_type_filter = resource_type_filter
        self.resource_name_filter = resource_name_filter
        self.pattern_type_filter = pattern_type_filter
        self.principal_filter = principal_filter
        self.host_filter = host_filter
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = ()


class DescribeAclsResponse_AclDescription(Struct):
    __qualname__ = "DescribeAclsResponse.AclDescription"
    __slots__ = ("principal", "host", "operation", "permission_type",)

    def __init__(
        self, principal: str = "", host: str = "", operation: int = 0, permission_type: int = 0
    ) -> None:
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = ()


class DescribeAclsResponse_DescribeAclsResource(Struct):
    __qualname__ = "DescribeAclsResponse.DescribeAclsResource"
    __slots__ = ("resource_type", "resource_name", "pattern_type", "acls",)

    def __init__(
        self, resource_type: int = 0, resource_name: str = "", pattern_type: int = 3, acls:
        Sequence[DescribeAclsResponse_AclDescription] = ()
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.acls = acls
        self.unknown_tags = ()


class DescribeAclsResponse(Message):
    """The ACLs, by resource.

    Response to request 29, versions 1-3.
    """

    KEY = 29
    VERSIONS = range(1, 4)
    DescribeAclsResource = DescribeAclsResponse_DescribeAclsResource
    AclDescription = DescribeAclsResponse_AclDescription
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "resources",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "", resources:
        Sequence[DescribeAclsResponse_DescribeAclsResource] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.resources = resources
        self.unknown_tags = ()


class CreateAclsRequest_AclCreation(Struct):
    __qualname__ = "CreateAclsRequest.AclCreation"
    __slots__ = (
        "resource_type", "resource_name", "resource_pattern_type", "principal", "host", "operation",
        "permission_type",
    )

    def __init__(
        self, resource_type: int = 0, resource_name: str = "", resource_pattern_type: int = 3, principal: str =
        "", host: str = "", operation: int = 0, permission_type: int = 0
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.resource_pattern_type = resource_pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = ()


class CreateAclsRequest(Message):
    """Adds ACLs.

    Request 30, versions 1-3.
    Version 1: pattern types (KIP-290).
    Version 3: resources of type user (KIP-373).
    """

    KEY = 30
    VERSIONS = range(1, 4)
    AclCreation = CreateAclsRequest_AclCreation
    __slots__ = ("creations",)

    def __init__(
        self, creations: Sequence[CreateAclsRequest_AclCreation] = ()
    ) -> None:
        self.creations = creations
        self.unknown_tags = ()


class CreateAclsResponse_AclCreationResult(Struct):
    __qualname__ = "CreateAclsResponse.AclCreationResult"
    __slots__ = ("error_code", "error_message",)

    def __init__(
        self, error_code: int = 0, error_message: str | None = ""
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class CreateAclsResponse(Message):
    """Whether each ACL was added, in the order of the request.

    Response to request 30, versions 1-3.
    """

    KEY = 30
    VERSIONS = range(1, 4)
    AclCreationResult = CreateAclsResponse_AclCreationResult
    __slots__ = ("throttle_time_ms", "results",)

    def __init__(
        self, throttle_time_ms: int = 0, results: Sequence[CreateAclsResponse_AclCreationResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results
        self.unknown_tags = ()


class DeleteAclsRequest_DeleteAclsFilter(Struct):
    __qualname__ = "DeleteAclsRequest.DeleteAclsFilter"
    __slots__ = (
        "resource_type_filter", "resource_name_filter", "pattern_type_filter", "principal_filter",
        "host_filter", "operation", "permission_type",
    )

    def __init__(
        self, resource_type_filter: int = 0, resource_name_filter: str | None = "", pattern_type_filter: int =
        3, principal_filter: str | None = "", host_filter: str | None = "", operation: int = 0, permission_type:
        int = 0
    ) -> None:
        self.resource_type_filter = resource_type_filter
        self.resource_name_filter = resource_name_filter
        self.pattern_type_filter = pattern_type_filter
        self.principal_filter = principal_filter
        self.host_filter = host_filter
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = ()


class DeleteAclsRequest(Message):
    """Removes the ACLs that match filters.

    Request 31, versions 1-3.
    Version 1: pattern types (KIP-290).
    Version 3: resources of type user (KIP-373).
    """

    KEY = 31
    VERSIONS = range(1, 4)
    DeleteAclsFilter = DeleteAclsRequest_DeleteAclsFilter
    __slots__ = ("filters",)

    def __init__(
        self, filters: Sequence[DeleteAclsRequest_DeleteAclsFilter] = ()
    ) -> None:
        self.filters = filters
        self.unknown_tags = ()


class DeleteAclsResponse_DeleteAclsMatchingAcl(Struct):
    __qualname__ = "DeleteAclsResponse.DeleteAclsMatchingAcl"
    __slots__ = (
        "error_code", "error_message", "resource_type", "resource_name", "pattern_type", "principal", "host",
        "operation", "permission_type",
    )

    def __init__(
        self, error_code: int = 0, error_message: str | None = "", resource_type: int = 0, resource_name: str =
        "", pattern_type: int = 3, principal: str = "", host: str = "", operation: int = 0, permission_type: int
        = 0
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = ()


class DeleteAclsResponse_DeleteAclsFilterResult(Struct):
    __qualname__ = "DeleteAclsResponse.DeleteAclsFilterResult"
    __slots__ = ("error_code", "error_message", "matching_acls",)

    def __init__(
        self, error_code: int = 0, error_message: str | None = "", matching_acls:
        Sequence[DeleteAclsResponse_DeleteAclsMatchingAcl] = ()
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.matching_acls = matching_acls
        self.unknown_tags = ()


class DeleteAclsResponse(Message):
    """What each filter matched and removed.

    Response to request 31, versions 1-3.
    """

    KEY = 31
    VERSIONS = range(1, 4)
    DeleteAclsFilterResult = DeleteAclsResponse_DeleteAclsFilterResult
    DeleteAclsMatchingAcl = DeleteAclsResponse_DeleteAclsMatchingAcl
    __slots__ = ("throttle_time_ms", "filter_results",)

    def __init__(
        self, throttle_time_ms: int = 0, filter_results: Sequence[DeleteAclsResponse_DeleteAclsFilterResult] =
        ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.filter_results = filter_results
        self.unknown_tags = ()


class DescribeUserScramCredentialsRequest_UserName(Struct):
    __qualname__ = "DescribeUserScramCredentialsRequest.UserName"
    __slots__ = ("name",)

    def __init__(
        self, name: str = ""
    ) -> None:
        self.name = name
        self.unknown_tags = ()


class DescribeUserScramCredentialsRequest(Message):
    """Asks which users have SCRAM credentials (KIP-554).

    Request 50, version 0.
    """

    KEY = 50
    VERSIONS = range(0, 1)
    UserName = DescribeUserScramCredentialsRequest_UserName
    __slots__ = ("users",)

    def __init__(
        self, users: Sequence[DescribeUserScramCredentialsRequest_UserName] | None = ()
    ) -> None:
        self.users = users
        self.unknown_tags = ()


class DescribeUserScramCredentialsResponse_CredentialInfo(Struct):
    __qualname__ = "DescribeUserScramCredentialsResponse.CredentialInfo"
    __slots__ = ("mechanism", "iterations",)

    def __init__(
        self, mechanism: int = 0, iterations: int = 0
    ) -> None:
        self.mechanism = mechanism
        self.iterations = iterations
        self.unknown_tags = ()


class DescribeUserScramCredentialsResponse_DescribeUserScramCredentialsResult(Struct):
    __qualname__ = "DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult"
    __slots__ = ("user", "error_code", "error_message", "credential_infos",)

    def __init__(
        self, user: str = "", error_code: int = 0, error_message: str | None = "", credential_infos:
        Sequence[DescribeUserScramCredentialsResponse_CredentialInfo] = ()
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.credential_infos = credential_infos
        self.unknown_tags = ()


class DescribeUserScramCredentialsResponse(Message):
    """Mechanisms and iterations; never salts or keys.

    Response to request 50, version 0.
    """

    KEY = 50
    VERSIONS = range(0, 1)
    DescribeUserScramCredentialsResult = DescribeUserScramCredentialsResponse_DescribeUserScramCredentialsResult
    CredentialInfo = DescribeUserScramCredentialsResponse_CredentialInfo
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "results",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "", results:
        Sequence[DescribeUserScramCredentialsResponse_DescribeUserScramCredentialsResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = results
        self.unknown_tags = ()


class AlterUserScramCredentialsRequest_ScramCredentialDeletion(Struct):
    __qualname__ = "AlterUserScramCredentialsRequest.ScramCredentialDeletion"
    __slots__ = ("name", "mechanism",)

    def __init__(
        self, name: str = "", mechanism: int = 0
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.unknown_tags = ()


class AlterUserScramCredentialsRequest_ScramCredentialUpsertion(Struct):
    __qualname__ = "AlterUserScramCredentialsRequest.ScramCredentialUpsertion"
    __slots__ = ("name", "mechanism", "iterations", "salt", "salted_password",)

    def __init__(
        self, name: str = "", mechanism: int = 0, iterations: int = 0, salt: bytes = b"", salted_password: bytes
        = b""
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.iterations = iterations
        self.salt = salt
        self.salted_password = salted_password
        self.unknown_tags = ()


class AlterUserScramCredentialsRequest(Message):
    """Sets or removes users' SCRAM credentials (KIP-554).

    Request 51, version 0.
    """

    KEY = 51
    VERSIONS = range(0, 1)
    ScramCredentialDeletion = AlterUserScramCredentialsRequest_ScramCredentialDeletion
    ScramCredentialUpsertion = AlterUserScramCredentialsRequest_ScramCredentialUpsertion
    __slots__ = ("deletions", "upsertions",)

    def __init__(
        self, deletions: Sequence[AlterUserScramCredentialsRequest_ScramCredentialDeletion] = (), upsertions:
        Sequence[AlterUserScramCredentialsRequest_ScramCredentialUpsertion] = ()
    ) -> None:
        self.deletions = deletions
        self.upsertions = upsertions
        self.unknown_tags = ()


class AlterUserScramCredentialsResponse_AlterUserScramCredentialsResult(Struct):
    __qualname__ = "AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult"
    __slots__ = ("user", "error_code", "error_message",)

    def __init__(
        self, user: str = "", error_code: int = 0, error_message: str | None = ""
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class AlterUserScramCredentialsResponse(Message):
    """Whether each user was changed.

    Response to request 51, version 0.
    """

    KEY = 51
    VERSIONS = range(0, 1)
    AlterUserScramCredentialsResult = AlterUserScramCredentialsResponse_AlterUserScramCredentialsResult
    __slots__ = ("throttle_time_ms", "results",)

    def __init__(
        self, throttle_time_ms: int = 0, results:
        Sequence[AlterUserScramCredentialsResponse_AlterUserScramCredentialsResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results
        self.unknown_tags = ()


class CreateDelegationTokenRequest_CreatableRenewers(Struct):
    __qualname__ = "CreateDelegationTokenRequest.CreatableRenewers"
    __slots__ = ("principal_type", "principal_name",)

    def __init__(
        self, principal_type: str = "", principal_name: str = ""
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.unknown_tags = ()


class CreateDelegationTokenRequest(Message):
    """Makes a token that others can authenticate with (KIP-48).

    Request 38, versions 1-3.
    Version 3: for another owner than oneself (KIP-373).
    """

    KEY = 38
    VERSIONS = range(1, 4)
    CreatableRenewers = CreateDelegationTokenRequest_CreatableRenewers
    __slots__ = ("owner_principal_type", "owner_principal_name", "renewers", "max_lifetime_ms",)

    def __init__(
        self, owner_principal_type: str | None = "", owner_principal_name: str | None = "", renewers:
        Sequence[CreateDelegationTokenRequest_CreatableRenewers] = (), max_lifetime_ms: int = 0
    ) -> None:
        self.owner_principal_type = owner_principal_type
        self.owner_principal_name = owner_principal_name
        self.renewers = renewers
        self.max_lifetime_ms = max_lifetime_ms
        self.unknown_tags = ()


class CreateDelegationTokenResponse(Message):
    """The token, and the HMAC that is its password.

    Response to request 38, versions 1-3.
    """

    KEY = 38
    VERSIONS = range(1, 4)
    __slots__ = (
        "error_code", "principal_type", "principal_name", "token_requester_principal_type",
        "token_requester_principal_name", "issue_timestamp_ms", "expiry_timestamp_ms", "max_timestamp_ms",
        "token_id", "hmac", "throttle_time_ms",
    )

    def __init__(
        self, error_code: int = 0, principal_type: str = "", principal_name: str = "",
        token_requester_principal_type: str = "", token_requester_principal_name: str = "", issue_timestamp_ms:
        int = 0, expiry_timestamp_ms: int = 0, max_timestamp_ms: int = 0, token_id: str = "", hmac: bytes = b"",
        throttle_time_ms: int = 0
    ) -> None:
        self.error_code = error_code
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp_ms = issue_timestamp_ms
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.max_timestamp_ms = max_timestamp_ms
        self.token_id = token_id
        self.hmac = hmac
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags = ()


class RenewDelegationTokenRequest(Message):
    """Moves the expiry of a token, within its lifetime (KIP-48).

    Request 39, versions 1-2.
    """

    KEY = 39
    VERSIONS = range(1, 3)
    __slots__ = ("hmac", "renew_period_ms",)

    def __init__(
        self, hmac: bytes = b"", renew_period_ms: int = 0
    ) -> None:
        self.hmac = hmac
        self.renew_period_ms = renew_period_ms
        self.unknown_tags = ()


class RenewDelegationTokenResponse(Message):
    """When the token expires now.

    Response to request 39, versions 1-2.
    """

    KEY = 39
    VERSIONS = range(1, 3)
    __slots__ = ("error_code", "expiry_timestamp_ms", "throttle_time_ms",)

    def __init__(
        self, error_code: int = 0, expiry_timestamp_ms: int = 0, throttle_time_ms: int = 0
    ) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags = ()


class ExpireDelegationTokenRequest(Message):
    """Lets a token expire sooner (KIP-48).

    Request 40, versions 1-2.
    """

    KEY = 40
    VERSIONS = range(1, 3)
    __slots__ = ("hmac", "expiry_time_period_ms",)

    def __init__(
        self, hmac: bytes = b"", expiry_time_period_ms: int = 0
    ) -> None:
        self.hmac = hmac
        self.expiry_time_period_ms = expiry_time_period_ms
        self.unknown_tags = ()


class ExpireDelegationTokenResponse(Message):
    """When the token expires now.

    Response to request 40, versions 1-2.
    """

    KEY = 40
    VERSIONS = range(1, 3)
    __slots__ = ("error_code", "expiry_timestamp_ms", "throttle_time_ms",)

    def __init__(
        self, error_code: int = 0, expiry_timestamp_ms: int = 0, throttle_time_ms: int = 0
    ) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags = ()


class DescribeDelegationTokenRequest_DescribeDelegationTokenOwner(Struct):
    __qualname__ = "DescribeDelegationTokenRequest.DescribeDelegationTokenOwner"
    __slots__ = ("principal_type", "principal_name",)

    def __init__(
        self, principal_type: str = "", principal_name: str = ""
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.unknown_tags = ()


class DescribeDelegationTokenRequest(Message):
    """Asks for the tokens of owners (KIP-48).

    Request 41, versions 1-3.
    Version 3: the response tells who asked for a token (KIP-373).
    """

    KEY = 41
    VERSIONS = range(1, 4)
    DescribeDelegationTokenOwner = DescribeDelegationTokenRequest_DescribeDelegationTokenOwner
    __slots__ = ("owners",)

    def __init__(
        self, owners: Sequence[DescribeDelegationTokenRequest_DescribeDelegationTokenOwner] | None = ()
    ) -> None:
        self.owners = owners
        self.unknown_tags = ()


class DescribeDelegationTokenResponse_DescribedDelegationTokenRenewer(Struct):
    __qualname__ = "DescribeDelegationTokenResponse.DescribedDelegationTokenRenewer"
    __slots__ = ("principal_type", "principal_name",)

    def __init__(
        self, principal_type: str = "", principal_name: str = ""
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.unknown_tags = ()


class DescribeDelegationTokenResponse_DescribedDelegationToken(Struct):
    __qualname__ = "DescribeDelegationTokenResponse.DescribedDelegationToken"
    __slots__ = (
        "principal_type", "principal_name", "token_requester_principal_type", "token_requester_principal_name",
        "issue_timestamp", "expiry_timestamp", "max_timestamp", "token_id", "hmac", "renewers",
    )

    def __init__(
        self, principal_type: str = "", principal_name: str = "", token_requester_principal_type: str = "",
        token_requester_principal_name: str = "", issue_timestamp: int = 0, expiry_timestamp: int = 0,
        max_timestamp: int = 0, token_id: str = "", hmac: bytes = b"", renewers:
        Sequence[DescribeDelegationTokenResponse_DescribedDelegationTokenRenewer] = ()
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp = issue_timestamp
        self.expiry_timestamp = expiry_timestamp
        self.max_timestamp = max_timestamp
        self.token_id = token_id
        self.hmac = hmac
        self.renewers = renewers
        self.unknown_tags = ()


class DescribeDelegationTokenResponse(Message):
    """The tokens.

    Response to request 41, versions 1-3.
    """

    KEY = 41
    VERSIONS = range(1, 4)
    DescribedDelegationToken = DescribeDelegationTokenResponse_DescribedDelegationToken
    DescribedDelegationTokenRenewer = DescribeDelegationTokenResponse_DescribedDelegationTokenRenewer
    __slots__ = ("error_code", "tokens", "throttle_time_ms",)

    def __init__(
        self, error_code: int = 0, tokens: Sequence[DescribeDelegationTokenResponse_DescribedDelegationToken] =
        (), throttle_time_ms: int = 0
    ) -> None:
        self.error_code = error_code
        self.tokens = tokens
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tags = ()


class DefaultPrincipalData(Message):
    """A principal as a broker hands it on to the controller, inside an Envelope (KIP-590).

    Data, version 0.
    Behind an int16 version.
    """

    VERSIONS = range(0, 1)
    __slots__ = ("type", "name", "token_authenticated",)

    def __init__(
        self, type: str = "", name: str = "", token_authenticated: bool = False
    ) -> None:
        self.type = type
        self.name = name
        self.token_authenticated = token_authenticated
        self.unknown_tags = ()
