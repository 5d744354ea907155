"""The Array: a shape, a dtype and operators over memory that other processes can map.

The class holds one ndarray and does its work through it: NumPy's own slots are called inside
the allocation scope (`_core.enter`), so results are born in shared memory, and what comes back is
wrapped by `made`. Modules above this one add methods, protocols and printing with `extend`.
"""

cimport cython
from cpython.object cimport PyObject, PyTypeObject
from cpython.slice cimport PySlice_Check
from libc.string cimport memcpy
cimport numpy as cnp
from numpy cimport ndarray

from . cimport _numbers as slots
from ._checks cimport check_method, check_power, refuse_objects
from ._copies cimport condensed, failed, scoped
from ._core cimport WRITTEN, contains, enter, leave, shared_mode
from ._keys cimport has_fields, plain_key, plain_slice, repeats, value_for
from ._lost cimport Lost, lost_record
from ._storage cimport Storage, adopt, export_view, in_shared, storage_of, will_write

import operator
from math import prod

import numpy as np

from . import _show
from ._errors import HandleError

__all__ = ["Array", "unwrap", "wrap"]

cnp.import_array()

cdef extern from "core/ndarray.h":
    int sa_extend(PyTypeObject *type, object name, object value) except -1
    int sa_export(object view, Py_buffer *buffer, int flags) except -1
    void sa_rename(PyTypeObject *type, const char *name)
    void sa_refuse_subclasses(PyTypeObject *type)
    object descr_of "sa_descr" (ndarray)
    bint holds_objects "sa_holds_objects" (ndarray)
    PyObject *new_like "sa_like" (ndarray, int, cnp.npy_intp *, cnp.npy_intp *, void *)
    PyObject *new_view "sa_view" (ndarray)
    PyObject *from_scalar "sa_from_scalar" (PyObject *)

cdef extern from "numpy/arrayobject.h":
    PyObject *PyArray_BASE(ndarray)
    bint is_ndarray "PyArray_CheckExact" (PyObject *)
    bint is_generic "PyArray_CheckScalar" (PyObject *)

cdef extern from "Python.h":
    PyObject *compare "PyObject_RichCompare" (PyObject *, PyObject *, int)
    PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *)
    PyObject *PyObject_VectorcallMethod(PyObject *, PyObject *const *, size_t, PyObject *)
    PyObject *PyTuple_GET_ITEM(tuple, Py_ssize_t)
    PyObject *subscript "PyObject_GetItem" (PyObject *, PyObject *)
    object get_item "PyObject_GetItem" (object, object)
    int PyObject_SetItem(object, object, object) except -1
    int PySequence_Contains(object, object) except -1
    bint PyLong_CheckExact(object)
    bint PyLong_Check(object)
    bint PyFloat_Check(object)
    bint PyComplex_Check(object)
    void Py_DECREF(PyObject *)

cdef object ALL = slice(None)
cdef double PRIORITY = 1.0      # above ndarray's 0 and memmap's -100, below np.matrix's 10
cdef object PRIORITY_NAME = "__array_priority__"
cdef object UFUNC_NAME = "__array_ufunc__"
cdef object MISSING = object()
cdef tuple SCALARS = (np.generic,)


cdef int refuse(Array x) except -1:
    """Raise: `x` has no data."""
    if isinstance(x._link, Lost):
        raise HandleError((<Lost>x._link).reason)
    if type(x) is not Array:
        raise TypeError(f"this Array is on {(<object>x).device}, not in the memory of the host: "
                        "x.to_device(\"cpu\") copies it there")
    raise TypeError("this Array was never initialised: make arrays with sharedarray.empty() "
                    "or sharedarray.asarray()")


cdef int mixed(object x, str device) except -1:
    """Raise: `x`, an Array, is to be used together with arrays on `device`."""
    raise ValueError(f"arrays on {x.device} and on {device} in one operation: bring them to one "
                     "device, x.to_device(...), first (numbers, as of x.item(), go with any)")


