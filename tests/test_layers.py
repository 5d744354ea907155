"""Imports point one way down the layers: Python imports, Cython cimports and C includes."""

import pathlib
import shutil

import pytest

from . import imports

ROOT = pathlib.Path(__file__).parent.parent

# Lowest first. A module may import from its own layer and from those before it.
LAYERS = {
    "base": {"_platform", "_version", "_build"},
    "os, segment, allocator": {"_errors", "_core"},
    "devices": {"_driver", "_devices"},
    "storage": {"_storage", "_handle"},
    "array": {"_array", "_dlpack"},
    "namespace": {"_dispatch", "linalg", "fft", "random", "cuda"},
    "the package": {""},
    "around": {"named", "sync", "integrations", "_cli", "_bench", "__main__"},
}
ORDER = {name: place for place, names in enumerate(LAYERS.values()) for name in names}
NAMESPACE = ORDER["_dispatch"]

# Upward on purpose, each with its reason.
UPWARD = {}


def layer(name):
    """Return the place of a module's layer; other private modules are the namespace's chapters."""
    top = name.split(".")[0]
    if top in ORDER:
        return ORDER[top]
    return NAMESPACE if top.startswith("_") else ORDER["__main__"]


def faults(root, upward=UPWARD):
    """Return a sentence for each import that points the wrong way."""
    found = []
    used = set()
    graph = list(imports.edges(root))
    for edge in graph:
        pair = edge.importer, edge.imported
        if layer(edge.imported) <= layer(edge.importer):
            continue
        if pair in upward:
            used.add(pair)
        else:
            who, whom = (name or "the package" for name in pair)
            found.append(f"{edge.where}: {who} imports {whom}")
    found += [f"no such import any more: {pair}" for pair in sorted(set(upward) - used)]
    downward = [e for e in graph if (e.importer, e.imported) not in upward]
    if loop := imports.cycle(downward):
        found.append("a cycle: " + " -> ".join(name or "the package" for name in loop))
    for edge in imports.externs(root):
        if edge.importer != "_core":
            found.append(f"{edge.where}: {edge.importer} declares {edge.imported}; only _core may")
    units = list(imports.includes(root))
    present = {path.stem for path in (root / "pyx/sharedarray/core").glob("*.[ch]")}
    found += [f"{e.where} includes {e.imported}.h" for e in units if e.imported not in present]
    if loop := imports.cycle(units):
        found.append("a cycle of C includes: " + " -> ".join(loop))
    return found


def test_imports_point_down():
    assert faults(ROOT) == []


def test_compiled_modules_have_their_layer():
    compiled = {path.stem for path in (ROOT / "pyx/sharedarray").glob("*.pyx")}
    assert compiled <= set(ORDER)


@pytest.fixture
def tree(tmp_path):
    """A copy of the sources to plant faults in."""
    for folder, pattern in (("sharedarray", "*.py"), ("pyx/sharedarray", "*.p[yx][xd]")):
        for path in (ROOT / folder).rglob(pattern):
            copy = tmp_path / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    core = tmp_path / "pyx/sharedarray/core"
    core.mkdir(parents=True, exist_ok=True)
    for path in (ROOT / "pyx/sharedarray/core").glob("*.[ch]"):
        shutil.copy(path, core)
    return tmp_path


def plant(path, text):
    """Add lines to a file, which need not exist."""
    with open(path, "a") as file:
        file.write(f"\n{text}\n")


@pytest.mark.parametrize(
    ("file", "line", "fault"),
    [
        ("pyx/sharedarray/_core.pyx", "from ._storage cimport Storage", "_core imports _storage"),
        (
            "pyx/sharedarray/_core.pxd",
            "from sharedarray._array cimport (\n    Array,\n    wrap)",
            "_core imports _array",
        ),
        (
            "pyx/sharedarray/_storage.pyx",
            "def f():\n    import sharedarray._array",
            "imports _array",
        ),
        ("pyx/sharedarray/_handle.pyx", "cimport sharedarray._array as a", "imports _array"),
        ("pyx/sharedarray/_storage.pyx", 'cdef extern from "core/a.h": pass', "only _core may"),
        ("sharedarray/_devices.py", "from . import _storage", "_devices imports _storage"),
        ("sharedarray/_devices.py", "def f():\n    from . import _array", "imports _array"),
        ("sharedarray/_chapter.py", "import sharedarray as xp", "_chapter imports the package"),
        ("sharedarray/_chapter.py", "from .integrations import dask", "imports integrations"),
        ("sharedarray/__init__.py", "from . import named", "the package imports named"),
        ("sharedarray/_chapter.py", "from . import _other", "a cycle: _chapter -> _other"),
        ("pyx/sharedarray/core/a.h", '#include "b.h"', "a cycle of C includes: a -> b -> a"),
        ("pyx/sharedarray/core/a.h", '#include "../_core.h"', "includes _core.h"),
    ],
)
def test_planted_faults_are_caught(tree, file, line, fault):
    plant(tree / "sharedarray/_other.py", "from ._chapter import zeros")
    plant(tree / "sharedarray/_chapter.py", "from ._version import __version__")
    plant(tree / "sharedarray/named.py", "import sharedarray")
    for name in ("_storage", "_array", "_handle"):
        plant(tree / f"pyx/sharedarray/{name}.pyx", "")
    (tree / "sharedarray/integrations").mkdir(exist_ok=True)
    plant(tree / "sharedarray/integrations/__init__.py", "")
    plant(tree / "sharedarray/integrations/dask.py", "")
    plant(tree / "pyx/sharedarray/core/a.h", "")
    plant(tree / "pyx/sharedarray/core/b.c", '#include "a.h"')
    before = faults(tree)
    plant(tree / file, line)
    after = [sentence for sentence in faults(tree) if sentence not in before]
    assert any(fault in sentence for sentence in after), after


def test_an_allowance_that_is_not_needed_is_a_fault(tree):
    assert any(
        "no such import any more" in sentence
        for sentence in faults(tree, {**UPWARD, ("_errors", "_array"): "none"})
    )
