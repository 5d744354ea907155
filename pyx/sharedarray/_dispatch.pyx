"""One class for every function of the namespace: unwrap, call NumPy, wrap.

A :class:`Function` hands its arguments to a NumPy callable, or to a Python function over NumPy
arrays, with every Array replaced by the ndarray below it, while NumPy's allocations of this thread
go to shared memory; results come back as Arrays.  The allocation scope is open for that call alone,
and never while code of the user can run: objects that NumPy would have to call back are converted
before, and callables are called with the scope closed.
"""

cimport cython
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
cimport numpy as cnp
from numpy cimport ndarray

from ._arguments cimport Arguments, flat, is_plain, is_plain_tuple
from ._array cimport Array, elsewhere, made, unwrap
from ._array cimport borrow as borrowed
from ._checks cimport free_of, guard_of
from ._copies cimport failed
from ._core cimport contains, enter, leave, suspend
from ._storage cimport in_shared

import functools
import inspect

import numpy as np

from ._devices import default, resolve
from ._errors import memory_error

cnp.import_array()

cdef extern from *:
    """
    static PyObject *sharedarray_raised(void) { return NULL; }
    static void sharedarray_vectorcall_type(PyTypeObject *type, Py_ssize_t offset) {
        type->tp_vectorcall_offset = offset;
        type->tp_call = PyVectorcall_Call;
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
        PyType_Modified(type);
    }
    """
    object raised "sharedarray_raised" ()
    void sharedarray_vectorcall_type(PyTypeObject *type, Py_ssize_t offset)

cdef extern from "Python.h":
    PyTypeObject *Py_TYPE(PyObject *) noexcept
    size_t PY_VECTORCALL_ARGUMENTS_OFFSET
    Py_ssize_t PyVectorcall_NARGS(size_t) noexcept
    PyObject *called "PyObject_Vectorcall" (PyObject *, PyObject *const *, size_t, PyObject *)
    bint PyType_IsSubtype(PyTypeObject *, PyTypeObject *) noexcept

cdef extern from "numpy/arrayobject.h":
    PyObject *PyArray_FromScalar(PyObject *, PyObject *)
    PyTypeObject PyArray_Type, PyGenericArrType_Type

WRITTEN = 2     # the whole result will be written

cdef enum:
    SLOTS = 12          # arguments of one call that need no tuple
    NOWHERE = 1000      # no place among positional arguments: by name only
    NOT_TAKEN = 1001

# NumPy 2.3 and newer: `out=...` asks for an array where a scalar would be returned.
cdef bint asks_for_arrays = np.lib.NumpyVersion(np.__version__) >= "2.3.0"
cdef tuple out_name = ("out",)

cdef PyTypeObject *array_type = <PyTypeObject *>Array

# NumPy's functions, beyond the standard's, that make arrays where the device in force says.
cdef frozenset CREATORS = frozenset({
    "bartlett", "blackman", "diag_indices", "fromfunction", "fromiter", "fromstring", "geomspace",
    "hamming", "hanning", "identity", "indices", "kaiser", "logspace", "tri", "tril_indices",
    "triu_indices",
})


cdef inline object stolen(PyObject *value):
    """Take over a new reference; NULL raises."""
    cdef object result
    if value == NULL:
        raised()
    result = <object>value
    Py_DECREF(result)
    return result


cdef bint is_output(Function function, Py_ssize_t index, Py_ssize_t count, PyObject *kwnames):
    """Whether the argument at this place is one that the function writes its result to."""
    if index >= count:
        return <object>PyTuple_GET_ITEM(<object>kwnames, index - count) == "out"
    return index in function._outputs()


cdef Array from_scalar(object value):
    """A scalar of NumPy as a 0-d Array."""
    cdef int token = enter(0)
    cdef PyObject *array = PyArray_FromScalar(<PyObject *>value, NULL)
    leave(token)
    if array == NULL:
        failed()
    return made(stolen(array), None)


cdef object answer(Function function, object value, PyObject *const *args, PyObject **plain,
                   Py_ssize_t count, PyObject *kwnames, Py_ssize_t total):
    """The result of a direct call: an argument that came back, or new Arrays."""
    cdef Py_ssize_t i
    cdef Arguments arguments
    if type(value) is ndarray:
        for i in range(total):
            if plain[i] == <PyObject *>value:
                if args[i] != plain[i] or is_output(function, i, count, kwnames):
                    return <object>args[i]
        if contains(cnp.PyArray_DATA(<ndarray>value)):
            return made(value, None)
    elif PyType_IsSubtype(Py_TYPE(<PyObject *>value), &PyGenericArrType_Type):
        return from_scalar(value)
    elif is_plain(<PyObject *>value):
        return value
    arguments = Arguments.__new__(Arguments)
    for i in range(total):
        if args[i] != plain[i]:
            arguments.note(<object>plain[i], <object>args[i])
    return arguments.result(value)


