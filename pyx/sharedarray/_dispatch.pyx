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
from cpython.list cimport PyList_GET_ITEM
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
cimport numpy as cnp
from numpy cimport ndarray

from ._array cimport Array, made, unwrap, wrap
from ._array cimport borrow as borrowed
from ._core cimport contains, enter, leave, suspend
from ._storage cimport in_shared, root_of

import functools
import inspect

import numpy as np

from ._device import Device
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
    object PyObject_Vectorcall(object, PyObject *const *, size_t, PyObject *)
    bint PyType_IsSubtype(PyTypeObject *, PyTypeObject *) noexcept
    PyTypeObject PyFloat_Type, PyLong_Type, PyBool_Type, PyComplex_Type, PyUnicode_Type
    PyTypeObject PySlice_Type, PyTuple_Type, PyList_Type, PyBytes_Type, PyRange_Type, PyType_Type
    PyObject *Py_None
    PyObject *Py_Ellipsis

cdef extern from "numpy/arrayobject.h":
    PyObject *PyArray_FromScalar(PyObject *, PyObject *)
    PyObject *descr_of "PyArray_DESCR" (ndarray)
    bint holds_objects "PyDataType_REFCHK" (PyObject *)
    PyTypeObject PyArray_Type, PyGenericArrType_Type, PyArrayDescr_Type

WRITTEN = 2     # the whole result will be written

cdef enum:
    SLOTS = 12          # arguments of one call that need no tuple
    DEPTH = 64          # NumPy's greatest number of dimensions: deeper nesting is no array

cdef PyTypeObject *array_type = <PyTypeObject *>Array
cdef PyObject *no_value = <PyObject *>np._NoValue
cdef PyTypeObject *device_type = <PyTypeObject *>Device
cdef frozenset plain_classes = frozenset({bool, int, float, complex, str, bytes})


cdef inline bint is_plain(PyObject *value):
    """Whether NumPy can take this object as it is, and runs no code of the user for it."""
    cdef PyTypeObject *kind = Py_TYPE(value)
    if kind == &PyArray_Type:
        return not holds_objects(descr_of(<ndarray>value))
    if (kind == &PyFloat_Type or kind == &PyLong_Type or kind == &PyBool_Type
            or value == Py_None or kind == &PyUnicode_Type or kind == &PyComplex_Type
            or value == Py_Ellipsis or kind == &PySlice_Type or kind == &PyBytes_Type
            or kind == &PyRange_Type):
        return True
    if PyType_IsSubtype(kind, &PyGenericArrType_Type):
        return True
    if PyType_IsSubtype(kind, &PyArrayDescr_Type):
        return True
    if PyType_IsSubtype(kind, &PyType_Type):
        return (PyType_IsSubtype(<PyTypeObject *>value, &PyGenericArrType_Type)
                or <object>value in plain_classes)
    return value == no_value or kind == device_type


cdef inline bint is_plain_tuple(PyObject *value):
    """Whether this is a tuple of plain things: a shape, axes, an index."""
    cdef Py_ssize_t i
    cdef PyObject *item
    cdef PyTypeObject *kind
    if Py_TYPE(value) != &PyTuple_Type:
        return False
    for i in range(PyTuple_GET_SIZE(<object>value)):
        item = PyTuple_GET_ITEM(<object>value, i)
        kind = Py_TYPE(item)
        if kind != &PyLong_Type and kind != &PyFloat_Type and item != Py_None:
            return False
    return True


cdef object flat(PyObject *value):
    """A list or tuple of Arrays and plain things in NumPy's terms; None if it holds others."""
    cdef PyTypeObject *kind = Py_TYPE(value)
    cdef Py_ssize_t i
    cdef PyObject *item
    cdef list items
    if kind != &PyList_Type and kind != &PyTuple_Type:
        return None
    items = list(<object>value)
    for i in range(len(items)):
        item = PyList_GET_ITEM(items, i)
        if Py_TYPE(item) == array_type:
            if (<Array>item)._a is None:
                return None
            items[i] = (<Array>item)._a
        elif not is_plain(item):
            return None
    return items if kind == &PyList_Type else tuple(items)


@cython.final
cdef class Callback:
    """A function of the user, called with Arrays; what it returns goes back to NumPy."""

    cdef object function

    def __init__(self, function):
        self.function = function
        functools.update_wrapper(self, function)

    cdef dict __dict__

    def __call__(self, *args, **kwargs):
        arguments = [_lend(a) for a in args]
        if kwargs:
            kwargs = {name: _lend(value) for name, value in kwargs.items()}
        return _take(self.function(*arguments, **kwargs))


def _lend(value):
    """An Array over the memory of an ndarray, without a copy."""
    if type(value) is ndarray:
        return borrowed(value)
    return value


def _take(value):
    """What NumPy can use of the result of a callback."""
    if isinstance(value, Array):
        return unwrap(value)
    if type(value) is tuple or type(value) is list:
        return type(value)([_take(v) for v in value])
    return value


