"""What a metric is called: in Kafka, and for Prometheus.

Kafka's metrics are MBeans, `group:type=...,name=...` with tags behind; that identity is ours. Its newer metrics are
attributes of an MBean without a name (`kafka.server:type=socket-server-metrics,listener=...`, `connection-count`), and
have an identity here just as well. The Prometheus names are those that people have from the JMX exporter with its
example rules for Kafka, so that dashboards go on working.

Always true: a name is cut to a bounded length where it is made, since tags may hold what a peer has sent; a tag without
a value is left out, as in Kafka; what is written for Prometheus is valid whatever the tags hold.
"""

import re
from enum import StrEnum
from typing import Final, NamedTuple

# Longer than any topic (249), shorter than what a client may call itself (32,767).
MAX_TAG_CHARS: Final = 256

# The value of every tag of the series that takes up what is over a cap; a topic cannot be called so.
OTHER: Final = "(other)"

_PER_SECOND = re.compile(r"(.+)PerSec\w*")
_PLAIN_IN_MBEAN = re.compile(r"[\w\-%. \t]*", re.ASCII)
_ESCAPED_IN_MBEAN = str.maketrans({"\\": "\\\\", '"': '\\"', "*": "\\*", "?": "\\?", "\n": "\\n"})
_ESCAPED_IN_LABEL = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
_NOT_IN_FAMILY = re.compile(r"[^a-zA-Z0-9:]+")
_NOT_IN_LABEL = re.compile(r"[^a-zA-Z0-9]+")


class Kind(StrEnum):
    """What Prometheus is told that a metric is."""

    COUNTER = "counter"
    GAUGE = "gauge"
    SUMMARY = "summary"


class MetricName(NamedTuple):
    """The identity of a metric. Either `name` or `attribute` is set; `metric_name` and `attribute_name` make them."""

    group: str
    type: str
    name: str
    attribute: str
    tags: tuple[tuple[str, str], ...]

    @property
    def mbean(self) -> str:
        """The MBean, as JMX writes it."""
        name = f",name={self.name}" if self.name else ""
        tags = "".join(f",{key}={_in_mbean(value)}" for key, value in self.tags)
        return f"{self.group}:type={self.type}{name}{tags}"

    def with_tags(self, tags: tuple[tuple[str, str], ...]) -> "MetricName":
        """The same metric for something else."""
        return self._replace(tags=tags)

    def __str__(self) -> str:
        """The MBean, and the attribute if it is one."""
        return f"{self.mbean}:{self.attribute}" if self.attribute else self.mbean


def metric_name(group: str, type_: str, name: str, /, **tags: str | int) -> MetricName:
    """The name of a metric that is an MBean, such as `kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec`."""
    assert name, "a metric without a name is an attribute"
    return MetricName(group, type_, name, "", _tags(tags))


def attribute_name(group: str, type_: str, attribute: str, /, **tags: str | int) -> MetricName:
    """The name of a metric that is an attribute of an MBean, such as `connection-count` of `socket-server-metrics`."""
    assert attribute, "an attribute without a name"
    return MetricName(group, type_, "", attribute, _tags(tags))


def family(name: MetricName, kind: Kind) -> str:
    """What all series of a metric are called in Prometheus; the same for all tags."""
    last = name.name or name.attribute
    suffix = ""
    if kind is Kind.COUNTER:
        if per_second := _PER_SECOND.fullmatch(last):
            last, suffix = per_second[1], "_total"
        elif not last.endswith("-total"):
            suffix = "_count"
    text = _NOT_IN_FAMILY.sub("_", f"{name.group}_{name.type}_{last}{suffix}").lower()
    return f"_{text}" if text[0].isdigit() else text


def labels(name: MetricName) -> str:
    """The tags as Prometheus' labels, braces included, sorted; empty if there are none."""
    if not name.tags:
        return ""
    pairs = sorted((_label(key), value.translate(_ESCAPED_IN_LABEL)) for key, value in name.tags)
    keys = {key for key, _ in pairs}
    assert len(keys) == len(pairs), f"two tags of {name} are one label"
    assert "quantile" not in keys, f"a tag of {name} has the name that summaries need"
    return "{" + ",".join(f'{key}="{value}"' for key, value in pairs) + "}"


def _tags(tags: dict[str, str | int]) -> tuple[tuple[str, str], ...]:
    return tuple((key, _bounded(str(value))) for key, value in tags.items() if value != "")


def _bounded(value: str) -> str:
    return value[:MAX_TAG_CHARS].encode(errors="replace").decode()  # a lone surrogate could not be sent


def _in_mbean(value: str) -> str:
    return value if _PLAIN_IN_MBEAN.fullmatch(value) else f'"{value.translate(_ESCAPED_IN_MBEAN)}"'


def _label(key: str) -> str:
    text = _NOT_IN_LABEL.sub("_", key)
    return f"_{text}" if text[0].isdigit() else text
