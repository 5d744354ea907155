"""The checks: each a function that reports rows, with a title and a time-out."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

from .table import Row

Report = Callable[[Row], None]

# In this order: what must hold first, so that it is there if time runs out.
MODULES = (
    "checks_survival",
    "checks_ordering",
    "checks_leaks",
    "checks_copies",
    "checks_arithmetic",
    "checks_latency",
    "checks_streams",
    "checks_interop",
    "checks_others",
)


@dataclass(frozen=True)
class Check:
    """
    One check.

    Attributes
    ----------
    name : str
        ``module.function``.
    title : str
        What stands above its rows.
    timeout : float
        Seconds until it is stopped.
    needs : tuple of str
        What must be importable, ``"cupy"`` meaning a card too: the double computes nothing.
    run : callable
        Takes the function that reports a row.
    """

    name: str
    title: str
    timeout: float
    needs: tuple[str, ...]
    run: Callable[[Report], None]


_found: dict[str, Check] = {}


def check(title: str, *, timeout: float = 60.0, needs: tuple[str, ...] = ()):
    """Declare a function to be a check."""

    def declare(function):
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        _found[name] = Check(name, title, timeout, needs, function)
        return function

    return declare


def all_checks() -> dict[str, Check]:
    """Every check by name, in the order in which they run."""
    for module in MODULES:
        importlib.import_module(f"{__package__}.{module}")
    return dict(_found)


def modules_there() -> set[str]:
    """Names of the modules of this folder that hold checks."""
    folder = importlib.import_module(__package__).__path__
    return {m.name for m in pkgutil.iter_modules(folder) if m.name.startswith("checks_")}
