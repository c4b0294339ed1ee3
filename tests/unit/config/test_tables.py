"""The tables of settings, compared with Kafka's own definitions: whole sets, every fact.

The golden data come out of Kafka 4.3.1's jars (tests/golden/kafka-4.3/README.md). Three differences are meant:

- Kafka prints the default of the consumer's `partition.assignment.strategy` with the word "class" before each name,
  since its elements are Java classes there; DescribeConfigs never answers for a consumer.
- Kafka has no settings called `ottla.*`.
- Kafka's broker lists the settings that exist only dynamically apart; so do we (`quotas.BROKER_QUOTA`).
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ottla.config.families import FAMILIES, family
from ottla.config.setting import CLUSTER_WIDE, PER_BROKER, READ_ONLY, Setting
from ottla.config.tables.broker import BROKER, OWN_SETTINGS
from ottla.config.tables.quotas import BROKER_QUOTA
from ottla.config.tables.topic import TOPIC

GOLDEN: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "golden/kafka-4.3/configs.json").read_text(encoding="utf-8")
)
NAMES_IN_GOLDEN = {
    "broker-quota": "quota-broker",
    "client-quota": "quota-user-and-client",
    "ip-quota": "quota-ip",
    "user": "quota-user",
}
NAME = re.compile(r"[a-z-]+(\.[a-z-]+)+")
PRINTED_AS_CLASSES = {("consumer", "partition.assignment.strategy")}


def golden(name: str) -> dict[str, Any]:
    """Kafka's definitions of a family."""
    return GOLDEN[NAMES_IN_GOLDEN.get(name, name)]


def facts(setting: Setting) -> dict[str, object]:
    """A row of our table as the golden data would say it."""
    out: dict[str, object] = {
        "type": setting.type.name.lower(),
        "required": setting.is_required,
        "importance": setting.importance.value,
        "internal": setting.internal,
        "validValues": None if setting.valid is None else str(setting.valid),
    }
    if not setting.is_required:
        default = setting.default_value
        out["default"] = list(default) if isinstance(default, tuple) else default
        out["defaultText"] = setting.text(default)
    return out


def test_every_definition_of_kafka_has_a_family() -> None:
    """Every ConfigDef that was extracted is compared with a table."""
    assert {NAMES_IN_GOLDEN.get(name, name) for name in FAMILIES} == GOLDEN.keys() - {"broker-dynamics"}


@pytest.mark.parametrize("name", FAMILIES)
def test_family_is_kafkas(name: str) -> None:
    """A family has exactly Kafka's settings, with Kafka's types, defaults, importance and valid values."""
    own = {setting.name for setting in OWN_SETTINGS}
    ours = {setting.name: facts(setting) for setting in family(name).values() if setting.name not in own}
    kafkas = {
        setting: {fact: entry[fact] for fact in (*facts_of_every_entry, *_default_facts(entry))}
        for setting, entry in golden(name).items()
    }
    for family_name, setting in PRINTED_AS_CLASSES:
        if family_name == name:
            kafkas[setting]["defaultText"] = kafkas[setting]["defaultText"].replace("class ", "")
    assert ours == kafkas


facts_of_every_entry = ("type", "required", "importance", "internal", "validValues")


def _default_facts(entry: dict[str, Any]) -> tuple[str, ...]:
    return () if entry["required"] else ("default", "defaultText")


@pytest.mark.parametrize("name", FAMILIES)
def test_default_is_an_int_or_a_double_as_its_type_says(name: str) -> None:
    """A default has the Python type of its setting: 0 and 0.0 and False are three things."""
    python_types = {"boolean": bool, "int": int, "short": int, "long": int, "double": float, "list": tuple}
    for setting in family(name).values():
        if not setting.is_required and setting.default_value is not None:
            assert type(setting.default_value) is python_types.get(setting.type.name.lower(), str), setting.name


