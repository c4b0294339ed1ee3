"""Processes: who they are, how they end, and how one is started that outlives its parent."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ottla.world.real.process import Process, age_ms, allow_more_open_files, open_files_max, run_in_background

STOPS_SLOWLY = """
import sys
from ottla.world.real.process import on_stop_signal
from ottla.world.real.run import run

async def main(world):
    asked = world.future()
    def came(name):
        print(name, flush=True)
        if "once" in sys.argv:
            asked.set_result(None)
    on_stop_signal(world.loop, came)
    print("ready", flush=True)
    await asked

run(main)
"""
TELLS = "import sys; from ottla.world.real.process import tell; print('said'); tell(int(sys.argv[-1]), 'ready, then')"


def running(*arguments: str) -> "subprocess.Popen[str]":
    """A process that is ready for signals."""
    process = subprocess.Popen([sys.executable, "-c", STOPS_SLOWLY, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_first_signal_asks(number: signal.Signals) -> None:
    """SIGTERM and Control-C ask for an end, and whoever is asked ends in its own way."""
    with running("once") as process:
        process.send_signal(number)
        assert process.stdout is not None
        assert process.stdout.read() == f"{number.name}\n"
    assert process.returncode == 0


def test_the_second_signal_ends_at_once() -> None:
    """Who was asked and has not ended is ended where it is by the second signal, with the status of one."""
    with running() as process:
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert process.stdout.readline() == "SIGINT\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == ""
    assert process.returncode == 128 + signal.SIGTERM


def test_a_process_is_asked_and_killed() -> None:
    """A known process gets SIGTERM or SIGKILL; one that is gone, or is another one by now, gets nothing."""
    for ask, status in ((Process.ask_to_stop, 0), (Process.kill, -signal.SIGKILL)):
        with running("once") as process:
            known = Process(process.pid)
            assert known.is_running()
            Process(process.pid, started_ticks=1).kill()  # somebody who began with the machine
            ask(known)
            assert process.stdout is not None
            process.stdout.read()  # to its end
        assert process.returncode == status
        assert not known.is_running()
        ask(known)


def test_this_process() -> None:
    """This process runs, and knows for how long."""
    this = Process.this()
    assert this.number == os.getpid()
    assert this.is_running()
    age = age_ms()
    assert age is None or age > 0


def test_a_program_in_the_background_tells_when_it_is_ready(tmp_path: Path) -> None:
    """What it tells comes back as a line; what it prints goes to its file, behind what is there."""
    output = tmp_path / "log"
    output.write_text("before\n")
    assert run_in_background([sys.executable, "-c", TELLS], str(output)) == "ready, then"
    assert output.read_text() in ("before\n", "before\nsaid\n")  # it may not have come to its end yet


def test_a_program_that_ends_without_a_word(tmp_path: Path) -> None:
    """Who dies before it is ready tells nothing, and its file says why."""
    output = tmp_path / "log"
    assert run_in_background([sys.executable, "-c", "raise SystemExit('no port')"], str(output)) == ""
    assert output.read_text() == "no port\n"


def test_a_server_takes_all_descriptors_that_it_may_have() -> None:
    """The soft limit, which is low for the sake of programs that use `select`, is raised to the hard one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, soft) - 1, hard))
        assert open_files_max() == min(hard, soft) - 1
        allow_more_open_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
