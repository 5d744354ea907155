"""Arrays of other libraries on CUDA devices: which they are, and ours over the same memory."""

cimport numpy as cnp
from numpy cimport ndarray, npy_intp

from ._array cimport Array
from ._cuda_record cimport cuda_array, upload
from ._dlpack cimport from_capsule
from ._storage cimport make_ndarray
from ._weak cimport WeakTable

import numpy as np

from . import _cuda, _device
from ._backends import loaded
from ._cuda_places import places
from ._cuda_storage import Foreign
from ._cuda_storage import borrowed as lent_storage

__all__ = ["borrowed", "extent", "over_storage", "owned"]

cnp.import_array()

cdef WeakTable handed = WeakTable()     # address -> Block that others know of


cdef tuple interface_of(object x):
    """Return an ndarray with address and layout by the CUDA array interface, a stream, and
    whether there is an address: empty arrays have none.
    """
    cdef dict about = x.__cuda_array_interface__
    cdef npy_intp[64] shape
    cdef npy_intp[64] strides
    cdef object dtype, steps = about.get("strides")
    cdef size_t pointer
    cdef int i, ndim = len(about["shape"])
    if about.get("mask") is not None:
        raise BufferError("__cuda_array_interface__: masked arrays have no equivalent here")
    dtype = np.dtype(about["typestr"])
    if dtype.kind == "V" and about.get("descr"):
        dtype = np.dtype(about["descr"])
    pointer, readonly = about["data"]
    step = dtype.itemsize
    for i in range(ndim - 1, -1, -1):
        shape[i] = about["shape"][i]
        strides[i] = step if steps is None else steps[i]
        step *= max(shape[i], 1)
    view = make_ndarray(<void *>pointer, dtype, ndim, shape, strides, not readonly, (x,))
    return view, about.get("stream"), pointer != 0


cdef Py_ssize_t device_at(object x, object library, ndarray view):
    """Return the number of the device an array with a CUDA array interface lies on."""
    if library.is_array(x):
        return library.device_of(x)
    if hasattr(type(x), "__dlpack_device__"):
        return int(x.__dlpack_device__()[1])
    return library.device_at(<size_t>cnp.PyArray_DATA(view))


def borrowed(x):
    """Return an Array over another library's array on a CUDA device, without a copy.

    Parameters
    ----------
    x : object
        It has DLPack's methods or ``__cuda_array_interface__``.

    Returns
    -------
    Array
        ``is_shared()`` tells whether the memory is this library's.

    Raises
    ------
    BufferError
        If its data type or layout has no equivalent here.
    """
    cdef ndarray view
    cdef object library, stream = None
    library = _device.backend(_device.make("cuda", 0))
    if library.is_array(x):
        index = library.device_of(x)
        return over(x, index, True, x)
    if hasattr(type(x), "__dlpack__") and hasattr(type(x), "__dlpack_device__"):
        index = int(x.__dlpack_device__()[1])
        ours = library.stream(index)
        view = from_capsule(asked(x, ours if ours else 1), True)
        writable = bool(cnp.PyArray_ISWRITEABLE(view))
    else:
        view, stream, placed = interface_of(x)
        if not placed and (<object>view).size == 0:
            index = _device.Device("cuda").index        # nothing says where it lies
            return cuda_array(upload(view, index), index, bool(cnp.PyArray_ISWRITEABLE(view)))
        index = device_at(x, library, view)
        writable = bool(cnp.PyArray_ISWRITEABLE(view))
        if stream is not None and stream != 0:
            _cuda.wait_stream(index, library.stream(index), stream)
    _device.check(_device.make("cuda", index))
    b = library.foreign(view, <size_t>cnp.PyArray_DATA(view), index,
                        (<object>view).shape, (<object>view).strides, view.dtype)
    return over(b, index, writable, view)


cdef object asked(object x, object stream):
    """Ask an array for a DLPack capsule, of the newest version it knows."""
    try:
        return x.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        return x.__dlpack__(stream=stream)      # from before DLPack 1.0


cdef Array over(object b, int index, bint writable, object owner):
    """Return an Array over a backend array of anybody's: memory of ours is known as such."""
    cdef object library = loaded(), low, high, storage, block
    if library.block_of(b) is not None:
        return cuda_array(b, index, writable)
    low, high = extent(b.shape, b.strides, b.dtype.itemsize)
    low, high = low + library.pointer(b), high + library.pointer(b)
    segment = places.at(low)
    if segment is not None and segment.exportable:
        if high > segment.base + segment.nbytes:
            raise ValueError(f"an array of {high - low} bytes at {low:#x} reaches outside the "
                             f"device memory there, which ends {segment.base + segment.nbytes:#x}")
        for block in handed.values():
            if block.pointer <= low and high <= block.pointer + block.nbytes:
                b = library.array(block, library.pointer(b) - block.pointer, tuple(b.shape),
                                  tuple(b.strides), b.dtype)
                return cuda_array(b if writable else library.frozen(b), index, writable)
    storage = lent_storage(Foreign(low, high - low, index, owner, writable))
    return cuda_array(b, index, writable, storage)


def over_storage(storage, dtype, shape, strides, offset):
    """Return an Array over part of a Storage on a CUDA device; the bounds are checked already.

    Parameters
    ----------
    storage : Storage
        On a CUDA device.
    dtype : dtype
        Data type.
    shape, strides : tuple of ints
        The strides in bytes.
    offset : int
        Of the first element, in bytes.

    Returns
    -------
    Array
    """
    library, lies = loaded(), storage._remote
    if storage.is_shared():
        b = library.array(lies, offset, shape, strides, dtype)
        storage = None
    else:
        b = library.foreign(lies, lies.pointer + offset, lies.index, shape, strides, dtype)
    return cuda_array(b if lies.writable else library.frozen(b), lies.index, lies.writable, storage)


def extent(shape, strides, itemsize):
    """Return where the elements of an array begin and end.

    Parameters
    ----------
    shape, strides : sequence of ints
        Its layout, the strides in bytes.
    itemsize : int
        Bytes of an element.

    Returns
    -------
    tuple of int
        The lowest byte and the one behind the highest, both from the first element; 0 and 0
        where there are no elements.
    """
    cdef object low = 0, high = itemsize    # of any size: what others say need not be true
    for n, step in zip(shape, strides):
        if n == 0:
            return 0, 0
        if step < 0:
            low += step * (n - 1)
        else:
            high += step * (n - 1)
    return low, high


cdef int hand_out(object block) except -1:
    """Remember a Block whose address other libraries get: they may bring it back."""
    if block is not None:
        handed.set(block.pointer, block)
    return 0


def owned(x):
    """Whether the memory of another library's array on a CUDA device is this library's.

    Parameters
    ----------
    x : object
        An array by ``__cuda_array_interface__`` or DLPack.

    Returns
    -------
    bool
    """
    cdef ndarray view
    library = loaded()
    if library.is_array(x):
        return places.owns(library.pointer(x))
    if hasattr(x, "__cuda_array_interface__"):
        view = interface_of(x)[0]
    else:
        view = from_capsule(asked(x, -1), True)
    return places.owns(<size_t>cnp.PyArray_DATA(view))
