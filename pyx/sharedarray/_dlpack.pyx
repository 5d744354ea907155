"""DLPack capsules made of ndarrays, and ndarrays made of capsules."""

cimport cython
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
cimport numpy as cnp
from numpy cimport ndarray, npy_intp

from ._storage cimport make_ndarray

import numpy as np

cnp.import_array()

cdef extern from "core/dlpack.h" nogil:
    uint32_t SA_DL_MAJOR, SA_DL_MINOR
    uint64_t SA_DL_READ_ONLY, SA_DL_IS_COPIED
    int32_t SA_DL_CPU, SA_DL_CUDA_HOST, SA_DL_ROCM_HOST, SA_DL_MANAGED
    uint8_t SA_DL_INT, SA_DL_UINT, SA_DL_FLOAT, SA_DL_COMPLEX, SA_DL_BOOL
    ctypedef struct sa_dl_version:
        uint32_t major
        uint32_t minor
    ctypedef struct sa_dl_device:
        int32_t type
        int32_t id
    ctypedef struct sa_dl_dtype:
        uint8_t code
        uint8_t bits
        unsigned short lanes
    ctypedef struct sa_dl_tensor:
        void *data
        sa_dl_device device
        int32_t ndim
        sa_dl_dtype dtype
        int64_t *shape
        int64_t *strides
        uint64_t byte_offset
    ctypedef struct sa_dl_legacy
    ctypedef struct sa_dl_versioned

ctypedef void (*legacy_deleter)(sa_dl_legacy *) noexcept
ctypedef void (*versioned_deleter)(sa_dl_versioned *) noexcept

cdef extern from "core/dlpack.h" nogil:
    ctypedef struct sa_dl_legacy:
        sa_dl_tensor tensor
        void *manager
        legacy_deleter deleter
    ctypedef struct sa_dl_versioned:
        sa_dl_version version
        void *manager
        versioned_deleter deleter
        uint64_t flags
        sa_dl_tensor tensor

cdef extern from "Python.h":
    bint Py_IsInitialized() nogil
    bint PyCapsule_CheckExact(object)
    # Plain pointers: a destructor must not count references to what is being destroyed.
    ctypedef void (*PyCapsule_Destructor)(PyObject *) noexcept
    object PyCapsule_New(void *, const char *, PyCapsule_Destructor)
    bint PyCapsule_IsValid(PyObject *, const char *)
    void *PyCapsule_GetPointer(PyObject *, const char *)
    const char *PyCapsule_GetName(PyObject *)
    int PyCapsule_SetName(PyObject *, const char *)

cdef enum:
    CUDA = 2            # kDLCUDA

cdef const char *NAME = "dltensor"
cdef const char *NAME_VERSIONED = "dltensor_versioned"
cdef const char *USED = "used_dltensor"
cdef const char *USED_VERSIONED = "used_dltensor_versioned"
cdef int MAXDIMS = 64           # NPY_MAXDIMS of NumPy 2

cdef dict DTYPES = {(SA_DL_BOOL, 8): np.dtype(bool)}    # (code, bits) -> dtype
for _kind, _code, _sizes in (("i", SA_DL_INT, (1, 2, 4, 8)), ("u", SA_DL_UINT, (1, 2, 4, 8)),
                             ("f", SA_DL_FLOAT, (2, 4, 8)), ("c", SA_DL_COMPLEX, (8, 16))):
    for _size in _sizes:
        DTYPES[_code, 8 * _size] = np.dtype(f"{_kind}{_size}")
cdef dict CODES = {_dtype: _key for _key, _dtype in DTYPES.items()}


cdef bint understands_versions(object max_version) except -1:
    """Whether a consumer that gave this ``max_version`` takes versioned capsules."""
    if max_version is None:
        return False
    if not (isinstance(max_version, tuple) and len(max_version) == 2
            and isinstance(max_version[0], int) and isinstance(max_version[1], int)):
        raise TypeError("__dlpack__: max_version is None or a tuple of two ints, not "
                        f"{max_version!r}")
    return max_version[0] >= 1


cdef tuple place(object dl_device):
    """The device that a consumer asked for: its type and number, of whatever integers they are."""
    try:
        kind, number = dl_device
        return int(kind), int(number)
    except (TypeError, ValueError):
        raise TypeError("__dlpack__: dl_device is None or a tuple of two ints, not "
                        f"{dl_device!r}") from None


