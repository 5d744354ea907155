"""The Storage of CUDA arrays: a block of device memory, or memory that another library lent."""

cimport cython

from cpython.object cimport PyTypeObject

from ._cuda_blocks cimport Block
from ._storage cimport Storage, byte_of, place_in, size_of
from ._weak cimport WeakTable

import os
import weakref

import numpy as np

from . import _cuda
from ._cuda_blocks import allocate
from ._backends import loaded
from ._device import Device, default, make
from ._errors import DeviceError

cdef extern from "core/ndarray.h":
    void sa_rename(PyTypeObject *type, const char *name)

cdef object U1 = np.dtype("u1")
cdef WeakTable lent = WeakTable()       # device, address, bytes -> Storage of memory of others


@cython.final
@cython.no_gc
cdef class Foreign:
    """Device memory that is not this library's, and the object that keeps it.

    Attributes
    ----------
    pointer, nbytes, index : int
        Address, size in bytes, number of the device.
    owner : object
        Of another library.
    writable : bool
        Whether it may be written.
    """

    cdef readonly size_t pointer
    cdef readonly size_t nbytes
    cdef readonly int index
    cdef readonly object owner
    cdef readonly bint writable

    def __cinit__(self, pointer, nbytes, index, owner, writable=True):
        self.pointer, self.nbytes, self.index = pointer, nbytes, index
        self.owner, self.writable = owner, writable

    @property
    def shared(self):
        """Never: others could not be sent it."""
        return False


