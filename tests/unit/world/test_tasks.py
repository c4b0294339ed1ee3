"""Groups, owners of tasks and timeouts, on asyncio's plain loop and with a clock that the test turns."""
# ruff: noqa: PT012

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from ottla.world.api import Clock, Timer
from ottla.world.tasks import Cancelled, SpawnedTasks, TaskGroup, timeout


class Turned:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.timers: list[Alarm] = []

    def monotonic_ms(self) -> int:
        return self.now_ms

    def monotonic_ns(self) -> int:
        return self.now_ms * 1_000_000

    def wall_ms(self) -> int:
        return self.now_ms

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> Timer:
        alarm = Alarm(self, deadline_ms, callback)
        self.timers.append(alarm)
        return alarm

    async def sleep(self, duration_ms: int) -> None:
        raise NotImplementedError

    def turn(self, duration_ms: int) -> None:
        """Let time pass, and run what is due."""
        self.now_ms += duration_ms
        for alarm in [alarm for alarm in self.timers if alarm.deadline_ms <= self.now_ms]:
            alarm.cancel()
            alarm.callback()


class Alarm:
    """A timer of the clock above."""

    def __init__(self, clock: Turned, deadline_ms: int, callback: Callable[[], None]) -> None:
        self.clock, self.deadline_ms, self.callback = clock, deadline_ms, callback

    def cancel(self) -> None:
        if self in self.clock.timers:
            self.clock.timers.remove(self)


async def turns(count: int = 5) -> None:
    """Let everything that is ready run, several times."""
    for _ in range(count):
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(future.set_result, None)
        await future


async def forever() -> None:
    await asyncio.get_running_loop().create_future()


async def fail(error: BaseException) -> None:
    raise error


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(main())


def test_a_group_waits_for_all_its_tasks() -> None:
    """The block of a group is left when every task has ended, those spawned by its tasks too."""
    ended: list[str] = []

    async def main() -> None:
        async def task(name: str, depth: int) -> None:
            await turns(depth)
            if depth:
                group.spawn(task(name + "'", depth - 1), name + "'")
            ended.append(name)

        async with TaskGroup() as group:
            group.spawn(task("a", 2), "a")
            group.spawn(task("b", 0), "b")
        assert ended == ["b", "a", "a'", "a''"]

    run(main)


def test_the_first_failure_cancels_the_others_in_the_order_of_their_spawning() -> None:
    """When a task fails the others are cancelled one by one as they were spawned, then the failure is raised."""
    cancelled = []

    async def main() -> None:
        async def waits(name: str) -> None:
            try:
                await forever()
            finally:
                cancelled.append(name)

        with pytest.raises(ValueError, match="sour"):
            async with TaskGroup() as group:
                for name in ("d", "a", "c", "b"):
                    group.spawn(waits(name), name)
                group.spawn(fail(ValueError("sour")), "e")
                await forever()
        assert cancelled == ["d", "a", "c", "b"]
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        await turns()

    run(main)


def test_a_later_failure_is_noted_on_the_first() -> None:
    """What fails while the group is ending is told in the notes of the failure that is raised."""

    async def main() -> None:
        async def clumsy() -> None:
            try:
                await forever()
            finally:
                raise KeyError("cup")

        with pytest.raises(ValueError, match="sour") as raised:
            async with TaskGroup() as group:
                group.spawn(clumsy(), "clumsy")
                group.spawn(fail(ValueError("sour")), "sour")
        assert raised.value.__notes__ == ["clumsy failed after that: KeyError('cup')"]

    run(main)


def test_a_failure_keeps_its_cause_and_context() -> None:
    """A failure leaves the group with the cause and the context that it had in its task."""

    async def main() -> None:
        async def task() -> None:
            try:
                await fail(KeyError("inner"))
            except KeyError as inner:
                raise ValueError("outer") from inner

        with pytest.raises(ValueError, match="outer") as raised:
            async with TaskGroup() as group:
                group.spawn(task(), "task")
                await forever()
        assert isinstance(raised.value.__cause__, KeyError)
        assert isinstance(raised.value.__context__, KeyError)

    run(main)


