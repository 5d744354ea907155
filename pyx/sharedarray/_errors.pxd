cdef object raise_errno(int err, object what)
cdef int check(int rc, object what) except -1
