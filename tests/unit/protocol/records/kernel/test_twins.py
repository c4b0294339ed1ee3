"""What makes the two kernels twins, and which of them is used."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

from ottla.protocol.records import kernel
from ottla.protocol.records.builder import BatchBuilder
from ottla.protocol.records.kernel import compiled, faults, pure

FOLDER = Path(kernel.__file__).parent
FUNCTIONS = ["validate", "index", "build", "retain", "rises"]
METHODS = {"OffsetMap": ["put", "get", "put_columns", "mask", "clear"], "BatchWalk": ["walk"]}


def parameters(function: object) -> list[tuple[str, object, object]]:
    """Names, kinds and defaults: what a caller can see."""
    assert callable(function)
    return [(each.name, each.kind, each.default) for each in inspect.signature(function).parameters.values()]


def test_the_twins_have_the_same_signatures() -> None:
    """Whoever calls one can call the other: names, order, kinds and defaults are equal."""
    for name in FUNCTIONS:
        assert parameters(getattr(compiled, name)) == parameters(getattr(pure, name)), name
    for kind, methods in METHODS.items():
        for name in methods:
            one, other = (getattr(getattr(twin, kind), name) for twin in (compiled, pure))
            assert parameters(one) == parameters(other), f"{kind}.{name}"


def test_the_compiled_one_is_used_where_it_was_built() -> None:
    """The package says which of the twins it picked, and hands out that one's functions."""
    assert kernel.KERNEL == "compiled"
    for name in (*FUNCTIONS, *METHODS):
        assert getattr(kernel, name) is getattr(compiled, name)


def test_the_numbers_of_faults_and_fields_are_the_same_in_c() -> None:
    """The compiled twin repeats the numbers of faults.py; here is what keeps them equal."""
    source = (FOLDER / "reading.pyx").read_text()
    numbers = {
        name.strip(): int(number.split("#")[0])
        for name, equals, number in (line.partition("=") for line in source.splitlines())
        if equals and name.startswith("    ") and name.strip().isupper() and number.split("#")[0].strip().isdigit()
    }
    assert numbers.pop("OUTSIDE") == len(faults.Fault) + 1
    expected = {fault.name: fault.value for fault in faults.Fault} | {f"F_{f.name}": f.value for f in faults.Field}
    assert numbers == expected


def test_the_stub_names_everything_that_the_package_uses() -> None:
    """The types of the compiled twin are taken from the pure one."""
    stub = ast.parse((FOLDER / "compiled.pyi").read_text())
    named = {alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert named == {*FUNCTIONS, *METHODS}


def test_without_the_compiled_one_the_pure_one_serves() -> None:
    """Where the compiled twin cannot be imported, batches are built and read all the same, to the same bytes."""
    program = """
import sys
sys.modules["ottla.protocol.records.kernel.compiled"] = None
from ottla.protocol.records.kernel import KERNEL
from ottla.protocol.records.builder import BatchBuilder
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.record import records_of
builder = BatchBuilder()
builder.append(7, b"key", None, [("h", b"x")])
batch = builder.build()
assert [record.key for record in records_of(RecordBatch(memoryview(batch)))] == [b"key"]
print(KERNEL, batch.hex())
"""
    here = BatchBuilder()
    here.append(7, b"key", None, [("h", b"x")])
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["pure", here.build().hex()]
