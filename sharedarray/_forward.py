"""What NumPy has beyond the standard, by name: the same functions, with Arrays.

A module of the namespace takes ``__getattr__`` and ``__dir__`` of :func:`forwarder`; functions of
NumPy become :class:`Function` objects when they are first asked for.
"""

import importlib
import sys
import types
from collections.abc import Mapping

import numpy as np

from ._arguments import Callback
from ._conversion import asarray
from ._core import memory
from ._dispatch import Function, call, call_closed, device_in_force

#: Names that are not about arrays: NumPy's own objects.
KEPT = frozenset(
    {
        "printoptions",
        "geterr",
        "seterr",
        "getbufsize",
        "setbufsize",
        "get_printoptions",
        "set_printoptions",
        "get_include",
        "show_config",
        "show_runtime",
        "info",
        "issubdtype",
        "typename",
        "test",
        "iterable",
    }
)
#: What NumPy imports when some of its functions are first called; here before, as the code of a
#: module must not run inside the allocation scope.
LATE = ("encodings.cp437", "gzip", "mmap", "numpy.ma")
#: Helpers whose indexing makes arrays.
HELPERS = frozenset({"r_", "c_", "mgrid", "ogrid"})
#: Modules of NumPy that this library has as modules of its own.
MODULES = frozenset(
    f"sharedarray.{name}"
    for name in (
        "char",
        "ctypeslib",
        "emath",
        "lib",
        "lib.recfunctions",
        "lib.stride_tricks",
        "polynomial",
        "strings",
        "testing",
    )
)


def forwarder(numpy_module, name, own=()):
    """Make the ``__getattr__`` and ``__dir__`` of a module that has what NumPy's module has.

    Parameters
    ----------
    numpy_module : module
        NumPy's module.
    name : str
        Name of the module of this library.
    own : sequence of str, optional
        Names that the module defines itself.

    Returns
    -------
    getattr, dir : function
        The two functions.
    """
    cache = {}

    def __getattr__(attribute):
        try:
            return cache[attribute]
        except KeyError:
            pass
        if attribute.startswith("_") or not hasattr(numpy_module, attribute):
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        value = getattr(numpy_module, attribute)
        if isinstance(value, np.ndarray):
            return asarray(value)
        # One object for all threads: it pickles by its name, which must lead to itself.
        return cache.setdefault(attribute, forward(value, attribute, name))

    def __dir__():
        public = {n for n in dir(numpy_module) if not n.startswith("_")}
        return sorted(public | set(own))

    return __getattr__, __dir__


def forward(value, attribute, module):
    """Give an object of NumPy the form it has in this library.

    Parameters
    ----------
    value : object
        NumPy's object.
    attribute : str
        Its name.
    module : str
        Name of the module of this library that has it.

    Returns
    -------
    out : object
        A :class:`Function`, a module, or the object itself where it is not about arrays.
    """
    if attribute in OWN:
        return OWN[attribute]
    if isinstance(value, types.ModuleType):
        name = f"{module}.{attribute}"
        if name in MODULES:
            with memory("private"):
                return importlib.import_module(name)
        return value
    if attribute in KEPT or isinstance(value, type):
        return value
    if attribute in HELPERS:
        return IndexHelper(value, attribute)
    if callable(value):
        with memory("private"):
            for late in LATE:
                importlib.import_module(late)
        return Function(value, attribute, module=module)
    return value


class Submodule(types.ModuleType):
    """A module of NumPy below a forwarded one, its functions forwarded as well."""

    def __init__(self, numpy_module, name):
        super().__init__(name, numpy_module.__doc__)
        self.__getattr__, self.__dir__ = forwarder(numpy_module, name)


def submodules(numpy_module, name):
    """Make the modules below a forwarded one, so that they can be imported by name.

    Parameters
    ----------
    numpy_module : module
        NumPy's module.
    name : str
        Name of the module of this library.

    Returns
    -------
    out : dict of str to module
        What has no file of its own.
    """
    found = {}
    for attribute, value in vars(numpy_module).items():
        below = f"{name}.{attribute}"
        if (
            isinstance(value, types.ModuleType)
            and value.__name__ == f"{numpy_module.__name__}.{attribute}"
            and not attribute.startswith("_")
            and below not in MODULES
        ):
            found[attribute] = sys.modules[below] = Submodule(value, below)
    return found


