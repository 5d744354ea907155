"""Handles: the few bytes that travel in place of an array's data."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.errno cimport EBADF, EMFILE, ENFILE, ENOMEM, ENOSPC
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
from numpy cimport (
    PyArray_BYTES,
    PyArray_DIMS,
    PyArray_ISWRITEABLE,
    PyArray_NDIM,
    PyArray_SIZE,
    PyArray_STRIDES,
    import_array,
    ndarray,
    npy_intp,
)

import numpy as np

from sharedarray cimport _core
from sharedarray._core cimport sa_segment, sa_ticket
from sharedarray._errors cimport check
from sharedarray._opening cimport (
    attach,
    count_in,
    gone,
    identify,
    mark_opened,
    sa_device_part,
    sa_handle,
)
from sharedarray._storage cimport Hold, Storage, make_ndarray, received_hold, shared_storage

from ._dtype_text import describe, undescribe
from ._errors import HandleError

import_array()

cdef extern from "core/wire.h" nogil:
    enum:
        SA_HANDLE_MAGIC
        SA_HANDLE_READONLY
        SA_HANDLE_STORAGE
        SA_HANDLE_SERVED
        SA_HANDLE_DEVICE
    uint64_t sa_checksum(const unsigned char *p, uint64_t n)
    bint sa_view_fits(int64_t offset, int64_t itemsize, int ndim, const int64_t *shape,
                      const int64_t *strides, uint64_t nbytes)
    bint sa_shape_counts(int64_t itemsize, int ndim, const int64_t *shape)

cdef enum:
    MAX_DIMS = 64   # NumPy's NPY_MAXDIMS
    WIDE = 4096     # bytes of a dtype's text from which on it goes compressed
    WIDEST = 1 << 20

# ---- dtypes as text ----

cdef dict _text_of = {}
cdef dict _dtype_of = {}


cdef bytes dtype_text(object dtype):
    cdef bytes text = _text_of.get(dtype)
    if text is None:
        text = describe(dtype).encode("ascii")
        if len(text) > WIDEST:
            raise ValueError(f"the description of the dtype is too long for a handle: {len(text)} "
                             f"bytes, at most {WIDEST:,}")
        if len(text) > WIDE:
            import zlib
            text = b"z" + zlib.compress(text)
        if dtype.names is None and dtype.subdtype is None and len(_text_of) < 1000:
            _text_of[dtype] = text      # few, where fields have any number of names
    return text


cdef bytes inflated(bytes text):
    import zlib
    inflate = zlib.decompressobj()
    result = inflate.decompress(text[1:], WIDEST)
    if not inflate.eof:
        raise ValueError("cut off, or absurdly long")
    return result


cdef object dtype_from(bytes text):
    dtype = _dtype_of.get(text)
    if dtype is None:
        try:
            dtype = undescribe((inflated(text) if text[:1] == b"z" else text).decode("ascii"))
        except Exception as error:
            raise HandleError(f"the handle names no dtype: {text[:80]!r}") from error
        if dtype is None or dtype.hasobject or not isinstance(dtype, np.dtype):
            raise HandleError(f"the handle names no dtype of arrays: {text[:80]!r}")
        if len(_dtype_of) < 1000:
            _dtype_of[text] = dtype
    return dtype


# ---- making ----

cdef extern from *:
    """
    #include <stdlib.h>
    /* The tickets of the pickling that this thread is at; nested ones share the list. */
    typedef struct { uint64_t sequence; uint32_t index; } noted;
    static __thread struct { noted *at; size_t n, room; int depth; } notes;

    static void note(uint32_t index, uint64_t sequence) {
        if (!notes.depth) return;
        if (notes.n == notes.room) {
            size_t room = notes.room ? 2 * notes.room : 16;
            noted *more = realloc(notes.at, room * sizeof *more);
            if (!more) return; /* in flight until collect() */
            notes.at = more;
            notes.room = room;
        }
        notes.at[notes.n++] = (noted){sequence, index};
    }
    static size_t notes_begin(void) { notes.depth++; return notes.n; }
    static bool notes_take(size_t mark, uint32_t *index, uint64_t *sequence) {
        if (notes.n <= mark) return false;
        notes.n--;
        *index = notes.at[notes.n].index;
        *sequence = notes.at[notes.n].sequence;
        return true;
    }
    static void notes_end(void) {
        if (--notes.depth) return;
        free(notes.at);
        notes.at = NULL;
        notes.n = notes.room = 0;
    }
    """
    void note(uint32_t index, uint64_t sequence) nogil
    size_t notes_begin() nogil
    bint notes_take(size_t mark, uint32_t *index, uint64_t *sequence) nogil
    void notes_end() nogil


cdef object pickled(object dump, object pickler, object obj):
    """Call ``dump(pickler, obj)``; if it fails, what it sent so far will not be sent after all."""
    cdef uint32_t index
    cdef uint64_t sequence
    cdef size_t mark = notes_begin()
    try:
        return dump(pickler, obj)
    except BaseException:
        while notes_take(mark, &index, &sequence):
            _core.cancel_ticket(index, sequence)
        raise
    finally:
        notes_end()


cdef bytes pack(Hold hold, ndarray a, bint readonly):
    """The message that names an array of the CPU, or with None the block of `hold`."""
    if a is None:
        return packed(hold, readonly, None, 0, NULL, NULL, 0, NULL)
    return packed(hold, readonly, a.dtype, PyArray_NDIM(a), PyArray_DIMS(a), PyArray_STRIDES(a),
                  PyArray_BYTES(a) - <char*>hold.p if PyArray_SIZE(a) else 0, NULL)


cdef bytes packed(Hold hold, bint readonly, object dtype, int ndim, npy_intp *dims,
                  npy_intp *strides, int64_t offset, const sa_device_part *device):
    """The bytes of a message: a new ticket, until whose opening this process keeps the memory.

    Without a dtype it names a Storage; with `device`, memory that the block stands for.
    """
    cdef sa_handle h
    cdef sa_ticket ticket
    cdef sa_segment *segment
    cdef int rc
    cdef bytes text = b"" if dtype is None else dtype_text(dtype)
    cdef char *p = <char*>hold.p
    memset(&h, 0, sizeof(h))
    identify(&h)
    h.magic = SA_HANDLE_MAGIC
    if readonly:
        h.flags |= SA_HANDLE_READONLY
    if dtype is None:
        h.flags |= SA_HANDLE_STORAGE
    if device != NULL:
        h.flags |= SA_HANDLE_DEVICE
    h.offset = offset
    if len(text) > 65535:
        raise ValueError(f"the description of the dtype is too long for a handle: {len(text)} "
                         "bytes compressed, at most 65,535")
    h.ndim = ndim
    h.dtype_len = len(text)
    segment = _core.find_segment(p)
    memcpy(h.segment, segment.id, 16)
    h.segment_size = segment.size
    h.serial = hold.serial
    h.block = p - segment.base
    h.nbytes = hold.nbytes
    h.pid = _core.own_pid()
    h.start = _core.own_start()
    h.fd = segment.fd
    h.creator_pid = segment.creator_pid if segment.creator_pid else h.pid
    h.creator_start = segment.creator_start if segment.creator_pid else h.start
    h.creator_fd = segment.creator_fd if segment.creator_pid else h.fd
    with nogil:
        if _core.serve_token(h.token, device != NULL) == 0:
            h.flags |= SA_HANDLE_SERVED
        rc = _core.new_ticket(p, &ticket)
        if rc == -EMFILE or rc == -ENFILE or rc == -ENOMEM:
            _core.let_go()
            rc = _core.new_ticket(p, &ticket)
    if rc == -ENOSPC:
        raise OSError(ENOSPC, "cannot send a handle: messages that nobody opened yet fill this "
                      "process's ledger; receive some first, or raise ulimit -f or -v before the "
                      "first one is sent")
    if rc == -EBADF:
        raise OSError(EBADF, "cannot send a handle: this program closed the descriptors of shared "
                      "memory (os.closerange(), os.dup2(), a daemon's start?); do that before the "
                      "first array is made, or in a forked child, and send arrays made afterwards")
    check(rc, "cannot send a handle: no ticket in this process's ledger")
    note(ticket.index, ticket.sequence)
    memcpy(h.ledger, ticket.id, 16)
    h.ledger_fd = ticket.fd
    h.ticket = ticket.index
    h.sequence = ticket.sequence
    h.word = ticket.word
    memcpy(h.creator_ledger, ticket.creator, 16)
    h.creator_ledger_fd = ticket.creator_fd
    h.creator_ledger_here = ticket.creator_fd_here
    cdef Py_ssize_t extra = 0 if device == NULL else sizeof(sa_device_part)
    cdef Py_ssize_t n = sizeof(h) + 16 * ndim + len(text) + extra
    cdef bytes data = PyBytes_FromStringAndSize(NULL, n + 8)
    cdef char *out = PyBytes_AS_STRING(data)
    memcpy(out, &h, sizeof(h))
    if ndim:
        memcpy(out + sizeof(h), dims, 8 * ndim)
        memcpy(out + sizeof(h) + 8 * ndim, strides, 8 * ndim)
    memcpy(out + sizeof(h) + 16 * ndim, PyBytes_AS_STRING(text), len(text))
    if device != NULL:
        memcpy(out + n - extra, device, extra)
    cdef uint64_t sum = sa_checksum(<unsigned char*>out, n)
    memcpy(out + n, &sum, 8)
    return data


# ---- reading ----


@cython.final
cdef class Received:
    """What a handle leads to, or says it leads to."""

    cdef tuple shape(self):
        cdef sa_handle *h = <sa_handle*>PyBytes_AS_STRING(self.data)
        cdef int64_t *dims = <int64_t*>(h + 1)
        return tuple([dims[i] for i in range(h.ndim)])

    cdef ndarray view(self):
        cdef sa_handle *h = <sa_handle*>PyBytes_AS_STRING(self.data)
        cdef npy_intp *dims = <npy_intp*>(h + 1)
        try:
            return make_ndarray(<char*>self.hold.p + h.offset, self.dtype, h.ndim, dims,
                                dims + h.ndim, not self.readonly, self.hold)
        except (ValueError, MemoryError) as error:
            raise HandleError(f"the handle's view is impossible: {error}") from error


cdef sa_handle *parsed(bytes data) except NULL:
    """The header, once length, magic and checksum are found right."""
    cdef Py_ssize_t n = PyBytes_GET_SIZE(data)
    cdef sa_handle *h = <sa_handle*>PyBytes_AS_STRING(data)
    cdef uint64_t sum
    if n < <Py_ssize_t>sizeof(sa_handle) + 8:
        raise HandleError(f"these {n} bytes are no handle: too short")
    if h.magic != SA_HANDLE_MAGIC:
        raise HandleError("these bytes are no handle of this version of sharedarray")
    if n != (<Py_ssize_t>sizeof(sa_handle) + 16 * h.ndim + h.dtype_len + 8
             + (<Py_ssize_t>sizeof(sa_device_part) if h.flags & SA_HANDLE_DEVICE else 0)):
        raise HandleError(f"the handle is truncated or too long: {n} bytes")
    memcpy(&sum, PyBytes_AS_STRING(data) + n - 8, 8)
    if sum != sa_checksum(<unsigned char*>h, n - 8):
        raise HandleError("the bytes of the handle were altered: its checksum is wrong")
    return h


cdef Received described(bytes data):
    """What the bytes say; checked in themselves, nothing opened."""
    cdef sa_handle *h = parsed(data)
    cdef Received r = Received.__new__(Received)
    cdef int64_t *dims = <int64_t*>(h + 1)
    cdef int64_t *steps = dims + h.ndim
    r.data = data
    r.readonly = h.flags & SA_HANDLE_READONLY
    cdef uint64_t nbytes = h.nbytes
    if h.flags & SA_HANDLE_DEVICE:
        r.on_device = True
        memcpy(&r.part, <char*>(steps + h.ndim) + h.dtype_len, sizeof(sa_device_part))
        nbytes = r.part.nbytes
        if r.part.block > r.part.segment_size or nbytes > r.part.segment_size - r.part.block:
            raise HandleError("the handle's block reaches outside its segment")
    if h.block >= h.segment_size or h.nbytes > h.segment_size - h.block:
        raise HandleError("the handle's block reaches outside its segment")
    if h.flags & SA_HANDLE_STORAGE:
        return r
    if h.ndim > MAX_DIMS:
        raise HandleError(f"the handle has {h.ndim} dimensions; NumPy allows {MAX_DIMS}")
    r.dtype = dtype_from((<char*>(steps + h.ndim))[:h.dtype_len])
    if not sa_view_fits(h.offset, r.dtype.itemsize, h.ndim, dims, steps, nbytes):
        raise HandleError("the handle's view reaches outside its block")
    if not sa_shape_counts(r.dtype.itemsize, h.ndim, dims):
        raise HandleError(f"the handle's view is impossible: an array of shape {r.shape()} and "
                          f"{r.dtype} is too big")
    return r


cdef size_t said_size(bytes data):
    """Bytes of the block, as the handle says; 0 where it says nothing."""
    try:
        return parsed(data).nbytes
    except HandleError:
        return 0


cdef Received open_bytes(bytes data):
    """Open a handle: map its memory if it is not mapped already, and mark the ticket opened."""
    cdef Received r = described(data)
    if r.on_device:
        raise TypeError("this handle names memory of a device")
    open_block(r)
    mark(r)
    return r


cdef int mark(Received r) except -1:
    """Tell the sender that its message was opened."""
    return mark_opened(<sa_handle*>PyBytes_AS_STRING(r.data), &r.here, r.deadline)


cdef int open_block(Received r) except -1:
    """Have the block that a handle names, and be counted as its holder."""
    cdef bytes data = r.data
    cdef sa_handle *h = <sa_handle*>PyBytes_AS_STRING(data)
    cdef sa_handle *here = &r.here
    cdef sa_segment *segment
    cdef char *p = NULL
    cdef bint attached = True
    cdef int rc
    cdef bint writable = r.on_device or not r.readonly
    cdef int64_t deadline = _core.now_ms() + 800    # for all questions to the sender's socket
    r.deadline = deadline
    try:
        identify(here)
    except (OSError, MemoryError) as error:
        refused = HandleError(str(error))
        refused.errno = error.errno
        raise refused from None
    if memcmp(h.boot, here[0].boot, 16):
        raise HandleError("the handle is of another machine, or of an earlier boot of this one; "
                          "between machines send pickle.dumps(x)")
    if h.uid != here.uid and h.uid != _core.own_uid(True):
        raise HandleError(f"the handle belongs to user {h.uid}, this process to {here.uid}")
    segment = _core.hold_segment(h.segment, h.segment_size, writable, &rc)
    if rc < 0:
        raise HandleError("the handle and the mapped segment differ in size")
    if rc == 1:         # a block of this very process
        p = <char*>_core.hold_block(h.segment, h.block, h.serial)
        if p == NULL:   # another thread may have given the segment back in between
            segment = _core.hold_segment(h.segment, h.segment_size, writable, &rc)
            if rc == 1:
                raise HandleError(gone(h, here))
    if p != NULL:
        attached = False
    else:
        if segment == NULL:
            segment = attach(h, here, writable, deadline)
        p = segment.base + h.block
        count_in(h, here, segment, p, deadline)
        attached = not segment.inherited
    r.hold = received_hold(p, h.nbytes, h.segment, h.serial, attached,
                           not attached or segment.writable)
    return 0


# ---- Handle ----


@cython.binding(False)
@cython.embedsignature(True)
@cython.embedsignature.format("clinic")
@cython.final
cdef class Handle:
    """What travels in place of an array: a few bytes that name its memory.

    Made by ``x.handle()`` and ``storage.handle()``; the memory is kept while the Handle lives in
    its maker. ``bytes(h)`` and pickling count as sending: from then on the sender keeps the memory
    until somebody opened it.

    See Also
    --------
    from_handle : open it, in any process of this user on this machine.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.arange(3)
    >>> h = x.handle()
    >>> len(bytes(h)) <= 512
    True
    >>> y = xp.from_handle(xp.Handle.from_bytes(bytes(h)))
    >>> y[0] = 7
    >>> x
    Array([7, 1, 2], dtype=int64, device='cpu', shared)
    """

    def __cinit__(self):
        self._closed = True     # until it is given something

    def __init__(self):
        raise TypeError("a Handle is made by x.handle() or Handle.from_bytes()")

    @cython.binding(True)       # pickled by its qualified name
    @cython.embedsignature(False)
    @staticmethod
    def from_bytes(data):
        """Return the Handle of such bytes.

        Parameters
        ----------
        data : bytes-like
            What ``bytes(h)`` gave, in whatever process.

        Returns
        -------
        Handle

        Raises
        ------
        HandleError
            For bytes that are no handle, truncated or altered.

        Examples
        --------
        >>> import sharedarray as xp
        >>> h = xp.Handle.from_bytes(bytes(xp.zeros(3).handle()))
        >>> xp.from_handle(h).shape
        (3,)
        """
        cdef Handle h = Handle.__new__(Handle)
        h._data = bytes(memoryview(data))
        described(h._data)
        h._closed = False
        return h

    def __bytes__(self):
        if self._closed:
            raise ValueError("this Handle is closed; make another one from its array")
        if self._data is not None:
            return self._data
        if self._elsewhere is not None:
            return self._elsewhere.pack()
        if self._view is None:
            return pack(self._storage.hold, None, not PyArray_ISWRITEABLE(self._storage.root))
        return pack(self._storage.hold, self._view, not PyArray_ISWRITEABLE(self._view))

    def close(self):
        """Let go of the memory; the Handle cannot be sent or opened any more.

        Examples
        --------
        >>> import sharedarray as xp
        >>> h = xp.zeros(3).handle()
        >>> h.close()
        >>> bytes(h)
        Traceback (most recent call last):
        ...
        ValueError: this Handle is closed; make another one from its array
        """
        self._closed = True
        self._storage = None
        self._view = None
        self._data = None
        self._elsewhere = None

    def __reduce__(self):
        return Handle.from_bytes, (bytes(self),)

    def __repr__(self):
        cdef Received r
        if self._closed:
            return "<Handle, closed>"
        if self._data is not None:
            r = described(self._data)
            if r.dtype is not None:
                return f"<Handle of an Array, shape={r.shape()}, dtype={r.dtype}>"
            return "<Handle of a Storage>"
        if self._elsewhere is not None:
            return f"<Handle of {self._elsewhere.text()}>"
        if self._view is not None:
            return f"<Handle of an Array, shape={(<object>self._view).shape}, " \
                   f"dtype={self._view.dtype}>"
        return f"<Handle of a Storage of {self._storage.nbytes} bytes>"


def handle_of_storage(Storage storage not None):
    """Return a new Handle of a Storage."""
    return make_handle(storage, None)


cdef Handle make_handle(Storage storage, ndarray a):
    if storage.hold is None:
        raise ValueError("this memory is private to the process; call share_memory_() first")
    cdef Handle h = Handle.__new__(Handle)
    h._storage = storage
    h._view = a
    h._closed = False
    return h


cdef Handle handle_elsewhere(object named):
    """A Handle of memory on another device: `named` has pack(), open() and text()."""
    cdef Handle h = Handle.__new__(Handle)
    h._elsewhere = named
    h._closed = False
    return h


cdef Received on_device(Handle h):
    """What a Handle that came as bytes says, if it names memory of a device; else None."""
    cdef Received r
    if h._data is None:
        return None
    r = described(h._data)
    return r if r.on_device else None


cdef object opened(Handle h):
    """Open a Handle of either kind: a new ndarray, or a Storage."""
    cdef Received r
    cdef ndarray a
    if h._closed:
        raise ValueError("this Handle is closed; make another one from its array")
    if h._elsewhere is not None:
        return h._elsewhere.open()
    if h._data is not None:
        r = open_bytes(h._data)
        return shared_storage(r.hold) if r.dtype is None else r.view()
    if h._view is None:
        return h._storage
    a = h._view
    return make_ndarray(PyArray_BYTES(a), a.dtype, PyArray_NDIM(a), PyArray_DIMS(a),
                        PyArray_STRIDES(a), PyArray_ISWRITEABLE(a), h._storage.hold)
