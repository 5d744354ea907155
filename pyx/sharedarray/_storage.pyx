"""Storage: the untyped memory below arrays, shared or private."""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset
from numpy cimport (
    NPY_ARRAY_WRITEABLE,
    PyArray_BASE,
    PyArray_BYTES,
    PyArray_DATA,
    PyArray_DIMS,
    PyArray_ENABLEFLAGS,
    PyArray_ISONESEGMENT,
    PyArray_ISWRITEABLE,
    PyArray_NBYTES,
    PyArray_NDIM,
    PyArray_SIZE,
    PyArray_STRIDES,
    import_array,
)

from ._weak cimport WeakTable

import operator
import os
import weakref

import numpy as np

from sharedarray cimport _core
from sharedarray._core cimport sa_segment
from ._errors import HandleError, memory_error

import_array()

cdef extern from "numpy/arrayobject.h":
    PyTypeObject PyArray_Type
    ctypedef struct PyArray_Descr
    int PyArray_SetBaseObject(ndarray a, PyObject *base) except -1
    ndarray PyArray_NewFromDescr(PyTypeObject *t, PyArray_Descr *descr, int nd, npy_intp *dims,
                                 npy_intp *strides, void *data, int flags, PyObject *obj)

cdef object _u1 = np.dtype("u1")
# What NumPy puts between an array and its views by strides.
cdef object _strider = type(np.lib.stride_tricks.as_strided(np.empty(1), (1,)).base)
cdef WeakTable _live = WeakTable()      # key of the memory -> its Storage


cdef ndarray make_ndarray(void *data, object dtype, int ndim, npy_intp *shape, npy_intp *strides,
                          bint writable, object base):
    """An ndarray over memory that `base` keeps alive."""
    Py_INCREF(dtype)   # NewFromDescr steals one
    cdef ndarray a = PyArray_NewFromDescr(
        &PyArray_Type, <PyArray_Descr*>dtype, ndim, shape, strides, data,
        NPY_ARRAY_WRITEABLE if writable else 0, NULL)
    Py_INCREF(base)    # SetBaseObject steals one
    PyArray_SetBaseObject(a, <PyObject*>base)
    return a


@cython.final
@cython.no_gc
cdef class Hold:
    """One reference to a block of this process, or to a segment received from another one."""

    def __dealloc__(self):
        if self.p != NULL:
            with nogil:
                _core.dereference(self.p)
                if self.attached:
                    _core.count_attached(-<Py_ssize_t>self.nbytes)

    cdef object key(self):
        return (self.segment[0], self.segment[1], self.serial)


@cython.final
@cython.no_gc
cdef class Export:
    """What keeps memory alive that was handed out to NumPy, a buffer or DLPack."""

    def __cinit__(self, Storage storage not None):
        self.storage = storage
        storage.exports += 1

    def __dealloc__(self):
        if self.storage is not None:
            self.storage.exports -= 1


cdef ndarray root_of(ndarray a):
    """The ndarray at the bottom: it owns its memory, or its base is no array."""
    cdef object base
    while True:
        base = <object>PyArray_BASE_or_none(a)
        if type(base) is Export:
            return (<Export>base).storage.root
        if isinstance(base, memoryview):
            base = base.obj
            if not isinstance(base, np.ndarray):
                base = getattr(base, "_ndarray", None)   # an Array lends its buffer
        elif type(base) is _strider:
            base = base.base
        if not isinstance(base, np.ndarray):
            return a
        a = <ndarray>base


cdef PyObject *PyArray_BASE_or_none(ndarray a):
    cdef PyObject *base = <PyObject*>PyArray_BASE(a)
    return base if base != NULL else <PyObject*>None


cdef bint in_shared(ndarray a):
    """Whether the memory below `a` (also of an empty view) is this library's shared memory."""
    if PyArray_BASE(a) != NULL:
        a = root_of(a)
    return _core.contains(PyArray_DATA(a))


