"""Every field of a request at its bounds: made from the schema, so that nobody has to think of it.

`variations` gives a tree for each field and each value that the field's type suggests: the ends of an integer's range
and what lies around zero; the empty, the too long and the strange string; null where it may be; no element, and the
same element twice. Only one field differs from the valid request, so that an answer tells what that field does.
"""

import math
from collections.abc import Iterator
from typing import Any, Final

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.schema import Field, StructSchema
from tests.integration.differential.trees import Symbol, Tree

UNKNOWN_ID: Final = bytes(range(16))
METADATA_ID: Final = bytes(15) + b"\x01"


def _integer(bits: int) -> list[int]:
    return [-(1 << bits - 1), -2, -1, 0, 1, (1 << bits - 1) - 1]


VALUES: Final[dict[str, list[Any]]] = {
    "bool": [False, True],
    "int8": [*_integer(8), 2],
    "int16": _integer(16),
    "uint16": [0, 1, 65_535],
    "int32": _integer(32),
    "uint32": [0, 1, (1 << 32) - 1],
    "int64": _integer(64),
    "float64": [0.0, -1.0, 1e300, math.inf, math.nan],
    "uuid": [bytes(16), UNKNOWN_ID, METADATA_ID],
    "string": ["", ".", "missing", "a/b", "x" * 249, "x" * 250],
    "bytes": [b"", b"\0\1"],
    "records": [b"", b"\0", bytes(61), bytes(1000)],
}

# What would not tell about the answer, with the reason.
EXCLUDED: Final[dict[str, str]] = {
    "timeout_ms": "how long to wait at 0 or 1 ms is a race; both ends of the range are enough",
    "max_wait_ms": "a wait of 24 days",
    "transactional_id": "transactions are not served yet",
    "salted_password": "any bytes do",
}
TWO_LEADERS: Final = "Kafka's controller ends itself when it hears of two leaders in an epoch"
NO_LISTENER: Final = "Kafka's controller ends itself over a listener without a name, a host, a port or a protocol"
# The same for one API.
EXCLUDED_OF: Final[dict[ApiKey, dict[str, str]]] = {
    ApiKey.UNREGISTER_BROKER: {"broker_id": "the only broker would be gone"},
    ApiKey.FETCH: {"min_bytes": "see the templates"},
    ApiKey.VOTE: {"replica_epoch": "a later one unseats the leader"},
    ApiKey.BEGIN_QUORUM_EPOCH: {
        "leader_epoch": "a later one unseats the leader",
        "leader_id": TWO_LEADERS,
        "name": NO_LISTENER,
    },
    ApiKey.END_QUORUM_EPOCH: {
        "leader_epoch": "a later one unseats the leader",
        "leader_id": TWO_LEADERS,
        "name": NO_LISTENER,
    },
    ApiKey.BROKER_REGISTRATION: {
        "name": NO_LISTENER,
        "host": NO_LISTENER,
        "port": NO_LISTENER,
        "security_protocol": NO_LISTENER,
    },
    ApiKey.ADD_RAFT_VOTER: {"name": NO_LISTENER},
    ApiKey.UPDATE_RAFT_VOTER: {"name": NO_LISTENER},
    ApiKey.BROKER_HEARTBEAT: {"want_fence": "nobody is behind a broker that is not fenced"},
    ApiKey.CONTROLLER_REGISTRATION: {
        "controller_id": "the only controller would seem to be elsewhere",
        "name": NO_LISTENER,
        "host": NO_LISTENER,
        "port": NO_LISTENER,
        "security_protocol": NO_LISTENER,
    },
}


def variations(api: ApiKey, schema: StructSchema, tree: Tree, version: int) -> Iterator[tuple[str, Tree]]:
    """Trees that differ from this one in one field, with what differs."""
    for field in schema.fields:
        if field.name not in tree or field.name in EXCLUDED or field.name in EXCLUDED_OF.get(api, {}):
            continue
        for value in _others(field, tree[field.name], version):
            yield f"{field.name}={shown(value)}", {**tree, field.name: value}
        inner = tree[field.name]
        if field.struct is not None and inner:
            first = inner[0] if field.is_array else inner
            for what, changed in variations(api, field.struct, first, version):
                yield f"{field.name}.{what}", {**tree, field.name: [changed, *inner[1:]] if field.is_array else changed}


def _others(field: Field, value: Any, version: int) -> Iterator[Any]:
    """Other values that the field can have."""
    if version in field.nullable and value is not None and field.type != "records":
        yield None  # Kafka never answers a Produce whose records are null: it fails inside, and keeps the connection
    if field.is_array:
        if value:
            yield []
            yield [*value, value[0]]
        if field.struct is None:
            yield from ([other] for other in VALUES[field.type] if [other] != value)
    elif field.struct is None:
        for other in VALUES[field.type]:
            if isinstance(value, Symbol) or other != value:
                yield other


def shown(value: Any) -> str:
    """A value as a line can hold it."""
    text = f"{len(value)} bytes" if isinstance(value, bytes) and len(value) > 16 else repr(value)
    return text if len(text) <= 60 else f"{text[:40]}... ({len(text)})"
