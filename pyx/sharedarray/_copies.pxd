from numpy cimport ndarray

cdef object failed()                            # re-raises what NumPy raised
cdef object scoped(object function, tuple args, dict kwargs)    # call it in the scope

cdef ndarray copied(ndarray a, int order)       # a copy in new memory, following xp.memory
cdef ndarray condensed(ndarray a)               # the same; what overlaps is copied once