cdef Hold hold_of(ndarray root):
    """A Hold on the shared block that `root` owns or holds."""
    cdef object base = <object>PyArray_BASE_or_none(root)
    cdef sa_segment *segment
    cdef char *start
    cdef size_t size
    cdef uint64_t serial
    cdef Hold hold
    if type(base) is Hold:
        return <Hold>base
    cdef void *p = PyArray_DATA(root)
    if not _core.find_block(p, &segment, &start, &size, &serial) or _core.reference(p) < 0:
        return None
    hold = Hold.__new__(Hold)
    hold.p = start
    hold.nbytes = min(size, <size_t>(<char*>p - start) + <size_t>PyArray_NBYTES(root))
    hold.segment[0] = segment.id[0]
    hold.segment[1] = segment.id[1]
    hold.serial = serial
    hold.writable = True
    return hold


cdef Storage shared_storage(Hold hold):
    cdef object key = hold.key()
    cdef Storage s = _live.get(key)
    cdef npy_intp n = hold.nbytes
    if s is None:
        s = Storage.__new__(Storage)
        s.hold = hold
        s.nbytes = hold.nbytes
        s.root = make_ndarray(hold.p, _u1, 1, &n, NULL, hold.writable, hold)
        s = _live.agree(key, s)
    if hold.writable and not s.hold.writable:   # a writable view came after read-only ones
        s.hold = hold
        PyArray_ENABLEFLAGS(s.root, NPY_ARRAY_WRITEABLE)
    return s


cdef Hold received_hold(void *p, size_t nbytes, const uint64_t *segment, uint64_t serial,
                        bint attached, bint writable):
    """A Hold on a block that came by handle; takes over the reference at p."""
    cdef Hold hold = Hold.__new__(Hold)
    hold.p = p
    hold.nbytes = nbytes
    hold.segment[0] = segment[0]
    hold.segment[1] = segment[1]
    hold.serial = serial
    hold.attached = attached
    hold.writable = writable
    if attached:
        _core.count_attached(nbytes)
    return hold


cdef Storage storage_of(ndarray a, Storage known):
    """The Storage below `a`; `known` where the caller has it."""
    cdef Storage s
    cdef Hold hold
    if known is not None:
        return known
    cdef object base = <object>PyArray_BASE_or_none(a)
    if type(base) is Export:
        return (<Export>base).storage
    cdef ndarray root = root_of(a)
    if _core.contains(PyArray_DATA(root)):
        hold = hold_of(root)
        if hold is not None:
            return shared_storage(hold)
    cdef Py_ssize_t low = 0, high = PyArray_ITEMSIZE_of(root)
    cdef int i
    if PyArray_SIZE(root) == 0:
        high = 0
    else:
        for i in range(PyArray_NDIM(root)):
            if PyArray_STRIDES(root)[i] < 0:
                low += (PyArray_DIMS(root)[i] - 1) * PyArray_STRIDES(root)[i]
            else:
                high += (PyArray_DIMS(root)[i] - 1) * PyArray_STRIDES(root)[i]
    cdef char *p = PyArray_BYTES(root) + low
    cdef object key = ("private", <size_t>p, high - low)
    s = _live.get(key)
    if s is not None:
        return s
    s = private_storage(p, high - low, PyArray_ISWRITEABLE(root), root)
    return _live.agree(key, s)


cdef Py_ssize_t PyArray_ITEMSIZE_of(ndarray a):
    return a.itemsize


cdef Storage private_storage(char *p, npy_intp n, bint writable, object owner):
    cdef Storage s = Storage.__new__(Storage)
    s.nbytes = n
    s.root = make_ndarray(p, _u1, 1, &n, NULL, writable, owner)
    s._arrays = {}
    return s


