"""What a node's process imports: it starts as often as somebody tries something, and stands beside many others."""

import subprocess
import sys

# Those of the table in docs/dependencies.md; what they bring along is theirs.
OTHERS = {"crc32c", "cramjam", "uvloop"}
MOST_MODULES_OF_OURS = 420
MOST_MODULES = 700


def imported_by(statement: str) -> list[str]:
    """The modules that a new interpreter has after a statement."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return answer.stdout.split()


def test_a_broker_imports_three_packages_of_others() -> None:
    """Nothing of Spark, pyarrow, numpy or any extra comes into a broker, and what comes is counted."""
    modules = imported_by("import ottla.cli.server\nfrom ottla.world.real.run import new_loop\nnew_loop().close()")
    packages = {name.partition(".")[0] for name in modules}
    strangers = packages - sys.stdlib_module_names - OTHERS - {"ottla", "__main__", "cython_runtime"}
    assert {name for name in strangers if not name.startswith(("_cython_", "__editable__", "_distutils"))} == set()
    assert len([name for name in modules if name.startswith("ottla.")]) < MOST_MODULES_OF_OURS
    assert len(modules) < MOST_MODULES
    assert "ottla.world.simulated" not in modules


def test_the_command_alone_imports_next_to_nothing() -> None:
    """A command imports what it needs and nothing of the others."""
    bare = imported_by("import ottla.cli.main")
    assert "asyncio" not in bare
    assert not [name for name in bare if name.startswith("ottla.protocol")]
    assert "ottla.broker" not in imported_by("import ottla.cli.random_uuid")
