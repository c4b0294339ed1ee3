"""Helper processes for what is long and per record in Python.

The idea: a helper is a fresh interpreter on job_process.py, connected by one socket pair. It is neither forked (this
process has threads) nor started through `multiprocessing`, which would run the user's main program once more. Its death
is seen at the socket, so no signal handler is needed and a user's process keeps its own.

What is always true:
- There are at most so many helpers; who finds none free waits for its turn, in the order of coming.
- A helper has one job at a time. One whose job was cancelled or that broke is killed, never used again, and reaped by
  the thread pool.
- An idle helper ends after `idle_ms`; all end with `close`, and with this process, however that ends.
"""

import asyncio
import marshal
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from ottla.errors import JobFailed
from ottla.world.real.clock import RealClock, RealTimer
from ottla.world.real.job_process import LENGTH_BYTES
from ottla.world.real.threads import RealThreads

PROGRAM = str(Path(__file__).with_name("job_process.py"))
DEFAULT_IDLE_MS = 10_000
LAST_WORDS_S = 1.0  # so long a process that closed its socket may take to end


class RealJobs:
    """At most `count` helpers, started on demand."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        clock: RealClock,
        threads: RealThreads,
        *,
        count: int | None = None,
        idle_ms: int = DEFAULT_IDLE_MS,
    ) -> None:
        self._loop, self._clock, self._threads, self._idle_ms = loop, clock, threads, idle_ms
        self._room = asyncio.Semaphore(count or os.cpu_count() or 1)
        self._helpers: dict[_Helper, None] = {}
        self._idle: dict[_Helper, RealTimer] = {}  # with the timers that will end them
        self._closing = False
        self._all_ended = asyncio.Event()

    async def run(self, function: str, *values: Any) -> Any:
        """Call `package.module:function` with plain values in a helper; its value, or `JobFailed`."""
        try:
            job = marshal.dumps(([str(entry) for entry in sys.path], function, values))
        except ValueError as error:
            raise JobFailed(f"{function} was not called: its arguments are not plain values") from error
        async with self._room:
            helper = self._take(function)
            try:
                value, why_not = await helper.call(function, job)
            except BaseException:
                self._end(helper)
                raise
            self._put_back(helper)
        if why_not is not None:
            raise JobFailed(f"{function} {why_not}")
        return value

    async def close(self) -> None:
        """Kill all helpers; jobs that still run, or wait for their turn, fail. The thread pool is closed after this."""
        self._closing = True
        while self._idle:
            helper, timer = self._idle.popitem()
            timer.cancel()
            self._end(helper)
        for helper in self._helpers:
            helper.kill()  # Whoever waits for its job sees it die, and ends it.
        if self._helpers:
            await self._all_ended.wait()

    def _take(self, function: str) -> "_Helper":
        if self._closing:
            raise JobFailed(f"{function} was not called: the world is closed")
        while self._idle:
            helper, timer = self._idle.popitem()  # the one that worked last, so that the others may end
            timer.cancel()
            if helper.is_alive():
                return helper
            self._end(helper)
        try:
            helper = _Helper(self._loop, self._threads)
        except OSError as error:
            raise JobFailed(f"{function} was not called: no helper process could be started: {error}") from error
        self._helpers[helper] = None
        self._all_ended.clear()
        return helper

    def _put_back(self, helper: "_Helper") -> None:
        if self._closing:
            self._end(helper)
            return
        deadline_ms = self._clock.monotonic_ms() + self._idle_ms
        self._idle[helper] = self._clock.call_at(deadline_ms, lambda: self._retire(helper))

    def _retire(self, helper: "_Helper") -> None:
        del self._idle[helper]
        self._end(helper)

    def _end(self, helper: "_Helper") -> None:
        del self._helpers[helper]
        helper.end()
        if not self._helpers:
            self._all_ended.set()


class _Helper:
    """One process and the socket to it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: RealThreads) -> None:
        self._loop, self._threads = loop, threads
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._socket.setblocking(False)
            try:
                # -P: the folder of the program is no place to import from. -u: what a job prints is not lost with it.
                # A session of its own: what a terminal sends to this program (control-C) is for this one to decide.
                self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 -- this very Python
                    [sys.executable, "-P", "-u", PROGRAM], stdin=theirs.fileno(), start_new_session=True
                )
            except OSError:
                self._socket.close()
                raise

    def is_alive(self) -> bool:
        """Whether it did not die by itself."""
        return self._process.poll() is None

    async def call(self, function: str, job: bytes) -> tuple[Any, str | None]:
        """Send a job and wait for its answer."""
        try:
            await self._loop.sock_sendall(self._socket, len(job).to_bytes(LENGTH_BYTES, "big") + job)
            answer = await self._receive(int.from_bytes(await self._receive(LENGTH_BYTES), "big"))
        except OSError as error:
            code = await self._threads.run(self._exit_code)
            raise JobFailed(f"{function}: the helper process died{how(code)}") from error
        value, why_not = marshal.loads(answer)  # noqa: S302 -- from our helper
        return value, why_not

    async def _receive(self, size: int) -> bytearray:
        answer = bytearray(size)
        left = memoryview(answer)
        while left:
            count = await self._loop.sock_recv_into(self._socket, left)
            if not count:
                raise ConnectionResetError("the helper's end of the socket was closed")
            left = left[count:]
        return answer

    def _exit_code(self) -> int | None:
        try:
            return self._process.wait(LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """Have it end at once."""
        self._process.kill()

    def end(self) -> None:
        """Kill it for good; a thread waits for its death, which takes its time while the process waits for a disk."""
        self._socket.close()
        self.kill()
        self._threads.make(self._process.wait)


def how(code: int | None) -> str:
    """How a process ended."""
    if code is None:
        return ""
    if code >= 0:
        return f" (exit code {code})"
    try:
        return f" ({signal.Signals(-code).name})"
    except ValueError:
        return f" (signal {-code})"