def test_a_failing_block_cancels_its_tasks() -> None:
    """An exception in the block cancels all tasks, and goes on when they have ended."""

    async def main() -> None:
        with pytest.raises(ValueError, match="block"):
            async with TaskGroup() as group:
                task = group.spawn(forever(), "waits")
                await turns()
                raise ValueError("block")
        assert task.cancelled()

    run(main)


@pytest.mark.parametrize("in_block", [True, False])
def test_cancelling_from_outside_ends_the_tasks_and_goes_on(in_block: bool) -> None:
    """Who is cancelled inside of a group or at its end is still cancelled behind it, and its tasks have ended."""

    async def main() -> None:
        tasks = []

        async def parent() -> None:
            async with TaskGroup() as group:
                tasks.append(group.spawn(forever(), "waits"))
                if in_block:
                    await forever()

        outer = asyncio.get_running_loop().create_task(parent())
        await turns()
        outer.cancel()
        with pytest.raises(Cancelled):
            await outer
        assert tasks[0].cancelled()

    run(main)


def test_a_failure_during_a_cancellation_from_outside_is_told_and_the_cancellation_follows() -> None:
    """A failure in a group that is cancelled from outside is raised; the next wait of its parent is cancelled."""
    story = []

    async def main() -> None:
        async def clumsy() -> None:
            try:
                await forever()
            finally:
                raise KeyError("cup")

        async def parent() -> None:
            try:
                async with TaskGroup() as group:
                    group.spawn(clumsy(), "clumsy")
            except KeyError:
                story.append("failure")
            try:
                await forever()
            except Cancelled:
                story.append("cancelled")
                raise

        outer = asyncio.get_running_loop().create_task(parent())
        await turns()
        outer.cancel()
        await turns(20)
        assert outer.cancelled()
        assert story == ["failure", "cancelled"]

    run(main)


def test_cancelling_the_group_ends_its_tasks_only() -> None:
    """Cancelling a group, or one of its tasks, is no failure and does not touch its parent."""

    async def main() -> None:
        async with TaskGroup() as group:
            one, two = group.spawn(forever(), "one"), group.spawn(forever(), "two")
            one.cancel()
            await turns()
            assert not two.done()
            group.cancel()
            late = group.spawn(fail(ValueError("never begun")), "late")
            await turns()
        assert one.cancelled()
        assert two.cancelled()
        assert late.cancelled()

    run(main)


def test_groups_in_groups_unwind_from_the_inside() -> None:
    """A failure in an outer group ends an inner one first, and passes through it unchanged."""
    ended = []

    async def main() -> None:
        async def waits(name: str) -> None:
            try:
                await forever()
            finally:
                ended.append(name)

        with pytest.raises(ValueError, match="outer"):
            async with TaskGroup() as outer:
                outer.spawn(waits("outer"), "outer")
                async with TaskGroup() as inner:
                    inner.spawn(waits("inner"), "inner")
                    await turns()
                    outer.spawn(fail(ValueError("outer")), "fails")
                    await forever()
        assert ended == ["outer", "inner"]

    run(main)


def test_a_group_that_was_left_takes_nothing_more() -> None:
    """Spawning in a group that nobody has entered, or that has been left, is refused, and the coroutine is closed."""

    async def main() -> None:
        group = TaskGroup()
        with pytest.raises(RuntimeError, match="early cannot join"):
            group.spawn(forever(), "early")
        async with group:
            pass
        with pytest.raises(RuntimeError, match="late cannot join"):
            group.spawn(forever(), "late")

    run(main)


def test_a_failure_that_nobody_awaits_is_told() -> None:
    """A spawned task that fails is told to its owner, unless somebody waits for it by then."""
    told: list[str] = []

    async def main() -> None:
        tasks = SpawnedTasks(lambda what, failure: told.append(f"{what}: {failure!r}"))
        tasks.spawn(fail(ValueError("sour")), "alone")
        with pytest.raises(KeyError):
            await tasks.spawn(fail(KeyError("cup")), "awaited")
        await turns()
        assert told == ["task alone: ValueError('sour')"]
        assert len(tasks) == 0

    run(main)