cdef ndarray export_view(ndarray a, Storage known):
    """A new ndarray over the memory of `a` whose base is an Export, never an owner."""
    cdef Export e = Export(storage_of(a, known))
    return make_ndarray(PyArray_DATA(a), a.dtype, PyArray_NDIM(a), PyArray_DIMS(a),
                        PyArray_STRIDES(a), PyArray_ISWRITEABLE(a), e)


cdef ndarray adopt(ndarray a):
    cdef Storage s = storage_of(a, None)
    return make_ndarray(PyArray_DATA(a), a.dtype, PyArray_NDIM(a), PyArray_DIMS(a),
                        PyArray_STRIDES(a), PyArray_ISWRITEABLE(a), s.root)


cdef int will_write(ndarray a) except -1:
    """All of `a` is about to be written: let large memory have huge pages, if it is unused yet.

    Returns 1 if it is large shared memory that the system need not provide any more.
    """
    cdef char *p = PyArray_BYTES(a)
    cdef npy_intp n = PyArray_NBYTES(a)
    cdef bint warm = False
    if n >= 1 << 21 and PyArray_ISONESEGMENT(a) and PyArray_ISWRITEABLE(a) and _core.contains(p):
        with nogil:
            warm = _core.populate(p, n)
    return warm


cdef Hold new_block(size_t nbytes, bint zero):
    cdef void *p
    cdef sa_segment *segment
    cdef char *start
    cdef size_t size
    cdef Hold hold = Hold.__new__(Hold)
    with nogil:
        p = _core.allocate(nbytes, zero)
    if p == NULL:
        raise memory_error(MemoryError(), nbytes)
    hold.p = p
    hold.nbytes = nbytes
    hold.writable = True
    _core.find_block(p, &segment, &start, &size, &hold.serial)
    hold.segment[0] = segment.id[0]
    hold.segment[1] = segment.id[1]
    return hold


