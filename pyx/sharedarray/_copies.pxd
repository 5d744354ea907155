from numpy cimport ndarray

cdef ndarray copied(ndarray a, int order)       # a copy in new memory, following xp.memory
cdef ndarray condensed(ndarray a)               # the same; what overlaps is copied once
