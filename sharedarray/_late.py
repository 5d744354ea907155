"""Modules of the namespace that are imported when they are first asked for, as NumPy's are."""

import importlib

from ._core import memory


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
        The function; what an import allocates is private memory, wherever it happens.
    """

    def __getattr__(name):
        if name not in names:
            return otherwise(name)
        with memory("private"):
            return importlib.import_module(f"{package}.{name}")

    return __getattr__
