# cython: language_level=3, boundscheck=True, wraparound=False
"""Functions with typed memoryviews, as users of Cython write them."""

cimport cython


def scale(double[:] x, double factor):
    """Multiply in place."""
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] *= factor


def transpose_in_place(double[:, ::1] m):
    """Transpose a square matrix that is contiguous."""
    cdef Py_ssize_t i, j
    for i in range(m.shape[0]):
        for j in range(i):
            m[i, j], m[j, i] = m[j, i], m[i, j]


def count(const unsigned char[:] flags):
    """Sum of bytes, which may be read-only."""
    cdef Py_ssize_t i, total = 0
    for i in range(flags.shape[0]):
        total += flags[i]
    return total


def strides(float complex[:, :, :] z):
    """What the memoryview says of its layout."""
    return z.shape[0], z.shape[1], z.shape[2], z.strides[0], z.strides[1], z.strides[2]


def keep(long[:] x):
    """Give the memoryview to the caller, who may keep it."""
    return x


ctypedef fused number:
    int
    long
    float
    double


def total(number[:] x):
    """Sum in the type of the array, chosen at the call."""
    cdef number s = 0
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        s += x[i]
    return cython.typeof(s), s