cdef int host_only(object x) except -1:
    """Raise where `x`, no Array of the CPU, is an Array of another device."""
    if isinstance(x, Array):
        mixed(x, "cpu")
    return 0


cdef inline object stolen(PyObject *r):
    """Take over the reference `r`; NULL raises."""
    if r == NULL:
        return failed()
    cdef object result = <object>r
    Py_DECREF(r)
    return result


cdef inline PyObject *to_array(PyObject *r) noexcept:
    """Inside the scope: turn a NumPy scalar into a 0-d ndarray; takes over `r`."""
    cdef PyObject *z
    if r == NULL or is_ndarray(r) or not is_generic(r):
        return r
    z = from_scalar(r)
    Py_DECREF(r)
    return z


cdef Array made(ndarray r, Array parent):
    """Return `r`, which NumPy returned, as an Array.

    What lies in shared memory is taken as it is; a view of `parent` stays one; other results
    (cached, mapped or foreign memory) are copied into shared memory.
    """
    cdef Array x
    if parent is not None and r is parent._a:
        return parent
    if holds_objects(r):
        refuse_objects(r.dtype)
    x = Array.__new__(Array)
    x._a = r
    if not contains(cnp.PyArray_DATA(r)):
        settle(x, parent)
    return x


cdef int settle(Array x, Array parent) except -1:
    """Give `x`, whose memory does not look shared, its Storage or its place in shared memory."""
    cdef Storage storage
    if parent is not None and PyArray_BASE(x._a) != NULL:
        storage = link_of(parent)
        if storage is not None and storage_of(x._a, None) is storage:
            storage.watch(x)
            x._link = storage
            return 0
    if shared_mode() and not in_shared(x._a):
        x._a = condensed(x._a)
    return 0


cdef str kind_of(Array x):
    """Return the kind of memory, as `repr` shows it."""
    return "shared" if in_shared(below(x)) else "private"


cdef object link_of(Array x):
    """Return None where the memory of `x` is shared, else its Storage, which then knows `x`."""
    cdef Storage storage
    if x._link is None and not in_shared(below(x)):
        storage = storage_of(x._a, None)
        storage.watch(x)
        x._link = storage
    return x._link


cdef Array borrow(ndarray a):
    """Return an Array over a new view of `a`, without copying, whatever memory it is."""
    cdef Array x
    if holds_objects(a):
        refuse_objects(a.dtype)
    x = Array.__new__(Array)
    x._a = adopt(a) if in_shared(a) else stolen(new_view(a))
    link_of(x)
    return x


cpdef Array lost_array(tuple shape, object dtype, object device, bint readonly, str reason):
    """Return an Array whose memory could not be opened: every use of its data says `reason`."""
    cdef Array x = Array.__new__(Array)
    x._link = lost_record(shape, dtype, device, readonly, reason)
    return x


cdef ndarray exported(Array x):
    """Return the ndarray that is handed out for `x`: its base holds the memory."""
    cdef object link
    below(x)
    link = link_of(x)
    return export_view(x._a, link)


cpdef object wrap(object r, object inputs=None):
    """Return what NumPy returned with every ndarray and NumPy scalar in it made an Array.

    Parameters
    ----------
    r : object
        An ndarray, a NumPy scalar, or a tuple, list or named tuple of such; others are returned as
        they are.
    inputs : sequence, optional
        The arguments of the call (Arrays, or lists of them): private memory that belongs to one of
        them is kept as a view, any other is copied into shared memory.

    Returns
    -------
    object
        Arrays in place of ndarrays and scalars.

    Raises
    ------
    TypeError
        If a dtype holds Python objects.
    """
    cdef PyObject *z
    cdef int token
    if is_ndarray(<PyObject *>r):
        return made(r, None if inputs is None else parent_of(r, inputs))
    if isinstance(r, SCALARS):
        token = enter(0)
        z = from_scalar(<PyObject *>r)
        leave(token)
        return made(stolen(z) if z != NULL else failed(), None)
    if isinstance(r, tuple):
        if hasattr(r, "_fields"):
            return type(r)._make([wrap(item, inputs) for item in r])
        return tuple([wrap(item, inputs) for item in r])
    if type(r) is list:
        return [wrap(item, inputs) for item in r]
    if isinstance(r, ndarray) and priority_of(r) <= PRIORITY:
        r = stolen(new_view(r))
        return made(r, None if inputs is None else parent_of(r, inputs))
    return r


