"""Extract facts from Apache Kafka's own jars into golden data, for the tests to compare Ottla with.

    python tools/extract_kafka_facts.py --jars DIRECTORY [--out tests/golden/kafka-4.3]

DIRECTORY holds the jars of a Kafka release (the `libs` of its distribution); Java 17 or newer is found as `java`. Each
small Java program in tools/kafka_facts/ asks Kafka's classes and prints one JSON value; this script writes it down, one
line an entry, sorted, so that a change shows as a readable difference and a second run changes nothing.

Names, numbers, types and texts of validators are facts and are kept; documentation is not.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# The program behind each file, and how many levels of it are opened up into lines.
FACTS = {
    "apis.json": ("ApiFacts.java", 1),
    "configs.json": ("ConfigFacts.java", 2),
    "errors.json": ("ErrorFacts.java", 1),
    "features.json": ("FeatureFacts.java", 2),
    "precedence.json": ("PrecedenceFacts.java", 1),
    "properties.json": ("PropertiesFacts.java", 1),
    "rules.json": ("RuleFacts.java", 1),
    "schemas.json": ("SchemaFacts.java", 1),
    "startups.json": ("StartupFacts.java", 1),
    "values.json": ("ValueFacts.java", 2),
}


def ask(program: str, jars: Path) -> object:
    """Run one of the Java programs with Kafka's jars and return the JSON that it prints."""
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", f"{jars}/*", str(HERE / "kafka_facts" / program), str(jars)]
    answer = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - our own programs
    if answer.returncode != 0:
        sys.exit(f"{program} failed:\n{answer.stderr}")
    value: object = json.loads(answer.stdout.splitlines()[-1])  # Kafka's log may have printed before it
    return value


def lines(value: object, levels: int, indent: int = 0) -> str:
    """JSON with one line for each entry at the given depth: neither a wall of text nor ten thousand lines."""
    if levels == 0 or not isinstance(value, dict | list) or not value:
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    pad = "  " * (indent + 1)
    if isinstance(value, dict):
        body = [f"{pad}{json.dumps(key)}: {lines(value[key], levels - 1, indent + 1)}" for key in sorted(value)]
        opening, closing = "{", "}"
    else:
        body = [f"{pad}{lines(item, levels - 1, indent + 1)}" for item in value]
        opening, closing = "[", "]"
    return opening + "\n" + ",\n".join(body) + "\n" + "  " * indent + closing


def main() -> None:
    """Write every golden file."""
    parser = argparse.ArgumentParser(description="Extract facts from Apache Kafka's jars into golden data.")
    parser.add_argument("--jars", type=Path, required=True, help="directory with the jars of a Kafka release")
    parser.add_argument("--out", type=Path, default=HERE.parent / "tests" / "golden" / "kafka-4.3")
    parser.add_argument("--only", choices=sorted(FACTS), help="write this file alone")
    options = parser.parse_args()
    if not any(options.jars.glob("kafka-clients-*.jar")):
        sys.exit(f"no kafka-clients-*.jar in {options.jars}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name, (program, levels) in FACTS.items():
        if options.only in (None, name):
            text = lines(ask(program, options.jars), levels)
            (options.out / name).write_text(text + "\n", encoding="utf-8")
            print(f"{options.out / name}: {len(text):,} characters")


if __name__ == "__main__":
    main()
