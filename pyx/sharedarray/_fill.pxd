from numpy cimport ndarray

cdef int fill_array(ndarray a, object value) except -1      # as a.fill(value)
cpdef ndarray filled(ndarray a, object value)
