"""The CUDA driver: device memory that other processes can map, copies, and waiting.

The C files ``core/driver.c``, ``devmem.c`` and ``devcopy.c`` call the driver; here its codes become
exceptions. Importing this module loads no CUDA library; the first call of anything else does.
Source: the CUDA driver API, "Virtual Memory Management".
"""

cimport cython
from cpython.buffer cimport (
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.errno cimport EMFILE
from libc.stdint cimport uint64_t, uintptr_t

from ._core cimport device_put, device_remove, random_id
from ._errors cimport raise_errno

import os
import threading

from ._errors import DeviceError
from ._limits import size_text

cdef extern from "core/driver.h" nogil:
    enum:
        SA_CUDA_OUT_OF_MEMORY
        SA_CUDA_NOT_INITIALIZED
        SA_CUDA_NO_DEVICE
        SA_CUDA_INVALID_DEVICE
        SA_CUDA_NO_LIBRARY
        SA_CUDA_OLD_LIBRARY
        SA_CUDA_FORKED
        SA_CUDA_NO_MEMORY
        SA_CUDA_NO_DESCRIPTOR
    int sa_cuda_start()
    bint sa_cuda_started()
    bint sa_cuda_untouched()
    bint sa_cuda_is_double()
    int sa_cuda_count()
    const char *sa_cuda_missing()
    void sa_cuda_words(int rc, const char **name, const char **text)
    int sa_cuda_uuid(int device, unsigned char *uuid)
    int sa_cuda_memory(int device, uint64_t *available, uint64_t *total)
    int sa_cuda_granularity(int device, uint64_t *nbytes)
    int sa_cuda_probe(int device, const char **why)
    int sa_cuda_create(int device, uint64_t size, bint exportable, sa_cuda_segment *out)
    int sa_cuda_import(int device, uint64_t size, int fd, bint writable, sa_cuda_segment *out)
    int sa_cuda_export(sa_cuda_segment *seg)
    int sa_cuda_make_writable(sa_cuda_segment *seg)
    void sa_cuda_release(sa_cuda_segment *seg)
    int sa_cuda_synchronize(int device)
    int sa_cuda_wait(int device, void *waiting, void *other)
    int sa_cuda_copy_in(int device, uint64_t to, const void *src, size_t n, void *stream)
    int sa_cuda_copy_out(int device, void *to, uint64_t src, size_t n, void *stream)
    int sa_cuda_copy(int to_device, uint64_t to, int from_device, uint64_t src, size_t n,
                     void *stream)
    int sa_cuda_fill(int device, uint64_t at, unsigned char byte, size_t n, void *stream)

FORKED = ("this process was forked from one that used CUDA, and the driver does not work in it: "
          "start workers by the methods 'spawn' or 'forkserver' "
          "(multiprocessing.get_context('spawn')), or use CUDA in the children only")


_publishing = threading.RLock()      # a collection inside may send


def _forget():
    """In a forked child: nobody publishes, though a thread may have been at it."""
    global _publishing
    _publishing = threading.RLock()


os.register_at_fork(after_in_child=_forget)


class OutOfMemory(MemoryError):
    """The device has no memory left; the pool above frees what it caches, and tries again."""


cdef int check(int rc, object what, int device) except -1:
    """Return 0 when `rc` is 0, else raise what the code of the driver stands for."""
    cdef const char *name
    cdef const char *text
    if rc == 0:
        return 0
    if rc == SA_CUDA_FORKED or rc == SA_CUDA_NOT_INITIALIZED:
        raise RuntimeError(f"{what}: {FORKED}")
    if rc == SA_CUDA_OUT_OF_MEMORY:
        raise OutOfMemory(f"{what}: the driver has no memory left on cuda:{device}")
    if rc == SA_CUDA_NO_LIBRARY:
        raise DeviceError(f"{what}: no NVIDIA driver (libcuda.so.1 cannot be loaded)")
    if rc == SA_CUDA_OLD_LIBRARY:
        raise DeviceError(f"{what}: the NVIDIA driver is too old, it has no "
                          f"{sa_cuda_missing().decode()}(); CUDA 12.0 and newer have it")
    if rc == SA_CUDA_NO_DEVICE:
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        shown = "" if visible is None else f" (CUDA_VISIBLE_DEVICES={visible!r})"
        raise DeviceError(f"{what}: the NVIDIA driver sees no device{shown}")
    if rc == SA_CUDA_INVALID_DEVICE:
        n = sa_cuda_count()
        raise DeviceError(f"{what}: {n} device{'s' * (n != 1)}, asked for cuda:{device}")
    if rc == SA_CUDA_NO_MEMORY:
        raise MemoryError(f"{what}: no memory of the host is left")
    if rc == SA_CUDA_NO_DESCRIPTOR:
        raise_errno(EMFILE, what)
    sa_cuda_words(rc, &name, &text)
    error = DeviceError(f"{what}: the NVIDIA driver says {name.decode()} ({text.decode()})")
    error.code = rc
    raise error


# ---- what there is ----


def start():
    """Initialise the driver in this process, if that is not done yet.

    Raises
    ------
    DeviceError
        If there is none, or it cannot be used.
    RuntimeError
        In a forked child of a process that used CUDA.
    """
    cdef int rc
    with nogil:
        rc = sa_cuda_start()
    check(rc, "CUDA", 0)


def started():
    """Whether this process has initialised the driver."""
    return sa_cuda_started()


def untouched():
    """Whether neither this process nor one that it was forked from has initialised the driver."""
    return sa_cuda_untouched()


def is_double():
    """Whether the driver is the test double, whose device memory is host memory."""
    start()
    return sa_cuda_is_double()


def device_count():
    """Return how many devices the driver shows to this process."""
    start()
    return sa_cuda_count()


def uuid(int index):
    """Return the 16 bytes that name a device, whatever its number in a process."""
    cdef unsigned char[16] found
    check(sa_cuda_uuid(index, found), f"the identity of cuda:{index}", index)
    return (<char *>found)[:16]


def memory_info(int index):
    """Return the bytes of a device that are free, and all that it has."""
    cdef uint64_t available = 0, total = 0
    cdef int rc
    with nogil:
        rc = sa_cuda_memory(index, &available, &total)
    check(rc, f"the memory of cuda:{index}", index)
    return available, total


def granularity(int index):
    """Return the bytes that segments of a device are multiples of."""
    cdef uint64_t n = 0
    check(sa_cuda_granularity(index, &n), f"the granularity of cuda:{index}", index)
    return n


def refusal(int index):
    """Why the driver exports no memory of a device, or "" where it does; tried once."""
    cdef const char *why = ""
    cdef int rc
    with nogil:
        rc = sa_cuda_probe(index, &why)
    check(rc, f"exporting memory of cuda:{index}", index)
    return why.decode()


# ---- segments ----


@cython.final
@cython.no_gc
cdef class Segment:
    """Device memory that others can map: the owner of allocation, addresses and descriptor."""

    def __cinit__(self):
        self.seg.fd = -1

    def __dealloc__(self):
        with nogil:
            if self.listed:
                device_remove(self.ident, self.seg.fd)
            sa_cuda_release(&self.seg)

    @property
    def base(self):
        """Address of the first byte."""
        return self.seg.base

    @property
    def nbytes(self):
        """Size in bytes."""
        return self.seg.size

    @property
    def index(self):
        """Number of the device in this process."""
        return self.seg.device

    @property
    def key(self):
        """Two ints that name the memory in every process."""
        return self.ident[0], self.ident[1]

    @property
    def writable(self):
        """Whether it is mapped for writing here."""
        return self.seg.writable


cdef int publish(Segment segment) except -1:
    """Have a descriptor of the segment, and let it be served to others."""
    cdef int rc
    if segment.listed:
        return 0
    with _publishing:       # one descriptor, though threads send parts of it at the same time
        if segment.listed:
            return 0
        with nogil:
            rc = sa_cuda_export(&segment.seg)
        check(rc, f"a descriptor of memory of cuda:{segment.seg.device}", segment.seg.device)
        with nogil:
            rc = device_put(segment.ident, segment.seg.size, segment.seg.fd)
        if rc < 0:
            raise MemoryError("no memory of the host is left for the description of a segment")
        segment.listed = True
    return 0


cdef Segment create(int device, uint64_t size):
    """New memory; where the driver exports none, memory of this process alone."""
    cdef Segment segment = Segment.__new__(Segment)
    cdef int rc = random_id(segment.ident)
    if rc < 0:
        raise OSError(-rc, "no random number for the name of a segment")
    segment.exportable = refusal(device) == ""
    with nogil:
        rc = sa_cuda_create(device, size, segment.exportable, &segment.seg)
    check(rc, f"{size:,} bytes ({size_text(size)}) on cuda:{device}", device)
    return segment


cdef Segment receive(int device, const uint64_t *ident, uint64_t size, int fd, bint writable):
    """The memory behind a descriptor, mapped here; takes the descriptor, and closes it."""
    cdef Segment segment = Segment.__new__(Segment)
    cdef int rc
    segment.ident[0] = ident[0]
    segment.ident[1] = ident[1]
    segment.received = segment.exportable = True
    with nogil:
        rc = sa_cuda_import(device, size, fd, writable, &segment.seg)
    if rc:
        os.close(fd)
    check(rc, f"mapping {size_text(size)} of another process on cuda:{device}", device)
    publish(segment)
    return segment


cdef int let_write(Segment segment) except -1:
    """Map for writing what was mapped for reading."""
    cdef int rc
    with nogil:
        rc = sa_cuda_make_writable(&segment.seg)
    return check(rc, "mapping device memory for writing", segment.seg.device)


# ---- copies and waiting ----


def synchronize(int index):
    """Wait until a device has done all that this process gave it."""
    cdef int rc
    with nogil:
        rc = sa_cuda_synchronize(index)
    check(rc, f"waiting for cuda:{index}", index)


cdef void wait_quietly(int device) noexcept nogil:
    """As `synchronize`, for destructors: a device that fails has nothing left to wait for."""
    sa_cuda_synchronize(device)


def wait_stream(int index, waiting, other):
    """Let what comes on one stream wait for what is on another one now; nobody waits here.

    Parameters
    ----------
    index : int
        The device of both.
    waiting, other : int
        The streams, as the driver's pointers; 0 is the default one.
    """
    cdef uintptr_t first = waiting, second = other
    cdef int rc
    with nogil:
        rc = sa_cuda_wait(index, <void *>first, <void *>second)
    check(rc, f"ordering streams of cuda:{index}", index)


def copy_in(int index, uint64_t pointer, buffer, stream=0):
    """Copy a buffer of the host to a device; the buffer may be changed when this returns.

    Parameters
    ----------
    index : int
        The device.
    pointer : int
        Where to.
    buffer : buffer
        Contiguous.
    stream : int, optional
        The stream that the copy is ordered on.
    """
    cdef Py_buffer view
    cdef uintptr_t on = stream
    cdef int rc
    PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE)
    try:
        with nogil:
            rc = sa_cuda_copy_in(index, pointer, view.buf, view.len, <void *>on)
    finally:
        PyBuffer_Release(&view)
    check(rc, f"copying to cuda:{index}", index)


