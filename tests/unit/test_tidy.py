"""Our own rules: the tree keeps them, and each one is proven to see a planted violation."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.tidy.table import RULES, complaints

ROOT = Path(__file__).parents[2]

MODULE = '"""One line.\n\nAnd two more.\n"""\n\n'
BODY = MODULE.count("\n") + 1  # the line on which the text after MODULE begins
HANDLER = '"""Produce.\n\nVersions: 3-13, in 9 the first flexible one.\n"""\n'
LATER = "TO" + "DO"

# rule, file, its text, the line that is complained of
PLANTS = [
    ("file-length", "src/ottla/a.py", MODULE + "X = 1\n" * 496, 501),
    ("file-length", "tests/unit/test_a.py", '"""Tests."""\n' + "X = 1\n" * 500, 501),
    ("file-length", "src/ottla/kernel/a.pyx", "X = 1\n" * 501, 501),
    ("function-length", "src/ottla/a.py", MODULE + "def f() -> None:\n" + "    g()\n" * 60, BODY),
    (
        "function-length",
        "src/ottla/a.py",
        MODULE + "class C:\n    async def f() -> None:\n" + "        g()\n" * 60,
        BODY + 1,
    ),
    ("module-docstring", "src/ottla/a.py", "X = 1\n", 1),
    ("module-docstring", "src/ottla/a.py", '"""One line."""\n', 1),
    ("module-docstring", "src/ottla/a.py", '"""One.\n' + "more\n" * 25 + '"""\n', 1),
    ("module-docstring", "src/ottla/a/__init__.py", "", 1),
    ("module-docstring", "tests/unit/test_a.py", "X = 1\n", 1),
    ("module-docstring", "src/ottla/protocol/messages/a.py", "X = 1\n", 1),
    ("name", "src/ottla/utils.py", MODULE, 1),
    ("name", "src/ottla/log_helpers.py", MODULE, 1),
    ("name", "src/ottla/common/a.py", MODULE, 1),
    ("name", "tests/unit/misc/test_a.py", MODULE, 1),
    ("handler-header", "src/ottla/broker/handlers/00_produce.py", MODULE, 1),
    ("handler-header", "src/ottla/broker/handlers/produce.py", HANDLER, 1),
    ("outside", "src/ottla/a.py", MODULE + "import time\n", BODY),
    ("outside", "src/ottla/a.py", MODULE + "import random as dice\n", BODY),
    ("outside", "src/ottla/world/simulated/a.py", MODULE + "import random\n\nrandom.shuffle(x)\n", BODY + 2),
    ("outside", "src/ottla/world/simulated/a.py", MODULE + "from random import choice\n", BODY),
    ("outside", "src/ottla/world/a.py", MODULE + "from random import Random\n", BODY),
    ("outside", "src/ottla/world/simulated/a.py", MODULE + "from socket import socket\n", BODY),
    ("outside", "src/ottla/a.py", MODULE + "import secrets\n", BODY),
    ("outside", "src/ottla/a.py", MODULE + "import threading\n", BODY),
    ("outside", "src/ottla/a.py", MODULE + "from concurrent.futures import ThreadPoolExecutor\n", BODY),
    ("outside", "src/ottla/a.py", MODULE + "import multiprocessing.pool\n", BODY),
    ("outside", "src/ottla/a.py", MODULE + "def f() -> None:\n    import subprocess\n", BODY + 1),
    ("outside", "src/ottla/a.py", MODULE + "with open('a') as file:\n    pass\n", BODY),
    ("outside", "src/ottla/a.py", MODULE + "import os\n\nos.open('a', 0)\n", BODY + 2),
    ("outside", "src/ottla/a.py", MODULE + "from os import fsync\n", BODY),
    ("outside", "src/ottla/a.py", MODULE + "import os\n\nos.urandom(4)\n", BODY + 2),
    ("outside", "src/ottla/a.py", MODULE + "from pathlib import Path\n", BODY),
    ("outside", "src/ottla/a.py", MODULE + "def f(path: object) -> str:\n    return path.read_text()\n", BODY + 1),
    ("outside", "src/ottla/a.py", MODULE + "def f(path: object) -> None:\n    path.write_bytes(b'')\n", BODY + 1),
    ("outside", "src/ottla/a.py", MODULE + "from datetime import datetime\n\ndatetime.now()\n", BODY + 2),
    ("outside", "src/ottla/a.py", MODULE + "from uuid import uuid4\n", BODY),
    ("event-loop", "src/ottla/broker/a.py", MODULE + "import asyncio\n", BODY),
    ("event-loop", "src/ottla/cli/a.py", MODULE + "from asyncio import run\n", BODY),
    ("event-loop", "src/ottla/a.py", MODULE + "import uvloop\n", BODY),
    ("third-party", "src/ottla/protocol/a.py", MODULE + "from numpy import array\n", BODY),
    ("third-party", "src/ottla/config/a.py", MODULE + "import crc32c\n", BODY),
    ("waiting", "tests/unit/test_a.py", MODULE + "import time\n\ntime.sleep(1)\n", BODY + 2),
    ("waiting", "tests/property/test_a.py", MODULE + "from unittest.mock import Mock\n", BODY),
    ("later", "src/ottla/a.py", MODULE + f"X = 1  # {LATER}: y\n", BODY),
    ("later", "docs/a.md", f"# Page\n\n{LATER} write this\n", 3),
    ("later", "Makefile", "a:\n\t# FIX" + "ME\n", 2),
    ("machine", "docs/a.md", "See /wo" + "rk/main.\n", 1),
    ("machine", "README.md", "See ../sha" + "red/plans.\n", 1),
    ("machine", "tests/integration/test_a.py", MODULE + 'JARS = "/ro' + 'ot/libs"\n', BODY),
    ("swallowed", "src/ottla/a.py", MODULE + "try:\n    f()\nexcept Exception:\n    pass\n", BODY + 2),
    ("swallowed", "src/ottla/a.py", MODULE + "try:\n    f()\nexcept (OSError, BaseException):\n    ...\n", BODY + 2),
    ("swallowed", "tools/a.py", MODULE + "try:\n    f()\nexcept:\n    pass\n", BODY + 2),
    ("star", "src/ottla/a.py", MODULE + "from ottla.errors import *\n", BODY),
    ("star", "src/ottla/a.py", MODULE + "from . import *\n", BODY),
    ("not-run", "tests/unit/test_a.py", MODULE + "import pytest\n\npytestmark = pytest.mark.skip\n", BODY + 2),
    (
        "not-run",
        "tests/unit/test_a.py",
        MODULE + "import pytest\n\n@pytest.mark.xfail(strict=True)\ndef f(): ...\n",
        BODY + 2,
    ),
    ("not-run", "tests/unit/test_a.py", MODULE + "import pytest\n\npytest.importorskip('kio')\n", BODY + 2),
    ("not-run", "tests/integration/test_a.py", MODULE + "from unittest import skipIf\n", BODY),
    ("test-docstring", "tests/unit/test_a.py", MODULE + "def test_a() -> None:\n    assert f()\n", BODY),
    (
        "test-docstring",
        "tests/unit/test_a.py",
        MODULE + "class TestA:\n    def test_a(self) -> None:\n        f()\n",
        BODY + 1,
    ),
]

# What comes close to a violation and is none.
ALLOWED = [
    ("src/ottla/a.py", MODULE + "X = 1\n" * 495),
    ("src/ottla/a.py", MODULE + "def f() -> None:\n" + "    g()\n" * 59),
    ("src/ottla/protocol/messages/a.py", '"""Generated."""\n' + "X = 1\n" * 600),
    ("src/ottla/a/__init__.py", '"""A package."""\n'),
    ("src/ottla/commons_fund.py", MODULE),
    ("src/ottla/broker/handlers/00_produce.py", HANDLER),
    ("src/ottla/broker/handlers/table.py", MODULE),
    ("src/ottla/world/real/a.py", MODULE + "import asyncio\nimport time\n\nopen('a')\n"),
    ("src/ottla/world/simulated/a.py", MODULE + "import asyncio\n"),
    ("src/ottla/world/simulated/a.py", MODULE + "import random\n\nrandom.Random(4).shuffle(x)\n"),
    ("src/ottla/world/simulated/a.py", MODULE + "from random import Random\n\nRandom(4).choice(x)\n"),
    ("src/ottla/a.py", MODULE + "from importlib.resources import files\n\nX = files('ottla').read_text()\n"),
    ("src/ottla/a.py", MODULE + "import os\n\nX = os.sep\n"),
    ("src/ottla/a.py", MODULE + "def f(random: Rng) -> int:\n    return random.randint(1, 2)\n"),
    ("src/ottla/protocol/a.py", MODULE + "import cramjam\nfrom ottla import errors\nfrom . import b\n"),
    ("src/ottla/a.py", MODULE + "def f(log: object) -> None:\n    log.open()\n    log.random()\n    log.read(1)\n"),
    ("src/ottla/a.py", MODULE + "try:\n    f()\nexcept KeyError:\n    pass\n"),
    ("src/ottla/a.py", MODULE + "try:\n    f()\nexcept Exception:\n    g()\n"),
    ("tests/unit/test_a.py", MODULE + "def make_test() -> None:\n    reader.skip(4)\n"),
    ("tests/integration/test_a.py", MODULE + "import time\n\ntime.sleep(1)\n"),
    ("tools/a.py", MODULE + "import time\n\nopen('a')\n"),
    ("build/src/ottla/utils.py", "import time\n"),
    ("src/ottla/__pycache__/utils.py", "import time\n"),
]


def plant(root: Path, path: str, text: str) -> None:
    """Write one file of a made-up project."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_the_tree_is_tidy() -> None:
    """This project keeps every rule that it has made for itself."""
    assert "\n".join(map(str, complaints(ROOT))) == ""