cdef Array parent_of(ndarray r, object inputs):
    """Return the Array among `inputs` that is `r` or whose private memory `r` views, or None."""
    cdef Array found
    cdef object item
    for item in inputs:
        if type(item) is Array:
            found = item
            if found._a is r:
                return found
            if PyArray_BASE(r) != NULL and found._a is not None and link_of(found) is not None:
                if storage_of(r, None) is found._link:
                    return found
        elif type(item) is list or type(item) is tuple:
            found = parent_of(r, item)
            if found is not None:
                return found
    return None


cpdef object unwrap(object x):
    """Return the ndarray below an Array, anything else unchanged; a lost Array raises."""
    return below_any(x)


cdef object below_any(object x):
    if type(x) is Array:
        return below(x)
    if elsewhere:
        host_only(x)
    return x


cdef double priority_of(object x):
    """Return the ``__array_priority__`` of `x`, 0 where it has none."""
    cdef object value = getattr(type(x), PRIORITY_NAME, None)
    if value is None:
        value = getattr(x, PRIORITY_NAME, None)
    return value if isinstance(value, (int, float)) else 0.0


cdef object operand(object x):
    """Return what NumPy is to compute with in place of `x`, or NotImplemented.

    Foreign objects are converted here, outside the scope. NotImplemented: the type of `x` wants to
    do the operation itself, or it would become an array of objects.
    """
    cdef object method
    if type(x) is Array:
        return below(x)
    if is_ndarray(<PyObject *>x):
        return NotImplemented if holds_objects(x) else x
    if PyFloat_Check(x) or PyLong_Check(x) or PyComplex_Check(x) or isinstance(x, SCALARS):
        return x
    if elsewhere:
        host_only(x)
    method = getattr(type(x), UFUNC_NAME, MISSING)
    if method is None or priority_of(x) > PRIORITY:
        return NotImplemented
    x = np.asarray(x)
    return NotImplemented if holds_objects(x) else x


cdef object scoped_method(Array x, object name, tuple args, dict kwargs, object out):
    """Call a method of the ndarray below `x` in the scope; `out` comes back as it was passed."""
    cdef PyObject *r
    cdef PyObject *few[4]
    cdef int token
    cdef Py_ssize_t i, n = len(args)
    cdef object method, a = below(x)
    if out is not None:
        kwargs = {**(kwargs or {}), "out": unwrap(out)}
        check_method(name, a, args, kwargs)
    if kwargs is None and n < 4:
        few[0] = <PyObject *>a
        for i in range(n):
            few[i + 1] = PyTuple_GET_ITEM(args, i)
        token = enter(0)
        r = to_array(PyObject_VectorcallMethod(<PyObject *>name, few, n + 1, NULL))
    else:
        method = getattr(a, name)
        token = enter(0)
        r = to_array(PyObject_Call(<PyObject *>method, <PyObject *>args,
                                   NULL if kwargs is None else <PyObject *>kwargs))
    leave(token)
    if r == NULL:
        failed()
    if out is not None:
        Py_DECREF(r)
        return out
    return made(stolen(r), x) if is_ndarray(r) else wrap(stolen(r))


