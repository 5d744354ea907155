"""Writes the pages of the API reference from ``sharedarray.__all__``.

A chapter is a module with an ``__all__``; its title is the first line of the module's docstring.
Public names that no chapter lists are sorted by what they are.
"""

import importlib
import inspect
import pkgutil

import numpy

import sharedarray

MODULES = {"linalg", "fft", "random", "cuda", "named", "sync"}


def chapters():
    """Yield ``(page, title, module name, names)`` for every chapter of the reference."""
    left = set(sharedarray.__all__)
    for info in pkgutil.iter_modules(sharedarray.__path__):
        is_submodule = info.name in MODULES
        if info.ispkg or not (is_submodule or info.name.startswith("_")) or info.name == "__main__":
            continue
        module = importlib.import_module(f"sharedarray.{info.name}")
        names = [n for n in getattr(module, "__all__", ()) if is_submodule or n in left]
        if names:
            title = inspect.getdoc(module).splitlines()[0].rstrip(".").replace("``", "")
            yield info.name.strip("_"), title, module.__name__ if is_submodule else None, names
        left -= {info.name} if is_submodule else set(names)
    yield "other", "Arrays, memory and devices", None, sorted(left)


def documented(owner, name):
    """Whether `name` is a function or class with a docstring of its own, not a value or a dtype."""
    value = getattr(owner, name)
    if inspect.ismodule(value) or (inspect.isclass(value) and issubclass(value, numpy.generic)):
        return False
    return inspect.isclass(value) or callable(value)


def page(title, module, names):
    """Return the text of one page."""
    owner = importlib.import_module(module or "sharedarray")
    lines = [title, "=" * len(title), "", f".. currentmodule:: {owner.__name__}", ""]
    objects = [n for n in names if documented(owner, n)]
    values = [n for n in names if n not in objects and not inspect.ismodule(getattr(owner, n))]
    if objects:
        lines += [".. autosummary::", "   :toctree: ../objects", "", *(f"   {n}" for n in objects)]
    if values:
        lines += ["", "Values and dtypes: " + ", ".join(f"``{n}``" for n in values) + "."]
    return "\n".join(lines) + "\n"


def write(folder):
    """Write the pages, touching only those that changed, and remove those of chapters gone."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {f"{name}.rst": page(title, *rest) for name, title, *rest in chapters()}
    for path in folder.glob("*.rst"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