@cython.final
cdef class Arguments:
    """The arguments of one call in NumPy's terms, and the way back."""

    cdef object convert(self, object value, int depth):
        cdef bint changed = False
        cdef object new, item
        cdef list items
        if type(value) is Array or is_plain(<PyObject *>value):
            return self.leaf(value)
        if type(value) is tuple or type(value) is list:
            if depth > DEPTH:
                self.opaque = True
                return value
            items = []
            for item in value:
                new = self.convert(item, depth + 1)
                if new is not item:
                    changed = True
                items.append(new)
            if not changed:
                return value
            return items if type(value) is list else tuple(items)
        if type(value) is dict:
            return {key: self.convert(item, depth + 1) for key, item in value.items()}
        return self.leaf(value)

    cdef int note(self, object plain, object value) except -1:
        """Remember what the caller gave where NumPy gets `plain`."""
        if self.arrays is None:
            self.arrays = {}
        self.arrays.setdefault(<size_t><PyObject *>plain, value)
        return 0

    cdef object leaf(self, object value):
        cdef object plain
        if type(value) is Array:
            plain = unwrap(value)
            self.note(plain, value)
            return plain
        if is_plain(<PyObject *>value):
            return value
        if isinstance(value, np.ndarray):
            if isinstance(value, (np.memmap, np.recarray)) and not value.dtype.hasobject:
                return np.asarray(value)
            self.opaque = True
            return value
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)._make(self.convert(item, 1) for item in value)
        if is_array_like(value):
            plain = np.asarray(value)
            if plain.dtype.hasobject:
                self.opaque = True
            return plain
        self.opaque = True
        if isinstance(value, Function):
            return (<Function>value)._target
        if callable(value) and not isinstance(value, (type, np.ufunc)):
            return Callback(value)
        return value

    cdef object result(self, object value):
        cdef object known
        if type(value) is ndarray:
            if self.arrays is not None:
                known = self.arrays.get(<size_t><PyObject *>value)
                if known is not None:
                    return known
            if contains(cnp.PyArray_DATA(value)):
                return made(value, None)
            return made(value, self.parent(value))
        if type(value) is tuple:
            return tuple([self.result(item) for item in value])
        if type(value) is list:
            return [self.result(item) for item in value]
        if type(value) is dict:
            return {key: self.result(item) for key, item in value.items()}
        if isinstance(value, np.generic):
            return wrap(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)._make([self.result(item) for item in value])
        if isinstance(value, np.memmap):
            return borrowed(np.asarray(value))
        return value

    cdef Array parent(self, ndarray value):
        """The Array among the arguments whose private memory a result is a view of."""
        cdef ndarray root = root_of(value)
        if self.arrays is None:
            return None
        for item in self.arrays.values():
            if type(item) is Array and (<Array>item)._a is not None:
                if root_of((<Array>item)._a) is root:
                    return item
        return None


def is_array_like(value):
    """Whether NumPy makes an array of numbers of this object by a protocol.

    Parameters
    ----------
    value : object
        Any object.

    Returns
    -------
    out : bool
        True for objects with ``__array__``, ``__array_interface__``, ``__dlpack__`` or a buffer.
    """
    kind = type(value)
    if issubclass(kind, type):
        return False
    if (hasattr(kind, "__array__") or hasattr(kind, "__array_interface__")
            or hasattr(kind, "__array_struct__") or hasattr(kind, "__dlpack__")):
        return True
    if kind is memoryview or kind is bytearray:
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


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
        return made(stolen(PyArray_FromScalar(<PyObject *>value, NULL)), None)
    elif is_plain(<PyObject *>value):
        return value
    arguments = Arguments.__new__(Arguments)
    for i in range(total):
        if args[i] != plain[i]:
            arguments.note(<object>plain[i], <object>args[i])
    return arguments.result(value)


cdef object vectorcall(object self, PyObject *const *args, size_t nargsf, PyObject *kwnames):
    """Call with arguments that need no container; all others go to :func:`general`."""
    cdef Function function = <Function>self
    cdef Py_ssize_t count = PyVectorcall_NARGS(nargsf)
    cdef Py_ssize_t total = count, i, ready = 0
    cdef PyObject *slots[SLOTS + 1]
    cdef PyObject **plain = slots + 1
    cdef PyObject *value
    cdef object array
    cdef int token
    if kwnames != NULL:
        total += PyTuple_GET_SIZE(<object>kwnames)
        if count < function._required or function._alias is not None:
            total = SLOTS + 1
    if total > SLOTS:
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
            elif ((i >= function._arrays or Py_TYPE(value) == &PyArray_Type)
                    and (is_plain(value) or is_plain_tuple(value))):
                plain[i] = value
            elif i < count and i >= function._arrays:
                array = flat(value)
                if array is None:
                    break
                Py_INCREF(array)
                plain[i] = <PyObject *>array
            else:
                break
            ready = i + 1
        if ready == total:
            token = enter(function._flags)
            try:
                return answer(
                    function,
                    PyObject_Vectorcall(function._target, plain,
                                        count | PY_VECTORCALL_ARGUMENTS_OFFSET, kwnames),
                    args, plain, count, kwnames, total)
            except MemoryError as exc:
                raise memory_error(exc, getattr(exc, "_total_size", None)) from None
            finally:
                leave(token)
    finally:
        for i in range(ready):
            if plain[i] != args[i]:
                Py_DECREF(<object>plain[i])
    return general(function, args, count, kwnames)


