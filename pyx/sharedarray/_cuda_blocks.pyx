"""Blocks of device memory: taken from a pool, published, kept as long as anybody can reach them.

A block that gets a handle gets a *control block*, 64 bytes of ordinary shared memory: messages name
it, and its holders are counted, by the same tickets and ledgers as those of CPU arrays. The device
memory goes back to its pool when the control block was recycled: then nobody is left.
"""

cimport cython
from libc.errno cimport EMFILE, ENFILE
from libc.stdint cimport uint64_t

from . cimport _core
from ._cuda cimport Segment, create, let_write, publish, receive, wait_quietly
from ._errors cimport raise_errno
from ._storage cimport Hold, new_block
from ._weak cimport WeakTable

import gc
import os
import threading
import weakref

from . import _device, _driver, _memory
from ._cuda import OutOfMemory, is_double, memory_info, started, untouched
from ._cuda import synchronize as wait_for
from ._cuda_places import places
from ._cuda_pools import CupyPool, FirstFitPool
from ._errors import HandleError
from ._limits import cache_cap, size_text

cdef extern from "Python.h":
    bint Py_IsInitialized()
    void PyErr_SetInterrupt()

cdef enum:
    CONTROL = 64        # bytes of a control block

# Bytes that the pool of a device may cache where that is asked for; CuPy's pool bounds nothing.
LIMIT = cache_cap() if os.environ.get("SHAREDARRAY_CACHE") else None

cdef dict _pools = {}           # index -> pool
cdef dict _books = {}           # index -> Books
cdef WeakTable _live = WeakTable()      # key of the control block -> Block
cdef dict _limbo = {}           # key of the control block -> Left
cdef WeakTable _arriving = WeakTable()      # key of a segment -> lock to map it


class Books:
    """Bytes of arrays on one device."""

    def __init__(self):
        self.allocated = self.attached = self.peak = 0


def make_segment(nbytes, index):
    """Make a segment for a pool; return its address."""
    cdef Segment segment = create(index, nbytes)
    places.enter(segment)
    places.own[segment.base] = segment
    return segment.base


def drop_segment(pointer, index):
    """Release a segment of a pool."""
    places.own.pop(pointer, None)


def pool_of(index):
    """Return the pool of a device, made when it is first asked for."""
    pool = _pools.get(index)
    if pool is None:
        kind = FirstFitPool if is_double() else CupyPool
        pool = _pools.setdefault(index, kind(index, make_segment, drop_segment))
    return pool


cdef object books_of(int index):
    found = _books.get(index)
    return _books.setdefault(index, Books()) if found is None else found


# ---- blocks ----


@cython.final
@cython.no_gc
cdef class Left:
    """What is left of a block whose last array here is gone, and which others can reach."""

    cdef void *p                # the control block
    cdef uint64_t serial
    cdef Hold control           # until it is let go of
    cdef object memory
    cdef Segment segment
    cdef size_t pointer, nbytes
    cdef int index
    cdef bint received, writable


@cython.binding(False)
@cython.final
@cython.no_gc
cdef class Block:
    """Device memory of one array.

    Attributes
    ----------
    pointer : int
        Address of its first byte.
    nbytes : int
        Size in bytes.
    index : int
        Number of the device in this process.
    received : bool
        Whether another process made it.
    writable : bool
        Whether it was made here, or a writable view of it arrived.
    """

    def __dealloc__(self):
        if self.segment is None:
            return
        if not Py_IsInitialized():      # the interpreter is going, and what is in this module
            if self.received:
                wait_quietly(self.index)
            return
        try:
            dropped(self)
        except KeyboardInterrupt:       # the program's, not ours: again, outside
            PyErr_SetInterrupt()
        except BaseException:           # no memory of the host: the device's stays where it is
            return

    @property
    def shared(self):
        """Whether other processes can have it."""
        return self.segment.exportable

    @property
    def mapped_writable(self):
        """Whether its segment is mapped for writing here."""
        return self.segment.writable

    @property
    def place(self):
        """Key of the segment, its size, and where the block lies in it."""
        return self.segment.key, self.segment.nbytes, self.pointer - self.segment.base

    @property
    def key(self):
        """What names it in every process: of its control block."""
        return self.published().key()

    def storage(self):
        """Return the Storage of this memory: one for all its arrays."""
        from ._cuda_storage import over
        kept = self.kept_storage
        found = None if kept is None else kept()
        if found is None:
            made = over(self)
            ref = weakref.ref(made)
            found = None if self.kept_storage is None else self.kept_storage()
            if found is None:       # threads must agree on one
                self.kept_storage, found = ref, made
        return found

    def attached(self):
        """Return how many other processes hold it."""
        cdef Hold control = self.control
        cdef unsigned n = 0
        if control is not None:
            with nogil:
                n = _core.others_holding(control.p)
        return n

    cdef Hold published(self):
        """The control block, made when it is first asked for."""
        cdef Hold control
        cdef int rc
        if self.control is None:
            publish(self.segment)
            control = new_block(CONTROL, True)
            if self.control is None:    # with the GIL from here on: threads must agree on one
                rc = _core.device_note(control.p, control.serial, self.segment.ident)
                if rc < 0:
                    raise MemoryError("no memory of the host is left for a handle")
                self.control = control
                _live.set(control.key(), self)
        return self.control


