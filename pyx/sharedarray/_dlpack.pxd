from numpy cimport ndarray

# A capsule over `view` (an export: its base holds the memory), versioned where the consumer can.
cdef object to_capsule(ndarray view, bint versioned, bint copied)
# An ndarray over the memory of a capsule, which is used up then; BufferError where it cannot be.
cdef ndarray from_capsule(object capsule)
cdef bint understands_versions(object max_version) except -1
