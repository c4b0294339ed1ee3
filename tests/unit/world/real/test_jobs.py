"""Helper processes: how they begin, are used again, die, and are ended."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import uvloop

from ottla.errors import JobFailed
from ottla.world.real.clock import RealClock
from ottla.world.real.jobs import RealJobs
from ottla.world.real.threads import RealThreads

HERE = "tests.unit.world.real.test_jobs"
PATIENCE_S = 30.0
Scenario = Callable[[RealJobs], Coroutine[Any, Any, None]]


def input_is_empty() -> bool:
    """A job that reads its standard input."""
    return sys.stdin.read() == ""


def break_off() -> None:
    """A job that wants to exit."""
    raise SystemExit(7)


def write_and_wait(path: str) -> None:
    """A job that says in a file which process it is, and then does not end."""
    Path(path + ".new").write_text(str(os.getpid()))
    os.rename(path + ".new", path)
    signal.pause()


def main_file() -> str:
    """A job that looks which program it is part of."""
    return str(sys.modules["__main__"].__file__)


@pytest.fixture(params=[uvloop.new_event_loop, asyncio.new_event_loop], ids=["uvloop", "asyncio"])
def run(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Run a scenario with helpers, and close them."""

    def run(scenario: Scenario, **options: int) -> None:
        async def main() -> None:
            loop = asyncio.get_running_loop()
            threads = RealThreads(loop, 2)
            jobs = RealJobs(loop, RealClock(loop), threads, **options)
            try:
                await scenario(jobs)
            finally:
                await jobs.close()
                await threads.close()

        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(main())

    return run


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop turn until something is so."""
    clock = RealClock(asyncio.get_running_loop())
    deadline_ms = clock.monotonic_ms() + int(PATIENCE_S * 1_000)
    while not condition():
        assert clock.monotonic_ms() < deadline_ms, "it never was so"
        await clock.sleep(1)


def is_there(process_id: int) -> bool:
    """Whether there is such a process, were it only as a zombie."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_death(process_id: int) -> None:
    """Wait until a process of ours, or of anybody's, is dead, without burying it."""
    try:
        watch = os.pidfd_open(process_id)
    except ProcessLookupError:
        return
    try:
        assert select.select([watch], [], [], PATIENCE_S)[0], "it lives on"
    finally:
        os.close(watch)


@pytest.mark.parametrize(
    ("function", "value", "how"),
    [("os:_exit", 3, "exit code 3"), ("signal:raise_signal", 9, "SIGKILL"), ("signal:raise_signal", 50, "signal 50")],
)
def test_a_helper_that_dies_fails_its_job_alone(run: Callable[..., None], function: str, value: int, how: str) -> None:
    """A helper that dies in its job is JobFailed and says how it died; the next job has another helper."""

    async def scenario(jobs: RealJobs) -> None:
        with pytest.raises(JobFailed, match=f"{function}: the helper process died .{how}"):
            await jobs.run(function, value)
        assert await jobs.run("math:isqrt", 9) == 3

    run(scenario, count=1)


def test_a_job_may_not_exit(run: Callable[..., None]) -> None:
    """A job that raises SystemExit has failed as with any exception, and its helper lives on."""

    async def scenario(jobs: RealJobs) -> None:
        helper = await jobs.run("os:getpid")
        with pytest.raises(JobFailed, match="break_off raised SystemExit: 7"):
            await jobs.run(f"{HERE}:break_off")
        assert await jobs.run("os:getpid") == helper

    run(scenario, count=1)


def test_a_helper_is_a_process_that_works_again(run: Callable[..., None]) -> None:
    """Jobs run in another process, one after the other in the same one, and no more at once than there may be.
    Idle ones are closed once.
    """

    async def scenario(jobs: RealJobs) -> None:
        tasks = [asyncio.ensure_future(jobs.run("os:getpid")) for _ in range(10)]
        helpers = {await task for task in tasks}
        assert 1 <= len(helpers) <= 2
        assert os.getpid() not in helpers
        assert await jobs.run("os:getpid") in helpers
        await jobs.close()  # and once more at the end

    run(scenario, count=2)


def test_an_idle_helper_ends(run: Callable[..., None]) -> None:
    """A helper without a job is ended and reaped after a while; the next job begins another."""

    async def scenario(jobs: RealJobs) -> None:
        helper = await jobs.run("os:getpid")
        await until(lambda: not is_there(helper))
        assert await jobs.run("os:getpid") != helper

    run(scenario, idle_ms=1)


