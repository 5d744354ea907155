"""Arrays on CUDA devices: the one subclass of Array, and its operators and indices."""

cimport cython
from cpython.object cimport Py_EQ, Py_GE, Py_GT, Py_LE, Py_LT, Py_NE, PyTypeObject

from ._array cimport Array
from ._cuda_call cimport Call, call_of, keys_of
from ._cuda_record cimport (
    Record,
    check_writable,
    cuda_array,
    download,
    is_cuda,
    makes,
    place_of,
    record_of,
    renewed,
)

import operator

import numpy as np

from . import _show
from ._backends import loaded

__all__ = ["CudaArray", "looks_of"]

cdef extern from "core/ndarray.h":
    void sa_rename(PyTypeObject *type, const char *name)
    void sa_refuse_subclasses(PyTypeObject *type)

cdef dict COMPARISONS = {Py_LT: operator.lt, Py_LE: operator.le, Py_EQ: operator.eq,
                         Py_NE: operator.ne, Py_GT: operator.gt, Py_GE: operator.ge}


cdef object binary(object operation, object left, object right):
    """Return ``left op right``; at least one of them is a CudaArray."""
    cdef Call call = call_of(left if is_cuda(left) else right)
    cdef object a = call.operand(left), b
    if a is NotImplemented:
        return NotImplemented
    b = call.operand(right)
    if b is NotImplemented:
        return NotImplemented
    return call.run(call.library.operate, (operation, a, b), None)


cdef object inplace(object operation, CudaArray x, object other):
    """Do ``x op= other`` and return `x`."""
    cdef Call call = call_of(x)
    cdef object b = call.operand(other)
    if b is NotImplemented:
        return NotImplemented
    cdef object a = record_of(x).b
    check_writable(record_of(x), "output array")
    with call.library.scope(call.index):
        r = call.library.operate(operation, a, b)
        if r is not a:      # CuPy has no matmul in place
            if r.shape != a.shape:
                raise ValueError(f"the result has shape {r.shape}, and the Array {a.shape}")
            if not np.can_cast(r.dtype, a.dtype, "same_kind"):
                raise TypeError(f"cannot cast the result from {r.dtype!r} to {a.dtype!r} with "
                                "casting rule 'same_kind'")
            call.library.operate(operator.setitem, a, Ellipsis, r)
    return x


cdef object unary(object operation, CudaArray x):
    cdef Call call = call_of(x)
    return call.run(call.library.operate, (operation, call.operand(x)), None)


cdef object value_of(CudaArray x):
    """Return an ndarray to convert to a number: of one element, or one that NumPy refuses."""
    cdef object b = record_of(x).b
    if b.size == 1:
        return download(x)
    return np.broadcast_to(np.zeros((), b.dtype), b.shape)


def looks_of(CudaArray x, function):
    """Return what `function` of _show makes of `x`; of a large one only the edges are fetched."""
    cdef Record record = record_of(x)
    cdef object kind = "shared" if x.is_shared() else "private"
    cdef object edge, key, options = np.get_printoptions()
    cdef object shape = record.b.shape
    if record.b.size <= options["threshold"]:
        return function(download(x), kind, place_of(record.index))
    edge = options["edgeitems"]
    for axis, n in enumerate(shape):
        if n > 2 * edge + 1:
            key = (slice(None),) * axis + (np.r_[0:edge + 1, n - edge:n],)
            x = x[key]
    return function(download(x), kind, place_of(record.index), shape)


@cython.binding(False)
@cython.final
cdef class CudaIterator:
    """Iterates over the first axis of an Array on a CUDA device."""

    cdef CudaArray x
    cdef Py_ssize_t i

    def __iter__(self):
        return self

    def __next__(self):
        cdef Py_ssize_t i = self.i
        if self.x is None or i >= len(self.x):
            self.x = None
            raise StopIteration
        self.i = i + 1
        return self.x[i]

    def __length_hint__(self):
        return 0 if self.x is None else max(0, len(self.x) - self.i)

    def __reduce__(self):
        return iter, (() if self.x is None else self.x[self.i:],)


