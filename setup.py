"""The one part of the build that pyproject.toml cannot say: the compiled kernel is optional.

Where there is no C compiler, or no Cython, the install goes on without it, and the pure-Python twin serves.
"""

from setuptools import Extension, setup

KERNEL = "src/ottla/protocol/records/kernel/compiled.pyx"


def extensions() -> list[Extension]:
    """The kernel as an optional extension, or nothing where Cython is not at hand."""
    try:
        from Cython.Build import cythonize  # noqa: PLC0415 - it may be missing
    except ImportError:
        return []
    kernel = Extension("ottla.protocol.records.kernel.compiled", [KERNEL], extra_compile_args=["-O2"])
    made: list[Extension] = cythonize([kernel], build_dir="build", language_level=3)
    for extension in made:
        extension.optional = True  # Only here: cythonize makes new extensions, and drops this from the old ones.
    return made


setup(ext_modules=extensions())
