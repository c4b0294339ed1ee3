"""`make sim`: all suites or one, many seeds with a line a suite, or one seed with its trace."""

import argparse
import sys
import traceback

from tests.simulation.suite import Suite, caught_by, first_line, run
from tests.simulation.table import SUITES


def main(arguments: list[str]) -> int:
    """Run what is asked for; 0 if nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--suite", choices=sorted(SUITES), help="this one; without it all")
    parser.add_argument("--seeds", type=int, default=1_000, help="how many, from 0 on")
    parser.add_argument("--seed", type=int, help="this one, with its trace; needs a suite")
    options = parser.parse_args(arguments)
    if options.seed is not None:
        if options.suite is None:
            parser.error("a seed is replayed in a suite: name it")
        return replay(SUITES[options.suite], options.seed)
    chosen = [SUITES[options.suite]] if options.suite else list(SUITES.values())
    return max([explore(suite, options.seeds) for suite in chosen])


def replay(suite: Suite, seed: int) -> int:
    """One seed, with everything that happens in it."""
    try:
        report = suite.scenario(seed, print)
    except Exception as error:
        error.__notes__ = [note for note in getattr(error, "__notes__", []) if "newest lines" not in note]
        traceback.print_exception(error)
        return 1
    print(f"{suite.name}, seed {seed}: ok, {report.acknowledged} operations, hash {report.hash}")
    return 0


def explore(suite: Suite, seeds: int) -> int:
    """Many seeds, then the mutants."""
    result = run(suite, range(seeds))
    print(result.line(), flush=True)
    complaints = result.complaints()
    for name, mutant in suite.mutants.items():
        caught = caught_by(mutant)
        if caught is None:
            complaints.append(f"nobody sees that this rule is broken: {name}")
        else:
            print(f"  without {name!r}: seen by seed {caught[0]}: {first_line(caught[1])}", flush=True)
    for complaint in complaints:
        print(f"  {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
