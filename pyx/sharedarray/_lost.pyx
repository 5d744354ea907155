"""What is known of an array that arrived and could not be opened."""

cimport cython

__all__ = ["Lost"]


@cython.final
cdef class Lost:
    """What is known of an array that arrived and could not be opened."""


cdef Lost lost_record(tuple shape, object dtype, object device, bint readonly, str reason):
    """Return what is known: any use of the data says `reason`."""
    cdef Lost lost = Lost.__new__(Lost)
    lost.shape, lost.dtype, lost.device = shape, dtype, device
    lost.readonly, lost.reason = readonly, reason
    return lost
