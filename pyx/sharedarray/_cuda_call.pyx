"""One operation on a CUDA device: its arguments for the backend's library, its results for us."""

cimport cython
from cpython.slice cimport PySlice_Check
from numpy cimport ndarray

from ._array cimport Array, mixed, priority_of
from ._cuda_record cimport Record, cuda_array, download, is_cuda, place_of, record_of, upload

import contextvars
import operator

import numpy as np

from ._backends import loaded
from ._cuda_foreign import borrowed

__all__ = ["Call", "cuda_of"]

cdef extern from "Python.h":
    bint PyIndex_Check(object)

cdef tuple SCALARS = (bool, int, float, complex, np.generic)
cdef double PRIORITY = Array.__array_priority__
cdef object MISSING = object()
cdef str NO_INDEX = ("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                     "integer or boolean arrays are valid indices")


def cuda_of(object x, int depth=0):
    """Find an Array of a CUDA device among nested arguments.

    Parameters
    ----------
    x : object
        An argument, or a list, tuple or dict of such.
    depth : int, optional
        How deep it is nested already.

    Returns
    -------
    Array or None
        The first one.
    """
    cdef object found
    if is_cuda(x):
        return x
    if depth < 64:
        if isinstance(x, (list, tuple)):
            for item in x:
                found = cuda_of(item, depth + 1)
                if found is not None:
                    return found
        elif type(x) is dict:
            for item in x.values():
                found = cuda_of(item, depth + 1)
                if found is not None:
                    return found
    return None


@cython.binding(False)
@cython.final
cdef class Call:
    """One operation on a device: what its arguments are to the library, and its results to us.

    Parameters
    ----------
    index : int
        The device.
    """

    def __cinit__(self, int index):
        self.index = index
        self.library = loaded()
        self.passed, self.inputs, self.kept = {}, [], []

    cdef object note(self, object b, object x):
        """Remember that the library gets `b` where the caller gave `x`; return `b`."""
        self.passed[id(b)] = x
        self.kept.append(b)
        return b

    def host(self, x):
        """Raise: a NumPy array is no argument of an operation on a device."""
        where = place_of(self.index)
        raise TypeError(
            f"an operation on {where} with an array in the memory of the host ({type(x).__name__}):"
            f" bring it there first, sharedarray.asarray(..., device={where!r})")

    cdef object operand(self, object x):
        """Return what the library is to compute with; NotImplemented: the type of `x` wants to."""
        cdef Record record
        if is_cuda(x):
            record = record_of(x)
            if record.index != self.index:
                mixed(x, place_of(self.index))
            self.inputs.append(record)
            return self.note(record.b, x)
        if isinstance(x, SCALARS):
            return x
        if isinstance(x, Array):
            mixed(x, place_of(self.index))
        if isinstance(x, ndarray):
            self.host(x)
        if self.library.is_array(x):
            return self.foreign(x)
        if getattr(type(x), "__array_ufunc__", MISSING) is None or priority_of(x) > PRIORITY:
            return NotImplemented
        if hasattr(type(x), "__cuda_array_interface__") or hasattr(type(x), "__dlpack__"):
            return self.foreign(x)
        if isinstance(x, (list, tuple)):
            a = np.asarray(x)
            return NotImplemented if a.dtype.hasobject else upload(a, self.index)
        if hasattr(type(x), "__array__") or hasattr(type(x), "__array_interface__"):
            self.host(x)
        return NotImplemented

    def foreign(self, x):
        """Return the backend array over another library's array on this device."""
        cdef Array y = borrowed(x)
        cdef Record record = record_of(y)
        if record.index != self.index:
            mixed(y, place_of(self.index))
        self.inputs.append(record)
        return self.note(record.b, x)

    def convert(self, x, int depth=0):
        """Return an argument of any kind as the library takes it.

        Parameters
        ----------
        x : object
            An argument.
        depth : int, optional
            How deep it is nested.

        Returns
        -------
        object
            CudaArrays replaced by backend arrays, also in lists, tuples and dicts, and functions
            by such that are called with CudaArrays.
        """
        kind = type(x)
        if isinstance(x, (Array, ndarray)):
            return self.operand(x)
        if x is None or isinstance(x, SCALARS) or kind is str or kind is slice or kind is bytes:
            return x
        if kind is list and depth < 64:
            return [self.convert(item, depth + 1) for item in x]
        if isinstance(x, tuple) and depth < 64:
            items = [self.convert(item, depth + 1) for item in x]
            return kind._make(items) if hasattr(kind, "_fields") else tuple(items)
        if kind is dict and depth < 64:
            return {name: self.convert(item, depth + 1) for name, item in x.items()}
        if isinstance(x, type):
            return x
        if self.library.is_array(x) or hasattr(kind, "__cuda_array_interface__"):
            return self.foreign(x)
        if hasattr(kind, "__array__") or hasattr(kind, "__dlpack__"):
            return self.operand(x)
        if callable(x) and not isinstance(x, np.ufunc):
            return self.callback(x)
        return x

    def callback(self, function):
        """Return `function` for the library to call: it gets CudaArrays.

        It runs in the context of the caller, whose device and memory are in force there.
        """
        context = contextvars.copy_context()

        def called(*args, **kwargs):
            cdef Call inner = Call(self.index)
            lent = [self.result(x) for x in args]
            named = {name: self.result(x) for name, x in kwargs.items()}
            return inner.convert(context.copy().run(function, *lent, **named))
        return called

    def calling(self, function, *args, **kwargs):
        """Call a function of the library on the device; what comes back is ours."""
        return self.run(function, args, kwargs)

    cdef object run(self, object function, tuple args, dict kwargs):
        with self.library.scope(self.index):
            if kwargs:
                return self.result(function(*args, **kwargs))
            return self.result(function(*args))

    def result(self, r):
        """Return what the library returned with Arrays for its arrays."""
        known = self.passed.get(id(r), MISSING)
        if known is not MISSING:
            return known
        if self.library.is_array(r):
            return self.wrapped(r)
        if isinstance(r, tuple):
            items = [self.result(item) for item in r]
            return type(r)._make(items) if hasattr(r, "_fields") else tuple(items)
        if type(r) is list:
            return [self.result(item) for item in r]
        if type(r) is dict:
            return {name: self.result(item) for name, item in r.items()}
        if isinstance(r, np.generic):
            return cuda_array(upload(np.asarray(r), self.index), self.index)
        return r

    def wrapped(self, b):
        """Return a backend array as a CudaArray: a view of an argument, or in memory of ours."""
        cdef Record record
        cdef object library = self.library
        cdef object memory = library.memory_of(b)
        if memory is not None:
            for record in self.inputs:
                if library.memory_of(record.b) is memory:
                    return cuda_array(b, self.index, record.writable and library.is_writable(b),
                                      record.storage)
        return cuda_array(library.place(b, self.index), self.index)


cdef Call call_of(Array x):
    return Call.__new__(Call, record_of(x).index)


cdef object key_of(Call call, object key, bint *single):
    """Return an item of an index as the library takes it; `single`: it is an integer."""
    cdef object value
    single[0] = False
    if key is None or key is Ellipsis or PySlice_Check(key) or isinstance(key, str):
        return key
    if is_cuda(key) and key.ndim == 0 and key.dtype.kind in "iu":
        single[0] = True
        return operator.index(download(key))
    if isinstance(key, Array):
        return call.operand(key)
    if isinstance(key, (bool, np.bool)):
        return bool(key)
    if not isinstance(key, ndarray) and PyIndex_Check(key):
        single[0] = True
        return operator.index(key)
    if isinstance(key, (list, tuple)) and cuda_of(key) is not None:
        key = [operator.index(item) if is_cuda(item) else item for item in key]
    if isinstance(key, SCALARS):
        raise IndexError(NO_INDEX)
    if isinstance(key, (list, tuple)) and key and all([isinstance(name, str) for name in key]):
        return key
    if call.library.is_array(key) and not isinstance(key, ndarray):
        return call.foreign(key)
    value = np.asarray(key)
    if value.size == 0 and not hasattr(key, "dtype"):
        value = value.astype(np.intp)
    if value.dtype.kind not in "iub":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return upload(value, call.index)


cdef object keys_of(Call call, object key, object b, bint *element):
    """Return an index of `b` as the library takes it; `element`: it selects one element."""
    cdef bint single
    cdef Py_ssize_t integers = 0
    cdef list items
    if isinstance(key, str) and b.dtype.names is None:
        raise IndexError(NO_INDEX)
    if type(key) is not tuple:
        items = [key_of(call, key, &single)]
        element[0] = single
        return items[0]
    items = []
    for item in key:
        items.append(key_of(call, item, &single))
        integers += single
    element[0] = integers == len(items)
    return tuple(items)
