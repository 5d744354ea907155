cdef class WeakTable:
    cdef dict refs
    cdef object gone
    cdef object get(self, object key)
    cdef object agree(self, object key, object value)
    cdef int set(self, object key, object value) except -1
    cdef int drop(self, object key) except -1
    cdef list values(self)
