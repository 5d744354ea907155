"""Imports point one way down the layers: Python imports, Cython cimports and C includes."""

import pathlib
import re

import pytest

from . import imports

ROOT = pathlib.Path(__file__).parent.parent

# Lowest first. A module may import from its own layer and from those before it.
LAYERS = {
    "base": {"_platform", "_version", "_build", "_limits", "_weak"},
    "os, segment, allocator": {
        "_errors",
        "_core",
        "_cuda",
        "_cuda_places",
        "_cuda_pools",
        "_keeper",
        "_ledger",
        "_memory",
        "_notes",
        "_processes",
        "_segments",
    },
    "devices": {"_driver", "_decorate", "_backends", "_device", "_devices"},
    "storage": {
        "_dtype_text",
        "_storage",
        "_cuda_blocks",
        "_cuda_storage",
        "_handle",
        "_cuda_handle",
        "_opening",
    },
    "array": {
        "_array",
        "_attributes",
        "_checks",
        "_copies",
        "_cuda_array",
        "_cuda_call",
        "_cuda_exchange",
        "_cuda_foreign",
        "_cuda_methods",
        "_cuda_record",
        "_cuda_sending",
        "_dlpack",
        "_exchange",
        "_fill",
        "_keys",
        "_lost",
        "_methods",
        "_numbers",
        "_placement",
        "_protocols",
        "_selection",
        "_show",
        "_transport",
        "_views",
    },
    "namespace": {"_arguments", "_dispatch"},  # and every module that is not named here
    "the package": {""},
    "around": {"named", "sync", "integrations", "_cli", "_bench", "__main__"},
}
ORDER = {name: place for place, names in enumerate(LAYERS.values()) for name in names}
NAMESPACE = ORDER["_dispatch"]

# Upward, or sideways in a circle, on purpose: inside functions, each with its reason.
UPWARD = {
    ("_storage", "_handle"): "Storage.handle() makes a Handle, which holds a Storage",
    ("_cuda_blocks", "_cuda_storage"): "a block makes the Storage over it, which holds the block",
    ("_cuda_storage", "_cuda_handle"): "Storage.handle() makes a Handle, which holds a Storage",
}


def layer(name):
    """Return the place of a module's layer; what no layer names is a chapter of the namespace."""
    return ORDER.get(name.split(".")[0], NAMESPACE)


def faults(root, upward=UPWARD):
    """Return a sentence for each import that points the wrong way."""
    found = []
    used = set()
    graph = list(imports.edges(root))
    for edge in graph:
        pair = edge.importer, edge.imported
        if pair in upward:
            used.add(pair)
        elif layer(edge.imported) > layer(edge.importer):
            who, whom = (name or "the package" for name in pair)
            found.append(f"{edge.where}: {who} imports {whom}")
    found += [f"no such import any more: {pair}" for pair in sorted(set(upward) - used)]
    downward = [e for e in graph if (e.importer, e.imported) not in upward]
    for group in imports.cycles(downward):
        found.append("a cycle: " + ", ".join(name or "the package" for name in group))
    for edge, owner in imports.externs(root):
        found.append(f"{edge.where}: {edge.importer} declares {edge.imported}; only {owner} may")
    units = list(imports.includes(root))
    present = {path.stem for path in (root / "pyx/sharedarray/core").glob("*.[ch]")}
    found += [f"{e.where} includes {e.imported}.h" for e in units if e.imported not in present]
    found += [f"a cycle of C includes: {', '.join(group)}" for group in imports.cycles(units)]
    return found


def test_imports_point_down():
    assert faults(ROOT) == []


def test_compiled_modules_have_their_layer():
    compiled = {path.stem for path in (ROOT / "pyx/sharedarray").glob("*.pyx")}
    assert compiled <= set(ORDER)


