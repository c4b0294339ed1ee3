"""The import contracts of pyproject.toml: the product keeps them, and each one sees a planted violation.

The plants stand in an empty house: a package of the planned folders in which no module imports another.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]

LAYERS = "The layers: an import may only point down"
FUNCTION = "The ground floor and the machines are functions of their inputs"
THROUGH_WORLD = "Shells reach the event loop through the world"
HANDED_IN = "A world is handed in: what runs in it does not choose one"
COLUMNS = "Columns and Spark never come into a broker"

HOUSE = """
    errors timing_wheel protocol.codec config.broker metrics.registry security.acl
    world.api world.tasks world.real.clock world.simulated.clock network.server storage.log replicated.runtime
    cluster.raft.machine cluster.raft.shell cluster.controller.topics cluster.replication.isr cluster.metadata.image
    coordination.group.classic broker.node broker.handlers.produce client.producer client.arrow
    cli.main console.views spark.source testing.cluster
"""

# The one import that is always there: what waits and what runs beside it is asyncio's, in either world.
ALWAYS = {"world.tasks": "import asyncio\n"}

# contract, importing module, imported module
PLANTS = [
    (LAYERS, "errors", "ottla.protocol"),
    (LAYERS, "protocol.codec", "ottla.config"),
    (LAYERS, "config.broker", "ottla.world.api"),
    (LAYERS, "security.acl", "ottla.network"),
    (LAYERS, "replicated.runtime", "ottla.storage"),
    (LAYERS, "replicated.runtime", "ottla.network"),
    (LAYERS, "storage.log", "ottla.network.server"),
    (LAYERS, "cluster.metadata.image", "ottla.coordination"),
    (LAYERS, "client.producer", "ottla.broker"),
    (LAYERS, "broker.node", "ottla.client"),
    (LAYERS, "broker.node", "ottla.cli"),
    (LAYERS, "console.views", "ottla.cli"),
    (LAYERS, "nobody_knows_where", None),
    ("Raft and the controller do not know each other", "cluster.raft.machine", "ottla.cluster.controller"),
    ("Raft and the controller do not know each other", "cluster.controller.topics", "ottla.cluster.raft.machine"),
    ("The controller and replication do not know each other", "cluster.controller.topics", "ottla.cluster.replication"),
    ("The controller and replication do not know each other", "cluster.replication.isr", "ottla.cluster.controller"),
    (FUNCTION, "protocol.codec", "time"),
    (FUNCTION, "config.broker", "random"),
    (FUNCTION, "security.acl", "socket"),
    (FUNCTION, "cluster.raft.machine", "ottla.world.tasks"),
    (FUNCTION, "cluster.controller.topics", "ottla.world.tasks"),
    (FUNCTION, "cluster.metadata.image", "ottla.world.tasks"),
    (THROUGH_WORLD, "coordination.group.classic", "asyncio"),
    (THROUGH_WORLD, "replicated.runtime", "asyncio"),
    (THROUGH_WORLD, "cluster.raft.shell", "threading"),
    (THROUGH_WORLD, "storage.log", "time"),
    (THROUGH_WORLD, "network.server", "socket"),
    (THROUGH_WORLD, "broker.node", "uvloop"),
    (THROUGH_WORLD, "client.producer", "random"),
    (HANDED_IN, "broker.node", "ottla.world.real.clock"),
    (HANDED_IN, "client.producer", "ottla.world.simulated.clock"),
    ("Handlers reach the controller through its channel", "broker.handlers.produce", "ottla.cluster.controller.topics"),
    (COLUMNS, "broker.node", "numpy"),
    (COLUMNS, "protocol.codec", "pyarrow"),
    (COLUMNS, "coordination.group.classic", "pyspark"),
]

# What the contracts must leave room for.
ALLOWED = [
    ("protocol.codec", "ottla.errors"),
    ("cluster.raft.machine", "ottla.storage.log"),
    ("replicated.runtime", "ottla.world.tasks"),
    ("cluster.raft.shell", "ottla.world.tasks"),
    ("cluster.raft.machine", "ottla.world.api"),
    ("broker.node", "ottla.cluster.controller.topics"),
    ("world.real.clock", "asyncio"),
    ("cli.main", "ottla.world.real.clock"),
    ("testing.cluster", "ottla.world.simulated.clock"),
    ("client.arrow", "pyarrow"),
    ("spark.source", "ottla.client.arrow"),
]


def lint(folder: Path) -> str:
    """What import-linter says about the package `ottla` in `folder`."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "200"}
    command += ["--config", str(ROOT / "pyproject.toml")]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


def build(folder: Path, importer: str, imported: str | None) -> None:
    """Put up the house, with one import in it."""
    for module in {*HOUSE.split(), importer}:
        file = folder / "ottla" / f"{module.replace('.', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"import {imported}\n" if module == importer and imported else ALWAYS.get(module, ""))
        for package in (file.parent, *file.parent.parents):
            if package.is_relative_to(folder / "ottla"):
                (package / "__init__.py").touch()


def broken(output: str) -> set[str]:
    """The contracts that are reported as broken."""
    assert "Contracts: " in output, output
    return {line.removesuffix(" BROKEN") for line in output.splitlines() if line.endswith(" BROKEN")}


def test_the_product_keeps_its_contracts() -> None:
    """No part of Ottla imports what its place in the house does not let it import."""
    output = lint(ROOT / "src")
    assert broken(output) == set(), output


@pytest.mark.parametrize(("contract", "importer", "imported"), PLANTS)
def test_a_planted_import_breaks_its_contract(
    tmp_path: Path, contract: str, importer: str, imported: str | None
) -> None:
    """An import that points up, sideways or out of its room is reported under the contract that forbids it."""
    build(tmp_path, importer, imported)
    assert broken(lint(tmp_path)) == {contract}


def test_every_contract_has_a_plant() -> None:
    """No contract is kept without proof that it can be broken."""
    assert {plant[0] for plant in PLANTS} == {contract["name"] for contract in CONTRACTS}


def test_what_the_house_needs_is_allowed(tmp_path: Path) -> None:
    """Pointing down, choosing a world on the outside, and columns in the arrow client break no contract."""
    for importer, imported in ALLOWED:
        build(tmp_path / importer, importer, imported)
        assert broken(lint(tmp_path / importer)) == set(), importer