@cython.binding(False)
@cython.embedsignature(True)
@cython.embedsignature.format("clinic")
cdef class Storage:
    """Storage(nbytes, device=None)\n--\n
    Untyped memory below arrays: `nbytes` bytes on one device, shared or private.

    Parameters
    ----------
    nbytes : int
        Size in bytes; the memory is zero.
    device : Device or str, optional
        Where; default the device in force.

    Raises
    ------
    ValueError
        For a negative size.
    MemoryError
        With the figures, when the memory cannot be had.

    See Also
    --------
    from_storage : an Array over a Storage.

    Examples
    --------
    >>> import sharedarray as xp
    >>> s = xp.Storage(16)
    >>> s.fill_(7, offset=8).nbytes, s[8], s[6:10]
    (16, 7, b'\\x00\\x00\\x07\\x07')
    >>> xp.from_storage(s, xp.uint8, (16,))[8]
    Array(7, dtype=uint8, device='cpu', shared)
    """

    def __init__(self, nbytes, device=None):
        from ._devices import resolve
        cdef ndarray owner
        cdef npy_intp n = size_of(nbytes)
        if self.root is not None:
            raise TypeError("Storage: already initialised")
        resolve(device)
        self.nbytes = n
        if _core.shared_mode():
            self.hold = new_block(n, True)
            self.root = make_ndarray(self.hold.p, _u1, 1, &n, NULL, True, self.hold)
            _live.set(self.hold.key(), self)
        else:
            owner = np.zeros(n, _u1)
            self.root = make_ndarray(PyArray_DATA(owner), _u1, 1, &n, NULL, True, owner)
            self._arrays = {}
            _live.set(("private", <size_t>PyArray_DATA(owner), n), self)

    cdef int watch(self, object array) except -1:
        """Let `array` move along when this memory becomes shared."""
        if self._arrays is not None:
            arrays, key = self._arrays, id(array)     # Arrays have no hash
            arrays[key] = weakref.ref(array, lambda _: arrays.pop(key, None))
        return 0

    cdef list watched(self):
        """The Arrays that move along."""
        return [x for x in [ref() for ref in list((self._arrays or {}).values())]
                if x is not None]

    cdef list prepared(self, object there, size_t old):
        """Each Array over this memory, at `old`: it, what it is, what it is when that is `there`.

        After the last look at who they are, no Python code runs.
        """
        cdef dict ready = {}
        cdef list found = self.watched()
        while found:        # others come while these are made ready
            for x in found:
                ready[id(x)] = (x, *x._moved(there, old))
            found = [x for x in self.watched() if id(x) not in ready]
        return list(ready.values())

    cdef int move(self, list arrays) except -1:
        """Let the Arrays be what was prepared for them."""
        self._arrays = None
        for x, before, after in arrays:
            x._rebind(before, after)
        return 0

    cdef str private_id(self):
        """The `id` of private memory, another one in each process."""
        if self.name is None or self.name[0] != os.getpid():
            name = (os.getpid(), os.urandom(16).hex())
            if self.name is None or self.name[0] != name[0]:     # else another thread was first
                self.name = name
        return f"private-{self.name[1]}"

    cdef ndarray data(self):
        """The memory; raises for a lost Storage."""
        if self.root is None:
            if self.lost is None:
                raise TypeError("this Storage was never initialised: make one with sharedarray."
                                "Storage(nbytes), or take that of an Array, x.storage()")
            raise HandleError(self.lost)
        return self.root

    @property
    def _ndarray(self):
        return self.data()

    @property
    def device(self):
        """The Device of this memory."""
        from ._devices import Device
        return Device("cpu")

    def is_shared(self):
        """Whether this memory can go to other processes by handle.

        Returns
        -------
        bool

        Examples
        --------
        >>> import sharedarray as xp
        >>> xp.Storage(8).is_shared()
        True
        """
        return self.hold is not None

    def share_memory_(self):
        """Make this memory shared, in place; every Array over it moves along.

        Returns
        -------
        Storage
            Itself.

        Raises
        ------
        BufferError
            While NumPy views, buffers or DLPack exports of the old memory are alive; nothing
            changes then.

        Examples
        --------
        >>> import sharedarray as xp
        >>> with xp.memory("private"):
        ...     x = xp.ones(3)
        >>> x.storage().share_memory_().is_shared(), x.is_shared()
        (True, True)
        """
        cdef Hold hold
        cdef ndarray root, old
        cdef npy_intp n = self.nbytes
        self.data()
        if self.hold is not None:
            return self
        self.check_exports("NumPy view(s), buffer(s) or DLPack export(s)")
        hold = new_block(n, False)
        old = self.data()
        with nogil:
            _core.populate(hold.p, n)
            memcpy(hold.p, PyArray_DATA(old), n)
        root = make_ndarray(hold.p, _u1, 1, &n, NULL, True, hold)
        arrays = self.prepared(root, <size_t>PyArray_DATA(old))
        if self.hold is not None:       # another thread did it meanwhile
            return self
        self.check_exports("NumPy view(s), buffer(s) or DLPack export(s)")
        self.root = root
        self.hold = hold
        self.move(arrays)
        _live.drop(("private", <size_t>PyArray_DATA(old), n))
        _live.set(hold.key(), self)
        return self

    cdef int check_exports(self, str kinds) except -1:
        if self.exports:
            raise BufferError(
                f"share_memory_(): {self.exports} {kinds} of this private memory are alive and "
                "would keep seeing it; drop them first")
        return 0

    def handle(self):
        """Return a Handle of this Storage: what travels to other processes.

        Returns
        -------
        Handle

        Raises
        ------
        ValueError
            For private memory: call `share_memory_()` first.

        Examples
        --------
        >>> import sharedarray as xp
        >>> s = xp.Storage(8)
        >>> xp.from_handle(s.handle()) is s
        True
        """
        from ._handle import handle_of_storage
        self.data()
        return handle_of_storage(self)

    @property
    def id(self):
        """A str, equal in every process that sees this memory and only there; never used again."""
        self.data()
        if self.hold is not None:
            return f"{self.hold.segment[0]:016x}{self.hold.segment[1]:016x}-{self.hold.serial:x}"
        return self.private_id()

    def attached(self):
        """Return how many other processes hold this block.

        Returns
        -------
        int
            Counted in the ledger of the process that made it. The dead are uncounted within
            seconds; forked children that inherited the block count until they end. 0 for private
            memory.

        Examples
        --------
        >>> import sharedarray as xp
        >>> xp.Storage(8).attached()
        0
        """
        cdef uint32_t n = 0
        self.data()
        if self.hold is not None:
            with nogil:
                n = _core.others_holding(self.hold.p)
        return n

    def processes(self):
        """Return the processes that have the segment of this memory mapped.

        Returns
        -------
        list of int
            Process ids, this process among them; they may include holders of neighbouring blocks
            and former holders. Of private memory: this process alone.

        Examples
        --------
        >>> import os
        >>> import sharedarray as xp
        >>> xp.Storage(8).processes() == [os.getpid()]
        True
        """
        self.data()
        if self.hold is None:
            return [os.getpid()]
        from ._processes import mapped_by

        return mapped_by(f"sharedarray-{self.hold.segment[0]:016x}{self.hold.segment[1]:016x}")

    def data_ptr(self):
        """Return the address of the first byte, as an int."""
        return <size_t>PyArray_DATA(self.data())

    def _check(self, offset, nbytes, what):
        """Check a byte range; return (offset, nbytes)."""
        offset, given = operator.index(offset), nbytes
        nbytes = self.nbytes - offset if nbytes is None else operator.index(nbytes)
        if offset < 0 or nbytes < 0 or offset + nbytes > self.nbytes:
            raise ValueError(f"{what}: offset {offset} and nbytes {given} reach outside the "
                             f"{self.nbytes} bytes of this Storage")
        return offset, nbytes

    def _check_writable(self):
        if not PyArray_ISWRITEABLE(self.data()):
            raise ValueError("this Storage is read-only here: only read-only views of it arrived")

    def fill_(self, byte, offset=0, nbytes=None):
        """Fill a range with one byte, in place.

        Parameters
        ----------
        byte : int
            0 to 255.
        offset : int, optional
            First byte.
        nbytes : int, optional
            How many; default up to the end.

        Returns
        -------
        Storage
            Itself.

        Raises
        ------
        ValueError
            For a range outside the Storage, a value that is no byte, or read-only memory.

        Examples
        --------
        >>> import sharedarray as xp
        >>> xp.Storage(4).fill_(1, 1, 2)[:]
        b'\\x00\\x01\\x01\\x00'
        """
        cdef Py_ssize_t start, n
        cdef int value = byte_of(byte)
        start, n = self._check(offset, nbytes, "fill_")
        self._check_writable()
        cdef ndarray root = self.data()     # kept: another thread may move this memory
        cdef char *p = <char*>PyArray_DATA(root) + start
        with nogil:
            _core.populate(p, n)
            memset(p, value, n)
        return self

    def __len__(self):
        return self.nbytes

    def __getitem__(self, index):
        cdef Py_ssize_t i
        self.data()
        if isinstance(index, slice):
            start, stop, step = index.indices(self.nbytes)  # may run Python code, and this moves
            if step == 1:
                return PyArray_BYTES(self.root)[start:max(start, stop)]
            return self.data()[index].tobytes()
        i = place_in(index, self.nbytes)
        return (<unsigned char*>PyArray_DATA(self.root))[i]

    def __setitem__(self, index, value):
        self._check_writable()
        if not isinstance(index, slice):
            i, byte = place_in(index, self.nbytes), byte_of(value)
            self.data()[i] = byte
            return
        if isinstance(value, int):
            byte = byte_of(value)
            self.data()[index] = byte
            return
        with memoryview(value) as m:
            data = np.frombuffer(m.cast("B") if m.contiguous else m.tobytes(), _u1)
            target = self.data()[index]
            if len(data) != len(target):
                raise ValueError(f"Storage: {len(data)} bytes given for a range of {len(target)}")
            target[...] = data

    def __delitem__(self, index):
        raise TypeError("a Storage keeps its size: its bytes cannot be deleted")

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, PyArray_DATA(self.data()), self.nbytes,
                          not PyArray_ISWRITEABLE(self.data()), flags)
        self.exports += 1

    def __releasebuffer__(self, Py_buffer *view):
        self.exports -= 1

    def __reduce_ex__(self, protocol):
        if self.lost is not None:
            raise HandleError(self.lost)
        raise TypeError(
            "a Storage goes by handle through multiprocessing, not by plain pickle; send "
            "bytes(storage.handle()), or an Array for a pickle that holds its data")

    def __repr__(self):
        if self.root is None:
            if self.lost is None:
                return "<Storage, never initialised>"
            return f"<Storage of {self.nbytes} bytes, device='cpu', lost: {self.lost}>"
        kind = "shared" if self.hold is not None else "private"
        return f"<Storage of {self.nbytes} bytes, device='cpu', {kind}>"


