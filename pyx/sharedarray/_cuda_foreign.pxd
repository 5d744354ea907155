cdef int hand_out(object block) except -1
