"""NumPy's protocols: what ``np.sin(x)``, ``np.mean(x)`` and ``ndarray += x`` do with an Array."""

from cpython.object cimport PyObject
cimport numpy as cnp
from numpy cimport ndarray

from ._array cimport (
    Array,
    below,
    borrow,
    exported,
    extend,
    operand,
    priority_of,
    unwrap,
    wrap,
)
from ._checks cimport guard_of
from ._copies cimport scoped

import sys

import numpy as np

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    bint is_ndarray "PyArray_CheckExact" (PyObject *)

cdef object NDARRAY_UFUNC = np.ndarray.__array_ufunc__
cdef object NDARRAY_FUNCTION = np.ndarray.__array_function__
cdef object MISSING = object()
cdef double PRIORITY = Array.__array_priority__
cdef tuple VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")

cdef enum Kind:
    OURS            # in the scope, results become Arrays
    ALIEN           # a subclass of ndarray that comes first (np.matrix, masked arrays)
    FOREIGN         # it has its own protocol, which is to be asked
    OBJECTS         # arrays of Python objects: outside the scope


cdef Kind kind_of(object x):
    """Say who is to compute with `x` among the operands of a ufunc."""
    cdef object method
    if type(x) is Array:
        return OURS
    if is_ndarray(<PyObject *>x):
        return OBJECTS if x.dtype.hasobject else OURS
    if isinstance(x, ndarray):
        return ALIEN if priority_of(x) > PRIORITY else OURS
    method = getattr(type(x), "__array_ufunc__", MISSING)
    if method is MISSING or isinstance(x, np.generic):
        return OURS
    return FOREIGN


cdef object for_ufunc(object x):
    """Return an operand as NumPy takes it: foreign objects are converted outside the scope."""
    cdef object converted = operand(x)
    return x if converted is NotImplemented else converted


cdef bint names_objects(dict options) except -1:
    """Whether the options of a ufunc ask for a loop over Python objects."""
    cdef object value
    cdef str name
    for name in ("dtype", "signature", "sig"):
        value = options.get(name)
        if isinstance(value, str) and name != "dtype":
            if "O" in value:
                return True
            continue
        for item in value if isinstance(value, tuple) else (value,):
            if item is not None and np.dtype(item).hasobject:
                return True
    return False


def __array_ufunc__(Array self, ufunc, method, *inputs, **kwargs):
    """Compute a NumPy ufunc (``np.sin(x)``, ``ndarray += x``, ``np.add.reduce(x)``) on Arrays.

    Parameters
    ----------
    ufunc : numpy.ufunc
        The function.
    method : str
        ``"__call__"``, ``"reduce"``, ``"accumulate"``, ``"reduceat"``, ``"outer"`` or ``"at"``.
    *inputs : object
        Its operands.
    **kwargs : object
        Its options; what is passed as ``out`` is what comes back.

    Returns
    -------
    Array or NotImplemented
        NotImplemented where another operand has a protocol of its own.

    Raises
    ------
    TypeError
        If the result would hold Python objects.

    Examples
    --------
    >>> import numpy as np
    >>> import sharedarray as xp
    >>> np.sqrt(xp.asarray([4.0, 9.0]))
    Array([2., 3.], dtype=float64, device='cpu', shared)
    """
    cdef object given = kwargs.get("out", ())
    cdef tuple outs = given if type(given) is tuple else (given,)   # numba's ufuncs pass it bare
    cdef Kind kind, worst = OURS
    cdef object x, r
    for x in inputs + outs:
        kind = kind_of(x)
        if kind == FOREIGN:
            return NotImplemented
        if kind > worst:
            worst = kind
    if ufunc.ntypes == 1 and ufunc.types[0].startswith("O"):
        worst = OBJECTS         # np.frompyfunc: it calls back
    elif kwargs and names_objects(kwargs):
        worst = OBJECTS
    kwargs = {name: unwrap(value) for name, value in kwargs.items()}
    if outs:
        kwargs["out"] = tuple([unwrap(x) for x in outs])
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    if outs or method == "at":
        check(function, inputs, kwargs)
    if worst == ALIEN:
        return function(*[exported(x) if type(x) is Array else x for x in inputs], **kwargs)
    if worst == OBJECTS:
        r = function(*[unwrap(x) for x in inputs], **kwargs)
    else:
        r = scoped(function, tuple([for_ufunc(x) for x in inputs]), kwargs)
    if not outs:
        return wrap(r, inputs)
    if type(r) is not tuple:
        return wrap(r, inputs) if outs[0] is None else outs[0]
    return tuple([wrap(item, inputs) if out is None else out for item, out in zip(r, outs)])


cdef int check(object function, tuple args, dict kwargs) except -1:
    """Raise what NumPy's function would raise after it has written something."""
    cdef object guard = guard_of(function)
    if guard is not None:
        guard(function, [unwrap(x) for x in args], kwargs)
    return 0


cdef object lent(object x):
    """Return an ndarray as an Array over its memory: what a callback writes is to arrive."""
    return borrow(x) if is_ndarray(<PyObject *>x) else x


