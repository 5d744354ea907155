#!/usr/bin/env python3
"""What both builds need to know, read in one place.

The modules and their C sources stand in ``pyx/modules.txt``, the programs that go into the package
beside them in ``pyx/programs.txt``, the flags in ``pyx/flags.txt``, the version in
``sharedarray/_version.py``. ``setup.py`` imports this file; ``meson.build`` runs it and reads the
lines it prints.
"""

import ast
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYX = pathlib.PurePosixPath("pyx/sharedarray")
INSTALLED = (".py", ".pyi", "py.typed")


def table(path):
    """Yield ``(name, words)`` for each line ``name: word word`` of a list."""
    for line in (ROOT / path).read_text().splitlines():
        name, colon, words = line.partition("#")[0].partition(":")
        if colon:
            yield name.strip(), words.split()


def modules():
    """Map each compiled module to its sources, Cython's first, relative to the project."""
    return {
        name: [str(PYX / f"{name}.pyx"), *(str(PYX / source) for source in sources)]
        for name, sources in table("pyx/modules.txt")
    }


def programs():
    """Map each program to its C sources, relative to the project."""
    return {
        name: [str(PYX / source) for source in sources]
        for name, sources in table("pyx/programs.txt")
    }


def flags(kind):
    """Return the flags for ``compile``, ``link`` or ``cython``; SHAREDARRAY_CFLAGS adds its own."""
    more = os.environ.get("SHAREDARRAY_CFLAGS", "").split() if kind == "compile" else []
    return [*dict(table("pyx/flags.txt"))[kind], *more]


def directives():
    """Return Cython's compiler directives as a dictionary."""
    return {k: ast.literal_eval(v) for k, _, v in (word.partition("=") for word in flags("cython"))}


def version():
    """Return the version that ``sharedarray.__version__`` has."""
    for line in (ROOT / "sharedarray/_version.py").read_text().splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "__version__":
            return ast.literal_eval(value.strip())
    raise ValueError("sharedarray/_version.py has no line '__version__ = ...'")


def headers():
    """Return what compiled modules include or cimport, relative to the project."""
    return sorted(
        str(path.relative_to(ROOT))
        for suffix in ("*.h", "*.pxd")
        for path in (ROOT / PYX).rglob(suffix)
    )


def python_files():
    """Return the files that are installed as they are, relative to the project."""
    return sorted(
        str(path.relative_to(ROOT))
        for path in (ROOT / "sharedarray").rglob("*")
        if path.name.endswith(INSTALLED)
    )


def numpy_include():
    """Return the folder of NumPy's C headers."""
    import numpy

    return numpy.get_include()


def main(what, *arguments):
    """Print one answer, a line for each item."""
    answer = {
        "version": version,
        "modules": modules,
        "programs": programs,
        "sources": lambda name: {**modules(), **programs()}[name],
        "flags": flags,
        "python-files": python_files,
        "numpy-include": numpy_include,
    }[what](*arguments)
    print(answer if isinstance(answer, str) else "\n".join(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
