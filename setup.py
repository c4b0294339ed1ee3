"""The one part of the build that pyproject.toml cannot say: the compiled kernel is optional.

Where there is no C compiler, or Cython fails, the install goes on without it, and the pure-Python twin serves.
"""

from setuptools import Extension, setup

KERNEL = "src/ottla/protocol/records/kernel/compiled.pyx"


def extensions() -> list[Extension]:
    """The kernel as an optional extension, or nothing where Cython is not at hand."""
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    kernel = Extension("ottla.protocol.records.kernel.compiled", [KERNEL], optional=True, extra_compile_args=["-O2"])
    return list(cythonize([kernel], build_dir="build", language_level=3))


setup(ext_modules=extensions())