cdef int fill(sa_dl_tensor *tensor, ndarray view, int device) except -1:
    """Describe `view` in `tensor`; its shape and strides are one allocation of their own."""
    cdef object code = CODES.get(view.dtype)
    cdef int i, ndim = cnp.PyArray_NDIM(view)
    cdef npy_intp itemsize = cnp.PyArray_ITEMSIZE(view)
    if code is None:
        raise BufferError("DLPack knows booleans, integers, floats of up to 64 bits and complex "
                          f"numbers of up to 128 bits in native byte order, not {view.dtype!r}")
    for i in range(ndim):
        if cnp.PyArray_STRIDE(view, i) % itemsize and cnp.PyArray_DIM(view, i) > 1:
            raise BufferError("DLPack counts strides in elements, and the strides of this array, "
                              f"{(<object>view).strides!r} bytes, are no multiples of {itemsize}: "
                              "export a copy")
    tensor.data = cnp.PyArray_DATA(view)
    tensor.device.type, tensor.device.id = SA_DL_CPU, 0
    if device >= 0:
        tensor.device.type, tensor.device.id = CUDA, device
    tensor.ndim = ndim
    tensor.dtype.code, tensor.dtype.bits = code
    tensor.dtype.lanes = 1
    tensor.byte_offset = 0
    tensor.shape = <int64_t *>malloc(2 * (ndim + 1) * sizeof(int64_t))
    if tensor.shape == NULL:
        raise MemoryError("DLPack: no memory for the description of an array")
    tensor.strides = tensor.shape + ndim
    for i in range(ndim):
        tensor.shape[i] = cnp.PyArray_DIM(view, i)
        tensor.strides[i] = cnp.PyArray_STRIDE(view, i) // itemsize
    return 0


cdef void delete_legacy(sa_dl_legacy *managed) noexcept with gil:
    cdef object view = <object>managed.manager
    free(managed.tensor.shape)
    free(managed)
    Py_DECREF(view)


cdef void delete_versioned(sa_dl_versioned *managed) noexcept with gil:
    cdef object view = <object>managed.manager
    free(managed.tensor.shape)
    free(managed)
    Py_DECREF(view)


cdef void after_legacy(sa_dl_legacy *managed) noexcept nogil:
    """The consumer is done. After the interpreter's end nothing is left to release."""
    if Py_IsInitialized():
        delete_legacy(managed)


cdef void after_versioned(sa_dl_versioned *managed) noexcept nogil:
    """The consumer is done. After the interpreter's end nothing is left to release."""
    if Py_IsInitialized():
        delete_versioned(managed)


cdef void drop_capsule(PyObject *capsule) noexcept:
    """The capsule goes: release what nobody consumed."""
    cdef sa_dl_legacy *legacy
    cdef sa_dl_versioned *versioned
    if PyCapsule_IsValid(capsule, NAME):
        legacy = <sa_dl_legacy *>PyCapsule_GetPointer(capsule, NAME)
        legacy.deleter(legacy)
    elif PyCapsule_IsValid(capsule, NAME_VERSIONED):
        versioned = <sa_dl_versioned *>PyCapsule_GetPointer(capsule, NAME_VERSIONED)
        versioned.deleter(versioned)


cdef object to_capsule(ndarray view, bint versioned, bint copied, int device=-1):
    cdef sa_dl_legacy *legacy
    cdef sa_dl_versioned *managed
    cdef sa_dl_tensor tensor
    if not versioned and not cnp.PyArray_ISWRITEABLE(view):
        raise BufferError("this array is read-only, which only DLPack 1.0 can say, and the "
                          "consumer asked for an older version: export a copy")
    fill(&tensor, view, device)
    if versioned:
        managed = <sa_dl_versioned *>malloc(sizeof(sa_dl_versioned))
        if managed == NULL:
            free(tensor.shape)
            raise MemoryError("DLPack: no memory for the description of an array")
        managed.version.major, managed.version.minor = SA_DL_MAJOR, SA_DL_MINOR
        managed.flags = SA_DL_IS_COPIED if copied else 0
        if not cnp.PyArray_ISWRITEABLE(view):
            managed.flags |= SA_DL_READ_ONLY
        managed.tensor = tensor
        managed.manager = <void *>view
        managed.deleter = after_versioned
        Py_INCREF(view)
        try:
            return PyCapsule_New(managed, NAME_VERSIONED, drop_capsule)
        except BaseException:
            after_versioned(managed)
            raise
    legacy = <sa_dl_legacy *>malloc(sizeof(sa_dl_legacy))
    if legacy == NULL:
        free(tensor.shape)
        raise MemoryError("DLPack: no memory for the description of an array")
    legacy.tensor = tensor
    legacy.manager = <void *>view
    legacy.deleter = after_legacy
    Py_INCREF(view)
    try:
        return PyCapsule_New(legacy, NAME, drop_capsule)
    except BaseException:
        after_legacy(legacy)
        raise


@cython.final
@cython.no_gc
cdef class Tensor:
    """Keeps a consumed DLPack tensor, and gives it back to its producer."""

    cdef sa_dl_legacy *legacy
    cdef sa_dl_versioned *versioned

    def __dealloc__(self):
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)
        if self.legacy != NULL and self.legacy.deleter != NULL:
            self.legacy.deleter(self.legacy)


