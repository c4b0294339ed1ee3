"""Threads: who begins, who goes on, how many there are, and what they leave behind."""

import asyncio
import contextlib
import gc
import threading
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

from ottla.world.real.threads import RealThreads

PATIENCE_S = 30.0
Scenario = Callable[[RealThreads], Coroutine[Any, Any, None]]


@pytest.fixture(params=[uvloop.new_event_loop, asyncio.new_event_loop], ids=["uvloop", "asyncio"])
def run(request: pytest.FixtureRequest) -> Callable[[Scenario], None]:
    """Run a scenario on a pool of one thread, and close it."""

    def run(scenario: Scenario) -> None:
        async def main() -> None:
            threads = RealThreads(asyncio.get_running_loop(), 1)
            try:
                await scenario(threads)
            finally:
                await threads.close()

        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(main())

    return run


def alive(threads: RealThreads) -> int:
    """How many threads of a pool there are."""
    return sum(thread.is_alive() for thread in tuple(threads._threads))


def test_calls_begin_and_waiters_go_on_in_order(run: Callable[[Scenario], None]) -> None:
    """On one thread calls begin in the order in which they were handed in, and their waiters go on in that order."""

    async def scenario(threads: RealThreads) -> None:
        begun: list[int] = []
        gone_on: list[int] = []

        async def wait(number: int) -> None:
            await threads.run(begun.append, number)
            gone_on.append(number)

        tasks = [asyncio.ensure_future(wait(number)) for number in range(200)]
        for task in tasks:
            await task
        assert begun == [*range(200)]
        assert gone_on == [*range(200)]

    run(scenario)


def test_who_ends_first_goes_on_first(run: Callable[[Scenario], None]) -> None:
    """A call that ends before one that began earlier lets its waiter go on earlier."""

    async def scenario(threads: RealThreads) -> None:
        threads.resize(2)
        gone_on: list[str] = []
        release = threading.Event()

        async def wait(name: str, call: Callable[[], object]) -> None:
            await call_in_thread(call)
            gone_on.append(name)

        async def call_in_thread(call: Callable[[], object]) -> None:
            await threads.run(call)

        slow = asyncio.ensure_future(wait("slow", lambda: release.wait(PATIENCE_S)))
        await wait("quick", lambda: None)
        release.set()
        await slow
        assert gone_on == ["quick", "slow"]

    run(scenario)


def test_a_larger_pool_works_at_more_calls_at_once(run: Callable[[Scenario], None]) -> None:
    """When the pool grows, calls that are in the line already are begun: three that need each other all end."""

    async def scenario(threads: RealThreads) -> None:
        barrier = threading.Barrier(3)
        tasks = [asyncio.ensure_future(threads.run(barrier.wait, PATIENCE_S)) for _ in range(3)]
        await asyncio.get_running_loop().create_task(nothing())
        assert alive(threads) == 1
        threads.resize(3)
        assert sorted([await task for task in tasks]) == [0, 1, 2]

    run(scenario)


async def nothing() -> None:
    """A task that lets those that were made before it take their first step."""