def test_a_helper_that_died_while_idle_fails_no_job(run: Callable[..., None]) -> None:
    """A helper that is killed between two jobs is replaced, and nobody is told."""

    async def scenario(jobs: RealJobs) -> None:
        helper = await jobs.run("os:getpid")
        os.kill(helper, signal.SIGKILL)
        wait_for_death(helper)
        assert await jobs.run("os:getpid") != helper

    run(scenario, count=1)


def test_a_cancelled_job_ends(run: Callable[..., None], tmp_path: Path) -> None:
    """Cancelling the wait for a job kills its process, and the place is free for the next."""

    async def scenario(jobs: RealJobs) -> None:
        task = asyncio.ensure_future(jobs.run(f"{HERE}:write_and_wait", str(tmp_path / "helper")))
        await until((tmp_path / "helper").exists)
        helper = int((tmp_path / "helper").read_text())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not is_there(helper))
        assert await jobs.run("math:isqrt", 9) == 3

    run(scenario, count=1)


def test_a_job_that_waits_for_its_turn_may_be_cancelled(run: Callable[..., None], tmp_path: Path) -> None:
    """Cancelling a job that has not begun leaves the others their order and their places."""

    async def scenario(jobs: RealJobs) -> None:
        busy = asyncio.ensure_future(jobs.run(f"{HERE}:write_and_wait", str(tmp_path / "helper")))
        await until((tmp_path / "helper").exists)
        second, third = (asyncio.ensure_future(jobs.run("math:isqrt", number)) for number in (9, 16))
        await RealClock(asyncio.get_running_loop()).sleep(0)
        second.cancel()
        busy.cancel()
        assert await third == 4
        assert second.cancelled()

    run(scenario, count=1)


def test_closing_fails_the_jobs_that_are_left(run: Callable[..., None], tmp_path: Path) -> None:
    """Jobs that run or wait when the helpers are closed are JobFailed, and no process is left. Twice is once."""

    async def scenario(jobs: RealJobs) -> None:
        path = tmp_path / "helper"
        tasks = [asyncio.ensure_future(jobs.run(f"{HERE}:write_and_wait", str(path))) for _ in range(2)]
        await until(path.exists)
        await jobs.close()
        await jobs.close()
        with pytest.raises(JobFailed, match=r"the helper process died \(SIGKILL"):
            await tasks[0]
        with pytest.raises(JobFailed, match="was not called: the world is closed"):
            await tasks[1]
        helper = int(path.read_text())
        await until(lambda: not is_there(helper))

    run(scenario, count=1)


def test_a_job_finds_no_input(run: Callable[..., None]) -> None:
    """A job that reads its standard input finds it empty, and not what the helper is told."""

    async def scenario(jobs: RealJobs) -> None:
        assert await jobs.run(f"{HERE}:input_is_empty")
        assert await jobs.run(f"{HERE}:input_is_empty")

    run(scenario, count=1)


def test_where_no_process_can_be_started(run: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """A job for which no process can be started is JobFailed, says why, and costs no place."""

    async def scenario(jobs: RealJobs) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", "/nowhere/python")
            with pytest.raises(JobFailed, match=r"no helper process could be started: .*/nowhere/python"):
                await jobs.run("math:isqrt", 9)
        assert await jobs.run("math:isqrt", 9) == 3

    run(scenario, count=1)


# A program that asks for a job without a guard, so that importing it would run it again.
UNGUARDED = """
import asyncio
from ottla.world.real.clock import RealClock
from ottla.world.real.jobs import RealJobs
from ottla.world.real.threads import RealThreads

print("begun")

async def main():
    loop = asyncio.get_running_loop()
    threads = RealThreads(loop)
    jobs = RealJobs(loop, RealClock(loop), threads)
    print(await jobs.run(FUNCTION, *VALUES))
    await jobs.close()
    await threads.close()

asyncio.run(main())
"""


def program(function: str, *values: str) -> list[str]:
    """The command that runs a program which asks for one job."""
    text = UNGUARDED.replace("FUNCTION", repr(function)).replace("VALUES", repr(values))
    return [sys.executable, "-c", text]


def test_the_users_program_is_not_imported_by_a_helper() -> None:
    """A program without `if __name__ == "__main__"` may have jobs: it runs once; a helper is a program of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run(
        program(f"{HERE}:main_file"), env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    begun, main = said.stdout.split()
    assert begun == "begun"
    assert Path(main).name == "job_process.py"


def test_a_helper_ends_with_its_parent(tmp_path: Path) -> None:
    """A helper whose parent is killed ends at once, though it is in the middle of a job."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    path = tmp_path / "helper"
    with subprocess.Popen(
        program(f"{HERE}:write_and_wait", str(path)), env=environment, stdout=subprocess.DEVNULL
    ) as parent:
        asyncio.run(until(path.exists))
        helper = int(path.read_text())
        parent.kill()
    wait_for_death(helper)
