"""Every message of Kafka 4.3 and every internal record, one text per family: the only place that knows versions.

A text is read like Kafka's own documentation. A message starts at the margin, its fields follow, indented:

    FetchRequest  request 1  versions 4-18  flexible 12+  on broker controller
      replica_id     int32         4-14  = -1
      replica_state  ReplicaState  15+   tag 1
        replica_id   int32               = -1
      topics         [FetchTopic]
        topic        string        4-12  ignorable

A field is `name type [versions] [words]`. Without versions it is there wherever its parent is. `[T]` is an array,
`T?` may be null, `T?7+` may be null from version 7 on; a capitalised type is a struct whose fields follow one level
deeper, or one declared before by `struct Name`. The words: `tag N`, a tagged field (KIP-482); `= value`, a default
other than 0, "", false, empty; `ignorable`, dropped in silence where a version lacks it; `flexible none`, the old
encoding even in flexible versions; `#`, a comment (right above a message: what it is). After a message's name stand
its kind (request, response, header, data, key, value, metadata) with its number, and for requests the listeners.
"""

from functools import cache
from pkgutil import get_data

FAMILIES = (
    "connection",
    "produce_fetch",
    "cluster",
    "topics",
    "configs",
    "security",
    "groups",
    "consumer_groups",
    "share_groups",
    "streams_groups",
    "transactions",
    "quorum",
    "controller",
    "control_records",
    "group_records",
    "transaction_records",
    "share_records",
    "metadata_records",
    "storage_files",
)


@cache
def family_text(family: str) -> str:
    """The schema text of a family, such as `produce_fetch`."""
    data = get_data(__name__, f"{family}.schema")
    assert data is not None, f"the schema of {family} is not where the package is"
    return data.decode()
