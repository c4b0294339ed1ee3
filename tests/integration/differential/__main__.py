"""`python -m tests.integration.differential [--api NAME]...`: what differs between Ottla and Apache Kafka.

`--with-itself` compares Kafka with Kafka, which has to find nothing; `--match TEXT` takes only cases with this text in
their names; `--seconds N` stops after so long; `--examples N` shows more of each difference.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.integration.differential.both import both
from tests.integration.differential.cases import cases
from tests.integration.differential.run import run


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(prog="differential", description=__doc__)
    parser.add_argument("--api", action="append", default=[], help="only this API, such as Fetch; several times")
    parser.add_argument("--match", default="", help="only cases with this text in their names")
    parser.add_argument("--with-itself", action="store_true", help="Kafka against Kafka")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--examples", type=int, default=2, help="of each difference")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, both(Path(folder), with_itself=options.with_itself) as sides:
        served = sides.served()
        wanted = [
            case
            for case in cases(served)
            if (not options.api or case.api.message in options.api) and options.match in case.name
        ]
        report = run(sides.left, sides.right, wanted, options.seconds)
    sys.stdout.write("\n".join(report.lines(options.examples)) + "\n")
    sys.stdout.write(f"\nexplained by: {', '.join(sorted(report.explained))}\n")
    return 1 if report.found else 0


if __name__ == "__main__":
    sys.exit(main())