def test_dynamic_modes_are_kafkas() -> None:
    """A broker's setting is read-only, per broker or cluster-wide exactly as Kafka's is."""
    ours = {setting.name: setting.dynamic.value for setting in BROKER.values() if setting not in OWN_SETTINGS}
    assert ours == {name: entry["dynamic"] for name, entry in golden("broker").items()}
    assert {setting.dynamic for setting in BROKER_QUOTA.values()} == {CLUSTER_WIDE}
    sets = GOLDEN["broker-dynamics"]
    dynamic = {s.name for s in (*BROKER.values(), *BROKER_QUOTA.values()) if s.dynamic is not READ_ONLY}
    assert dynamic == set(sets["all"])
    per_broker = {s.name for s in BROKER.values() if s.dynamic is PER_BROKER}
    assert per_broker == set(sets["perBroker"]) & set(sets["all"])
    assert BROKER_QUOTA.keys() == set(sets["dynamicOnly"])


@pytest.mark.parametrize("name", ["topic", "group"])
def test_synonyms_are_kafkas(name: str) -> None:
    """A topic's or group's setting is spoken for by Kafka's settings of the broker, in order, in their units."""
    ours = {
        setting.name: [{"name": synonym.name, "unit": synonym.unit} for synonym in setting.synonyms]
        for setting in family(name).values()
    }
    assert ours == {setting: entry["synonyms"] for setting, entry in golden(name).items()}


def test_the_first_synonym_supplies_the_topics_default() -> None:
    """What a topic's setting falls back to is the first of its synonyms."""
    ours = {s.name: s.synonyms[0].name if s.synonyms else None for s in TOPIC.values()}
    assert ours == {setting: entry["brokerName"] for setting, entry in golden("topic").items()}


def test_own_settings_are_static_and_named_ottla() -> None:
    """A setting that Kafka does not have is named `ottla.*` and cannot be changed while a broker runs."""
    strange = [setting for setting in BROKER.values() if setting.name not in golden("broker")]
    assert tuple(strange) == OWN_SETTINGS
    assert all(setting.name.startswith("ottla.") and setting.dynamic is READ_ONLY for setting in strange)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_default_parses_and_validates_to_itself(name: str) -> None:
    """A default, written as text, is a valid value of its setting and means the default; so does the value itself."""
    for setting in family(name).values():
        if setting.is_required or setting.is_sensitive:
            continue
        default = setting.default_value
        if default is not None:
            assert setting.parse(setting.text(default)) == default, setting.name
            assert setting.parse(default) == default, setting.name
        elif setting.valid is not None:
            setting.check(None)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_setting_says_what_it_is_for(name: str) -> None:
    """A setting's doc is a sentence or two, ends in a full stop, and the names in it exist."""
    known = {setting for other in FAMILIES for setting in family(other)}
    for setting in family(name).values():
        assert 20 <= len(setting.doc) <= 320, setting.name
        assert setting.doc[0].isupper() or setting.doc[0] == "`", setting.name
        assert setting.doc.endswith("."), setting.name
        assert "  " not in setting.doc, setting.name
        for quoted in setting.doc.split("`")[1::2]:
            is_a_name = NAME.fullmatch(quoted) and not quoted.startswith("ottla.")
            assert not is_a_name or quoted in known, f"{setting.name} speaks of {quoted}"


def test_the_tables_are_in_the_order_of_names() -> None:
    """A table can be printed as it is: by name, and no name twice."""
    for name in FAMILIES:
        names = list(family(name))
        assert names == sorted(set(names))


def test_a_broker_loads_no_tables_of_clients() -> None:
    """Importing the tables of brokers, topics and groups brings in no other table."""
    program = (
        "import sys; before = set(sys.modules);"
        "import ottla.config.tables.broker, ottla.config.tables.topic, ottla.config.tables.group;"
        "loaded = set(sys.modules) - before;"
        "print(sorted(m for m in loaded if 'tables.client' in m or m in ('asyncio', 'socket', 'json', 'threading')))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