cdef ndarray from_capsule(object capsule, bint cuda=False):
    cdef PyObject *o = <PyObject *>capsule
    cdef sa_dl_legacy *legacy = NULL
    cdef sa_dl_versioned *managed = NULL
    cdef Tensor owner
    cdef ndarray a
    if not PyCapsule_CheckExact(capsule):
        raise BufferError(f"DLPack: __dlpack__ returned {type(capsule).__name__}, not a capsule")
    owner = Tensor.__new__(Tensor)
    if PyCapsule_IsValid(o, NAME_VERSIONED):
        managed = <sa_dl_versioned *>PyCapsule_GetPointer(o, NAME_VERSIONED)
        if managed.version.major > SA_DL_MAJOR:
            raise BufferError(f"DLPack: the producer speaks version {managed.version.major}."
                              f"{managed.version.minor}, this library {SA_DL_MAJOR}.{SA_DL_MINOR}")
        a = described(&managed.tensor, not managed.flags & SA_DL_READ_ONLY, owner, cuda)
        PyCapsule_SetName(o, USED_VERSIONED)
        owner.versioned = managed
    elif PyCapsule_IsValid(o, NAME):
        legacy = <sa_dl_legacy *>PyCapsule_GetPointer(o, NAME)
        a = described(&legacy.tensor, cuda, owner, cuda)    # it cannot say: as NumPy, and CuPy
        PyCapsule_SetName(o, USED)
        owner.legacy = legacy
    else:
        name = PyCapsule_GetName(o)
        if name == NULL:
            raise BufferError("DLPack: a capsule without a name is no DLPack capsule")
        raise BufferError(f"DLPack: a capsule named {(<bytes>name)!r} is no DLPack capsule, or it "
                          "was consumed before")
    return a


cdef ndarray described(sa_dl_tensor *tensor, bint writable, Tensor owner, bint cuda):
    """Return an ndarray over `tensor`, which `owner` keeps; BufferError for what cannot be."""
    cdef npy_intp[64] shape
    cdef npy_intp[64] strides
    cdef int64_t nbytes, itemsize, span = 0
    cdef bint empty = False
    cdef int i
    if cuda and tensor.device.type not in (CUDA, SA_DL_MANAGED):
        raise BufferError(f"DLPack: memory of device type {tensor.device.type} is no memory of a "
                          "CUDA device")
    if not cuda and tensor.device.type not in (SA_DL_CPU, SA_DL_CUDA_HOST, SA_DL_ROCM_HOST,
                                               SA_DL_MANAGED):
        raise BufferError(f"DLPack: memory of device type {tensor.device.type} cannot be read "
                          "here; ask for a copy with device='cpu'")
    dtype = DTYPES.get((tensor.dtype.code, tensor.dtype.bits))
    if dtype is None or tensor.dtype.lanes != 1:
        raise BufferError(f"DLPack: type code {tensor.dtype.code} of {tensor.dtype.bits} bits and "
                          f"{tensor.dtype.lanes} lanes has no NumPy dtype")
    if not 0 <= tensor.ndim <= MAXDIMS:
        raise BufferError(f"DLPack: {tensor.ndim} dimensions, NumPy has 0 to {MAXDIMS}")
    if tensor.ndim and tensor.shape == NULL:
        raise BufferError("DLPack: a tensor without a shape")
    itemsize = nbytes = dtype.itemsize
    for i in range(tensor.ndim):
        if tensor.shape[i] < 0:
            raise BufferError(f"DLPack: dimension {i} has the negative length {tensor.shape[i]}")
        shape[i] = tensor.shape[i]
        empty |= shape[i] == 0
    for i in range(tensor.ndim - 1, -1, -1):
        strides[i] = nbytes
        if shape[i] > 1:
            if shape[i] > INT64_MAX // nbytes:
                raise BufferError(f"DLPack: a tensor larger than the address space, along axis {i}")
            nbytes *= shape[i]
    if tensor.strides != NULL:
        for i in range(tensor.ndim):
            if not -(INT64_MAX // itemsize) <= tensor.strides[i] <= INT64_MAX // itemsize:
                raise BufferError(f"DLPack: stride {tensor.strides[i]} of axis {i} is out of range")
            strides[i] = tensor.strides[i] * itemsize
            if shape[i] > 1 and not empty:
                if abs(strides[i]) > (INT64_MAX - span) // (shape[i] - 1):
                    raise BufferError(f"DLPack: stride {tensor.strides[i]} of axis {i} reaches out "
                                      "of the address space")
                span += abs(strides[i]) * (shape[i] - 1)
    if tensor.data == NULL and not empty:
        raise BufferError("DLPack: a tensor with elements and without memory")
    if empty and tensor.data == NULL and not cuda:
        return np.empty([shape[i] for i in range(tensor.ndim)], dtype)
    return make_ndarray(<char *>tensor.data + tensor.byte_offset, dtype, tensor.ndim, shape,
                        strides, writable, owner)