cdef object binary(slots.binaryfunc op, object left, object right):
    """Return ``left op right``; at least one of them is an Array."""
    cdef object a = below(left) if type(left) is Array else operand(left)
    cdef object b = below(right) if type(right) is Array else operand(right)
    cdef PyObject *r
    cdef int token
    if a is NotImplemented or b is NotImplemented:
        return NotImplemented
    # `a` and `b` own references: with a count of 1 NumPy may write the result into an operand.
    token = enter(WRITTEN)
    r = to_array(op(<PyObject *>a, <PyObject *>b))
    leave(token)
    if r == NULL:
        failed()
    if is_ndarray(r):
        return made(stolen(r), None)
    return wrap(stolen(r))


cdef object unary(slots.unaryfunc op, Array x):
    """Return ``op x``."""
    cdef object a = below(x)
    cdef int token = enter(WRITTEN)
    cdef PyObject *r = to_array(op(<PyObject *>a))
    leave(token)
    return made(stolen(r), None)


cdef object inplace(slots.binaryfunc op, Array x, object other):
    """Do ``x op= other`` through NumPy, all arguments being checked first, and return `x`."""
    cdef object a = below(x)
    cdef object b = below(other) if type(other) is Array else operand(other)
    cdef PyObject *r
    if b is NotImplemented:
        return NotImplemented
    a = below(x)        # operand() may have run Python code, share_memory_() another thread
    if op is slots.ipower:
        check_power(a, b)
    r = op(<PyObject *>a, <PyObject *>b)
    if r == NULL:
        failed()
    Py_DECREF(r)
    return x


cdef Array element(ndarray a, char *p):
    """Return a 0-d Array in memory of its own with the value at `p`."""
    cdef ndarray r
    cdef PyObject *z
    cdef int token = enter(0)
    z = new_like(a, 0, NULL, NULL, NULL)
    leave(token)
    r = stolen(z)
    memcpy(cnp.PyArray_DATA(r), p, cnp.PyArray_ITEMSIZE(a))
    return made(r, None)


cdef inline Array frozen(Array x):
    """Return `x`, a snapshot; of a record read-only: NumPy's would write to the array."""
    if has_fields(x._a):
        cnp.PyArray_CLEARFLAGS(x._a, cnp.NPY_ARRAY_WRITEABLE)
    return x


cdef Array view_at(Array x, ndarray a, ndarray r, object key):
    """Return `r`, which is ``a[key]``, as a view of `x`."""
    if x._a is not a:       # the memory moved while `key`, a slice of objects, was looked at
        r = (<object>below(x))[key]
    return made(r, x)


cdef object indexed(Array x, object key):
    """Return ``x[key]`` for an index that is neither one integer nor one slice."""
    cdef ndarray a
    cdef bint makes = False
    cdef PyObject *r
    cdef int token
    if type(key) is tuple:
        key = tuple([plain_key(item, below_any, &makes) for item in key])
    else:
        key = plain_key(key, below_any, &makes)
    a = below(x)        # plain_key() may have run Python code, share_memory_() another thread
    if not makes:
        r = subscript(<PyObject *>a, <PyObject *>key)
        if r != NULL and is_ndarray(r):
            return view_at(x, a, stolen(r), key)
        return frozen(wrap(stolen(r)))      # one element: a snapshot
    if type(key) is tuple:
        key = tuple([plain_slice(item) if PySlice_Check(item) else item for item in key])
    token = enter(0)
    r = to_array(subscript(<PyObject *>a, <PyObject *>key))
    leave(token)
    return made(stolen(r), x)


@cython.binding(False)
@cython.final
cdef class ArrayIterator:
    """Iterates over the first axis of an Array."""

    cdef Array x
    cdef Py_ssize_t i

    def __iter__(self):
        return self

    def __next__(self):
        cdef Py_ssize_t i = self.i
        if self.x is None or i >= cnp.PyArray_DIM(below(self.x), 0):
            self.x = None
            raise StopIteration
        self.i = i + 1
        return item_at(self.x, below(self.x), i)

    def __length_hint__(self):
        return 0 if self.x is None else max(0, len(self.x) - self.i)

    def __reduce__(self):
        return iter, (() if self.x is None else self.x[self.i:],)