@pytest.mark.parametrize(("rule", "path", "text", "line"), PLANTS)
def test_a_planted_violation_is_reported(tmp_path: Path, rule: str, path: str, text: str, line: int) -> None:
    """A violation is named by its file, its line and the rule, and it is the only one that is seen."""
    plant(tmp_path, path, text)
    assert {(found.path, found.line, found.rule) for found in complaints(tmp_path)} == {(path, line, rule)}


def test_every_rule_has_a_plant() -> None:
    """No rule is in the table without proof that it can complain."""
    assert {plant[0] for plant in PLANTS} == set(RULES)


@pytest.mark.parametrize(("path", "text"), ALLOWED)
def test_what_is_no_violation_is_left_alone(tmp_path: Path, path: str, text: str) -> None:
    """Generated code may be long, the real world may touch the world, and a near miss is a miss."""
    plant(tmp_path, path, text)
    assert complaints(tmp_path) == []


def test_the_command_prints_and_fails(tmp_path: Path) -> None:
    """On the command line a complaint reads `file:line: rule: reason`, and the status is 1."""
    plant(tmp_path, "src/ottla/a.py", MODULE + "import time\n")
    command = [sys.executable, "-m", "tools.tidy", str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (
        1,
        f"src/ottla/a.py:{BODY}: outside: import of time: the clock belongs to world/real\n",
    )
    (tmp_path / "src/ottla/a.py").unlink()
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
