"""A real world as a whole: what it leaves behind (nothing), and what of its process it leaves alone."""

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop

from ottla.errors import LockHeld
from ottla.world.real import RealWorld, run
from ottla.world.real.run import new_loop
from ottla.world.tasks import Cancelled

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "uvloop": uvloop.new_event_loop,
    "asyncio": asyncio.new_event_loop,
}


@pytest.fixture(params=LOOPS)
def loop_factory(request: pytest.FixtureRequest) -> Callable[[], asyncio.AbstractEventLoop]:
    """What makes a loop."""
    return LOOPS[request.param]


def left_behind() -> dict[str, set[Any]]:
    """What a world could leave behind: tasks, threads, processes and descriptors."""
    gc.collect()  # what earlier tests have dropped is theirs
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return {
        "tasks": set(asyncio.all_tasks()),
        "threads": set(threading.enumerate()),
        "processes": set(children),
        "descriptors": set(os.listdir("/proc/self/fd")),
    }


async def use(world: RealWorld, folder: Path) -> None:
    """Something of everything, of which nothing is given back."""
    world.spawn(world.clock.sleep(1_000_000), "sleeps")
    world.spawn(world.jobs.run("time:sleep", 1_000), "waits for a job")
    assert await world.jobs.run("math:isqrt", 9) == 3
    file = world.disk.open(str(folder / "file"), create=True)
    await world.threads.run(file.sync)
    world.disk.lock(str(folder / ".lock"))
    world.clock.call_at(world.clock.monotonic_ms() + 1_000_000, lambda: None)
    assert file.size() == 0


def test_nothing_is_left_behind(loop_factory: Callable[[], asyncio.AbstractEventLoop], tmp_path: Path) -> None:
    """When a world has been closed, no task, thread, process or descriptor of it is left on a loop that goes on."""

    async def main() -> None:
        async with RealWorld() as world:
            await use(world, tmp_path)  # A loop opens descriptors of its own when it is used first.
        before = left_behind()
        async with RealWorld() as world:
            await use(world, tmp_path)
            during = left_behind()
            assert all(during[kind] > before[kind] for kind in before)
        assert left_behind() == before
        await world.close()
        assert left_behind() == before

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def test_several_worlds_on_one_loop(loop_factory: Callable[[], asyncio.AbstractEventLoop], tmp_path: Path) -> None:
    """Worlds on one loop exclude each other by locks, and closing one leaves the others all they have."""

    async def main() -> None:
        worlds = [RealWorld(threads=1, helpers=1) for _ in range(3)]
        locks = [world.disk.lock(f"{tmp_path}/{number}") for number, world in enumerate(worlds)]
        with pytest.raises(LockHeld):
            worlds[1].disk.lock(f"{tmp_path}/0")
        tasks = [world.spawn(world.clock.sleep(1_000_000), "sleeps") for world in worlds]
        helpers = [await world.jobs.run("os:getpid") for world in worlds]
        assert len(set(helpers)) == 3
        await worlds[0].close()
        assert [task.done() for task in tasks] == [True, False, False]
        worlds[1].disk.lock(f"{tmp_path}/0").release()
        assert [await world.jobs.run("os:getpid") for world in worlds[1:]] == helpers[1:]
        assert await worlds[1].threads.run(abs, -1) == 1
        with pytest.raises(LockHeld):
            worlds[1].disk.lock(f"{tmp_path}/2")
        for world in worlds:
            await world.close()
        assert len(locks) == 3

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def surroundings() -> list[Any]:
    """What of a process belongs to its user."""
    root = logging.getLogger()
    return [
        gc.isenabled(),
        gc.get_threshold(),
        gc.get_freeze_count(),
        [signal.getsignal(number) for number in signal.valid_signals()],
        root.level,
        list(root.handlers),
        asyncio.get_event_loop_policy(),
        sys.excepthook,
        threading.excepthook,
        sys.getswitchinterval(),
    ]


def test_a_users_process_is_left_alone(tmp_path: Path) -> None:
    """A world on a user's loop changes neither collection, signals, logging, policy nor hooks, open or closed."""

    async def main() -> None:
        handler = asyncio.get_running_loop().get_exception_handler()
        before = surroundings()
        async with RealWorld() as world:
            await use(world, tmp_path)
            assert surroundings() == before
        assert surroundings() == before
        assert asyncio.get_running_loop().get_exception_handler() == handler

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        runner.run(main())


async def fails() -> None:
    """A task that fails."""
    raise ValueError("sour")


def test_a_failure_that_nobody_waits_for_is_told() -> None:
    """A spawned task that fails while nobody waits for it is told to whoever made the world."""
    told: list[tuple[str, str]] = []

    async def main(world: RealWorld) -> None:
        world.spawn(fails(), "fails")
        await world.clock.sleep(0)
        await world.clock.sleep(0)

    run(main, report=lambda what, error: told.append((what, repr(error))))
    assert told == [("task fails", "ValueError('sour')")]


def test_without_a_report_the_loop_is_told() -> None:
    """A world that was made without a report tells failures to its loop's exception handler, as asyncio does."""
    told: list[tuple[Any, Any]] = []

    async def main(world: RealWorld) -> None:
        world.loop.set_exception_handler(lambda _, context: told.append((context["message"], context["exception"])))
        world.spawn(fails(), "fails")
        await world.clock.sleep(0)
        await world.clock.sleep(0)

    run(main)
    assert [(message, repr(error)) for message, error in told] == [("task fails failed", "ValueError('sour')")]


def test_tasks_may_use_the_world_while_it_closes(tmp_path: Path) -> None:
    """A task that is cancelled by the closing of its world may still sync and close its files in a thread."""
    seen: list[int] = []

    async def main(world: RealWorld) -> None:
        file = world.disk.open(str(tmp_path / "file"), create=True)

        async def owns() -> None:
            try:
                await world.future()
            except Cancelled:
                file.write(0, [b"last"])
                await world.threads.run(file.sync)
                seen.append(file.size())
                raise

        world.spawn(owns(), "owns a file")
        await world.clock.sleep(0)
        await world.clock.sleep(0)

    run(main)
    assert seen == [4]


def test_a_program_runs_on_uvloop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program gets its value from a loop of uvloop's, or of asyncio's own where uvloop is missing."""

    async def main(world: RealWorld) -> str:
        return type(world.loop).__module__.partition(".")[0]

    assert run(main) == "uvloop"
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert run(main) == "asyncio"
    loop = new_loop()
    loop.close()
    assert isinstance(loop, asyncio.AbstractEventLoop)


def test_a_program_that_is_interrupted_has_its_world_until_it_has_ended(tmp_path: Path) -> None:
    """Control-C cancels the main coroutine, which may still use its world, and is then KeyboardInterrupt."""
    seen: list[int] = []

    async def main(world: RealWorld) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await world.future()
        finally:
            seen.append(await world.threads.run(abs, -7))

    with pytest.raises(KeyboardInterrupt):
        run(main)
    assert seen == [7]
