"""A process that asks for something each millisecond, whatever happens to whom it asks: it sends the time that it is.

`python -m bench.metronome PORT` connects to a port of this machine and goes on until the connection is gone. A timer of
the loop itself would not do: it counts whole milliseconds, and is late by up to one whenever the loop was woken before.
"""

import socket
import sys
import time
from struct import Struct
from typing import Final

BEAT: Final = Struct(">q")  # the monotonic clock in nanoseconds, which is the same for all processes
INTERVAL_NS: Final = 1_000_000


def main(port: int) -> None:
    """Beat."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        due = time.monotonic_ns()
        while True:
            due += INTERVAL_NS
            time.sleep(max(due - time.monotonic_ns(), 0) / 1e9)
            try:
                connection.sendall(BEAT.pack(time.monotonic_ns()))
            except OSError:
                return


if __name__ == "__main__":
    main(int(sys.argv[1]))