# ---- on which device ----

cdef extern from *:
    """
    static newfunc sa_here;
    static void sa_replace_new(PyTypeObject *type, newfunc made) {
        sa_here = type->tp_new;
        type->tp_new = made;
        type->tp_vectorcall = NULL; /* which passes tp_new by */
    }
    static PyObject *sa_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
        return type->tp_new(type, args, kwargs);
    }
    static PyObject *sa_new_here(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
        return sa_here(type, args, kwargs);
    }
    """
    ctypedef object (*newfunc)(PyTypeObject *, PyObject *, PyObject *)
    void sa_replace_new(PyTypeObject *type, newfunc made)
    object sa_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
    object sa_new_here(PyTypeObject *type, PyObject *args, PyObject *kwargs)


cdef object new_storage(PyTypeObject *type, PyObject *args, PyObject *kwargs):
    """What ``Storage(nbytes, device)`` makes: an instance of the class of that device."""
    from ._devices import backend, resolve
    if type == <PyTypeObject *>Storage:
        device = None if kwargs == NULL else (<dict>kwargs).get("device")
        if device is None and len(<tuple>args) > 1:
            device = (<tuple>args)[1]
        where = resolve(device)
        if where.type != "cpu":
            kind = backend(where).storage_type
            return sa_new(<PyTypeObject *>kind, args, kwargs)
    return sa_new_here(type, args, kwargs)