def test_the_design_page_names_every_module_in_its_table():
    page = (ROOT / "docs/design.md").read_text()
    (table,) = re.findall(r"^\| layer \|.*?\n\n", page, re.M | re.S)
    named = set(re.findall(r"`(?:core/)?(\w+)(?:\.\w+)?`", table))
    modules = {path.stem for path in (ROOT / "pyx/sharedarray").glob("*.pyx")}
    units = {path.stem for path in (ROOT / "pyx/sharedarray/core").glob("*.c")}
    assert (modules | units) - named - {"keeper_main"} == set()  # a program: the page's own section
    written = {path.stem for path in (ROOT / "sharedarray").iterdir()}
    assert {name for name in named if name.startswith("_")} - modules - written == set()


FAULTLESS = {
    "sharedarray/__init__.py": "from . import _chapter",
    "sharedarray/_chapter.py": "from ._version import __version__",
    "sharedarray/_other.py": "from ._chapter import zeros",
    "sharedarray/_version.py": "__version__ = '1'",
    "sharedarray/_devices.py": "",
    "sharedarray/named.py": "import sharedarray",
    "sharedarray/integrations/__init__.py": "",
    "sharedarray/integrations/dask.py": "from .. import named\nfrom sharedarray import zeros",
    "pyx/sharedarray/_core.pyx": 'cdef extern from "core/a.h":\n    int a(int)',
    "pyx/sharedarray/_core.pxd": "",
    "pyx/sharedarray/_storage.pyx": 'cdef extern from "core/a.h":\n    int b(int)',
    "pyx/sharedarray/_handle.pyx": "from ._storage cimport Storage",
    "pyx/sharedarray/_array.pyx": "from sharedarray._storage cimport (\n    Storage,\n)",
    "pyx/sharedarray/core/a.h": "int a(int);\nstatic inline int b(int x) { return x; }",
    "pyx/sharedarray/core/a.c": '#include "a.h"\nint a(int x)\n{\n    return b(x);\n}',
    "pyx/sharedarray/core/b.h": '#include "a.h"',
}


@pytest.fixture
def tree(tmp_path):
    """A small project without faults."""
    for name, text in FAULTLESS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    assert faults(tmp_path, {}) == []
    return tmp_path


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
        (
            "pyx/sharedarray/_storage.pyx",
            'cdef extern from "core/a.h" nogil:\n    enum:\n        A\n\n    int a(int)',
            "_storage declares a of core/a.h; only _core may",
        ),
        ("sharedarray/_devices.py", "from . import _storage", "_devices imports _storage"),
        ("sharedarray/_devices.py", "def f():\n    from . import _array", "imports _array"),
        ("sharedarray/_chapter.py", "import sharedarray as xp", "_chapter imports the package"),
        ("sharedarray/_chapter.py", "from .integrations import dask", "imports integrations"),
        ("sharedarray/__init__.py", "from . import named", "the package imports named"),
        ("sharedarray/_chapter.py", "from . import _other", "a cycle: _chapter, _other"),
        ("pyx/sharedarray/core/a.h", '#include "b.h"', "a cycle of C includes: a, b"),
        ("pyx/sharedarray/core/a.h", '#include "../_core.h"', "includes _core.h"),
    ],
)
def test_planted_faults_are_caught(tree, file, line, fault):
    with open(tree / file, "a") as text:
        text.write(f"{line}\n")
    found = faults(tree, {})
    assert any(fault in sentence for sentence in found), found


def test_an_allowance(tree):
    with open(tree / "pyx/sharedarray/_storage.pyx", "a") as text:
        text.write("def f():\n    from ._handle import Handle\n")
    assert faults(tree, {}) == ["a cycle: _handle, _storage"]
    assert faults(tree, {("_storage", "_handle"): "a reason"}) == []
    assert faults(tree, {("_storage", "_array"): "a reason"}) != []


def test_an_allowance_that_is_not_needed_is_a_fault(tree):
    (fault,) = faults(tree, {("_errors", "_array"): "a reason"})
    assert fault.startswith("no such import any more")
