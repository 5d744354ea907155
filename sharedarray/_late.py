"""Modules of the namespace that are imported when they are first asked for, as NumPy's are."""

import importlib
import sys

from ._core import memory
from ._dispatch import Function


def later(package, names, otherwise):
    """Make the ``__getattr__`` of a package some of whose modules are imported late.

    Parameters
    ----------
    package : str
        Name of the package.
    names : sequence of str
        Names of these modules.
    otherwise : callable
        The ``__getattr__`` for all other names.

    Returns
    -------
    getattr : function
        The function; what an import allocates is private memory, wherever it happens. Functions
        that it finds are members of the package from then on, which takes less time.
    """

    def __getattr__(name):
        if name not in names:
            found = otherwise(name)
            if isinstance(found, Function):
                setattr(sys.modules[package], name, found)
            return found
        with memory("private"):
            return importlib.import_module(f"{package}.{name}")

    return __getattr__
