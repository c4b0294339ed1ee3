"""`python -m bench [NAME...]`: all benches, or those named; `versus` takes the names of its parts (`bench/versus`)."""

import sys

from bench import (
    codec,
    commit,
    controller,
    log,
    metadata,
    metrics,
    network,
    node,
    quorum,
    records,
    requests,
    simulation,
    start,
    storage,
    streams,
    timing_wheel,
)
from bench.versus import run as versus

BENCHES = {
    "codec": codec.run,
    "commit": commit.run,
    "controller": controller.run,
    "log": log.run,
    "metadata": metadata.run,
    "metrics": metrics.run,
    "network": network.run,
    "node": node.run,
    "quorum": quorum.run,
    "records": records.run,
    "requests": requests.run,
    "simulation": simulation.run,
    "start": start.run,
    "storage": storage.run,
    "streams": streams.run,
    "timing_wheel": timing_wheel.run,
    "versus": versus.run,
}


def main(names: list[str]) -> int:
    """Run the benches of these names, or all."""
    if names[:1] == ["versus"]:
        versus.run(names[1:])
        return 0
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no bench called {', '.join(unknown)}; there are: {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    for name in names or BENCHES:
        BENCHES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
