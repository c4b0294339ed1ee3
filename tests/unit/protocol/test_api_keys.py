"""The table of APIs against Kafka 4.3.1 (tests/golden/kafka-4.3/apis.json) and against our own schema text."""

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from ottla.protocol.api_keys import BY_KEY, NEVER, UNSTABLE, ApiKey

GOLDEN = Path(__file__).parents[2] / "golden" / "kafka-4.3" / "apis.json"
SERVED: dict[str, dict[str, Any]] = {n: fact for n, fact in json.loads(GOLDEN.read_text()).items() if fact["served"]}

# The first line of a request in the schema: name, key, versions, first flexible version if any, the rest.
DECLARATION = re.compile(
    r"^(\w+)Request +request (\d+) +versions (\d+)-?(\d*)(?: +flexible (\d+)\+)?(.*)$", re.MULTILINE
)


def schema_text() -> str:
    """All the text that declares messages."""
    folder = resources.files("ottla.protocol") / "schema"
    return "\n".join(file.read_text() for file in folder.iterdir() if file.name.endswith(".schema"))


def test_keys_are_kafkas() -> None:
    """Every API that Kafka 4.3 serves is in the table under Kafka's name and key, and no other is."""
    ours = {api.name: (int(api), api.message) for api in ApiKey}
    assert ours == {name: (fact["id"], fact["name"]) for name, fact in SERVED.items()}
    assert len(ours) == 89


def test_versions_are_kafkas() -> None:
    """Lowest, highest stable and highest version are Kafka's for every API."""
    ours = {api.name: (api.min_version, api.max_version, api.highest_version) for api in ApiKey}
    assert ours == {n: (f["minVersion"], f["maxVersion"], f["maxVersionUnstable"]) for n, f in SERVED.items()}
    assert {api.name for api in UNSTABLE} == {name for name, fact in SERVED.items() if fact["latestVersionUnstable"]}


@pytest.mark.parametrize("listener", ["broker", "controller"])
def test_what_is_advertised_is_what_kafka_advertises(listener: str) -> None:
    """ApiVersions on a broker's and on a controller's listener names the APIs and ranges that Kafka names there."""
    ours = {
        api.name: [api.advertised_min_version, api.max_version]
        for api in ApiKey
        if (api.on_broker if listener == "broker" else api.on_controller)
    }
    theirs = {name: fact.get(f"advertised_{listener}") for name, fact in SERVED.items()}
    assert ours == {name: versions for name, versions in theirs.items() if versions is not None}


def test_forwarding_and_cluster_actions_are_kafkas() -> None:
    """A broker forwards what Kafka's forwards, and keeps for the cluster's nodes what Kafka keeps for them."""
    ours = {api.name: (api.forwarded, api.cluster_action) for api in ApiKey}
    assert ours == {name: (fact["forwardable"], fact["clusterAction"]) for name, fact in SERVED.items()}


def test_header_versions_are_kafkas() -> None:
    """Every version of every request and response goes behind the header that Kafka puts before it."""
    for api in ApiKey:
        versions = range(api.min_version, api.highest_version + 1)
        fact = SERVED[api.name]
        assert {str(v): api.request_header_version(v) for v in versions} == fact["requestHeaderVersions"]
        assert {str(v): api.response_header_version(v) for v in versions} == fact["responseHeaderVersions"]


def test_the_schema_says_the_same() -> None:
    """Key, versions, first flexible version and listeners are the ones that the schema text declares."""
    declared = {}
    for name, key, lowest, highest, flexible, rest in DECLARATION.findall(schema_text()):
        flexible_from = int(flexible) if flexible else NEVER
        listeners = set(re.findall("broker|controller", rest))
        declared[name] = (int(key), int(lowest), int(highest or lowest), flexible_from, listeners)
    ours = {}
    for api in ApiKey:
        listeners = {word for word, on in (("broker", api.on_broker), ("controller", api.on_controller)) if on}
        ours[api.message] = (int(api), api.min_version, api.highest_version, api.flexible_from, listeners)
    assert ours == declared


def test_produce_is_advertised_from_0_and_served_from_3() -> None:
    """librdkafka finds the codecs that it wants to find, and a Produce of version 2 is still refused."""
    assert ApiKey.PRODUCE.advertised_min_version == 0
    assert [version for version in range(16) if ApiKey.PRODUCE.supports(version)] == list(range(3, 14))


def test_an_unstable_version_is_not_served() -> None:
    """A version that exists only in the schema is refused like one that does not exist."""
    assert ApiKey.INIT_PRODUCER_ID.supports(5)
    assert not ApiKey.INIT_PRODUCER_ID.supports(6)


def test_an_unknown_key_is_found_without_an_exception() -> None:
    """A request with a key that Kafka 4.3 does not serve looks up as nothing: removed, future or absurd."""
    assert BY_KEY[18] is ApiKey.API_VERSIONS
    assert [BY_KEY.get(key) for key in (4, 7, 93, -1, 32_767)] == [None] * 5