class IndexHelper:
    """An object of NumPy that makes arrays when it is indexed, such as ``mgrid``.

    Parameters
    ----------
    helper : object
        NumPy's object.
    name : str
        Its name.
    """

    def __init__(self, helper, name):
        self._helper = helper
        self._name = name
        self.__doc__ = helper.__doc__

    def __getitem__(self, key):
        device = device_in_force()
        if device is not None:
            from ._cuda_dispatch import follow

            result = follow(self.__getitem__, device, [key], {})
            if result is not NotImplemented:
                return result
        return call(self._helper.__getitem__, key)

    def __len__(self):
        return 0

    def __reduce__(self):
        return self._name

    def __repr__(self):
        return f"<sharedarray.{self._name}>"


class vectorize(np.vectorize):
    """A function of scalars as a function of arrays, called once for each element.

    Parameters
    ----------
    pyfunc : callable
        Gets NumPy scalars; with a `signature`, Arrays.
    otypes : str or list of dtype, optional
        Data types of the results.
    doc : str, optional
        The docstring.
    excluded : set, optional
        Arguments, by place or name, that are handed on as they are.
    cache : bool, optional
        Keep the result of the first call, which tells the type.
    signature : str, optional
        Core dimensions, such as ``(m,n),(n)->(m)``.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.vectorize(lambda a, b: a if a > b else b)(xp.asarray([1, 5]), 3))
    [3 5]
    """

    def __init__(
        self, pyfunc=np._NoValue, otypes=None, doc=None, excluded=None, cache=False, signature=None
    ):
        if callable(pyfunc) and pyfunc is not np._NoValue:
            pyfunc = Callback(pyfunc)
        super().__init__(pyfunc, otypes, doc, excluded, cache, signature)

    def __call__(self, *args, **kwargs):
        """Call the function for each element of the broadcast arguments."""
        if self.pyfunc is np._NoValue:
            return super().__call__(Callback(args[0]), *args[1:], **kwargs)
        return call_closed(super().__call__, *args, **kwargs)


class Archive(Mapping):
    """The arrays of an ``.npz`` file, read when asked for.

    Parameters
    ----------
    archive : numpy.lib.npyio.NpzFile
        NumPy's open file.
    """

    def __init__(self, archive):
        self._archive = archive
        self.files = archive.files

    def __getitem__(self, key):
        return call(self._archive.__getitem__, key)

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Close the file."""
        self._archive.close()

    def __repr__(self):
        return f"Archive({', '.join(self.files)})"


def load(
    file,
    mmap_mode=None,
    allow_pickle=False,
    fix_imports=True,
    encoding="ASCII",
    *,
    max_header_size=10000,
):
    """Load an array, or an archive of arrays, from a file that NumPy wrote.

    Parameters
    ----------
    file : path or file
        A ``.npy`` or ``.npz`` file.
    mmap_mode : {None, 'r+', 'r', 'w+', 'c'}, optional
        Map the file in place of reading it; the Array borrows the mapping.
    allow_pickle, fix_imports, encoding, max_header_size : optional
        As in NumPy.

    Returns
    -------
    out : Array or Archive
        The array, in shared memory unless the file is mapped.

    Raises
    ------
    TypeError
        If the elements are Python objects.

    Examples
    --------
    >>> import io
    >>> import sharedarray as xp
    >>> file = io.BytesIO()
    >>> xp.save(file, xp.asarray([1, 2]))
    >>> _ = file.seek(0)
    >>> print(xp.load(file))
    [1 2]
    """
    result = call(
        np.load,
        file,
        mmap_mode,
        allow_pickle,
        fix_imports,
        encoding,
        max_header_size=max_header_size,
    )
    return Archive(result) if isinstance(result, np.lib.npyio.NpzFile) else result


#: What this module has in place of NumPy's.
OWN = {"load": load, "vectorize": vectorize}
for _value in OWN.values():
    _value.__module__ = "sharedarray"
