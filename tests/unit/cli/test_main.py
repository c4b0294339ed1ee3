"""The bare command, and what all commands have in common."""

import re

import pytest

from ottla import __version__
from ottla.cli.main import COMMANDS, main


def test_the_bare_command_says_where_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a command, the version, every command, and how to start a node are said."""
    assert main([]) == 0
    said = capsys.readouterr().out
    assert __version__ in said
    assert "ottla server start" in said
    assert said.splitlines()[-1] == f"Commands: {', '.join(COMMANDS)}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command has help, and so has each of its own commands, in lines that fit a terminal."""
    words = [[name]]
    while words:
        command = words.pop()
        with pytest.raises(SystemExit) as ended:
            main([*command, "--help"])
        assert ended.value.code == 0
        said = capsys.readouterr().out
        assert said.startswith(f"usage: ottla {' '.join(command)} ")
        assert max(map(len, said.splitlines())) <= 120
        listed = said.partition("\ncommands:\n")[2]
        words += [[*command, each] for each in re.findall(r"^    ([a-z-]+)\b", listed, re.MULTILINE)]


def test_what_the_world_refuses_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """An error is the command's name and a sentence, on standard error alone."""
    assert main(["server", "stop", "no-such-file.properties"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "ottla server: cannot open no-such-file.properties: No such file or directory\n"