cdef object general(Function function, PyObject *const *args, Py_ssize_t count, PyObject *kwnames):
    """Call with arguments of any kind."""
    cdef list positional = [<object>args[i] for i in range(count)]
    cdef dict keywords = {}
    cdef Py_ssize_t i
    if kwnames != NULL:
        for i in range(PyTuple_GET_SIZE(<object>kwnames)):
            keywords[<object>PyTuple_GET_ITEM(<object>kwnames, i)] = <object>args[count + i]
        function._rename(positional, keywords)
    return apply(function._target, function.__name__, function._arrays, function._flags,
                 positional, keywords, function._outputs())


cdef object apply(object target, str name, Py_ssize_t arrays, int flags, list positional,
                  dict keywords, object places, bint closed=False):
    """Convert the arguments, call NumPy, and wrap what it returns."""
    cdef Arguments arguments = Arguments.__new__(Arguments)
    cdef object value, item, key
    cdef Py_ssize_t i
    cdef int token
    arguments.opaque = closed
    for i in range(len(positional)):
        value = arguments.convert(positional[i], 0)
        if i < arrays and type(value) is not ndarray:
            value = as_array(name, value)
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
    token = suspend() if arguments.opaque else enter(flags)
    try:
        return arguments.result(target(*positional, **keywords))
    except MemoryError as exc:
        raise memory_error(exc, getattr(exc, "_total_size", None)) from None
    finally:
        leave(token)


cdef ndarray as_array(str name, object value):
    """An argument that the target needs as an array; made with the allocation scope closed."""
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise TypeError(
            f"{name}: an argument of type {type(value).__name__} makes an array of Python "
            f"objects, which cannot live in shared memory; pass numbers")
    return array


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
    signature : inspect.Signature or None, optional
        What ``inspect.signature`` shows; by default that of the target.
    doc : str or None, optional
        The docstring; by default that of the target.
    arrays : int, optional
        That many leading arguments are made arrays before the target sees them.
    alias : dict or None, optional
        Other names of keywords, as NumPy has them.
    written : bool, optional
        Whether the whole of a result will be written by the call.
    """

    def __init__(self, target, name, *, module="sharedarray", signature=None, doc=None, arrays=0,
                 alias=None, written=True):
        self._vectorcall = <vectorcallfunc>vectorcall
        self._target = target
        self._arrays = arrays
        self._alias = alias
        self._flags = WRITTEN if written else 0
        self.__name__ = name.rpartition(".")[2]
        self.__qualname__ = name
        self.__module__ = module
        self.__doc__ = doc if doc is not None else getattr(target, "__doc__", None)
        if signature is None:
            try:
                signature = inspect.signature(target)
            except ValueError:
                signature = None
        if signature is not None:
            self.__signature__ = signature
            self._required = sum(
                p.kind is p.POSITIONAL_ONLY and p.default is p.empty
                for p in signature.parameters.values())

    def __call__(self, *args, **kwargs):
        """Call the function; see its own documentation."""
        raise TypeError(f"{self.__name__}() cannot be called in this way")

    def __get__(self, instance, owner):
        return self

    def __reduce__(self):
        return self.__qualname__

    def __repr__(self):
        return f"<function {self.__module__}.{self.__qualname__}>"

    def __getattr__(self, name):
        """The methods and attributes of NumPy's ufunc, where the function is one."""
        if not isinstance(self._target, np.ufunc) or name.startswith("__"):
            raise AttributeError(f"function '{self.__name__}' has no attribute {name!r}")
        value = getattr(self._target, name)
        if callable(value):
            value = Function(value, f"{self.__qualname__}.{name}", module=self.__module__)
            setattr(self, name, value)
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

    def _rename(self, list positional, dict keywords):
        """Accept the names that NumPy gives to arguments that have no or other names here."""
        if self._alias is not None:
            for old, new in self._alias.items():
                if old in keywords and new not in keywords:
                    keywords[new] = keywords.pop(old)
        if len(positional) >= self._required:
            return
        ours = list(self.__signature__.parameters)
        names = [numpy_names(self.__qualname__), ours]
        while len(positional) < self._required:
            place = len(positional)
            for candidates in names:
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
    return apply(function, "", 0, WRITTEN, list(args), kwargs, ())


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
    return apply(function, "", 0, WRITTEN, list(args), kwargs, (), True)


def measure():
    """Where in a Function its vectorcall pointer lies, in bytes."""
    cdef Function probe = Function.__new__(Function)
    return <char *>&probe._vectorcall - <char *><PyObject *>probe


sharedarray_vectorcall_type(<PyTypeObject *>Function, measure())
