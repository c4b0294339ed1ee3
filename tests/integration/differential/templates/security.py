"""ACLs, delegation tokens and SCRAM: what a broker without an authorizer or a secret key answers."""

from typing import Final

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.templates.template import Template
from tests.integration.differential.trees import Tree

FILTER: Final[Tree] = {
    "resource_type_filter": 2,
    "resource_name_filter": "stable",
    "pattern_type_filter": 3,
    "principal_filter": "User:alice",
    "host_filter": "*",
    "operation": 3,
    "permission_type": 3,
}
CREATION: Final[Tree] = {
    "resource_type": 2,
    "resource_name": "stable",
    "resource_pattern_type": 3,
    "principal": "User:alice",
    "host": "*",
    "operation": 3,
    "permission_type": 3,
}
OWNER: Final[Tree] = {"principal_type": "User", "principal_name": "alice"}

TEMPLATES: Final[list[Template]] = [
    Template(ApiKey.DESCRIBE_ACLS, "valid", lambda _, __: FILTER, is_valid=True),
    Template(ApiKey.CREATE_ACLS, "valid", lambda _, __: {"creations": [CREATION]}, is_valid=True),
    Template(ApiKey.DELETE_ACLS, "valid", lambda _, __: {"filters": [FILTER]}, is_valid=True),
    Template(
        ApiKey.CREATE_DELEGATION_TOKEN,
        "valid",
        lambda _, __: {"renewers": [OWNER], "max_lifetime_ms": 1_000},
        is_valid=True,
    ),
    Template(
        ApiKey.RENEW_DELEGATION_TOKEN, "valid", lambda _, __: {"hmac": b"abc", "renew_period_ms": 1_000}, is_valid=True
    ),
    Template(
        ApiKey.EXPIRE_DELEGATION_TOKEN,
        "valid",
        lambda _, __: {"hmac": b"abc", "expiry_time_period_ms": 1_000},
        is_valid=True,
    ),
    Template(ApiKey.DESCRIBE_DELEGATION_TOKEN, "valid", lambda _, __: {"owners": [OWNER]}, is_valid=True),
    Template(
        ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, "valid", lambda _, __: {"users": [{"name": "alice"}]}, is_valid=True
    ),
    Template(
        ApiKey.ALTER_USER_SCRAM_CREDENTIALS,
        "valid",
        lambda _, __: {"deletions": [{"name": "alice", "mechanism": 1}]},
        is_valid=True,
    ),
]
