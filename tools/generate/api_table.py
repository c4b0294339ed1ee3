"""Writes the table of APIs into `docs/protocol.md`, between two markers: one row an API.

Keys, versions and listeners come from `ottla.protocol.api_keys`, the family and what an API is for from the schema
texts: the first line above a request. A test holds the page equal to what this module would write.
"""

from pathlib import Path

from ottla.protocol.api_keys import NEVER, ApiKey
from ottla.protocol.codec.notation import family
from ottla.protocol.codec.schema import MessageSchema
from ottla.protocol.schema import FAMILIES

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
BEGIN = "<!-- apis: written by `make docs` -->\n"
END = "<!-- end of apis -->\n"

COLUMNS = ("key", "API", "versions", "flexible", "listeners", "", "family", "what a request does")


def generated() -> dict[Path, str]:
    """The page, with its table anew."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    assert end, f"{PAGE.name} has lost its markers"
    return {PAGE: f"{before}{BEGIN}\n{table()}\n{END}{after}"}


def table() -> str:
    """All APIs by key."""
    requests = {
        message.number: (name, message)
        for name in FAMILIES
        for message in family(name).values()
        if message.kind == "request"
    }
    rule = ["---:", *["---"] * (len(COLUMNS) - 1)]
    rows = [row(api, *requests[api]) for api in ApiKey]
    return "".join(f"| {' | '.join(cells)} |\n".replace("|  |", "| |") for cells in (COLUMNS, rule, *rows))


def row(api: ApiKey, family_name: str, request: MessageSchema) -> list[str]:
    """What the table says about an API."""
    listeners = [name for name, on in (("broker", api.on_broker), ("controller", api.on_controller)) if on]
    remarks = [word for word, true in (("forwarded", api.forwarded), ("between nodes", api.cluster_action)) if true]
    return [
        str(int(api)),
        api.message,
        versions(api),
        "never" if api.flexible_from == NEVER else f"{api.flexible_from}+",
        ", ".join(listeners),
        ", ".join(remarks),
        f"[{family_name}](../src/ottla/protocol/schema/{family_name}.schema)",
        request.doc.partition("\n")[0],
    ]


def versions(api: ApiKey) -> str:
    """The versions that are served, and in brackets what else there is to say about them."""
    served = str(api.max_version) if api.min_version == api.max_version else f"{api.min_version}-{api.max_version}"
    if api.advertised_min_version != api.min_version:
        return f"{served} (announced from {api.advertised_min_version})"
    if api.highest_version != api.max_version:
        return f"{served} ({api.highest_version} unstable)"
    return served