@cython.binding(False)
@cython.embedsignature(True)
@cython.embedsignature.format("clinic")
@cython.final
cdef class CudaStorage(Storage):
    """Storage on a CUDA device; users meet it as `Storage`."""

    cdef object former      # address before share_memory_(); None where nothing moved

    def __init__(self, nbytes, device=None):
        n = size_of(nbytes)
        if self.remote is not None:
            raise TypeError("Storage: already initialised")
        where = default() if device is None else Device(device)
        block = allocate(where.index, n)
        _cuda.fill(where.index, block.pointer, 0, n)
        self.remote = block
        self.nbytes = n
        (<Block>block).kept_storage = weakref.ref(self)

    cdef int watch(self, object array) except -1:
        if self.former is None:
            return Storage.watch(self, array)
        array._rebind(*array._moved(self.remote, self.former))  # an operation begun before it
        return 0

    @property
    def _remote(self):
        return self.remote

    @property
    def _ndarray(self):
        raise TypeError(f"the memory of a Storage on {self.device} cannot be read by NumPy; copy "
                        "it with x.to_device('cpu')")

    @property
    def device(self):
        """The Device of this memory."""
        return make("cuda", self.remote.index)

    def is_shared(self):
        """Whether this memory can go to other processes by handle."""
        return self.remote.shared

    def share_memory_(self):
        """Make this memory shared, in place; every Array over it moves along."""
        if self.remote.shared:
            return self
        index, old = self.remote.index, self.remote
        why = _cuda.refusal(index)
        if why:
            raise DeviceError(f"share_memory_(): memory of cuda:{index} cannot be shared: {why}")
        self.check_exports("export(s) (CuPy, DLPack)")
        block = allocate(index, self.nbytes)
        _cuda.synchronize(index)
        _cuda.copy(index, block.pointer, index, old.pointer, self.nbytes)
        _cuda.synchronize(index)
        arrays = self.prepared(block, old.pointer)
        if self.remote is not old:      # another thread did it meanwhile
            return self
        self.check_exports("export(s) (CuPy, DLPack)")
        # Without Python code from here on: for other threads all of it moves at once.
        self.remote, self.former = block, old.pointer
        self.move(arrays)
        (<Block>block).kept_storage = weakref.ref(self)
        lent.drop((index, old.pointer, self.nbytes))
        return self

    def handle(self):
        """Return what travels to another process in place of this memory."""
        from ._cuda_handle import handle_of
        return handle_of(self, None)

    @property
    def id(self):
        """A str, equal in every process that sees this memory and only there; never used again."""
        if self.remote.shared:
            first, second, serial = self.remote.key
            return f"{first:016x}{second:016x}-{serial:x}"
        return self.private_id()

    def attached(self):
        """Return how many other processes hold this block."""
        return self.remote.attached() if isinstance(self.remote, Block) else 0

    def processes(self):
        """Return the processes that may hold this memory, this one among them."""
        if not isinstance(self.remote, Block) or not self.attached():
            return [os.getpid()]
        from ._processes import mapped_by

        first, second, _ = self.remote.key
        return mapped_by(f"sharedarray-{first:016x}{second:016x}")

    def data_ptr(self):
        """Return the address of the first byte, as an int."""
        return self.remote.pointer

    def _check_writable(self):
        if not self.remote.writable:
            raise ValueError("this Storage is read-only here: only read-only views of it arrived")

    def fill_(self, byte, offset=0, nbytes=None):
        """Fill a range with one byte, in place; waits for the device."""
        value = byte_of(byte)
        start, n = self._check(offset, nbytes, "fill_")
        self._check_writable()
        remote = self.remote        # kept: another thread may move this memory
        _cuda.synchronize(remote.index)
        _cuda.fill(remote.index, remote.pointer + start, value, n)
        _cuda.synchronize(remote.index)
        return self

    def _read(self, start, stop):
        """The bytes of a range."""
        found, remote = bytearray(max(stop - start, 0)), self.remote
        _cuda.synchronize(remote.index)
        if found:
            _cuda.copy_out(remote.index, found, remote.pointer + start)
        return found

    def _write(self, start, data):
        remote = self.remote
        if len(data):
            _cuda.synchronize(remote.index)
            _cuda.copy_in(remote.index, remote.pointer + start, data)
            _cuda.synchronize(remote.index)

    def _write_spread(self, index, data):
        library, remote = loaded(), self.remote
        block = allocate(remote.index, len(data))
        _cuda.synchronize(remote.index)
        _cuda.copy_in(remote.index, block.pointer, data)
        with library.scope(remote.index):
            whole = library.foreign(remote, remote.pointer, remote.index, (self.nbytes,), (1,), U1)
            whole[index] = library.array(block, 0, (len(data),), (1,), U1)
        _cuda.synchronize(remote.index)

    def __getitem__(self, index):
        if isinstance(index, slice):
            start, stop, step = index.indices(self.nbytes)
            if step == 1:
                return bytes(self._read(start, stop))
            return bytes(self._read(0, self.nbytes)[index])
        i = place_in(index, self.nbytes)
        return self._read(i, i + 1)[0]

    def __setitem__(self, index, value):
        self._check_writable()
        if not isinstance(index, slice):
            i = place_in(index, self.nbytes)
            self._write(i, bytes([byte_of(value)]))
            return
        start, stop, step = index.indices(self.nbytes)
        count = len(range(start, stop, step))
        if isinstance(value, int):
            data = np.full(count, byte_of(value), U1)
        else:
            with memoryview(value) as m:
                data = np.frombuffer(m.cast("B") if m.contiguous else m.tobytes(), U1).copy()
            if len(data) != count:
                raise ValueError(f"Storage: {len(data)} bytes given for a range of {count}")
        if step == 1:
            self._write(start, data)
        elif count:         # nothing between these bytes, which others may be writing
            self._write_spread(index, data)

    def __getbuffer__(self, Py_buffer *view, int flags):
        self._no_buffer()

    def _no_buffer(self):
        raise TypeError(f"a Storage on {self.device} has no buffer; slices of it are bytes")

    def __array__(self, dtype=None, copy=None):
        self._no_buffer()       # else NumPy would fetch it as a sequence, byte by byte

    def __repr__(self):
        kind = "shared" if self.remote.shared else "private"
        return f"<Storage of {self.nbytes} bytes, device='{self.device}', {kind}>"


cdef CudaStorage new_over(object remote, Py_ssize_t nbytes):
    cdef CudaStorage s = CudaStorage.__new__(CudaStorage)
    s.remote = remote
    s.nbytes = nbytes
    return s


def over(Block block not None):
    """Return a new Storage over a block.

    Parameters
    ----------
    block : Block
        Of a device; `Block.storage` keeps one Storage for it.

    Returns
    -------
    Storage
    """
    return new_over(block, block.nbytes)


def borrowed(Foreign foreign not None):
    """Return the Storage over memory that another library lent: one, as long as it is in use.

    Parameters
    ----------
    foreign : Foreign
        The memory and its owner.

    Returns
    -------
    Storage
        Private, until its `share_memory_`.
    """
    cdef CudaStorage s
    cdef object key = (foreign.index, foreign.pointer, foreign.nbytes)
    cdef object found = lent.get(key)
    if found is not None:
        return found
    s = new_over(foreign, foreign.nbytes)
    s._arrays = {}
    return lent.agree(key, s)


sa_rename(<PyTypeObject *>CudaStorage, b"sharedarray._storage.Storage")
