from numpy cimport ndarray

# A capsule over `view` (an export: its base holds the memory), versioned where the consumer can;
# `device`: the CUDA device on which that memory is.
cdef object to_capsule(ndarray view, bint versioned, bint copied, int device=*)
# An ndarray over the memory of a capsule, which is used up then; BufferError where it cannot be.
# `cuda`: it is to be memory of a CUDA device, and nobody may read or write through the ndarray.
cdef ndarray from_capsule(object capsule, bint cuda=*)
cdef bint understands_versions(object max_version) except -1
cdef tuple place(object dl_device)      # as two ints; TypeError if it is none
