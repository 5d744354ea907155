"""Every name of CuPy's that our modules, and the checks on a card, use is there."""

import ast
import importlib
import pathlib

import pytest

import sharedarray
from tests import gpu

OURS = sorted(pathlib.Path(sharedarray.__file__).parent.glob("_cuda_*.py"))
CHECKS = sorted(pathlib.Path(gpu.__file__).parent.glob("[!t]*.py"))  # but its tests


def chain(node):
    """Return the names of ``a.b.c``; None where it does not begin with a name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [*names, node.id][::-1] if isinstance(node, ast.Name) else None


def imported(tree):
    """Map each name that is bound to a module or an object of CuPy's to its dotted name."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == "cupy":
                    found[alias.asname or "cupy"] = alias.name if alias.asname else "cupy"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "cupy":
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def missing(source):
    """Return the dotted names of CuPy's in a source that do not exist."""
    tree = ast.parse(source)
    known = imported(tree)
    names = {(*known[first].split("."), *rest) for first, *rest in chains(tree, known)}
    return sorted(".".join(name) for name in names if not exists(name))


def chains(tree, known):
    """Yield the chains of attributes that begin with one of the known names."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name)):
            found = chain(node)
            if found is not None and found[0] in known:
                yield found


def exists(name):
    """Whether a dotted name of CuPy's resolves; what comes behind a class's call is not known."""
    value = importlib.import_module(name[0])
    for part in name[1:]:
        if not hasattr(value, part):
            try:
                value = importlib.import_module(f"{value.__name__}.{part}")
            except (ImportError, AttributeError):
                return False
        else:
            value = getattr(value, part)
    return True


@pytest.mark.parametrize("path", [*OURS, *CHECKS], ids=lambda path: path.name)
def test_every_name_is_there(path):
    assert missing(path.read_text()) == []


def test_a_name_that_is_not_there_is_seen():
    source = "import cupy\nfrom cupy.cuda import runtime as r\ncupy.zeros(1)\nr.no_such_name\n"
    assert missing(source) == ["cupy.cuda.runtime.no_such_name"]
    assert missing("import cupy\ncupy.cuda.nothing.at_all") == [
        "cupy.cuda.nothing",
        "cupy.cuda.nothing.at_all",
    ]
    assert missing("cupy = 1\ncupy.nothing") == []
