"""What every world must do with helper processes. The functions below are what they are asked to call."""

from typing import Any

import pytest

from ottla.errors import JobFailed
from ottla.world.api import World
from tests.conformance import Run

HERE = "tests.conformance.jobs"


def echo(*values: Any) -> tuple[Any, ...]:
    """What it was given."""
    return values


def fail(message: str) -> None:
    """An exception."""
    raise ValueError(message)


def something_strange() -> object:
    """A value that is not plain."""
    return object()


class JobsConformance:
    """Values there and back, and what fails."""

    def test_values_go_there_and_back(self, run: Run) -> None:
        """Plain values of every kind arrive as they were, and so does the answer."""
        values = (None, True, -5, 2**80, 1.5, "ä", b"\0\xff", [1, [2]], (3, ()), {"a": {1: b"x"}}, {1, 2})

        async def main(world: World) -> None:
            assert await world.jobs.run(f"{HERE}:echo", *values) == values
            assert await world.jobs.run("math:isqrt", 10**20) == 10**10
            assert await world.jobs.run(f"{HERE}:echo") == ()

        run(main)

    def test_a_megabyte_goes_there_and_back(self, run: Run) -> None:
        """Large values arrive whole."""

        async def main(world: World) -> None:
            data = world.rng.randbytes(3_000_000)
            assert await world.jobs.run(f"{HERE}:echo", data) == (data,)

        run(main)

    def test_an_exception_is_told_with_the_functions_name(self, run: Run) -> None:
        """A function that raises is JobFailed, which names the function and says what it raised; the next one works."""

        async def main(world: World) -> None:
            with pytest.raises(JobFailed, match=r"tests\.conformance\.jobs:fail.*ValueError.*sour"):
                await world.jobs.run(f"{HERE}:fail", "sour")
            assert await world.jobs.run(f"{HERE}:echo", 1) == (1,)

        run(main)

    @pytest.mark.parametrize("function", ["no_such_module:f", f"{HERE}:no_such_function", "nonsense", f"{HERE}:HERE"])
    def test_a_function_that_does_not_exist_is_told(self, run: Run, function: str) -> None:
        """A name that leads to no function is JobFailed and says which name."""

        async def main(world: World) -> None:
            with pytest.raises(JobFailed, match=function):
                await world.jobs.run(function)

        run(main)

    def test_only_plain_values_pass(self, run: Run) -> None:
        """Values that are not plain are refused, in either direction."""

        async def main(world: World) -> None:
            with pytest.raises(JobFailed, match=f"{HERE}:echo"):
                await world.jobs.run(f"{HERE}:echo", object())
            with pytest.raises(JobFailed, match=f"{HERE}:something_strange"):
                await world.jobs.run(f"{HERE}:something_strange")

        run(main)

    def test_many_jobs_at_once(self, run: Run) -> None:
        """More jobs than there are processes are all done, each with its own answer."""

        async def main(world: World) -> None:
            async with world.group() as group:
                tasks = [group.spawn(world.jobs.run(f"{HERE}:echo", n), f"job {n}") for n in range(20)]
            assert [await task for task in tasks] == [(n,) for n in range(20)]

        run(main)
