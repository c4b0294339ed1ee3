"""What a helper process runs: it reads jobs from its standard input, a socket, and answers them there.

This file is started by its path, as the program of a fresh interpreter. So a helper imports neither Ottla nor the
program that wants it, only what its functions need, and begins within milliseconds.

A message is eight bytes of length and a marshalled value: plain values only, and no code is run by reading one (both
ends are the same Python). A job is (module search path, function, values); an answer (value, None) or (None, why not).

What is always true: a helper whose parent is gone ends at once, also in the middle of a job.
"""

import marshal
import os
import select
import sys
from _thread import start_new_thread  # `threading` would take half as long again to begin
from collections.abc import Callable
from typing import Any

LENGTH_BYTES = 8
MAX_READ_BYTES = 1 << 20


def main() -> None:
    """Serve the socket that is standard input, until the parent closes it."""
    channel = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)  # A function that reads its input finds none, instead of reading jobs.
    os.close(nothing)
    start_new_thread(end_with_parent, (channel,))
    while (length := receive(channel, LENGTH_BYTES)) is not None:
        job = receive(channel, int.from_bytes(length, "big"))
        if job is None:
            return
        search_path, function, values = marshal.loads(job)  # noqa: S302 -- from our parent
        sys.path[:] = search_path
        send(channel, answer(function, values))


def answer(function: str, values: tuple[Any, ...]) -> bytes:
    """The marshalled answer to a job."""
    try:
        value = named(function)(*values)
    except BaseException as error:  # a job may raise what it likes, and even try to exit
        return marshal.dumps((None, f"raised {type(error).__name__}: {error}"))
    try:
        return marshal.dumps((value, None))
    except ValueError:
        return marshal.dumps((None, "gave a value that is not plain"))


def named(function: str) -> Callable[..., Any]:
    """What `package.module:function` names."""
    from importlib import import_module  # noqa: PLC0415 -- not needed by a helper that is started in advance

    module, _, name = function.partition(":")
    return getattr(import_module(module), name)  # type: ignore[no-any-return]


def receive(channel: int, size: int) -> bytes | None:
    """So many bytes; None if the parent closed before."""
    pieces = []
    while size:
        piece = os.read(channel, min(size, MAX_READ_BYTES))
        if not piece:
            return None
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def send(channel: int, message: bytes) -> None:
    """Send a message whole."""
    left = memoryview(len(message).to_bytes(LENGTH_BYTES, "big") + message)
    while left:
        left = left[os.write(channel, left) :]


def end_with_parent(channel: int) -> None:
    """End the process when the other end of the socket is gone; a poll for no event at all waits for just that."""
    poll = select.poll()
    poll.register(channel, 0)
    poll.poll()
    os._exit(1)


if __name__ == "__main__":
    main()