def test_closing_ends_what_was_spawned_in_order() -> None:
    """Closing cancels all tasks as they were spawned and waits for them, also for what they spawn while they end."""
    ended = []

    async def main() -> None:
        tasks = SpawnedTasks(lambda what, failure: ended.append(what))

        async def waits(name: str) -> None:
            try:
                await forever()
            finally:
                await turns(3)
                ended.append(name)
                tasks.spawn(fail(ValueError("never begun")), "late")

        for name in ("c", "a", "b"):
            tasks.spawn(waits(name), name)
        await turns()
        await tasks.close()
        assert ended == ["c", "a", "b"]
        assert len(tasks) == 0

    run(main)


def test_a_task_may_close_its_owner() -> None:
    """A task that closes its own owner ends the others, and itself when it likes."""

    async def main() -> None:
        tasks = SpawnedTasks(lambda what, failure: None)
        other = tasks.spawn(forever(), "other")
        await turns()
        await tasks.spawn(tasks.close(), "closes")
        assert other.cancelled()

    run(main)


def test_a_value_in_time_is_returned() -> None:
    """A value that comes before the deadline is returned, and the timer is gone."""

    async def main() -> None:
        clock = Turned()

        async def value() -> int:
            await turns()
            return 7

        assert await timeout(clock, 10, value()) == 7
        assert clock.timers == []

    run(main)


def test_a_deadline_cancels_what_is_awaited() -> None:
    """When the time is over what is awaited is cancelled; who awaits it gets a TimeoutError and is not cancelled."""

    async def main() -> None:
        clock = Turned()
        inner = asyncio.get_running_loop().create_task(forever())
        outer = asyncio.get_running_loop().create_task(expect_timeout(clock, inner))
        await turns()
        clock.turn(9)
        await turns()
        assert not outer.done()
        clock.turn(1)
        await outer
        assert inner.cancelled()

    async def expect_timeout(clock: Clock, inner: "asyncio.Task[None]") -> None:
        with pytest.raises(TimeoutError, match="10 ms"):
            await timeout(clock, 10, inner)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        await turns()

    run(main)


def test_a_cancellation_from_outside_is_no_timeout() -> None:
    """Who is cancelled while waiting under a deadline is cancelled, even if the deadline passes in the same moment."""

    async def main() -> None:
        for expires in (False, True):
            clock = Turned()
            task = asyncio.get_running_loop().create_task(timeout(clock, 10, forever()))
            await turns()
            task.cancel()
            if expires:
                clock.turn(10)
            with pytest.raises(Cancelled):
                await task
            assert clock.timers == []

    run(main)


def test_a_deadline_around_a_group_that_fails_while_ending_leaves_no_cancellation_behind() -> None:
    """If what is cancelled by a deadline fails, the failure is raised and whatever is awaited next is not disturbed."""

    async def main() -> None:
        clock = Turned()

        async def clumsy() -> None:
            try:
                await forever()
            finally:
                raise KeyError("cup")

        async def group_of_one() -> None:
            async with TaskGroup() as group:
                group.spawn(clumsy(), "clumsy")

        async def parent() -> str:
            with pytest.raises(KeyError):
                await timeout(clock, 10, group_of_one())
            await turns()
            return "undisturbed"

        task = asyncio.get_running_loop().create_task(parent())
        await turns()
        clock.turn(10)
        assert await task == "undisturbed"

    run(main)


def test_an_inner_deadline_is_not_taken_for_the_outer_one() -> None:
    """Of two deadlines around each other the one that passes raises, and the other goes on."""

    async def main() -> None:
        clock = Turned()

        async def inner() -> str:
            with pytest.raises(TimeoutError, match="5 ms"):
                await timeout(clock, 5, forever())
            await turns()
            return "went on"

        task = asyncio.get_running_loop().create_task(timeout(clock, 10, inner()))
        await turns()
        clock.turn(5)
        assert await task == "went on"

    run(main)
