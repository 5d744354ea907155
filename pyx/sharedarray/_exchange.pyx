"""Arrays to and from other libraries and files: DLPack, pickles by value, copies."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.string cimport memcpy
cimport numpy as cnp
from numpy cimport ndarray, npy_intp

from ._array cimport Array, below, borrow, exported, extend, wrap
from ._checks cimport refuse_objects
from ._copies cimport copied, scoped
from ._keys cimport has_fields
from ._core cimport contains
from ._dlpack cimport from_capsule, place, to_capsule, understands_versions
from ._storage cimport make_ndarray

import pickle

import numpy as np

from ._dtype_text import describe, undescribe
from ._errors import DeviceError

__all__ = ["from_dlpack"]

cnp.import_array()

cdef object U1 = np.dtype("u1")
cdef tuple CPU = (1, 0)         # kDLCPU


# DLPack


def __dlpack__(Array self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """Export this array as a DLPack capsule.

    Parameters
    ----------
    stream : None
        There are no streams on the CPU.
    max_version : tuple of two ints, optional
        The newest DLPack version the consumer takes; from (1, 0) up the capsule is versioned, and
        can say that an array is read-only.
    dl_device : tuple of two ints, optional
        The device to export to; here (1, 0), the CPU.
    copy : bool, optional
        True: export a copy; otherwise nothing is copied.

    Returns
    -------
    capsule
        It keeps the memory, and so does the consumer.

    Raises
    ------
    BufferError
        If the dtype, the device or the strides cannot be exported, or a read-only array to a
        consumer that cannot know it.
    ValueError
        If a stream is given.

    Examples
    --------
    >>> import numpy as np
    >>> import sharedarray as xp
    >>> np.from_dlpack(xp.arange(3))
    array([0, 1, 2])
    """
    cdef ndarray view
    cdef bint versioned = understands_versions(max_version)
    if stream is not None:
        raise ValueError(f"__dlpack__: stream must be None for an array on the CPU, not {stream!r}")
    if dl_device is not None and place(dl_device) != CPU:
        raise BufferError(f"__dlpack__: an array on the CPU (1, 0) cannot be exported to device "
                          f"{place(dl_device)!r}")
    if copy:
        view = exported(wrap(copied(below(self), cnp.NPY_KEEPORDER)))
    else:
        view = exported(self)
    return to_capsule(view, versioned, bool(copy))


def __dlpack_device__(Array self):
    """Return DLPack's device type and number of this array; (1, 0) is the CPU.

    Returns
    -------
    tuple of two ints
        Type and number.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.zeros(3).__dlpack_device__()
    (1, 0)
    """
    below(self)
    return CPU


def from_dlpack(x, /, *, device=None, copy=None):
    """Return an Array over the memory of another library's array.

    Parameters
    ----------
    x : object
        Any array with ``__dlpack__`` and ``__dlpack_device__``.
    device : Device or str, optional
        Where the result is to be; default where `x` is.
    copy : bool, optional
        True: copy in any case; False: never; default: only between devices.

    Returns
    -------
    Array
        Over the same memory, unless copied; ``is_shared()`` tells whether it is shared. What was
        read-only stays so, and so does what comes from libraries too old to say.

    Raises
    ------
    AttributeError
        If `x` has no DLPack methods.
    BufferError
        If `x` cannot be imported without what was forbidden.
    DeviceError
        If `device` does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> import sharedarray as xp
    >>> a = np.zeros(3)
    >>> x = xp.from_dlpack(a)
    >>> x[1] = 7
    >>> a[1], x.is_shared()
    (np.float64(7.0), False)
    """
    from ._devices import resolve
    cdef ndarray a
    cdef object target = None if device is None else resolve(device)
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise AttributeError(f"from_dlpack: {type(x).__name__} has no __dlpack__ and "
                             "__dlpack_device__; use asarray()")
    if isinstance(x, Array):
        return (moved(x, target, copy) if target is not None and target != x.device
                else x.copy() if copy
                else borrow(below(x)) if type(x) is Array and x.is_shared()
                else (<object>x).view())
    kind = x.__dlpack_device__()
    if not (isinstance(kind, tuple) and len(kind) == 2):
        raise BufferError(f"from_dlpack: __dlpack_device__ returned {kind!r}, which is no "
                          "tuple of two ints")
    options = {}
    if int(kind[0]) in (2, 13) and (target is None or target.index is not None):
        from ._cuda_foreign import borrowed
        y = borrowed(x)
        return (moved(y, target, copy) if target is not None and target != y.device
                else y.copy() if copy else y)
    if int(kind[0]) not in (1, 3, 11, 13) or int(kind[0]) == 13 and target is not None:
        if target is None:
            raise DeviceError(f"from_dlpack: the array lives on DLPack device {kind!r}, which is "
                              "not available here; device='cpu' copies it")
        if copy is False:
            raise BufferError(f"from_dlpack: from DLPack device {kind!r} to {target} only by a "
                              "copy, which copy=False forbids")
        options["dl_device"] = CPU
    if target is not None and target.index is not None:
        return moved(from_dlpack(x), target, copy)
    if copy is not None:
        options["copy"] = copy
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **options)
    except TypeError:
        if int(kind[0]) in (2, 13):         # from before DLPack 1.0
            from ._cuda_foreign import borrowed
            return moved(borrowed(x), target, copy)
        if "dl_device" in options:
            raise
        capsule = x.__dlpack__()        # from before DLPack 1.0
    a = from_capsule(capsule)
    if copy:
        return wrap(copied(a, cnp.NPY_KEEPORDER))
    return borrow(a)


cdef object moved(object x, object target, object copy):
    """Return an Array on another device, unless copying is forbidden."""
    if copy is False:
        raise BufferError(f"from_dlpack: from {x.device} to {target} only by a copy, which "
                          "copy=False forbids")
    return x.to_device(target)


# Pickles hold the elements, so that files and other machines can have them.


cdef bint has_padding(object dtype):
    """Whether elements have bytes that belong to no value."""
    if dtype.subdtype is not None:
        return has_padding(dtype.subdtype[0])
    if dtype.names is not None and dtype.kind == "V":
        return (sum([dtype.fields[name][0].itemsize for name in dtype.names]) != dtype.itemsize
                or any([has_padding(dtype.fields[name][0]) for name in dtype.names]))
    return dtype.char in "gG"


cdef int copy_values(object target, object source) except -1:
    """Copy the values of `source` into zeros, and nothing from between them."""
    cdef int start
    if source.dtype.names is not None:
        for name in source.dtype.names:
            copy_values(target[name], source[name])
        return 0
    target[...] = source
    if source.dtype.char in "gG" and np.finfo(np.longdouble).nmant == 63:
        for start in range(10, source.dtype.itemsize, 16):      # 80 bits of value in 128
            target.setfield(np.zeros((), "V6"), "V6", start)
    return 0


def __reduce_ex__(Array self, protocol):
    """Pickle by value: dtype, shape, layout and the elements of this view, nothing more.

    Of an array on a CUDA device the device is named as well: it is loaded there, or on the CPU
    where there is no such device.
    """
    cdef ndarray a = below(self)
    cdef object order = "C"
    cdef object dtype = self.dtype
    cdef npy_intp n
    if cnp.PyArray_IS_C_CONTIGUOUS(a):
        view = exported(self)
    elif cnp.PyArray_IS_F_CONTIGUOUS(a):
        view = exported(self)
        order = "F"
    else:
        view = np.array(a, order="C", copy=True)
    if has_padding(dtype):
        values = np.zeros(self.shape, dtype, order)
        copy_values(values, view)
        view = values
    n = cnp.PyArray_NBYTES(view)
    data = make_ndarray(cnp.PyArray_DATA(view), U1, 1, &n, NULL, False, view)
    text = describe(dtype)
    buffer = pickle.PickleBuffer(data) if protocol >= 5 else data.tobytes()
    return _restore, (buffer, text, self.shape, order)


def __reduce__(Array self):
    """Pickle by value, with the elements in the stream."""
    return __reduce_ex__(self, 4)


def _restore(buffer, str dtype, tuple shape, str order):
    """Make the Array that was pickled: a writable copy, in memory that follows ``xp.memory``."""
    cdef object descr = undescribe(dtype)
    cdef ndarray a
    cdef Py_buffer data
    refuse_objects(descr)
    a = scoped(np.empty, (shape, descr, order), None)
    PyObject_GetBuffer(buffer, &data, PyBUF_SIMPLE)
    try:
        if data.len != cnp.PyArray_NBYTES(a):
            raise pickle.UnpicklingError(
                f"{data.len} bytes for an Array of shape {shape} and dtype {descr}, which takes "
                f"{cnp.PyArray_NBYTES(a)}")
        memcpy(cnp.PyArray_DATA(a), data.buf, data.len)
    finally:
        PyBuffer_Release(&data)
    return wrap(a)


def __copy__(Array self):
    """Return a copy in new memory, which follows ``xp.memory``."""
    return wrap(copied(below(self), cnp.NPY_KEEPORDER))


def __deepcopy__(Array self, memo):
    """Return a copy in new memory, which follows ``xp.memory``."""
    return wrap(copied(below(self), cnp.NPY_KEEPORDER))


def array_interface(Array self):
    """NumPy's description of the memory, protocol version 3.

    Shared memory never moves, so its address is given; of private memory, which
    ``share_memory_()`` may move, a buffer that holds it.
    """
    cdef ndarray view = exported(self)
    cdef dict interface = dict((<object>view).__array_interface__)
    if has_fields(view) and np.dtype(interface["descr"]) != view.dtype:
        raise AttributeError(f"__array_interface__: it has no words for the layout of {view.dtype}")
    if not contains(cnp.PyArray_DATA(view)) and cnp.PyArray_IS_C_CONTIGUOUS(view):
        interface["data"] = memoryview((<object>view).reshape(-1).view(U1))
    elif not contains(cnp.PyArray_DATA(view)):
        raise AttributeError("__array_interface__: this private array is not contiguous; call "
                             "share_memory_() or np.asarray()")
    return interface


extend({
    "__dlpack__": __dlpack__,
    "__dlpack_device__": __dlpack_device__,
    "__reduce_ex__": __reduce_ex__,
    "__reduce__": __reduce__,
    "__copy__": __copy__,
    "__deepcopy__": __deepcopy__,
    "__array_interface__": property(array_interface, doc=array_interface.__doc__),
})