sa_replace_new(<PyTypeObject *>Storage, new_storage)


cdef Storage lost_storage(size_t nbytes, str reason):
    """A Storage that arrived and could not be opened: every use of its bytes says `reason`."""
    cdef Storage s = Storage.__new__(Storage)
    s.nbytes = nbytes
    s.lost = reason
    return s


cdef Py_ssize_t size_of(nbytes) except -1:
    """A number of bytes to make a Storage of."""
    try:
        n = nbytes.__index__()
    except AttributeError:
        raise TypeError(f"Storage: nbytes is an int, not {type(nbytes).__name__}") from None
    if n < 0:
        raise ValueError(f"Storage: nbytes must not be negative, it is {n}")
    if n >= 1 << 63:
        raise MemoryError(f"Storage: {n} bytes are more than any machine has")
    return n


cdef int byte_of(value) except -1:
    value = operator.index(value)
    if not 0 <= value <= 255:
        raise ValueError(f"Storage: {value} is no byte (0 to 255)")
    return value


cdef Py_ssize_t place_in(index, Py_ssize_t n) except -1:
    cdef Py_ssize_t i = operator.index(index)
    if i < 0:
        i += n
    if not 0 <= i < n:
        raise IndexError(f"Storage: index {index} is outside its {n} bytes")
    return i
