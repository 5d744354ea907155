# Raises where ``a ** b``, to be written to `a`, would fail after elements were written.
cdef int check_power(object a, object b) except -1
# The same for a method of the ndarray `a` that is called with these arguments, `out` among them.
cdef int check_method(object name, object a, tuple args, dict kwargs) except -1
# The guard of a function of NumPy, ``guard(function, args, kwargs)``, or None; raises likewise.
cdef object guard_of(object function)
# With how many positional arguments alone a guarded function writes to none of them.
cdef Py_ssize_t free_of(object guard) except -1
cdef int refuse_objects(object dtype) except -1     # raises where it holds Python objects
