"""Kafka's tools and its Java clients, all in one JVM that stays warm: `Agent.java` at the other end of a pipe."""

import json
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tests.integration.peer.jars import jars
from tests.integration.peer.programs import program

SOURCE: Final = Path(__file__).with_name("Agent.java")
CONSUMED_WITHIN_MS: Final = 20_000

# By the name of the stock script, the class that it runs.
TOOLS: Final = {
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-configs": "kafka.admin.ConfigCommand",
    "kafka-get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "kafka-delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "kafka-cluster": "org.apache.kafka.tools.ClusterTool",
    "kafka-broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "kafka-metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "kafka-producer-perf-test": "org.apache.kafka.tools.ProducerPerformance",
    "kafka-console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
}


@dataclass(frozen=True, slots=True)
class Ran:
    """How a tool ended, and what it printed."""

    status: int
    out: str
    err: str


class Agent:
    """The JVM. `with` ends it."""

    def __init__(self, heap: str = "256M") -> None:
        command = [
            program("java"), f"-Xmx{heap}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=ERROR",
            "-Dfile.encoding=UTF-8", "-cp", f"{jars()}/*", str(SOURCE),
        ]  # fmt: skip
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def tool(self, name: str, *arguments: str, text: str = "") -> Ran:
        """Run one of Kafka's tools to its end."""
        answer = self._ask(op="tool", **{"class": TOOLS[name]}, arguments=arguments, input=text)
        return Ran(answer["status"], answer["out"], answer["err"])

    def run(self, name: str, *arguments: str, text: str = "") -> str:
        """The same; its failure is ours."""
        ran = self.tool(name, *arguments, text=text)
        assert ran.status == 0, f"{name} {' '.join(arguments)} ended with {ran.status}:\n{ran.out}\n{ran.err}"
        return ran.out

    def produce(self, settings: dict[str, Any], records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Where each record went, or the name of the error that it met with."""
        answer = self._ask(op="produce", settings=_words(settings), records=[_packed(each) for each in records])
        assert "error" not in answer, answer
        results: list[dict[str, Any]] = answer["results"]
        return results

    def consume(
        self, settings: dict[str, Any], topic: str, partition: int, offset: int, count: int, **more: Any
    ) -> dict[str, Any]:
        """So many records from there; with the partition's position, beginning and end, or an error."""
        more.setdefault("timeout_ms", CONSUMED_WITHIN_MS)
        answer = self._ask(
            op="consume",
            settings=_words(settings),
            topic=topic,
            partition=partition,
            offset=offset,
            count=count,
            **more,
        )
        for record in answer.get("records", ()):
            record["key"], record["value"] = _unpacked(record["key"]), _unpacked(record["value"])
            record["headers"] = [(name, _unpacked(value)) for name, value in record["headers"]]
        return answer

    def _ask(self, **command: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the JVM is gone"
        answer: dict[str, Any] = json.loads(line)
        return answer


def _words(settings: dict[str, Any]) -> dict[str, str]:
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in settings.items()}


def _packed(record: dict[str, Any]) -> dict[str, Any]:
    def text(value: bytes | None) -> str | None:
        return None if value is None else b64encode(value).decode()

    headers = [(name, text(value)) for name, value in record["headers"]]
    return {**record, "key": text(record["key"]), "value": text(record["value"]), "headers": headers}


def _unpacked(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
