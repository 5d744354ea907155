"""Handles of device memory: named by the control block of its block, opened through the driver.

The descriptor cannot be reopened by way of ``/proc``, as a memfd can: it is asked for over the
sockets of those who have it, the sender first.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset
from numpy cimport npy_intp

from . cimport _core
from ._cuda_blocks cimport Block, own_block, received_block
from ._handle cimport (
    Received,
    handle_elsewhere,
    mark,
    open_block,
    packed,
)
from ._opening cimport refuse, sa_device_part, sa_handle

import functools
import os
import time

from . import _cuda
from ._device import backend, make
from ._errors import DeviceError, HandleError

cdef extern from "core/open.h" nogil:
    enum:
        SA_OK
        SA_E_DEAD
        SA_E_DENIED
        SA_E_NOSERVER
        SA_E_TIMEOUT
        SA_E_GONE

cdef extern from "core/wire.h" nogil:
    enum:
        SA_HANDLE_SERVED
    bint sa_view_fits(int64_t offset, int64_t itemsize, int ndim, const int64_t *shape,
                      const int64_t *strides, uint64_t nbytes)


# ---- sending ----


class Named:
    """What a Handle made here names: an array on a device, or its Storage.

    Parameters
    ----------
    storage : Storage
        On a device; kept.
    view : tuple or None
        ``(dtype, shape, strides, offset, readonly)`` of the array, strides and offset in bytes;
        None names the Storage.
    array : Array or None
        The array itself, which opening in this process gives a view of.
    """

    def __init__(self, storage, view, array=None):
        self.storage, self.view, self.array = storage, view, array

    def pack(self):
        """Return the bytes of one more message."""
        return message(self.storage, self.view)

    def open(self):
        """Return what is named, in the process that made the Handle."""
        return self.storage if self.array is None else self.array.view()

    def text(self):
        """Return words for repr()."""
        if self.view is None:
            return f"a Storage of {self.storage.nbytes} bytes on {self.storage.device}"
        dtype, shape = self.view[:2]
        return f"an Array on {self.storage.device}, shape={shape}, dtype={dtype}"


def handle_of(storage, view, array=None):
    """Return a new Handle; see `Named`."""
    check_shared(storage)
    return handle_elsewhere(Named(storage, view, array))


cdef int check_shared(object storage) except -1:
    if not storage.is_shared():
        index = storage.device.index
        why = _cuda.refusal(index)
        if why:
            raise ValueError(f"this memory is private to the process, and share_memory_() cannot "
                             f"change that: {why}")
        raise ValueError("this memory is private to the process; call share_memory_() first")
    return 0


def message(storage, view):
    """Return the bytes that name an array or Storage, once all work on the device is done.

    Parameters
    ----------
    storage : Storage
        On a device.
    view : tuple or None
        As of `Named`.

    Returns
    -------
    bytes
    """
    cdef Block block
    cdef sa_device_part part
    cdef npy_intp[64] dims
    cdef npy_intp[64] steps
    cdef bytes uuid
    cdef int i, ndim
    check_shared(storage)
    block = storage._remote
    _cuda.synchronize(block.index)
    memset(&part, 0, sizeof(part))
    uuid = _cuda.uuid(block.index)
    memcpy(part.uuid, <const char *>uuid, 16)
    memcpy(part.segment, block.segment.ident, 16)
    part.segment_size = block.segment.seg.size
    part.block = block.pointer - block.segment.seg.base
    part.nbytes = block.nbytes
    part.index = block.index
    if block.received:
        memcpy(part.token, block.token, 16)
    else:
        with nogil:
            _core.serve_token(part.token, True)
    if view is None:
        return packed(block.published(), not block.writable, None, 0, NULL, NULL, 0,
                      &part)
    dtype, shape, strides, offset, readonly = view
    ndim = len(shape)
    for i in range(ndim):
        dims[i] = shape[i]
        steps[i] = strides[i]
    return packed(block.published(), readonly, dtype, ndim, dims, steps, offset, &part)


# ---- opening ----


cdef dict _numbers = {}     # UUID -> number of the device in this process


cdef object number_of(object uuid):
    """The number of the device with that UUID; None: this process does not see it."""
    if not _numbers:        # entered at once: another thread may look meanwhile
        _numbers.update({_cuda.uuid(index): index for index in range(_cuda.device_count())})
    return _numbers.get(uuid)


cdef int device_here(Received r) except -1:
    """The number that the device has in this process."""
    uuid = (<char *>r.part.uuid)[:16]
    _cuda.start()
    index = number_of(uuid)
    if index is None:
        h = uuid.hex()
        name = f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"
        raise HandleError(f"the memory lies on a device that this process does not see: {name}, "
                          f"cuda:{r.part.index} at the sender; CUDA_VISIBLE_DEVICES="
                          f"{os.environ.get('CUDA_VISIBLE_DEVICES', '')!r} here")
    return index


cdef str device_said(Received r):
    """The device by the name that fits best here."""
    try:
        return f"cuda:{device_here(r)}"
    except Exception:
        return f"cuda:{max(r.part.index, 0)}"


def open_received(Received r not None):
    """Open what a handle says.

    Parameters
    ----------
    r : Received
        Of a handle that names device memory.

    Returns
    -------
    Array or Storage

    Raises
    ------
    HandleError
        With the reason; nothing is mapped then.
    RuntimeError
        In a forked child of a process that used CUDA.
    """
    cdef sa_handle *h = <sa_handle *><char *>r.data
    cdef int64_t *dims = <int64_t *>(h + 1)
    cdef Block block
    cdef uint64_t[2] token
    cdef int index
    try:
        index = device_here(r)
        kind = backend(make("cuda", index))
        open_block(r)
        if r.hold.attached:
            block = received_block(index, r.part.segment, r.part.segment_size, r.part.block,
                                   r.part.nbytes, r.hold, not r.readonly,
                                   functools.partial(fetch, r))
            memcpy(block.token, r.part.token, 16)
            with nogil:
                _core.serve_token(token, True)      # whoever looks for it later may ask here
        else:
            block = own_block(r.hold)
            while block is None and _core.now_ms() < r.deadline:
                time.sleep(0.001)       # another thread is letting go of it, and it goes to limbo
                block = own_block(r.hold)
    except DeviceError as error:
        raise HandleError(str(error)) from error
    if block is None:
        raise HandleError("the memory is gone: its control block serves something else by now")
    if r.dtype is not None and not sa_view_fits(h.offset, r.dtype.itemsize, h.ndim, dims,
                                                dims + h.ndim, block.nbytes):
        raise HandleError("the handle's view reaches outside its block")
    mark(r)
    if r.dtype is None:
        return block.storage()
    strides = tuple([dims[h.ndim + i] for i in range(h.ndim)])
    return kind.arrive(block, r.dtype, r.shape(), strides, h.offset, r.readonly)


cdef int ask(const uint64_t *token, sa_handle *h, const sa_device_part *part, int64_t deadline,
             int *fd, int *err) noexcept nogil:
    """Ask one socket."""
    if not (token[0] or token[1]):
        return SA_E_NOSERVER
    return _core.fetch_device(h.uid, token, part.segment, part.segment_size, deadline, fd, err)


cdef int64_t share(int64_t deadline, int64_t parts) noexcept nogil:
    """When a part of the time that is left is over: whoever is stopped does not answer."""
    cdef int64_t now = _core.now_ms(), left = deadline - now
    return deadline if left <= 0 else now + max(left // parts, <int64_t>1)


cdef int search(Received r, int *err) except? -1:
    """Ask every socket of the user; those that do not answer in their share of time, once more."""
    cdef sa_handle *h = <sa_handle *><char *>r.data
    cdef int fd = -1, rc
    cdef int64_t until
    cdef uint64_t[2] token
    names = list(sockets(h.uid))
    while names and _core.now_ms() < r.deadline:
        silent = []
        for asked, name in enumerate(names):
            token[0], token[1] = int(name[:16], 16), int(name[16:], 16)
            until = share(r.deadline, len(names) - asked + 1)
            with nogil:
                rc = ask(token, h, &r.part, until, &fd, err)
            if fd >= 0:
                return fd
            if rc == SA_E_TIMEOUT:
                silent.append(name)
        names = silent
    return -1


def fetch(Received r not None):
    """Return a descriptor of the segment that a handle names, from whoever has it."""
    cdef sa_handle *h = <sa_handle *><char *>r.data
    cdef int fd = -1, err = 0, first = SA_E_NOSERVER, rc
    with nogil:
        if h.flags & SA_HANDLE_SERVED:
            first = ask(h.token, h, &r.part, share(r.deadline, 2), &fd, &err)
        if fd < 0:
            ask(r.part.token, h, &r.part, share(r.deadline, 2), &fd, &err)
        if fd < 0:
            ask(h.ledger, h, &r.part, share(r.deadline, 2), &fd, &err)          # its keeper
        if fd < 0:
            ask(h.creator_ledger, h, &r.part, share(r.deadline, 2), &fd, &err)  # the creator's
    if fd < 0:
        fd = search(r, &err)
    if fd < 0:
        rc = SA_E_DEAD if not _core.process_alive(h.pid, h.start) else SA_E_DENIED
        refuse(h, &r.here, rc, SA_OK if rc == SA_E_DEAD else first, err)
    return fd


def sockets(uid):
    """Yield the names of the sockets by which processes of this user serve descriptors.

    Source: proc(5), ``/proc/net/unix``; abstract names begin with an @ there.
    """
    prefix = f"@sharedarray-{uid}-"
    try:
        with open("/proc/net/unix") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        name = line.rpartition(" ")[2]
        if name.startswith(prefix) and len(name) == len(prefix) + 32:
            yield name.removeprefix(prefix)


def lost_words(Received r not None):
    """Return ``(shape, dtype, device, readonly)`` of what cannot be opened."""
    return r.shape(), r.dtype, device_said(r), r.readonly
