"""Writes the pages of the API reference from ``sharedarray.__all__``.

A name belongs to the chapter of the module that ``sharedarray/__init__.py`` imports it from.
"""

import ast
import importlib
import inspect
import pathlib

import numpy

import sharedarray

CHAPTERS = {
    "Arrays, storage and handles": "_array _storage _handle _transport _sharing _errors",
    "Memory": "_core",
    "Devices": "_device _devices",
    "Creation and conversion": "_creation _conversion",
    "Data types": "_data_types",
    "Elementwise functions": "_elementwise _parts",
    "Manipulation": "_manipulation",
    "Indexing and searching": "_indexing _searching",
    "Sorting and sets": "_sorting _sets",
    "Statistics and utilities": "_statistical _utility",
    "Linear algebra": "_linear_algebra",
    "Inspection and constants": "_info _constants",
}
MODULES = {
    "linalg": "Linear algebra: ``linalg``",
    "fft": "Fourier transforms: ``fft``",
    "random": "Random numbers: ``random``",
    "cuda": "CUDA: ``cuda``",
    "named": "Named and file arrays: ``named``",
    "sync": "Synchronisation: ``sync``",
}
OTHER = "Beyond the standard"


def origins():
    """Map each public name to the module that the package imports it from."""
    tree = ast.parse(pathlib.Path(sharedarray.__file__).read_text())
    return {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
        for alias in node.names
    }


def chapter_of(name, origin):
    """Return the title of the chapter in which a name stands."""
    value = getattr(sharedarray, name)
    if is_dtype(value):
        return "Data types"
    for title, modules in CHAPTERS.items():
        if origin.get(name) in modules.split():
            return title
    return OTHER if documented(value, name, sharedarray) else "Inspection and constants"


def is_dtype(value):
    """Whether a value is one of NumPy's scalar classes."""
    return inspect.isclass(value) and issubclass(value, numpy.generic)


def documented(value, name, owner):
    """Whether a value has a page of its own: a function or class that is no second name."""
    if is_dtype(value) or not (inspect.isclass(value) or callable(value)):
        return False
    own = getattr(value, "__name__", name)
    return own == name or getattr(owner, own, None) is not value


def chapters():
    """Yield ``(title, owner, names)`` for every page."""
    origin = origins()
    names = [n for n in sharedarray.__all__ if not inspect.ismodule(getattr(sharedarray, n))]
    for title in (*CHAPTERS, OTHER):
        here = [name for name in names if chapter_of(name, origin) == title]
        if here:
            yield title, sharedarray, here
    for name, title in MODULES.items():
        if name in sharedarray.__all__:
            module = importlib.import_module(f"sharedarray.{name}")
            yield title, module, list(module.__all__)


def page(title, owner, names):
    """Return the text of one page."""
    objects = [n for n in names if documented(getattr(owner, n), n, owner)]
    values = [n for n in names if n not in objects]
    lines = [title, "=" * len(title), "", f".. currentmodule:: {owner.__name__}", ""]
    if objects:
        lines += [".. autosummary::", "   :toctree: ../objects", "", *(f"   {n}" for n in objects)]
    if values:
        lines += ["", "Values and second names: " + ", ".join(f"``{n}``" for n in values) + "."]
    return "\n".join(lines) + "\n"


def write(folder):
    """Write the pages into `folder`, touching only what changed; remove those of names gone."""
    wanted = {}
    objects = set()
    for number, (title, owner, names) in enumerate(chapters(), 1):
        wanted[f"{number:02}.rst"] = page(title, owner, names)
        objects |= {f"{owner.__name__}.{name}.rst" for name in names}
    for part, keep in (("chapters", wanted), ("objects", objects)):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for path in (folder / part).glob("*.rst"):
            if path.name not in keep:
                path.unlink()
    for name, text in wanted.items():
        path = folder / "chapters" / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return [f"generated/chapters/{name}" for name in wanted]