@cython.binding(False)
@cython.no_gc
@cython.c_api_binop_methods(True)
cdef class CudaArray(Array):
    """The class of Arrays on CUDA devices, which to users is Array."""

    def __init__(self, *args, **kwargs):
        raise TypeError("arrays on CUDA devices are made by the functions of the namespace, such "
                        "as sharedarray.empty(shape, device='cuda:0')")

    def __hash__(self):
        raise TypeError("unhashable type: 'Array' (its elements can change); "
                        "for the value of a 0-d array use x.item()")

    def _moved(self, block, old):
        """Return what this is, and what it becomes when the memory at `old` moves to `block`."""
        cdef Record before = record_of(self)
        if before.storage is None:      # another thread moved it
            return before, before
        library, b = loaded(), before.b
        b = library.array(block, library.pointer(b) - old if b.size else 0, tuple(b.shape),
                          tuple(b.strides), b.dtype)
        return before, renewed(before, b if before.writable else library.frozen(b), None)

    def _rebind(self, Record before, Record after):
        """Be another one, on the same device."""
        if self._link is not before:    # reshaped meanwhile
            after = renewed(after, after.b.reshape(record_of(self).b.shape), None)
        self._link = after

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        raise TypeError(f"the elements of this Array are on {self.device}, and the buffer protocol "
                        "hands out host memory: x.to_device(\"cpu\") copies them")

    def __releasebuffer__(self, Py_buffer *buffer):
        return

    def __add__(left, right):
        return binary(operator.add, left, right)

    def __sub__(left, right):
        return binary(operator.sub, left, right)

    def __mul__(left, right):
        return binary(operator.mul, left, right)

    def __truediv__(left, right):
        return binary(operator.truediv, left, right)

    def __floordiv__(left, right):
        return binary(operator.floordiv, left, right)

    def __mod__(left, right):
        return binary(operator.mod, left, right)

    def __divmod__(left, right):
        return binary(divmod, left, right)

    def __pow__(left, right, modulo):
        if modulo is not None:
            return NotImplemented
        return binary(operator.pow, left, right)

    def __matmul__(left, right):
        return binary(operator.matmul, left, right)

    def __and__(left, right):
        return binary(operator.and_, left, right)

    def __or__(left, right):
        return binary(operator.or_, left, right)

    def __xor__(left, right):
        return binary(operator.xor, left, right)

    def __lshift__(left, right):
        return binary(operator.lshift, left, right)

    def __rshift__(left, right):
        return binary(operator.rshift, left, right)

    def __iadd__(self, other):
        return inplace(operator.iadd, self, other)

    def __isub__(self, other):
        return inplace(operator.isub, self, other)

    def __imul__(self, other):
        return inplace(operator.imul, self, other)

    def __itruediv__(self, other):
        return inplace(operator.itruediv, self, other)

    def __ifloordiv__(self, other):
        return inplace(operator.ifloordiv, self, other)

    def __imod__(self, other):
        return inplace(operator.imod, self, other)

    def __ipow__(self, other, modulo):
        if modulo is not None:
            return NotImplemented
        return inplace(operator.ipow, self, other)

    def __imatmul__(self, other):
        return inplace(operator.imatmul, self, other)

    def __iand__(self, other):
        return inplace(operator.iand, self, other)

    def __ior__(self, other):
        return inplace(operator.ior, self, other)

    def __ixor__(self, other):
        return inplace(operator.ixor, self, other)

    def __ilshift__(self, other):
        return inplace(operator.ilshift, self, other)

    def __irshift__(self, other):
        return inplace(operator.irshift, self, other)

    def __neg__(self):
        return unary(operator.neg, self)

    def __pos__(self):
        return unary(operator.pos, self)

    def __abs__(self):
        return unary(operator.abs, self)

    def __invert__(self):
        return unary(operator.invert, self)

    def __richcmp__(self, other, int op):
        cdef Call call = call_of(self)
        cdef object a = call.operand(self), b = other
        if not isinstance(other, str):
            b = call.operand(other)
            if b is NotImplemented:
                return NotImplemented
        elif op != Py_EQ and op != Py_NE:
            return NotImplemented
        return call.run(call.library.operate, (COMPARISONS[op], a, b), None)

    def __bool__(self):
        return bool(value_of(self))

    def __int__(self):
        return int(value_of(self))

    def __float__(self):
        return float(value_of(self))

    def __index__(self):
        return operator.index(value_of(self))

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d array")
        return self.shape[0]

    def __iter__(self):
        cdef CudaIterator it
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        it = CudaIterator.__new__(CudaIterator)
        it.x = self
        return it

    def __contains__(self, value):
        found = self == value
        return bool(found.any()) if isinstance(found, Array) else bool(found)

    def __repr__(self):
        return looks_of(self, _show.text)

    def __str__(self):
        return looks_of(self, _show.plain)

    def __getitem__(self, key):
        cdef Call call = call_of(self)
        cdef bint element = False
        cdef object a = call.operand(self)
        key = keys_of(call, key, record_of(self).b, &element)
        with call.library.scope(call.index):
            r = a[key]
            if element and r.ndim == 0:
                return cuda_array(call.library.place(r.copy(), call.index), call.index)
            return call.result(r)

    def __setitem__(self, key, value):
        cdef Call call = call_of(self)
        cdef bint element = False
        check_writable(record_of(self), "assignment destination")
        key = keys_of(call, key, record_of(self).b, &element)
        if not isinstance(value, (str, bytes)):
            value = call.operand(value)
            if value is NotImplemented:
                raise TypeError("this cannot be assigned to elements of an Array")
        with call.library.scope(call.index):
            call.library.operate(operator.setitem, record_of(self).b, key, value)

    def __delitem__(self, key):
        raise ValueError("cannot delete array elements")

    @property
    def shape(self):
        """Shape, a tuple of ints; assigning to it reshapes in place."""
        return tuple(record_of(self).b.shape)

    @shape.setter
    def shape(self, value):
        cdef Record before = None, record = record_of(self)
        while before is not record:     # the first time, or moved meanwhile
            b = record.b.view()
            b.shape = value
            before, record = record, record_of(self)
        self._link = renewed(record, b, record.storage)

    @property
    def dtype(self):
        """Data type of the elements, a ``numpy.dtype``."""
        return record_of(self).b.dtype

    @property
    def ndim(self):
        """Number of dimensions."""
        return record_of(self).b.ndim

    @property
    def size(self):
        """Number of elements."""
        return record_of(self).b.size


makes(CudaArray)
sa_rename(<PyTypeObject *>CudaArray, b"sharedarray.Array")
sa_refuse_subclasses(<PyTypeObject *>CudaArray)
