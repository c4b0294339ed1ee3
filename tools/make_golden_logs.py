"""Make the golden log directory: what a real Kafka leaves on disk after a clean stop, and what its own tool says of it.

    python -m tools.make_golden_logs --jars DIRECTORY [--out tests/golden/kafka-4.3-logs]

DIRECTORY holds the jars of a Kafka release (the `libs` of its distribution); Java 17 or newer is found as `java`. A
broker of one node is formatted, filled over librdkafka (requirements/dev.txt) and stopped, twice, so that there is a
second leader epoch; then its files are copied, beside them `<name>.dump`: what `kafka-dump-log` prints about each.
`origin.json` says which release it was and what was written. Ids, times and offsets of markers differ from run to run.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.golden_logs.broker import Broker
from tools.golden_logs.content import fill_first, fill_second

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "tests" / "golden" / "kafka-4.3-logs"
MAX_FILE_BYTES = 64 * 1024  # golden data is read by people, and cloned by everybody

ROOT_FILES = (
    "meta.properties",
    ".kafka_cleanshutdown",
    "recovery-point-offset-checkpoint",
    "replication-offset-checkpoint",
    "log-start-offset-checkpoint",
    "cleaner-offset-checkpoint",
)
DUMPED = (".log", ".index", ".timeindex", ".txnindex", ".snapshot")


def wanted(data: Path) -> list[Path]:
    """The files to keep: those of the root, and those of the topics that were made for this."""
    root = [data / name for name in ROOT_FILES if (data / name).exists()]
    return root + sorted(file for file in data.glob("golden-*/*") if file.stat().st_size <= MAX_FILE_BYTES)


def dump(jars: Path, file: Path) -> str:
    """What Kafka's tool prints about a file, without the path."""
    command = ["java", "-cp", f"{jars}/*", "org.apache.kafka.tools.DumpLogSegments"]
    command += ["--deep-iteration", "--print-data-log", "--files", str(file)]
    answer = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - a program we were given
    if answer.returncode != 0:
        sys.exit(f"the dump of {file.name} failed:\n{answer.stderr}")
    return answer.stdout.replace(str(file.parent) + "/", "")


def forget(out: Path) -> None:
    """Remove what an earlier run made: all but the page about it."""
    for old in out.iterdir() if out.exists() else ():
        if old.is_dir():
            shutil.rmtree(old)
        elif old.name != "README.md":
            old.unlink()


def release(jars: Path) -> str:
    """The version of the release that the jars belong to."""
    (jar,) = (found for path in jars.iterdir() if (found := re.fullmatch(r"kafka-clients-(.*)\.jar", path.name)))
    return jar[1]


def main() -> None:
    """Fill a broker, stop it, keep its files."""
    parser = argparse.ArgumentParser(description="Make the golden log directory out of a real Kafka.")
    parser.add_argument("--jars", type=Path, required=True, help="directory with the jars of a Kafka release")
    parser.add_argument("--out", type=Path, default=GOLDEN, help="where the files go")
    arguments = parser.parse_args()
    out: Path = arguments.out
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(arguments.jars, Path(folder))
        broker.format()
        said: dict[str, Any] = {}
        for fill in (fill_first, fill_second):
            with broker:
                said |= fill(broker)
        forget(out)
        files = wanted(broker.data)
        for file in files:
            copy = out / file.relative_to(broker.data)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            if file.suffix in DUMPED:
                copy.with_name(copy.name + ".dump").write_text(dump(arguments.jars, file))
    origin = {"release": f"Apache Kafka {release(arguments.jars)}", "written": said}
    (out / "origin.json").write_text(json.dumps(origin, indent=1) + "\n")
    print(f"{len(files)} files in {out}")


if __name__ == "__main__":
    main()
