"""Make the golden metadata: the log and the snapshots of `__cluster_metadata` that a real Kafka wrote.

    python -m tools.make_golden_metadata --jars DIRECTORY [--out tests/golden/kafka-4.3-metadata] [--static]

DIRECTORY holds the jars of a Kafka release; Java 17 or newer is found as `java`. A node that is broker and controller
is formatted, asked for one of everything over librdkafka and Kafka's own tools, and stopped; then its metadata
directory is copied, of the snapshots the first, the middle and the last one, and what formatting left. Beside each file
stands `<name>.dump`: what `kafka-dump-log --cluster-metadata-decoder` prints about it. Ids and times differ from run to
run.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from confluent_kafka.admin import AdminClient

from tools import golden_metadata
from tools.golden_logs.broker import Broker
from tools.make_golden_logs import forget, release

GOLDEN = Path(__file__).parent.parent / "tests" / "golden" / "kafka-4.3-metadata"
DIRECTORY = "__cluster_metadata-0"
MOVED_IN = 4  # kafka-dump-log moved to where other tools are
FEATURES_SINCE = 4  # the first release with settings of groups, and with a feature that can be turned off again
STEPS = (
    golden_metadata.topics,
    golden_metadata.configs,
    golden_metadata.quotas,
    golden_metadata.security,
    golden_metadata.producer_ids,
)


def major(jars: Path) -> int:
    """The first number of the release that the jars belong to."""
    return int(release(jars).partition(".")[0])


def dump(jars: Path, file: Path) -> str:
    """What Kafka's tool prints about a file, without the path."""
    tool = "org.apache.kafka.tools.DumpLogSegments" if major(jars) >= MOVED_IN else "kafka.tools.DumpLogSegments"
    command = ["java", "-cp", f"{jars}/*", tool, "--cluster-metadata-decoder", "--files", str(file)]
    answer = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - a program we were given
    if answer.returncode != 0:
        sys.exit(f"the dump of {file.name} failed:\n{answer.stderr}")
    return answer.stdout.replace(str(file.parent) + "/", "")


def wanted(data: Path) -> list[Path]:
    """The files to keep."""
    folder = data / DIRECTORY
    snapshots = sorted(folder.glob("*.checkpoint"))
    formatted = [file for file in snapshots if file.name.startswith("0" * 20)]
    taken = [file for file in snapshots if file not in formatted]
    kept = {taken[0], taken[len(taken) // 2], taken[-1]}
    rest = [data / "bootstrap.checkpoint", folder / "quorum-state", *sorted(folder.glob("*.log"))]
    return [file for file in [*formatted, *sorted(kept), *rest] if file.exists()]


def main() -> None:
    """Fill a node, stop it, keep its files."""
    parser = argparse.ArgumentParser(description="Make the golden metadata out of a real Kafka.")
    parser.add_argument("--jars", type=Path, required=True, help="directory with the jars of a Kafka release")
    parser.add_argument("--out", type=Path, default=GOLDEN, help="where the files go")
    parser.add_argument("--static", action="store_true", help="with the voters in the settings: kraft.version 0")
    arguments = parser.parse_args()
    out: Path = arguments.out
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(arguments.jars, Path(folder))
        sasl_address = golden_metadata.prepare(broker, static=arguments.static)
        with broker:
            admin = AdminClient({"bootstrap.servers": broker.address})
            for step in STEPS:
                step(broker, admin)
            golden_metadata.tokens(broker, sasl_address)
            if major(arguments.jars) >= FEATURES_SINCE:
                golden_metadata.features(broker, admin)
            golden_metadata.last_topic(broker, admin)
        forget(out)
        out.mkdir(parents=True, exist_ok=True)
        files = wanted(broker.data)
        for file in files:
            copy = out / file.name
            shutil.copyfile(file, copy)
            if file.suffix in (".log", ".checkpoint"):
                copy.with_name(copy.name + ".dump").write_text(dump(arguments.jars, copy))
    (out / "origin.json").write_text(
        json.dumps({"release": f"Apache Kafka {release(arguments.jars)}"}, indent=1) + "\n"
    )
    print(f"{len(files)} files in {out}")


if __name__ == "__main__":
    main()