cdef int dropped(Block block) except -1:
    """The last array here is gone."""
    books = books_of(block.index)
    if block.received:
        books.attached = max(books.attached - block.nbytes, 0)
    else:
        books.allocated = max(books.allocated - block.nbytes, 0)    # in a forked child it is 0
    if block.control is not None:
        leave(block)
    elif block.received:
        unused(block.segment)
    return 0


cdef int unused(Segment segment) except -1:
    """One block less lies in a received segment here."""
    segment.users -= 1
    if segment.users == 0:
        places.keep(segment)
    return 0


cdef int leave(Block block) except -1:
    """The last array here is gone: what others can reach stays, in limbo."""
    cdef Left left = Left.__new__(Left)
    cdef object key = block.control.key()
    left.control = block.control
    left.p, left.serial = block.control.p, block.control.serial
    left.memory, left.segment = block.memory, block.segment
    left.pointer, left.nbytes, left.index = block.pointer, block.nbytes, block.index
    left.received, left.writable = block.received, block.writable
    block.control = None
    _limbo[key] = left
    if left.received:
        with nogil:     # who takes the memory next must not meet our work on it
            wait_quietly(left.index)
    left.control = None     # the last reference here, unless messages are on their way
    if _limbo.get(key) is left and gone(left):
        release(key)
    return 0


cdef bint gone(Left left) noexcept:
    """Whether nobody can reach the block through this process any more."""
    if left.control is not None:
        return False
    if left.received:
        return not _core.device_in_flight(left.p)
    return _core.device_unreachable(left.p, left.serial)


cdef int release(object key) except -1:
    cdef Left left = _limbo.pop(key, None)
    if left is not None:
        if _live.get(key) is None:
            _core.device_forget(left.p, left.serial)
        if left.received:
            unused(left.segment)
        left.memory = left.segment = None
    return 0


cpdef settle():
    """Recycle what nobody can reach any more."""
    if _limbo:
        with nogil:
            _core.settle()
        for key, left in list(_limbo.items()):
            if _limbo.get(key) is left and gone(left):
                release(key)
    if places.unused:
        places.purge()
    if LIMIT is not None:
        for pool in list(_pools.values()):
            if pool.cached() > LIMIT:
                pool.trim()


cdef Block new_on(int index, object memory, size_t pointer, size_t nbytes, Segment segment):
    cdef Block block = Block.__new__(Block)
    block.pointer, block.nbytes, block.index = pointer, nbytes, index
    block.memory = memory
    block.segment = segment
    block.writable = True
    books = books_of(index)
    books.allocated += nbytes
    books.peak = max(books.peak, books.allocated)
    return block


cpdef Block allocate(int index, size_t nbytes):
    """Take a block from the pool of a device.

    Parameters
    ----------
    index : int
        The device.
    nbytes : int
        At least so many bytes; their contents are whatever the memory holds.

    Returns
    -------
    Block

    Raises
    ------
    MemoryError
        With the figures, if it cannot be had after all that is cached was given back.
    OSError
        If no descriptor is left: the driver takes them too, and does not say what it lacked.
    """
    settle()
    pool = pool_of(index)
    for attempt in range(3):
        try:
            memory = pool.malloc(nbytes)
            break
        except OutOfMemory as error:
            if attempt == 2:
                check_descriptors(f"cannot allocate {nbytes:,} bytes ({size_text(nbytes)}) on "
                                  f"cuda:{index}")
                raise MemoryError(exhausted(index, nbytes, str(error))) from None
            if attempt == 1:
                gc.collect()
            wait_for(index)
            places.purge(0.0)
            settle()
            pool.trim()
    segment = places.at(memory.ptr)
    return new_on(index, memory, memory.ptr, nbytes, segment)


cdef int check_descriptors(str what) except -1:
    cdef int fd
    try:
        fd = os.open(os.devnull, os.O_RDONLY)
    except OSError as error:
        if error.errno == EMFILE or error.errno == ENFILE:
            raise_errno(error.errno, what)
        return 0
    os.close(fd)
    return 0


cdef str exhausted(int index, size_t nbytes, str why):
    """The figures of a device without room."""
    available, total = memory_info(index)
    row = stats_of(index)
    return (f"cannot allocate {nbytes:,} bytes ({size_text(nbytes)}) on cuda:{index}: the device "
            f"has {size_text(available)} of {size_text(total)} left; this process has "
            f"{size_text(row['allocated'])} in arrays, {size_text(row['cached'])} cached "
            f"(empty_cache() lets go of it), {size_text(row['in_flight'])} in flight (sent and not "
            f"opened yet), {size_text(row['attached'])} of other processes")


# ---- received ones ----


cdef Block own_block(Hold control):
    """The block of this process that a control block of it stands for; None: it is gone."""
    cdef object key = control.key()
    cdef Left left
    cdef Block block = _live.get(key)
    if block is not None:
        return block
    left = _limbo.pop(key, None)
    if left is None:
        return None
    if left.received:
        block = again(left)
    else:
        block = new_on(left.index, left.memory, left.pointer, left.nbytes, left.segment)
    block.control = control
    _live.set(key, block)
    return block


