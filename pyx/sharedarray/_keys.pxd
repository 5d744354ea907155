cimport numpy as cnp
from numpy cimport ndarray

ctypedef object (*Below)(object)    # the ndarray below an Array, anything else unchanged

# One item of an index; `makes` is set where the result will be a copy, not a view.
cdef object plain_key(object key, Below below, bint *makes)
# A slice whose bounds are Python integers.
cdef object plain_slice(object s)
# What to assign into `a[key]`, converted already where a conversion may fail.
cdef object value_for(ndarray a, object key, object value)
# Whether one of two operands of * is an integer in no dimensions, and the other is a sequence of
# Python's, which NumPy's scalars repeat.
cdef bint repeats(object left, object right)


cdef inline bint has_fields(ndarray a):
    """Whether the elements are records."""
    return cnp.PyArray_TYPE(a) == cnp.NPY_VOID and a.dtype.names is not None