cdef inline object item_at(Array x, ndarray a, Py_ssize_t i):
    """Return ``x[i]``: a snapshot where `x` is 1-d, else a view."""
    cdef Py_ssize_t n, at
    if cnp.PyArray_NDIM(a) == 1:
        n = cnp.PyArray_DIM(a, 0)
        at = i + n if i < 0 else i
        if not 0 <= at < n:
            raise IndexError(f"index {i} is out of bounds for axis 0 with size {n}")
        return frozen(element(a, cnp.PyArray_BYTES(a) + at * cnp.PyArray_STRIDE(a, 0)))
    return made(get_item(a, i), x)


@cython.binding(False)
@cython.no_gc
@cython.freelist(64)
@cython.c_api_binop_methods(True)
cdef class Array:
    """Array(shape, dtype=None, buffer=None, offset=0, strides=None, order=None)\n--\n
    An array whose memory other processes can map.

    Arrays are made by ``zeros``, ``asarray`` and the other functions of the namespace; calling the
    class is the low-level way, with the parameters of ``numpy.ndarray``. Sent to another process,
    an Array arrives over the same bytes.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape.
    dtype : dtype, optional
        Any dtype without Python objects; default float64.
    buffer : buffer, optional
        Memory to borrow, without copying; by default new, uninitialised memory is taken.
    offset : int, optional
        Offset of the first element in `buffer`, in bytes.
    strides : tuple of ints, optional
        Strides in bytes.
    order : {'C', 'F'}, optional
        Row-major or column-major order.

    Raises
    ------
    TypeError
        If the dtype holds Python objects, or `buffer` is too small.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.asarray([1.0, 2.0])
    >>> x + 1
    Array([2., 3.], dtype=float64, device='cpu', shared)
    """

    __array_priority__ = PRIORITY

    def __init__(self, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
        cdef ndarray a
        if self._a is not None or self._link is not None:
            raise TypeError("this Array is initialised already")
        dtype = np.dtype(dtype)
        refuse_objects(dtype)
        if buffer is not None:
            if type(buffer) is Array:
                buffer = exported(buffer)
            a = np.ndarray(shape, dtype, buffer, offset, strides, order)
            self._a = a
            link_of(self)
        else:
            self._a = scoped(np.ndarray, (shape, dtype, None, offset, strides, order), None)

    def __hash__(self):
        raise TypeError("unhashable type: 'Array' (its elements can change); "
                        "for the value of a 0-d array use x.item()")

    def _moved(self, ndarray root, size_t old):
        """Return what this is, and what it becomes when the memory at `old` moves to `root`."""
        cdef ndarray a = below(self)
        cdef ndarray r
        cdef char *p = cnp.PyArray_BYTES(root) + (<size_t>cnp.PyArray_DATA(a) - old)
        cdef PyObject *z = new_like(a, cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a),
                                    cnp.PyArray_STRIDES(a), p)
        if z == NULL:
            failed()
        r = stolen(z)
        cnp.set_array_base(r, root)
        return a, r

    def _rebind(self, ndarray before, ndarray after):
        """Be another ndarray, in shared memory."""
        if self._a is not before:       # reshaped meanwhile
            after = (<object>after).reshape((<object>self._a).shape)
        self._a = after
        self._link = None

    # Buffers: NumPy's own, over an export that holds the memory.

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        cdef ndarray view = exported(self)
        sa_export(view, buffer, flags)

    def __releasebuffer__(self, Py_buffer *buffer):
        # The buffer's owner is the exported view, so nothing is left to do here. The slot has to
        # exist: without it np.frombuffer and others keep the Array alone and let go of the buffer,
        # and share_memory_() would free private memory that they still read.
        return

    # Arithmetic. Both orders come here: one of the two is an Array.

    def __add__(left, right):
        """__add__($self, other, /)\n--\n\nReturn self + other."""
        return binary(slots.add, left, right)

    def __sub__(left, right):
        """__sub__($self, other, /)\n--\n\nReturn self - other."""
        return binary(slots.subtract, left, right)

    def __mul__(left, right):
        """__mul__($self, other, /)\n--\n\nReturn self * other."""
        if type(left) is not type(right) and repeats(below_any(left), below_any(right)):
            return NotImplemented
        return binary(slots.multiply, left, right)

    def __truediv__(left, right):
        """__truediv__($self, other, /)\n--\n\nReturn self / other."""
        return binary(slots.divide, left, right)

    def __floordiv__(left, right):
        """__floordiv__($self, other, /)\n--\n\nReturn self // other."""
        return binary(slots.floor, left, right)

    def __mod__(left, right):
        """__mod__($self, other, /)\n--\n\nReturn self % other."""
        return binary(slots.remainder, left, right)

    def __divmod__(left, right):
        """__divmod__($self, other, /)\n--\n\nReturn divmod(self, other)."""
        return binary(slots.divmod, left, right)

    def __pow__(left, right, modulo):
        if modulo is not None:
            return NotImplemented
        return binary(slots.power, left, right)

    def __matmul__(left, right):
        """__matmul__($self, other, /)\n--\n\nReturn self @ other."""
        return binary(slots.matmul, left, right)

    def __and__(left, right):
        """__and__($self, other, /)\n--\n\nReturn self & other."""
        return binary(slots.and_, left, right)

    def __or__(left, right):
        """__or__($self, other, /)\n--\n\nReturn self | other."""
        return binary(slots.or_, left, right)

    def __xor__(left, right):
        """__xor__($self, other, /)\n--\n\nReturn self ^ other."""
        return binary(slots.xor, left, right)

    def __lshift__(left, right):
        """__lshift__($self, other, /)\n--\n\nReturn self << other."""
        return binary(slots.lshift, left, right)

    def __rshift__(left, right):
        """__rshift__($self, other, /)\n--\n\nReturn self >> other."""
        return binary(slots.rshift, left, right)

    def __iadd__(self, other):
        return inplace(slots.iadd, self, other)

    def __isub__(self, other):
        return inplace(slots.isubtract, self, other)

    def __imul__(self, other):
        return inplace(slots.imultiply, self, other)

    def __itruediv__(self, other):
        return inplace(slots.idivide, self, other)

    def __ifloordiv__(self, other):
        return inplace(slots.ifloor, self, other)

    def __imod__(self, other):
        return inplace(slots.iremainder, self, other)

    def __ipow__(self, other, modulo):
        if modulo is not None:
            return NotImplemented
        return inplace(slots.ipower, self, other)

    def __imatmul__(self, other):
        return inplace(slots.imatmul, self, other)

    def __iand__(self, other):
        return inplace(slots.iand, self, other)

    def __ior__(self, other):
        return inplace(slots.ior, self, other)

    def __ixor__(self, other):
        return inplace(slots.ixor, self, other)

    def __ilshift__(self, other):
        return inplace(slots.ilshift, self, other)

    def __irshift__(self, other):
        return inplace(slots.irshift, self, other)

    def __neg__(self):
        return unary(slots.negative, self)

    def __pos__(self):
        return unary(slots.positive, self)

    def __abs__(self):
        return unary(slots.absolute, self)

    def __invert__(self):
        return unary(slots.invert, self)

    def __richcmp__(self, other, int op):
        cdef object a = below(self)
        cdef object b = below(other) if type(other) is Array else operand(other)
        cdef PyObject *r
        cdef int token
        if b is NotImplemented:
            return NotImplemented
        token = enter(0)
        r = to_array(compare(<PyObject *>a, <PyObject *>b, op))
        leave(token)
        if r == NULL:
            failed()
        return made(stolen(r), None) if is_ndarray(r) else stolen(r)

    # Python's numbers, from 0-d Arrays.

    def __bool__(self):
        return bool(below(self))

    def __int__(self):
        return int(below(self))

    def __float__(self):
        return float(below(self))

    def __index__(self):
        return operator.index(below(self))

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d array")
        return self.shape[0] if self._a is None else cnp.PyArray_DIM(self._a, 0)

    def __iter__(self):
        cdef ArrayIterator it
        if cnp.PyArray_NDIM(below(self)) == 0:
            raise TypeError("iteration over a 0-d array")
        it = ArrayIterator.__new__(ArrayIterator)
        it.x = self
        return it

    def __contains__(self, value):
        cdef object b = operand(value)
        return bool(PySequence_Contains(below(self), value if b is NotImplemented else b))

    def __repr__(self):
        if self._a is None:
            return _show.lost(self._link)
        return _show.text(below(self), kind_of(self))

    def __str__(self):
        return _show.lost(self._link) if self._a is None else str(below(self))

    # Indexing.

    def __getitem__(self, key):
        cdef ndarray a = below(self)
        cdef Py_ssize_t i
        if PySlice_Check(key) or PyLong_CheckExact(key):
            if cnp.PyArray_NDIM(a) == 1 and not PySlice_Check(key):
                try:
                    i = key
                except OverflowError:
                    raise IndexError("cannot fit 'int' into an index-sized integer") from None
                return item_at(self, a, i)
            return view_at(self, a, stolen(subscript(<PyObject *>a, <PyObject *>key)), key)
        return indexed(self, key)

    def __setitem__(self, key, value):
        cdef ndarray a = below(self)
        cdef bint makes = False
        if type(key) is tuple:
            key = tuple([plain_key(item, below_any, &makes) for item in key])
        elif not PySlice_Check(key):
            key = plain_key(key, below_any, &makes)
        if cnp.PyArray_NBYTES(a) >= 1 << 21 and (
                key is Ellipsis or PySlice_Check(key) and key == ALL):
            will_write(a)
        value = value_for(a, key, below_any(value))
        PyObject_SetItem(below(self), key, value)

    def __delitem__(self, key):
        raise ValueError("cannot delete array elements")

    # What is known of a lost Array too.

    @property
    def shape(self):
        """Shape, a tuple of ints; assigning to it reshapes in place, and warns where NumPy does."""
        if self._a is None and isinstance(self._link, Lost):
            return (<Lost>self._link).shape
        return (<object>below(self)).shape

    @shape.setter
    def shape(self, value):
        cdef ndarray before = None, a = below(self)
        while before is not a:      # the first time, or moved meanwhile
            r = (<object>a).view()
            r.shape = value
            before, a = a, below(self)
        self._a = r

    @property
    def dtype(self):
        """Data type of the elements, a ``numpy.dtype``."""
        if self._a is None and isinstance(self._link, Lost):
            return (<Lost>self._link).dtype
        return descr_of(below(self))

    @property
    def ndim(self):
        """Number of dimensions."""
        return len(self.shape) if self._a is None else cnp.PyArray_NDIM(self._a)

    @property
    def size(self):
        """Number of elements."""
        return prod(self.shape) if self._a is None else cnp.PyArray_SIZE(self._a)


cdef int extend(dict members) except -1:
    """Add methods and properties to Array; each is named as its member, and pickles by name."""
    for name, member in members.items():
        if callable(member):
            member.__name__ = name
            member.__qualname__ = f"Array.{name}"
            member.__module__ = "sharedarray"
        sa_extend(<PyTypeObject *>Array, name, member)
    return 0


sa_rename(<PyTypeObject *>Array, b"sharedarray.Array")
sa_refuse_subclasses(<PyTypeObject *>Array)