cdef Block again(Left left):
    cdef Block block = Block.__new__(Block)
    block.pointer, block.nbytes, block.index = left.pointer, left.nbytes, left.index
    block.segment, block.received, block.writable = left.segment, True, left.writable
    books_of(left.index).attached += left.nbytes
    return block


cdef Block received_block(int index, const uint64_t *ident, uint64_t size, uint64_t offset,
                          uint64_t nbytes, Hold control, bint writable, object fetch):
    """The block that another process made; `fetch()` gets the descriptor of its segment."""
    cdef Block block = own_block(control)
    cdef object key = (ident[0], ident[1])
    if block is None:
        # One mapping and one Storage, though threads open messages of it at the same time.
        lock = _arriving.agree(key, threading.RLock())
        with lock:
            block = own_block(control)
            if block is None:
                block = arrived(index, ident, size, offset, nbytes, control, writable, fetch)
    if writable:
        let_write(block.segment)
        block.writable = True
    return block


cdef Block arrived(int index, const uint64_t *ident, uint64_t size, uint64_t offset,
                   uint64_t nbytes, Hold control, bint writable, object fetch):
    """A new Block in memory of another process, which is mapped if it is not yet."""
    cdef Segment segment
    cdef Block block
    cdef object key = (ident[0], ident[1])
    cdef int rc
    places.purge()
    segment = places.named(key)
    if segment is not None and segment.seg.writable and not writable and segment.users == 0:
        segment = None          # nobody uses it: mapped anew, for reading
        places.unused.pop(key, None)
    if segment is None:
        segment = receive(index, ident, size, fetch(), writable)
        places.enter(segment)
        places.bound(index)
    elif segment.seg.size != size or segment.seg.device != index:
        raise HandleError("the handle and the mapped device memory differ in size or device")
    rc = _core.device_note(control.p, control.serial, segment.ident)
    if rc < 0:
        raise MemoryError("no memory of the host is left for a handle")
    places.unused.pop(key, None)
    segment.users += 1
    block = Block.__new__(Block)
    block.pointer, block.nbytes, block.index = segment.seg.base + offset, nbytes, index
    block.received = True
    books_of(index).attached += nbytes
    block.segment = segment
    block.control = control
    _live.set(control.key(), block)
    return block


# ---- what is asked of outside ----


cdef dict stats_of(int index):
    cdef Block block
    cdef Left left
    books = books_of(index)
    pool = _pools.get(index)
    published = in_flight = 0
    for block in _live.values():
        if block.index == index and block.control is not None:
            if not block.received:
                published += block.nbytes
            if _core.device_in_flight(block.control.p):
                in_flight += block.nbytes
    for left in list(_limbo.values()):
        if left.index == index:
            if not left.received:
                published += left.nbytes
            if _core.device_in_flight(left.p):
                in_flight += left.nbytes
    kept = places.unused_on(index)
    cached = 0 if pool is None else pool.cached()
    return {"allocated": books.allocated, "cached": cached + kept, "published": published,
            "in_flight": in_flight, "attached": books.attached, "peak": books.peak}


cdef Py_ssize_t waiting() except -1:
    """Bytes of blocks made here that only others can reach."""
    cdef Left left
    cdef Py_ssize_t nbytes = 0
    for left in list(_limbo.values()):
        if not left.received:
            nbytes += left.nbytes
    return nbytes


class Account:
    """The books of all CUDA devices, for `memory_stats` and its companions."""

    def stats(self):
        """Return the figures of each device that is in use."""
        settle()
        return {f"cuda:{index}": stats_of(index) for index in sorted({*_books, *_pools})}

    def trim(self):
        """Give what is cached back to the devices; return the bytes."""
        if not started():
            return 0
        settle()
        nbytes = places.purge(0.0)
        for index, pool in list(_pools.items()):
            wait_for(index)
            before = pool.total()
            pool.trim()
            nbytes += max(before - pool.total(), 0)     # other threads may allocate meanwhile
        return nbytes

    def settle(self):
        """Recycle what nobody can reach; return the bytes that it took."""
        before = waiting()
        settle()
        return max(before - waiting(), 0)       # other threads may drop some meanwhile


_memory.register(Account())


def memory_summary(index):
    """Return a table of the memory of a device; no context comes of it.

    Parameters
    ----------
    index : int
        The device.

    Returns
    -------
    str
    """
    settle()
    if untouched():
        try:
            available, total = _driver.memory(index)
        except RuntimeError as error:
            raise _device.DeviceError(f"the memory of cuda:{index}: {error}") from None
    else:
        available, total = memory_info(index)
    return _memory.table({f"cuda:{index}": {"total": total, "free": available, **stats_of(index)}})


def forget():
    """In a forked child: nothing here is its own."""
    for found in (_pools, _books, _limbo):
        found.clear()
    places.__init__()


os.register_at_fork(after_in_child=forget)