def copy_out(int index, buffer, uint64_t pointer, stream=0):
    """Copy from a device to a buffer of the host, and wait for it.

    Parameters
    ----------
    index : int
        The device.
    buffer : buffer
        Contiguous and writable.
    pointer : int
        Where from.
    stream : int, optional
        The stream that the copy is ordered on.
    """
    cdef Py_buffer view
    cdef uintptr_t on = stream
    cdef int rc
    PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE | PyBUF_WRITABLE)
    try:
        with nogil:
            rc = sa_cuda_copy_out(index, view.buf, pointer, view.len, <void *>on)
    finally:
        PyBuffer_Release(&view)
    check(rc, f"copying from cuda:{index}", index)


def copy(int to_index, uint64_t to, int index, uint64_t pointer, size_t nbytes, stream=0):
    """Copy between two places of devices, ordered on a stream of the device that is read."""
    cdef uintptr_t on = stream
    cdef int rc
    with nogil:
        rc = sa_cuda_copy(to_index, to, index, pointer, nbytes, <void *>on)
    check(rc, f"copying from cuda:{index} to cuda:{to_index}", index)


def fill(int index, uint64_t pointer, unsigned char byte, size_t nbytes, stream=0):
    """Fill memory of a device with one byte."""
    cdef uintptr_t on = stream
    cdef int rc
    with nogil:
        rc = sa_cuda_fill(index, pointer, byte, nbytes, <void *>on)
    check(rc, f"filling memory of cuda:{index}", index)
