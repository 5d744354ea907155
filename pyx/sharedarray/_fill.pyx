"""Setting all elements of an array to one value: large ones past the caches."""

cimport numpy as cnp
from numpy cimport ndarray

from ._core cimport stream_fill
from ._storage cimport will_write

import numpy as np

cnp.import_array()

# Bytes. What is larger hardly stays in the caches, so reading each line before writing it, as
# NumPy's stores do, only costs: 8.4 ms for 64 MiB against 3.1, and 15.3 against 10.5 with a sum of
# it. At 32 MiB the sum that follows is still faster from the caches. Only memory that is there
# already: a page that the system has just cleared is in the caches.
cdef Py_ssize_t STREAMED = 64 << 20


cdef bint streamable(ndarray a):
    """Return whether `a` is large, plain and in one piece."""
    cdef Py_ssize_t itemsize = cnp.PyArray_ITEMSIZE(a)
    if cnp.PyArray_NBYTES(a) < STREAMED or itemsize > 64 or itemsize & (itemsize - 1):
        return False
    if not (cnp.PyArray_IS_C_CONTIGUOUS(a) or cnp.PyArray_IS_F_CONTIGUOUS(a)):
        return False
    return cnp.PyArray_ISWRITEABLE(a) and not a.dtype.hasobject


cdef void spread(ndarray a, ndarray pattern) noexcept:
    """Write the one element of `pattern` to every element of `a`."""
    cdef char *p = cnp.PyArray_BYTES(a)
    cdef char *source = cnp.PyArray_BYTES(pattern)
    cdef size_t n = cnp.PyArray_NBYTES(a)
    cdef size_t length = cnp.PyArray_ITEMSIZE(a)
    with nogil:
        stream_fill(p, n, source, length)


cdef int fill_array(ndarray a, object value) except -1:
    """Do what ``a.fill(value)`` does."""
    cdef ndarray pattern
    if not (will_write(a) and streamable(a)):
        (<object>a).fill(value)
        return 0
    pattern = np.empty((), a.dtype)
    (<object>pattern).fill(value)
    spread(a, pattern)
    return 0


cpdef ndarray filled(ndarray a, object value):
    """Set the elements of a new array and return it, as :func:`numpy.full` does.

    Parameters
    ----------
    a : ndarray
        Any shape and dtype.
    value : scalar or array_like
        Converted by NumPy's rule "unsafe"; an array is broadcast.

    Returns
    -------
    ndarray
        `a` itself.
    """
    cdef ndarray pattern
    if will_write(a) and streamable(a) and np.ndim(value) == 0:
        pattern = np.empty((), a.dtype)
        np.copyto(pattern, value, casting="unsafe")
        spread(a, pattern)
    else:
        np.copyto(a, value, casting="unsafe")
    return a
