"""Every test over the kernel runs over both twins. A compiled one that was not built is a failure, not a skip."""

from importlib import import_module
from types import ModuleType

import pytest


@pytest.fixture(params=["compiled", "pure"])
def twin(request: pytest.FixtureRequest) -> ModuleType:
    """One of the two kernels."""
    return import_module(f"ottla.protocol.records.kernel.{request.param}")