cdef inline object below(PyObject *value, Py_ssize_t *ndim):
    """An Array or a plain scalar in NumPy's terms, and the dimensions so far; None for others."""
    cdef object a
    if Py_TYPE(value) == array_type:
        a = (<Array>value)._a
        if a is not None:
            ndim[0] = max(ndim[0], cnp.PyArray_NDIM(<ndarray>a))
        return a
    return <object>value if Py_TYPE(value) != &PyArray_Type and is_plain(value) else None


cdef object direct(Function function, PyObject *const *args, Py_ssize_t count):
    """Call a ufunc of one or two inputs, the shortest way; None if it is not that simple."""
    cdef PyObject *plain[3]
    cdef PyObject *value
    cdef Py_ssize_t ndim = 0
    cdef object a, b
    cdef int token
    a = below(args[0], &ndim)
    plain[1] = <PyObject *>a
    if a is None:
        return None
    if count == 2:
        b = below(args[1], &ndim)
        plain[2] = <PyObject *>b
        if b is None:
            return None
    if ndim == 0 or ndim <= function._core:
        return None
    token = enter(function._flags)
    value = called(<PyObject *>function._target, plain + 1,
                   count | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
    leave(token)
    if value == NULL:
        failed()
    if Py_TYPE(value) != &PyArray_Type:     # a product of vectors, before NumPy 2.3
        return from_scalar(stolen(value))
    return made(stolen(value), None)


cdef bint may_write(Function function, Py_ssize_t count, PyObject *kwnames) except -1:
    """Whether a call of a guarded function writes to one of its arguments."""
    if count > function._free:
        return True
    return kwnames != NULL and (function._free == 0 or "out" in <tuple>kwnames)


cdef object vectorcall(object self, PyObject *const *args, size_t nargsf, PyObject *kwnames):
    """Call a ufunc with its inputs alone the shortest way; all other calls go on."""
    cdef Function function = <Function>self
    cdef Py_ssize_t count = PyVectorcall_NARGS(nargsf)
    cdef object array
    if count == function._inputs and kwnames == NULL and not elsewhere:
        array = direct(function, args, count)
        if array is not None:
            return array
    return containerless(function, args, count, kwnames)


cdef object containerless(Function function, PyObject *const *args, Py_ssize_t count,
                          PyObject *kwnames):
    """Call with arguments that need no container; all others go to :func:`general`."""
    cdef Py_ssize_t total = count, i, ready = 0
    cdef PyObject *slots[SLOTS + 2]
    cdef PyObject **plain = slots + 1
    cdef PyObject *value
    cdef object array
    cdef PyObject *target = <PyObject *>function._direct
    cdef Py_ssize_t ndim = 0
    cdef int token
    if function._creates and (elsewhere or kwnames != NULL or count > function._device):
        array = created(function, args, count, kwnames)
        if array is not None:
            return array
    elif elsewhere and not function._creates:
        array = followed(function, args, count, kwnames)
        if array is not NotImplemented:
            return array
    if elsewhere and count == function._inputs and kwnames == NULL:
        array = direct(function, args, count)
        if array is not None:
            return array
    if kwnames != NULL:
        total += PyTuple_GET_SIZE(<object>kwnames)
        if function._required < 0:
            function._needed()
        if count < function._required or function._alias is not None:
            total = SLOTS + 1
    if total > SLOTS or function._guard is not None and may_write(function, count, kwnames):
        return general(function, args, count, kwnames)
    try:
        for i in range(total):
            value = args[i]
            if Py_TYPE(value) == array_type:
                array = (<Array>value)._a
                if array is None:
                    unwrap(<object>value)
                Py_INCREF(array)
                plain[i] = <PyObject *>array
                ndim = max(ndim, cnp.PyArray_NDIM(<ndarray>array))
            elif ((i >= function._arrays or Py_TYPE(value) == &PyArray_Type)
                    and (is_plain(value) or is_plain_tuple(value))):
                plain[i] = value
                if Py_TYPE(value) == &PyArray_Type:
                    ndim = max(ndim, cnp.PyArray_NDIM(<ndarray>value))
            elif i < count and i >= function._arrays:
                array = flat(value)
                if array is None:
                    break
                Py_INCREF(array)
                plain[i] = <PyObject *>array
                ndim = SLOTS
            else:
                break
            ready = i + 1
        if ready == total:
            if kwnames == NULL:
                if ndim <= function._core and count <= function._most:
                    plain[count] = <PyObject *>Ellipsis
                    kwnames = <PyObject *>out_name
                elif function._brief is not None and count <= function._most:
                    target = <PyObject *>function._brief
            token = enter(function._flags)
            value = called(target, plain, count | PY_VECTORCALL_ARGUMENTS_OFFSET, kwnames)
            leave(token)
            if value == NULL:
                failed()
            return answer(function, stolen(value), args, plain, count, kwnames, total)
    finally:
        for i in range(ready):
            if plain[i] != args[i]:
                Py_DECREF(<object>plain[i])
    return general(function, args, count, kwnames)


cdef object created(Function function, PyObject *const *args, Py_ssize_t count,
                    PyObject *kwnames):
    """Call a function that makes arrays on the device asked for or in force; None: on the CPU."""
    cdef object device = None
    cdef Py_ssize_t i, total = count
    if kwnames != NULL:
        total += PyTuple_GET_SIZE(<object>kwnames)
        for i in range(count, total):
            if <object>PyTuple_GET_ITEM(<object>kwnames, i - count) == "device":
                device = <object>args[i]
    if count > function._device:
        device = <object>args[function._device]
    if device is None:
        if not elsewhere:
            return None
        device = default()
        for i in range(total):
            if isinstance(<object>args[i], Array):
                return None             # what comes from arrays is where they are
    else:
        device = resolve(device)
    if device.index is None:
        return None
    from ._cuda_dispatch import create
    return create(function, device, *listed(args, count, kwnames))


cdef object followed(Function function, PyObject *const *args, Py_ssize_t count,
                     PyObject *kwnames):
    """Call with no Array among the arguments where a device is in force; else NotImplemented."""
    cdef object device = default()
    if device.index is None:
        return NotImplemented
    from ._cuda_dispatch import follow
    return follow(function, device, *listed(args, count, kwnames))


cdef tuple listed(PyObject *const *args, Py_ssize_t count, PyObject *kwnames):
    """The arguments of a call as a list and a dict."""
    cdef list positional = [<object>args[i] for i in range(count)]
    cdef dict keywords = {}
    cdef Py_ssize_t i
    if kwnames != NULL:
        for i in range(PyTuple_GET_SIZE(<object>kwnames)):
            keywords[<object>PyTuple_GET_ITEM(<object>kwnames, i)] = <object>args[count + i]
    return positional, keywords


cdef object general(Function function, PyObject *const *args, Py_ssize_t count, PyObject *kwnames):
    """Call with arguments of any kind."""
    cdef list positional
    cdef dict keywords
    positional, keywords = listed(args, count, kwnames)
    if elsewhere and found_elsewhere((positional, keywords)) is not None:
        from ._cuda_dispatch import call as call_there
        return call_there(function, positional, keywords)
    if keywords:
        function._rename(positional, keywords)
    return apply(function._target, function, function._arrays, function._flags, positional,
                 keywords, function._outputs(), function._guard)


cdef object apply(object target, Function function, Py_ssize_t arrays, int flags, list positional,
                  dict keywords, object places, object guard=None, bint closed=False):
    """Convert the arguments, call NumPy, and wrap what it returns."""
    cdef Arguments arguments = Arguments.__new__(Arguments)
    cdef object value, item, key
    cdef Py_ssize_t i
    cdef int token
    arguments.opaque = closed
    for i in range(len(positional)):
        value = arguments.convert(positional[i], 0)
        if i < arrays and type(value) is not ndarray:
            value = as_array(function, i, value)
        positional[i] = value
    for key, value in keywords.items():
        keywords[key] = arguments.convert(value, 0)
    outputs = [positional[i] for i in places if i < len(positional)]
    if "out" in keywords:
        outputs.append(keywords["out"])
    for value in outputs:
        for item in value if type(value) is tuple else (value,):
            if type(item) is ndarray:
                arguments.note(item, item)
    if guard is not None:
        guard(target, positional, keywords)
    token = suspend() if arguments.opaque else enter(flags)
    try:
        return arguments.result(target(*positional, **keywords))
    except MemoryError as exc:
        raise memory_error(exc, getattr(exc, "_total_size", None)) from None
    finally:
        leave(token)


cdef Py_ssize_t device_place(object target) except -1:
    """Where a Python function takes `device` by position."""
    code = getattr(target, "__code__", None)
    if code is None:
        return NOT_TAKEN
    if "device" in code.co_varnames[:code.co_argcount]:
        return code.co_varnames.index("device")
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    return NOWHERE if "device" in names else NOT_TAKEN


cdef ndarray as_array(Function function, Py_ssize_t place, object value):
    """An argument that the target needs as an array; made with the allocation scope closed."""
    array = np.asarray(value)
    if array.dtype.hasobject:
        name = list(function.__signature__.parameters)[place]
        raise TypeError(
            f"{function.__name__}: {name} is of type {type(value).__name__}, which makes an array "
            f"of Python objects, and these cannot live in shared memory; pass numbers")
    return array


@cython.binding(False)
cdef class Function:
    """A function of the namespace.

    Parameters
    ----------
    target : callable
        NumPy's function, or a Python function over NumPy arrays.
    name : str
        The name under which the namespace has it.
    module : str, optional
        The public module it is found in.
    signature : callable or None, optional
        Gives what ``inspect.signature`` shows, when that is first asked for; by default that of
        the target.
    doc : callable or None, optional
        Gives the docstring, when that is first asked for; by default that of the target.
    arrays : int, optional
        That many leading arguments are made arrays before the target sees them.
    alias : dict or None, optional
        Other names of keywords, as NumPy has them.
    written : bool, optional
        Whether the whole of a result will be written by the call.
    brief : callable, optional
        NumPy's function that does the same, for positional arguments alone.
    most : int, optional
        As many of them as `brief` takes.
    guard : callable or None, optional
        Looks at the arguments before the target may write; by default that of NumPy's function.
    """

    def __init__(self, target, name, *, module="sharedarray", signature=None, doc=None, arrays=0,
                 alias=None, written=True, brief=None, most=0, guard=None):
        self._vectorcall = <vectorcallfunc>vectorcall
        self._target = target
        self._direct = getattr(target, "_implementation", target)
        self._arrays = arrays
        self._alias = alias
        self._brief = getattr(brief, "_implementation", brief)
        self._most = most
        self._guard = guard if guard is not None else guard_of(target)
        self._free = free_of(self._guard)
        self._signature = signature
        self._doc = doc
        self._required = -1
        self._core = -1
        if isinstance(target, np.ufunc) and asks_for_arrays and target.nout == 1:
            self._core = 0 if target.signature is None else 1
            self._most = target.nin
        self._flags = WRITTEN if written else 0
        self._inputs = -1
        if isinstance(target, np.ufunc) and target.nout == 1 and target.nin <= 2:
            self._inputs = target.nin
        self._device = device_place(target)
        self._creates = (self._device != NOT_TAKEN or name in CREATORS
                         or module == "sharedarray.random")
        self.__name__ = name.rpartition(".")[2]
        self.__qualname__ = name
        self.__module__ = module

    def __call__(self, *args, **kwargs):
        """Call the function; see its own documentation."""
        raise TypeError(f"{self.__name__}() cannot be called in this way")

    def __get__(self, instance, owner):
        return self

    def __reduce__(self):
        return self.__qualname__

    @property
    def __sharedarray_target__(self):
        """What the function calls: NumPy may call it back with its own arrays."""
        return self._target

    @property
    def __doc__(self):
        """The docstring."""
        if callable(self._doc):
            self._doc = self._doc()
        return self._target.__doc__ if self._doc is None else self._doc

    @__doc__.setter
    def __doc__(self, value):
        self._doc = value

    def __repr__(self):
        return f"<function {self.__module__}.{self.__qualname__}>"

    def __getattr__(self, name):
        """The signature; the methods and attributes of NumPy's ufunc, where the function is one."""
        if self._target is None:
            raise AttributeError(f"this function was never initialised and has no {name!r}")
        if name == "__signature__":
            try:
                signature = inspect.signature(self._target) if self._signature is None \
                    else self._signature()
            except ValueError:
                raise AttributeError(f"function '{self.__name__}' has no signature") from None
            self.__signature__ = signature
            return signature
        if not isinstance(self._target, np.ufunc) or name.startswith("__"):
            raise AttributeError(f"function '{self.__name__}' has no attribute {name!r}")
        value = getattr(self._target, name)
        if callable(value):
            value = Function(value, f"{self.__qualname__}.{name}", module=self.__module__)
            value = vars(self).setdefault(name, value)  # the same for all threads
        return value

    def __dir__(self):
        names = set(object.__dir__(self))
        if isinstance(self._target, np.ufunc):
            names.update(n for n in dir(self._target) if not n.startswith("_"))
        return sorted(names)

    def _outputs(self):
        """The places of positional arguments that results are written to."""
        if self._places is None:
            if isinstance(self._target, np.ufunc):
                self._places = range(self._target.nin, self._target.nargs)
            else:
                signature = getattr(self, "__signature__", None)
                names = () if signature is None else signature.parameters
                self._places = [i for i, name in enumerate(names) if name == "out"]
        return self._places

    def _needed(self):
        """How many arguments can be given by position only, and must be."""
        if self._required < 0:
            signature = getattr(self, "__signature__", None)
            self._required = 0 if signature is None else sum(
                p.kind is p.POSITIONAL_ONLY and p.default is p.empty
                for p in signature.parameters.values())
        return self._required

    def _rename(self, list positional, dict keywords):
        """Accept the names that NumPy gives to arguments that have no or other names here."""
        cdef Py_ssize_t required = self._needed()
        if self._alias is not None:
            for old, new in self._alias.items():
                if old in keywords and new not in keywords:
                    keywords[new] = keywords.pop(old)
        elif len(positional) >= required:
            return
        ours = [p.name for p in self.__signature__.parameters.values()
                if p.kind is p.POSITIONAL_ONLY]
        theirs = numpy_names(f"{self.__module__}.{self.__qualname__}".partition(".")[2])
        while len(positional) < len(ours) and keywords:
            place = len(positional)
            for candidates in (theirs, ours):
                if place < len(candidates) and candidates[place] in keywords:
                    positional.append(keywords.pop(candidates[place]))
                    break
            else:
                return


@functools.cache
def numpy_names(name):
    """The names of the parameters of NumPy's function of this name, in order.

    Parameters
    ----------
    name : str
        The name, dotted below ``numpy``.

    Returns
    -------
    out : list of str
        Empty where NumPy has no such function, or does not tell.
    """
    function = np
    for part in name.split("."):
        function = getattr(function, part, None)
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def borrow(ndarray a):
    """An Array over the memory of an ndarray, whoever owns it, without a copy.

    Parameters
    ----------
    a : numpy.ndarray
        Any array without Python objects.

    Returns
    -------
    out : Array
        A view of the same elements; it is shared exactly if the memory is this library's.
    """
    return borrowed(a)


def is_shared_memory(ndarray a):
    """Whether an ndarray lies in this library's shared memory.

    Parameters
    ----------
    a : numpy.ndarray
        Any array.

    Returns
    -------
    out : bool
        By the address of what owns its memory.
    """
    return in_shared(a)


cdef object found_elsewhere(object arguments):
    """An Array of another device among nested arguments; None where there is none."""
    from ._cuda_call import cuda_of
    return cuda_of(arguments)


cdef int here_only(object function, tuple args, dict kwargs) except -1:
    """Raise where an argument is on another device: this runs on the CPU alone."""
    x = found_elsewhere((args, kwargs)) if elsewhere else None
    if x is not None:
        name = getattr(function, "__qualname__", type(function).__name__)
        name = name.removesuffix(".__call__")       # vectorize
        raise NotImplementedError(f"{name} works on the CPU only, and an argument is on "
                                  f"{x.device}: x.to_device('cpu') copies it there")
    return 0


def has_elsewhere(value):
    """Whether Arrays of other devices than the CPU are among nested values.

    Parameters
    ----------
    value : object
        An argument, or a list, tuple or dict of such.

    Returns
    -------
    out : bool
        At once False, as long as no such device came into use.
    """
    return elsewhere and found_elsewhere(value) is not None


def device_in_force():
    """The device in force, where it is not the CPU.

    Returns
    -------
    out : Device or None
        None: arrays are made on the CPU.
    """
    if not elsewhere:
        return None
    device = default()
    return None if device.index is None else device


def call(function, *args, **kwargs):
    """Call a NumPy function as the namespace does.

    Parameters
    ----------
    function : callable
        NumPy's function.
    *args, **kwargs
        Its arguments, in which Arrays are replaced.

    Returns
    -------
    out : object
        The result, with Arrays in place of NumPy's arrays.
    """
    here_only(function, args, kwargs)
    return apply(function, None, 0, WRITTEN, list(args), kwargs, ())


def call_closed(function, *args, **kwargs):
    """Call a function that calls the user back, with the allocation scope closed.

    Parameters
    ----------
    function : callable
        A function over NumPy arrays.
    *args, **kwargs
        Its arguments, in which Arrays are replaced.

    Returns
    -------
    out : object
        The result, with Arrays in place of NumPy's arrays, copied into shared memory.
    """
    here_only(function, args, kwargs)
    return apply(function, None, 0, WRITTEN, list(args), kwargs, (), None, True)


def measure():
    """Where in a Function its vectorcall pointer lies, in bytes."""
    cdef Function probe = Function.__new__(Function)
    return <char *>&probe._vectorcall - <char *><PyObject *>probe


sharedarray_vectorcall_type(<PyTypeObject *>Function, measure())
