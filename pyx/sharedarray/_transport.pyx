"""Arrays on their way: by handle through multiprocessing and its executors, or opened by hand.

What arrives and cannot be opened becomes a lost Array: an exception inside unpickling would hang
`multiprocessing.Pool` for ever.
"""

from libc.stdint cimport int64_t, uint64_t
cimport numpy as cnp
from numpy cimport ndarray, npy_intp

from multiprocessing.reduction import ForkingPickler

import numpy as np

from sharedarray._array cimport Array, below, link_of, lost_array
from sharedarray._handle cimport (
    Handle,
    Received,
    described,
    on_device,
    make_handle,
    open_bytes,
    opened,
    pack,
    pickled,
    said_size,
)
from sharedarray._storage cimport (
    Storage,
    hold_of,
    lost_storage,
    make_ndarray,
    root_of,
    shared_storage,
    storage_of,
)

from ._errors import HandleError

__all__ = ["from_handle", "from_storage", "handle_of"]

cnp.import_array()

cdef extern from "core/wire.h" nogil:
    bint sa_view_fits(int64_t offset, int64_t itemsize, int ndim, const int64_t *shape,
                      const int64_t *strides, uint64_t nbytes)
    bint sa_shape_counts(int64_t itemsize, int ndim, const int64_t *shape)


cdef Array view_of(Storage storage, object dtype, tuple shape, tuple strides, Py_ssize_t offset,
                   bint writable):
    """An Array over part of a Storage; the caller has checked the bounds."""
    cdef npy_intp[64] dims
    cdef npy_intp[64] steps
    cdef int i, ndim = len(shape)
    cdef Array x = Array.__new__(Array)
    for i in range(ndim):
        dims[i] = shape[i]
        steps[i] = strides[i]
    x._a = make_ndarray(cnp.PyArray_BYTES(storage.root) + offset, dtype, ndim, dims, steps,
                        writable, storage.root)
    link_of(x)
    return x


def handle_of(Array x not None):
    """Return a Handle of an Array: what travels to other processes in its place.

    Parameters
    ----------
    x : Array
        In shared memory.

    Returns
    -------
    Handle

    Raises
    ------
    ValueError
        If its memory is private: ``share_memory_()`` first.
    HandleError
        If `x` is a lost Array.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros((2, 3))
    >>> xp.from_handle(x.handle()).shape
    (2, 3)
    """
    below(x)
    cdef Storage storage = storage_of(x._a, link_of(x))
    return make_handle(storage, x._a)


def from_handle(handle):
    """Open a Handle: an Array over the very memory it names, or a Storage from a Storage's handle.

    Parameters
    ----------
    handle : Handle
        Made by this or any other process of this user on this machine.

    Returns
    -------
    Array or Storage
        Writable if the sent view was.

    Raises
    ------
    HandleError
        With the reason: another machine or user, the sender ended, the memory gone, or no
        descriptor or address space left here. Nothing is mapped then.
    ValueError
        If the Handle is closed.
    TypeError
        For anything but a Handle.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.ones(3)
    >>> y = xp.from_handle(x.handle())
    >>> y += 1
    >>> x
    Array([2., 2., 2.], dtype=float64, device='cpu', shared)
    """
    if not isinstance(handle, Handle):
        raise TypeError(f"from_handle: a Handle is needed, not {type(handle).__name__} (bytes of "
                        "one become it by Handle.from_bytes)")
    cdef Received elsewhere = on_device(<Handle>handle)
    if elsewhere is not None:
        from ._cuda_handle import open_received
        return open_received(elsewhere)
    what = opened(<Handle>handle)
    return array_over(<ndarray>what) if isinstance(what, ndarray) else what


cdef Array array_over(ndarray a):
    """An Array over shared memory that `a` holds."""
    cdef Array x = Array.__new__(Array)
    x._a = a
    return x