def test_a_smaller_pool_ends_its_threads(run: Callable[[Scenario], None]) -> None:
    """When the pool shrinks, idle threads end at once, and busy ones when their call has ended."""

    async def scenario(threads: RealThreads) -> None:
        threads.resize(4)
        barrier, release = threading.Barrier(5), threading.Event()

        def meet_and_wait(wait: bool) -> bool:
            barrier.wait(PATIENCE_S)
            return not wait or release.wait(PATIENCE_S)

        tasks = [asyncio.ensure_future(threads.run(meet_and_wait, busy)) for busy in (True, True, False, False)]
        await asyncio.get_running_loop().run_in_executor(None, barrier.wait, PATIENCE_S)
        assert await tasks[2]
        assert await tasks[3]
        threads.resize(1)
        later = asyncio.ensure_future(threads.run(abs, -1))
        await until(lambda: alive(threads) == 2)
        assert not later.done()  # The only thread that there may be is still busy, and so is one too many.
        release.set()
        assert await tasks[0]
        assert await tasks[1]
        await later
        await until(lambda: alive(threads) == 1)

    run(scenario)


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop turn until something is so."""
    deadline_s = asyncio.get_running_loop().time() + PATIENCE_S
    while not condition():
        assert asyncio.get_running_loop().time() < deadline_s, "it never was so"
        await nothing_for_a_turn()


async def nothing_for_a_turn() -> None:
    """Let the loop take a turn."""
    turned = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(turned.set_result, None)
    await turned


def test_threads_begin_when_they_are_needed(run: Callable[[Scenario], None]) -> None:
    """A pool begins no thread before there is a call, and no second one while the first is idle."""

    async def scenario(threads: RealThreads) -> None:
        threads.resize(8)
        assert alive(threads) == 0
        for _ in range(50):
            await threads.run(abs, -1)
        assert alive(threads) <= 2  # One that has just told its value may not be idle yet.

    run(scenario)


def test_what_is_in_the_line_is_done_before_the_pool_is_closed(run: Callable[[Scenario], None]) -> None:
    """Closing makes every call that was handed in, also those nobody waits for, and leaves no thread. Twice is once."""

    async def scenario(threads: RealThreads) -> None:
        made: list[int] = []
        release = threading.Event()
        threads.make(release.wait, PATIENCE_S)
        for number in range(20):
            threads.make(made.append, number)
        task = asyncio.ensure_future(threads.run(made.append, 20))
        await nothing_for_a_turn()
        task.cancel()
        assert made == []
        release.set()
        await threads.close()
        await threads.close()
        assert made == [*range(21)]
        assert alive(threads) == 0
        with pytest.raises(asyncio.CancelledError):
            await task

    run(scenario)


def test_stop_iteration_does_not_end_whoever_waits(run: Callable[[Scenario], None]) -> None:
    """A call that raises StopIteration, which no coroutine can raise, is told as a RuntimeError."""

    async def scenario(threads: RealThreads) -> None:
        with pytest.raises(RuntimeError, match="StopIteration") as raised:
            await threads.run(next, iter(()))
        assert isinstance(raised.value.__cause__, StopIteration)

    run(scenario)


class Value:
    """Something that can be seen to be gone."""


def test_an_idle_thread_holds_nothing(run: Callable[[Scenario], None]) -> None:
    """Arguments, values and exceptions live no longer than those who asked for them hold them: no cycle, no thread."""

    def give(values: list[Value], _: Value) -> Value:
        return values[0]

    def fail(value: Value) -> None:
        raise ValueError(value)

    async def fails(threads: RealThreads, value: Value) -> None:
        with contextlib.suppress(ValueError):
            await threads.run(fail, value)

    async def scenario(threads: RealThreads) -> None:
        argument, value = Value(), Value()
        seen = [weakref.ref(argument), weakref.ref(value)]
        assert await threads.run(give, [value], argument) is value
        await fails(threads, argument)
        await threads.run(abs, -1)  # The thread has put the earlier calls away.
        del argument, value
        assert [reference() for reference in seen] == [None, None]

    gc.disable()
    try:
        run(scenario)
    finally:
        gc.enable()


@pytest.mark.parametrize("make_loop", [uvloop.new_event_loop, asyncio.new_event_loop])
def test_a_call_outlives_the_loop(make_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    """A call that ends when its loop has been closed under it disturbs nobody, and its thread ends."""
    release, begun = threading.Event(), threading.Event()
    loop = make_loop()
    threads = RealThreads(loop, 1)

    def call() -> None:
        begun.set()
        release.wait(PATIENCE_S)

    threads.make(call)
    assert begun.wait(PATIENCE_S)
    (thread,) = threads._threads
    loop.run_until_complete(nothing())
    loop.close()
    threads._closing = True  # As `close` would say, if there were a loop to wait on.
    release.set()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
