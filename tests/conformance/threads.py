"""What every pool of threads must do, as far as it can be seen without blocking one."""

import pytest

from ottla.world.api import World
from ottla.world.tasks import Cancelled
from tests.conformance import Run


class ThreadsConformance:
    """Calls elsewhere: their values, their exceptions, and what cancelling the wait means."""

    def test_a_call_gives_its_value(self, run: Run) -> None:
        """A call gets its arguments and gives its value; many calls give each their own."""

        async def main(world: World) -> None:
            assert await world.threads.run(divmod, 17, 5) == (3, 2)
            async with world.group() as group:
                tasks = [group.spawn(world.threads.run(pow, 2, n), f"pow {n}") for n in range(100)]
            assert [await task for task in tasks] == [2**n for n in range(100)]

        run(main)

    def test_a_call_gives_its_exception(self, run: Run) -> None:
        """A call's exception is raised where its value is awaited, and the thread serves the next call."""

        async def main(world: World) -> None:
            for _ in range(3):
                with pytest.raises(ZeroDivisionError):
                    await world.threads.run(divmod, 1, 0)
            assert await world.threads.run(abs, -1) == 1

        run(main)

    def test_cancelling_the_wait_does_not_stop_the_call(self, run: Run) -> None:
        """A call whose waiter was cancelled is made all the same, and disturbs nobody."""

        async def main(world: World) -> None:
            made: list[int] = []
            task = world.spawn(world.threads.run(made.append, 1), "waits")
            await world.clock.sleep(0)
            task.cancel()
            with pytest.raises(Cancelled):
                await task
            other = world.spawn(world.threads.run(made.append, 2), "waits too")
            await other
            while len(made) < 1:
                await world.clock.sleep(1)
            assert 2 in made

        run(main)

    def test_the_pool_is_resized_while_it_works(self, run: Run) -> None:
        """The number of threads changes at any time, and every call is made whatever the number is."""

        async def main(world: World) -> None:
            async with world.group() as group:
                tasks = []
                for count in (1, 5, 2, 8, 1):
                    world.threads.resize(count)
                    tasks += [group.spawn(world.threads.run(abs, -n), f"abs {n}") for n in range(20)]
                    await world.clock.sleep(0)
            assert [await task for task in tasks] == [*range(20)] * 5

        run(main)