def from_storage(Storage storage not None, dtype, shape, strides=None, offset=0):
    """Return an Array over part of a Storage, without a copy.

    Parameters
    ----------
    storage : Storage
        The memory.
    dtype : dtype
        Without Python objects.
    shape : int or tuple of int
        Shape of the Array.
    strides : tuple of int, optional
        In bytes; default C order.
    offset : int, optional
        Of the first element, in bytes.

    Returns
    -------
    Array

    Raises
    ------
    ValueError
        If any element would lie outside the Storage.
    TypeError
        For a dtype that holds objects.

    Examples
    --------
    >>> import sharedarray as xp
    >>> s = xp.Storage(16)
    >>> x = xp.from_storage(s, xp.int32, (2,), offset=8)
    >>> x[0] = 1
    >>> s[8], x.storage() is s
    (1, True)
    """
    cdef int64_t[64] dims
    cdef int64_t[64] steps
    cdef int i, ndim
    cdef object step
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"from_storage: arrays of dtype {dtype!r} hold Python objects, which "
                        "cannot be shared")
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    shape = tuple([n.__index__() for n in shape])
    ndim = len(shape)
    if ndim > 64:
        raise ValueError(f"from_storage: {ndim} dimensions, NumPy allows 64")
    if strides is None:
        strides, step = [], dtype.itemsize
        for n in reversed(shape):
            strides.append(step)
            step *= max(n, 1)
        strides.reverse()
    strides = tuple([n.__index__() for n in strides])
    offset = offset.__index__()
    if len(strides) != ndim:
        raise ValueError(f"from_storage: {len(strides)} strides for {ndim} dimensions")
    try:
        for i in range(ndim):
            dims[i] = shape[i]
            steps[i] = strides[i]
        fits = sa_view_fits(offset, dtype.itemsize, ndim, dims, steps, storage.nbytes)
    except OverflowError:
        fits = False
    if not fits:
        raise ValueError(f"from_storage: shape {shape}, strides {strides} and offset {offset} of "
                         f"{dtype} reach outside the {storage.nbytes} bytes of the Storage")
    if not sa_shape_counts(dtype.itemsize, ndim, dims):
        raise ValueError(f"from_storage: an array of shape {shape} and {dtype} is too big")
    if storage.remote is not None:
        from ._cuda_foreign import over_storage
        return over_storage(storage, dtype, shape, strides, offset)
    return view_of(storage, dtype, shape, strides, offset,
                   cnp.PyArray_ISWRITEABLE(storage.data()))


# ---- multiprocessing ----


def _reduce_array(Array x not None):
    """How multiprocessing sends an Array: by handle if it is shared, else by value."""
    cdef ndarray root
    below(x)
    if link_of(x) is not None:
        return x.__reduce_ex__(4)    # ForkingPickler may use protocol 4
    root = root_of(x._a)
    return _receive_array, (pack(hold_of(root), x._a, not cnp.PyArray_ISWRITEABLE(x._a)),)


def _receive_array(bytes data):
    """Open what arrived; what cannot be opened is a lost Array."""
    cdef Received r
    try:
        r = described(data)
    except (HandleError, OSError, MemoryError) as error:
        return lost_array((), np.dtype("V"), "cpu", True, str(error))
    if r.on_device:
        from ._cuda_handle import lost_words, open_received
        try:
            return open_received(r)
        except (HandleError, OSError, MemoryError, RuntimeError) as error:
            shape, dtype, device, readonly = lost_words(r)
            return lost_array(shape, dtype, device, readonly, str(error))
    try:
        return array_over(open_bytes(data).view())
    except (HandleError, OSError, MemoryError) as error:
        reason = str(error)
    return lost_array(r.shape(), r.dtype, "cpu", r.readonly, reason)


def _reduce_storage(Storage storage not None):
    if storage.remote is None:
        storage.data()
    if storage.remote is None and storage.hold is None:
        raise ValueError("this Storage is private to the process; call share_memory_() first")
    return _receive_storage, (bytes(storage.handle()),)


def _receive_storage(bytes data):
    cdef Received r
    try:
        r = described(data)
        if r.on_device:
            from ._cuda_handle import open_received
            return open_received(r)
        return shared_storage(open_bytes(data).hold)
    except (HandleError, OSError, MemoryError) as error:
        return lost_storage(said_size(data), str(error))


_dump = ForkingPickler.dump


def _dump_or_cancel(self, obj):
    """Write the pickle of an object; if that fails, none of its arrays stays in flight."""
    return pickled(_dump, self, obj)


ForkingPickler.dump = _dump_or_cancel
ForkingPickler.register(Array, _reduce_array)
ForkingPickler.register(Storage, _reduce_storage)
