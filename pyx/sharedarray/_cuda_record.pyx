"""What an Array on a CUDA device is, and the way of its elements to and from the host.

A CudaArray has no ndarray. Its `Record` holds an array of the library that computes on the device
(CuPy's, the *backend array*).
"""

cimport numpy as cnp
from numpy cimport ndarray, npy_intp

from . cimport _array
from ._array cimport Array
from ._checks cimport refuse_objects
from ._storage cimport Storage, make_ndarray

import numpy as np

from . import _cuda
from ._backends import loaded
from ._cuda_blocks import allocate

__all__ = ["Record", "cuda_array", "download", "header", "index_of", "look_for_devices",
           "looks_for_devices", "upload"]

cnp.import_array()

cdef object U1 = np.dtype("u1")
cdef type maker = None      # CudaArray, which is defined above this module


cdef int makes(object kind) except -1:
    """Say which class `cuda_array` is to make instances of."""
    global maker
    maker = kind
    return 0


def look_for_devices():
    """From now on arrays of CUDA devices, and such a device in force, have to be looked for."""
    _array.elsewhere = True


def looks_for_devices():
    """Whether arrays of CUDA devices, and such a device in force, have to be looked for.

    Returns
    -------
    bool
        False as long as this process never came to use a CUDA device.
    """
    return bool(_array.elsewhere)


cdef int unmade() except -1:
    raise TypeError("this Array was never initialised: make arrays with sharedarray.empty() "
                    "or sharedarray.asarray()")


cdef class Record:
    """What an Array on a CUDA device is: an array of the backend's library, and its device."""


cpdef Array cuda_array(object b, int index, bint writable=True, object storage=None):
    """Return an Array over an array of the backend's library.

    Parameters
    ----------
    b : backend array
        It lies in a Block, or `storage` is given.
    index : int
        The device.
    writable : bool, optional
        Whether elements can be assigned.
    storage : Storage, optional
        Of memory that another library lent.

    Returns
    -------
    Array
    """
    cdef Array x = maker.__new__(maker)
    cdef Record record = Record.__new__(Record)
    refuse_objects(b.dtype)
    record.b, record.index, record.writable = b, index, writable
    record.storage = storage
    x._link = record
    if storage is not None:
        (<Storage>storage).watch(x)
    return x


cdef Record renewed(Record old, object b, object storage):
    """The same with another backend array, on the same device."""
    cdef Record record = Record.__new__(Record)
    record.b, record.index, record.writable = b, old.index, old.writable
    record.storage = storage
    return record


def index_of(Array x not None):
    """Return the number of the device of an Array on a CUDA device.

    Parameters
    ----------
    x : Array
        On a CUDA device.

    Returns
    -------
    int
    """
    return record_of(x).index


cdef str place_of(int index):
    return f"cuda:{index}"


cdef int check_writable(Record record, str what) except -1:
    if not record.writable:
        raise ValueError(f"{what} is read-only")
    return 0


# Between host and device


cdef object joined(object library, int index, object stream):
    """Return the stream that copies; another than the current one waits for that one first.

    What is copied may still be written there, and memory just taken from the pool still be read.
    """
    cdef object current = library.stream(index)
    if stream is None or stream == current:
        return current
    _cuda.wait_stream(index, stream, current)
    return stream


cdef int rejoined(object library, int index, object stream) except -1:
    """Let the current stream wait for the copy, as whoever uses it there expects."""
    cdef object current = library.stream(index)
    if stream != current:
        _cuda.wait_stream(index, current, stream)
    return 0


cpdef object upload(ndarray a, int index, object stream=None):
    """Return a backend array in a new Block of a device, with the values of an ndarray.

    Parameters
    ----------
    a : numpy.ndarray
        Its memory order, C or Fortran, is kept.
    index : int
        The device.
    stream : int, optional
        The stream that copies; by default the current one.

    Returns
    -------
    backend array
    """
    cdef object library = loaded()
    cdef object fortran, flat, block
    cdef npy_intp n
    refuse_objects(a.dtype)
    fortran = cnp.PyArray_IS_F_CONTIGUOUS(a) and not cnp.PyArray_IS_C_CONTIGUOUS(a)
    if not fortran and not cnp.PyArray_IS_C_CONTIGUOUS(a):
        a = np.array(a, order="C")
    n = cnp.PyArray_NBYTES(a)
    block = allocate(index, max(n, 1))
    if n:
        flat = make_ndarray(cnp.PyArray_DATA(a), U1, 1, &n, NULL, False, a)
        stream = joined(library, index, stream)
        _cuda.copy_in(index, block.pointer, flat, stream)
        rejoined(library, index, stream)
    return library.array(block, 0, (<object>a).shape, (<object>a).strides, a.dtype)


cpdef ndarray header(Array x, object owner=None):
    """Return an ndarray with address, shape and strides of `x`: device memory, not to be read.

    Parameters
    ----------
    x : Array
        On a CUDA device.
    owner : object, optional
        What is kept besides the memory.

    Returns
    -------
    numpy.ndarray
        It keeps the memory.
    """
    cdef Record record = record_of(x)
    cdef npy_intp[64] shape
    cdef npy_intp[64] strides
    cdef object b = record.b
    cdef int i, ndim = b.ndim
    for i in range(ndim):
        shape[i], strides[i] = b.shape[i], b.strides[i]
    return make_ndarray(<void *><size_t>loaded().pointer(b), b.dtype, ndim, shape, strides,
                        record.writable, (b, owner))


cdef object in_one_piece(Record record, ndarray layout):
    """Return the backend array, copied in C order where its elements do not lie side by side."""
    cdef object library = loaded()
    if cnp.PyArray_IS_C_CONTIGUOUS(layout) or cnp.PyArray_IS_F_CONTIGUOUS(layout):
        return record.b
    with library.scope(record.index):
        return library.place(library.method(record.b, "copy", ("C",), {}), record.index)


cpdef ndarray download(Array x, object stream=None):
    """Return the elements in the memory in force of the host, as an ndarray of the same layout.

    Parameters
    ----------
    x : Array
        On a CUDA device.
    stream : int, optional
        The stream that copies; by default the current one.

    Returns
    -------
    numpy.ndarray
    """
    cdef Record record = record_of(x)
    cdef object library = loaded(), b, flat
    cdef ndarray layout = header(x), result
    cdef npy_intp n
    cdef bint fortran
    fortran = cnp.PyArray_IS_F_CONTIGUOUS(layout) and not cnp.PyArray_IS_C_CONTIGUOUS(layout)
    b = in_one_piece(record, layout)
    result = np.empty(b.shape, b.dtype, "F" if fortran else "C")
    n = cnp.PyArray_NBYTES(result)
    if n:
        flat = make_ndarray(cnp.PyArray_DATA(result), U1, 1, &n, NULL, True, result)
        stream = joined(library, record.index, stream)
        _cuda.copy_out(record.index, flat, library.pointer(b), stream)
    return result
