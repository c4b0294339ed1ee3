"""Make the golden batches: what four other clients write when they are given the same records.

    python -m tools.make_golden_batches --jars DIRECTORY [--out tests/golden/batches]

DIRECTORY holds the jars of a Kafka release (the `libs` of its distribution); Java 17 or newer is found as `java`. The
Python clients are those of requirements/dev.txt. `records.json` beside the batches says what they were given,
`origin.json` which client wrote which file and what else it was told. A test reads every file and compares.

Compressed bytes depend on the libraries, so that a second run may change them; what is in them may not change.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.golden_batches.librdkafka import librdkafka
from tools.golden_batches.python_clients import Case, aiokafka, kafka_python

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "tests" / "golden" / "batches"


def java(records: Path, jars: Path, out: Path) -> Iterator[Case]:
    """What the Java program beside this script has written with Kafka's own builder."""
    program = HERE / "golden_batches" / "GoldenBatches.java"
    command = ["java", "-cp", f"{jars}/*", str(program), str(records), str(out)]
    answer = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - our own program
    if answer.returncode != 0:
        sys.exit(f"{program.name} failed:\n{answer.stderr}")
    for line in answer.stdout.splitlines():
        said = json.loads(line)
        name = said.pop("file")
        yield name, (out / name).read_bytes(), said


def main() -> None:
    """Write every batch, and the page that says where they come from."""
    parser = argparse.ArgumentParser(description="Make the golden batches out of four other clients.")
    parser.add_argument("--jars", type=Path, required=True, help="directory with the jars of a Kafka release")
    parser.add_argument("--out", type=Path, default=GOLDEN, help="where records.json is and the batches go")
    arguments = parser.parse_args()
    out: Path = arguments.out
    records = out / "records.json"
    origin = {}
    for makers in (java(records, arguments.jars, out), kafka_python(records), aiokafka(records), librdkafka(records)):
        for name, batch, said in makers:
            (out / name).write_bytes(batch)
            origin[name] = said
    lines = [f"  {json.dumps(name)}: {json.dumps(origin[name], sort_keys=True)}" for name in sorted(origin)]
    (out / "origin.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(origin)} batches in {out}")


if __name__ == "__main__":
    main()