cdef class Arguments:
    """Takes the Arrays out of nested arguments, and finds the objects that were passed again."""

    cdef dict passed        # id of the ndarray that NumPy gets -> what the caller passed
    cdef list arrays        # Arrays among the arguments
    cdef list kept          # ndarrays that must live as long as their ids are used
    cdef bint alien         # hand out exports, which may be kept
    cdef bint calls         # callables among the arguments
    cdef bint objects       # arrays of Python objects, or lists of None, among the arguments

    def __cinit__(self, bint alien):
        self.passed, self.arrays, self.kept, self.alien = {}, [], [], alien

    cdef object plain(self, object x):
        cdef object r
        if type(x) is Array:
            r = exported(x) if self.alien else below(x)
            self.passed[id(r)] = x
            self.arrays.append(x)
            self.kept.append(r)
            return r
        if type(x) is list:
            self.look_for_none(x)
            return [self.plain(item) for item in x]
        if type(x) is tuple:
            return tuple([self.plain(item) for item in x])
        if type(x) is dict:
            return {name: self.plain(item) for name, item in x.items()}
        if isinstance(x, ndarray):
            self.passed[id(x)] = x
            self.objects |= x.dtype.hasobject
            return x
        if x is None or isinstance(x, (int, float, complex, str, bytes, slice, np.generic, np.dtype,
                                       type, np.ufunc)):
            return x
        if hasattr(type(x), "__array__") or hasattr(type(x), "__array_interface__"):
            r = np.asarray(x)
            self.objects |= r.dtype.hasobject
            return r
        if callable(x):
            self.calls = True
            return self.callback(x)
        return x

    cdef int look_for_none(self, object items) except -1:
        """Note whether NumPy makes an array of objects of one of these."""
        for item in items:
            self.objects |= item is None
        return 0

    cdef object callback(self, object function):
        """Return `function` for NumPy to call: it gets Arrays, and NumPy gets ndarrays back."""
        def call(*args, **kwargs):
            r = function(*[lent(x) for x in args], **{k: lent(x) for k, x in kwargs.items()})
            return Arguments(True).plain(r)
        return call

    cdef object result(self, object r):
        """Return the result: what was passed is given back, all else becomes an Array.

        Where an array or list of Python objects was passed, results that hold objects stay NumPy's.
        """
        if isinstance(r, ndarray):
            found = self.passed.get(id(r), MISSING)
            if found is not MISSING:
                return found
            if self.objects and r.dtype.hasobject:
                return r
            return wrap(r, self.arrays)
        if type(r) is list:
            return [self.result(item) for item in r]
        if isinstance(r, tuple):
            items = [self.result(item) for item in r]
            return type(r)._make(items) if hasattr(r, "_fields") else tuple(items)
        return wrap(r, self.arrays)


def __array_function__(Array self, func, types, args, kwargs):
    """Call a function of NumPy (``np.mean(x)``, ``np.concatenate([x, y])``) on Arrays.

    Parameters
    ----------
    func : callable
        The function.
    types : collection of types
        The types among its arguments that have this protocol.
    args : tuple
        Its arguments.
    kwargs : dict
        Its options; what is passed as ``out`` is what comes back.

    Returns
    -------
    object
        What NumPy returns, with Arrays for its arrays and scalars; but ndarrays that hold Python
        objects stay what they are where an argument was one, or None was.

    Raises
    ------
    TypeError
        If the result would hold Python objects and no argument does.

    Examples
    --------
    >>> import numpy as np
    >>> import sharedarray as xp
    >>> np.mean(xp.asarray([1.0, 3.0]))
    Array(2., dtype=float64, device='cpu', shared)
    """
    cdef Arguments arguments
    cdef object t
    cdef bint alien = False
    for t in types:
        if t is Array or t is ndarray:
            continue
        if not (issubclass(t, ndarray) and t.__array_function__ is NDARRAY_FUNCTION):
            return NotImplemented
        alien |= getattr(t, "__array_priority__", 0.0) > PRIORITY
    arguments = Arguments(alien)
    if func is np.broadcast_arrays:     # None is data to it, no default
        arguments.look_for_none(args)
    args = arguments.plain(args)
    kwargs = arguments.plain(kwargs)
    check(func, args, kwargs)
    if alien:
        return func(*args, **kwargs)
    if arguments.calls or arguments.objects:    # user code: not in the scope
        return arguments.result(func(*args, **kwargs))
    return arguments.result(scoped(func, args, kwargs))


def __array_namespace__(Array self, *, api_version=None):
    """Return the array API namespace of this array, ``sharedarray``.

    Parameters
    ----------
    api_version : str, optional
        The version of the standard the caller was written for.

    Returns
    -------
    module
        The namespace.

    Raises
    ------
    ValueError
        For a version that does not exist or is newer than 2025.12.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray(1).__array_namespace__() is xp
    True
    """
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"array API version {api_version!r} is not supported; these are: "
                         f"{', '.join(VERSIONS)}")
    return sys.modules["sharedarray"]


def __array__(Array self, dtype=None, copy=None):
    """Return an ndarray, over the same memory where nothing asks for a copy.

    Parameters
    ----------
    dtype : dtype, optional
        Data type; another one than the array's means a copy.
    copy : bool, optional
        True: always copy; False: never; default: where `dtype` asks for it.

    Returns
    -------
    numpy.ndarray
        The view, or the copy (in NumPy's own memory).

    Raises
    ------
    ValueError
        If `copy` is False and a copy is needed.

    Examples
    --------
    >>> import numpy as np
    >>> import sharedarray as xp
    >>> x = xp.zeros(2)
    >>> np.asarray(x)[0] = 5
    >>> x
    Array([5., 0.], dtype=float64, device='cpu', shared)
    """
    cdef ndarray view = exported(self)
    if dtype is None and not copy:
        return view
    return np.array(view, dtype=dtype, copy=copy)


extend({
    "__array_ufunc__": __array_ufunc__,
    "__array_function__": __array_function__,
    "__array_namespace__": __array_namespace__,
    "__array__": __array__,
})
