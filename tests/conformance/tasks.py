"""What every world must do with tasks. Cases of groups that need no world are in tests/unit/world/test_tasks.py."""
# ruff: noqa: PT012

import pytest

from ottla.world.api import World
from ottla.world.tasks import Cancelled, Event, Lock, Queue
from tests.conformance import Run


class TasksConformance:
    """Tasks, groups, futures, deadlines, and asyncio's own tools on this world's loop."""

    def test_a_task_has_a_name_and_a_value(self, run: Run) -> None:
        """A spawned task runs by itself, knows its name, and gives its value to everybody who waits for it."""

        async def main(world: World) -> None:
            async def value() -> int:
                await world.clock.sleep(0)
                return 7

            task = world.spawn(value(), "seven")
            assert task.get_name() == "seven"
            assert not task.done()
            assert [await task, await task] == [7, 7]
            assert task.done()

        run(main)

    def test_a_task_does_not_begin_inside_of_spawn(self, run: Run) -> None:
        """Spawning returns before the first step of the task."""

        async def main(world: World) -> None:
            began = []

            async def task() -> None:
                began.append(True)

            spawned = world.spawn(task(), "task")
            assert began == []
            await spawned
            assert began == [True]

        run(main)

    def test_a_cancelled_task_ends_where_it_waits(self, run: Run) -> None:
        """A cancelled task gets Cancelled where it waits, may clean up, and its waiter gets Cancelled too."""

        async def main(world: World) -> None:
            story = []

            async def waits() -> None:
                try:
                    await world.future()
                except Cancelled:
                    await world.clock.sleep(0)
                    story.append("cleaned up")
                    raise

            task = world.spawn(waits(), "waits")
            await world.clock.sleep(0)
            await world.clock.sleep(0)
            assert task.cancel()
            with pytest.raises(Cancelled):
                await task
            assert story == ["cleaned up"]
            assert not task.cancel()

        run(main)

    def test_who_waits_for_a_task_gets_its_exception(self, run: Run) -> None:
        """A task's exception is raised where somebody waits for it."""

        async def main(world: World) -> None:
            async def fails() -> None:
                raise ValueError("sour")

            with pytest.raises(ValueError, match="sour"):
                await world.spawn(fails(), "fails")

        run(main)

    def test_what_still_runs_at_the_end_is_cancelled(self, run: Run) -> None:
        """Tasks that run when the world is closed are cancelled in the order of their spawning."""
        ended = []

        async def main(world: World) -> None:
            async def waits(name: str) -> None:
                try:
                    await world.future()
                finally:
                    ended.append(name)

            for name in ("c", "a", "b"):
                world.spawn(waits(name), name)
            await world.clock.sleep(1)

        run(main)
        assert ended == ["c", "a", "b"]

    def test_a_group_ends_with_its_first_failure(self, run: Run) -> None:
        """The first failure in a group cancels the others in the order of their spawning and is raised."""

        async def main(world: World) -> None:
            ended = []

            async def waits(name: str) -> None:
                try:
                    await world.future()
                finally:
                    ended.append(name)

            async def fails() -> None:
                await world.clock.sleep(1)
                raise ValueError("sour")

            with pytest.raises(ValueError, match="sour"):
                async with world.group() as group:
                    for name in ("c", "a", "b"):
                        group.spawn(waits(name), name)
                    group.spawn(fails(), "fails")
            assert ended == ["c", "a", "b"]

        run(main)

    def test_a_future_wakes_its_waiters_with_its_value(self, run: Run) -> None:
        """Everybody who waits for a future gets its value; it is done once."""

        async def main(world: World) -> None:
            future = world.future()
            got = []

            async def waits() -> None:
                got.append(await future)

            async with world.group() as group:
                for index in range(3):
                    group.spawn(waits(), f"waits {index}")
                await world.clock.sleep(1)
                assert not future.done()
                future.set_result("there")
                assert future.done()
            assert got == ["there"] * 3
            failed = world.future()
            failed.set_exception(ValueError("sour"))
            with pytest.raises(ValueError, match="sour"):
                await failed

        run(main)

    def test_a_deadline_follows_the_worlds_clock(self, run: Run) -> None:
        """What takes too long is cancelled and TimeoutError is raised; what is quick enough gives its value."""

        async def main(world: World) -> None:
            async def quick() -> int:
                await world.clock.sleep(1)
                return 7

            assert await world.timeout(10_000, quick()) == 7
            start = world.clock.monotonic_ms()
            future = world.future()
            with pytest.raises(TimeoutError):
                await world.timeout(5, future)
            assert world.clock.monotonic_ms() >= start + 5
            assert future.done()

        run(main)

    def test_events_locks_and_queues_work(self, run: Run) -> None:
        """asyncio's own event, lock and queue work on this loop, and serve who waits in the order of coming."""

        async def main(world: World) -> None:
            begun, lock, queue = Event(), Lock(), Queue[int](maxsize=1)

            async def producer(number: int) -> None:
                await begun.wait()
                async with lock:
                    await world.clock.sleep(0)
                    await queue.put(number)

            async with world.group() as group:
                for number in range(4):
                    group.spawn(producer(number), f"producer {number}")
                    await world.clock.sleep(1)
                begun.set()
                got = [await queue.get() for _ in range(4)]
            assert sorted(got) == [0, 1, 2, 3]

        run(main)
