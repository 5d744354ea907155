"""Arrays of CUDA devices to and from the host, other devices, other libraries, and pickles."""

from cpython.object cimport PyTypeObject
cimport numpy as cnp
from numpy cimport ndarray, npy_intp

from ._array cimport Array, wrap
from ._cuda_array cimport CudaArray
from ._cuda_call cimport call_of
from ._cuda_record cimport (
    Record,
    cuda_array,
    download,
    header,
    is_cuda,
    record_of,
    upload,
)
from ._dlpack cimport from_capsule, to_capsule, understands_versions
from ._storage cimport make_ndarray

import operator

import numpy as np

from . import _device
from . import _placement, _protocols  # noqa: F401  # Array is whole
from ._cuda_record import Borrowed
from ._devices import Device, resolve
from ._errors import DeviceError
from ._exchange import _restore

__all__ = ["borrowed", "from_host", "lies_on_cuda", "owned", "transfer"]

cnp.import_array()

cdef extern from "core/ndarray.h":
    int sa_extend(PyTypeObject *type, object name, object value) except -1

cdef dict SCALAR_FIRST = {          # ufuncs that operators of NumPy's scalars call
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "floor_divide": operator.floordiv, "remainder": operator.mod,
    "power": operator.pow, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor, "left_shift": operator.lshift, "right_shift": operator.rshift,
    "divmod": divmod, "less": operator.lt, "less_equal": operator.le, "equal": operator.eq,
    "not_equal": operator.ne, "greater": operator.gt, "greater_equal": operator.ge,
    "matmul": operator.matmul,
}
cdef tuple CPU = (1, 0)             # kDLCPU
cdef frozenset CUDA_KINDS = frozenset({2, 13})      # kDLCUDA, kDLCUDAManaged


# Between devices


cdef object stream_of(object stream, str what):
    """Return the pointer of a stream; None for the current one."""
    if stream is None:
        return None
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__
        stream = (stream() if callable(stream) else stream)[1]
    elif hasattr(stream, "ptr"):
        stream = stream.ptr
    if isinstance(stream, bool) or not isinstance(stream, int):
        raise TypeError(f"{what}: stream is None, the pointer of a CUDA stream, or an object with "
                        f".ptr or __cuda_stream__, not {stream!r}")
    return stream


def from_host(Array x not None, device, stream=None):
    """Copy an Array of the CPU to a CUDA device.

    Parameters
    ----------
    x : Array
        On the CPU.
    device : Device
        The device.
    stream : object, optional
        The stream that copies: a pointer, or an object with ``.ptr`` or ``__cuda_stream__``.

    Returns
    -------
    Array
    """
    cdef object pointer = stream_of(stream, "to_device")
    _device.backend(device)
    return cuda_array(upload(x.numpy(), device.index, pointer), device.index)


def transfer(CudaArray x not None, device, stream=None):
    """Copy an Array of a CUDA device to another device.

    Parameters
    ----------
    x : Array
        On a CUDA device.
    device : Device
        Another device.
    stream : object, optional
        The stream that copies.

    Returns
    -------
    Array
    """
    cdef object pointer = stream_of(stream, "to_device")
    cdef Record record = record_of(x)
    cdef object library, b, block, flags
    if device.index is None:
        return to_host(x, pointer)
    library = _device.backend(device)
    flags = (<object>header(x)).flags
    b = record.b
    if not flags.forc:
        with library.scope(record.index):
            b = library.place(library.method(b, "copy", ("C",), {}), record.index)
    block = library.blocks.allocate(device.index, max(b.size * b.dtype.itemsize, 1))
    result = library.array(block, 0, tuple(b.shape), tuple(b.strides), b.dtype)
    if b.size:
        library.driver.copy(device.index, block.pointer, record.index, library.pointer(b),
                            b.size * b.dtype.itemsize,
                            library.stream(record.index) if pointer is None else pointer)
        library.driver.synchronize(record.index)
    return cuda_array(result, device.index)


cdef Array to_host(CudaArray x, object stream):
    """Return a copy on the CPU, which follows ``xp.memory``."""
    return wrap(download(x, stream))


def to_device(CudaArray self, device, /, *, stream=None):
    target = resolve(device)
    if target.index == record_of(self).index:
        stream_of(stream, "to_device")
        return self
    return transfer(self, target, stream)


def cpu(CudaArray self):
    return self.to_device("cpu")


def cuda(CudaArray self, device=None):
    if device is None:
        device = self.device
    elif isinstance(device, int):
        device = Device("cuda", device)
    return self.to_device(device)


cdef object refused(CudaArray x, str what):
    raise TypeError(f"{what} works on host memory, and this Array is on {x.device}: "
                    "x.to_device(\"cpu\") copies it there")


def numpy(CudaArray self):
    refused(self, "numpy()")


def to_numpy(CudaArray self):
    refused(self, "to_numpy()")


def __array__(CudaArray self, dtype=None, copy=None):
    refused(self, "NumPy")


def array_interface(CudaArray self):
    raise AttributeError(f"__array_interface__: this Array is on {self.device}, and that protocol "
                         "describes host memory: x.to_device(\"cpu\") copies it there")


def __array_ufunc__(CudaArray self, ufunc, method, *inputs, **kwargs):
    if method == "__call__" and not kwargs and len(inputs) == 2:
        if isinstance(inputs[0], np.generic) and is_cuda(inputs[1]):
            operation = SCALAR_FIRST.get(ufunc.__name__)
            if operation is not None:       # np.float64(1) + x
                call = call_of(self)
                return call.run(call.library.operate,
                                (operation, inputs[0], call.operand(inputs[1])), None)
    for x in inputs:
        if isinstance(x, ndarray) or isinstance(x, np.generic):
            call_of(self).host(x)
    raise TypeError(f"numpy.{ufunc.__name__} works on host memory, and this Array is on "
                    f"{self.device}: use sharedarray.{ufunc.__name__}, and bring NumPy arrays there "
                    f"by sharedarray.asarray(..., device='{self.device}')")


def __array_function__(CudaArray self, func, types, args, kwargs):
    name = getattr(func, "__name__", "?")
    raise TypeError(f"numpy.{name} works on host memory, and this Array is on {self.device}: use "
                    f"sharedarray.{name}, and bring NumPy arrays there by "
                    f"sharedarray.asarray(..., device='{self.device}')")


# To and from other libraries


def lies_on_cuda(x):
    """Whether an object of another library has memory on a CUDA device, by its own word.

    Parameters
    ----------
    x : object
        Any object but an Array.

    Returns
    -------
    bool
    """
    kind = type(x)
    if isinstance(x, (ndarray, np.generic)) or issubclass(kind, type):
        return False
    if hasattr(kind, "__dlpack_device__"):
        try:
            return int(x.__dlpack_device__()[0]) in CUDA_KINDS
        except (BufferError, RuntimeError, TypeError, ValueError):
            return False
    return hasattr(x, "__cuda_array_interface__")


cdef tuple interface_of(object x):
    """Return an ndarray with address and layout of an array by its CUDA array interface."""
    cdef dict about = x.__cuda_array_interface__
    cdef npy_intp[64] shape
    cdef npy_intp[64] strides
    cdef object dtype, steps = about.get("strides")
    cdef size_t pointer
    cdef int i, ndim = len(about["shape"])
    if about.get("mask") is not None:
        raise BufferError("__cuda_array_interface__: masked arrays have no equivalent here")
    dtype = np.dtype(about["typestr"])
    if dtype.kind == "V" and about.get("descr"):
        dtype = np.dtype(about["descr"])
    pointer, readonly = about["data"]
    step = dtype.itemsize
    for i in range(ndim - 1, -1, -1):
        shape[i] = about["shape"][i]
        strides[i] = step if steps is None else steps[i]
        step *= max(shape[i], 1)
    view = make_ndarray(<void *>pointer, dtype, ndim, shape, strides, not readonly, (x,))
    return view, about.get("stream")


cdef Py_ssize_t device_at(object x, object library, object view):
    """Return the number of the device an array with a CUDA array interface lies on."""
    if library.is_array(x):
        return library.device_of(x)
    if hasattr(type(x), "__dlpack_device__"):
        return int(x.__dlpack_device__()[1])
    return library.driver.device_at(view.ctypes.data) if hasattr(library.driver, "device_at") else 0


def borrowed(x, device=None):
    """Return an Array over another library's array on a CUDA device, without a copy.

    Parameters
    ----------
    x : object
        It has DLPack's methods or ``__cuda_array_interface__``.
    device : object, optional
        For messages.

    Returns
    -------
    Array
        ``is_shared()`` tells whether the memory is this library's.

    Raises
    ------
    BufferError
        If its data type or layout has no equivalent here.
    """
    cdef ndarray view
    cdef object library, stream = None
    library = _device.backend(_device.make("cuda", 0))
    if library.is_array(x):
        index = library.device_of(x)
        return over(x, index, True)
    if hasattr(type(x), "__dlpack__") and hasattr(type(x), "__dlpack_device__"):
        index = int(x.__dlpack_device__()[1])
        ours = library.stream(index)
        view = from_capsule(asked(x, ours if ours else 1), True)
        writable = bool(cnp.PyArray_ISWRITEABLE(view))
    else:
        view, stream = interface_of(x)
        index = device_at(x, library, view)
        writable = bool(cnp.PyArray_ISWRITEABLE(view))
        if stream is not None and stream != 0:
            library.driver.wait_stream(index, library.stream(index), stream)
    _device.check(_device.make("cuda", index))
    b = library.foreign(view, <size_t>cnp.PyArray_DATA(view), index,
                        (<object>view).shape, (<object>view).strides, view.dtype)
    return over(b, index, writable)


cdef object asked(object x, object stream):
    """Ask an array for a DLPack capsule, of the newest version it knows."""
    try:
        return x.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        return x.__dlpack__(stream=stream)      # from before DLPack 1.0


cdef object over(object b, int index, bint writable):
    """Return an Array over a backend array of anybody's: memory of ours is known as such."""
    root = None if _device.loaded().block_of(b) is not None else Borrowed()
    return cuda_array(b, index, writable, None, root)


def owned(x):
    """Whether the memory of another library's array on a CUDA device is this library's.

    Parameters
    ----------
    x : object
        An array by ``__cuda_array_interface__`` or DLPack.

    Returns
    -------
    bool
    """
    cdef ndarray view
    library = _device.loaded()
    if library.is_array(x):
        return bool(library.blocks.owns(library.pointer(x)))
    if hasattr(x, "__cuda_array_interface__"):
        view = interface_of(x)[0]
    else:
        view = from_capsule(asked(x, -1), True)
    return bool(library.blocks.owns(<size_t>cnp.PyArray_DATA(view)))


def cuda_array_interface(CudaArray self):
    """Address, layout and stream of an Array on a CUDA device, protocol version 3."""
    cdef Record record = record_of(self)
    view = header(self)
    stream = _device.loaded().stream(record.index)
    about = {
        "shape": self.shape,
        "typestr": view.dtype.str,
        "data": (<size_t>cnp.PyArray_DATA(view) if self.size else 0, not record.writable),
        "version": 3,
        "strides": None if cnp.PyArray_IS_C_CONTIGUOUS(view) else self.strides,
        "stream": stream if stream else 1,
    }
    if view.dtype.names is not None:
        about["descr"] = view.dtype.descr
    return about


cdef object exported(CudaArray x, object view):
    """Note what is handed out of borrowed memory; return it."""
    cdef Record record = record_of(x)
    return view if record.root is None else record.root.export(view)


def cupy(CudaArray self):
    """Return a ``cupy.ndarray`` over the same memory, of an Array on a CUDA device.

    Returns
    -------
    cupy.ndarray
        It holds the memory.

    Raises
    ------
    TypeError
        If the Array is on the CPU, or read-only: CuPy has no arrays that cannot be written.
    ImportError
        If CuPy is not installed.
    """
    cdef Record record = record_of(self)
    try:
        import cupy as library
    except ImportError:
        raise ImportError("x.cupy() needs CuPy, which is not installed: pip install "
                          "\"sharedarray-xp[cuda13]\", or [cuda12], by the driver's version"
                          ) from None
    if not record.writable:
        raise TypeError("cupy(): this Array is read-only, and CuPy has no such arrays: x.copy() can "
                        "be written")
    if isinstance(record.b, library.ndarray):
        return exported(self, record.b.view())
    view = header(self)
    memory = library.cuda.UnownedMemory(<size_t>cnp.PyArray_DATA(view), max(self.nbytes, 1), view,
                                        device_id=record.index)
    return exported(self, library.ndarray(self.shape, self.dtype,
                                          library.cuda.MemoryPointer(memory, 0), self.strides))


def __dlpack__(CudaArray self, *, stream=None, max_version=None, dl_device=None, copy=None):
    cdef Record record = record_of(self)
    cdef bint versioned = understands_versions(max_version)
    cdef object library = _device.loaded()
    cdef CudaArray x = self
    if dl_device is not None and tuple(dl_device) != (2, record.index):
        if tuple(dl_device) != CPU:
            raise BufferError(f"__dlpack__: an array on {self.device} {(2, record.index)} cannot be "
                              f"exported to device {tuple(dl_device)!r}")
        if copy is False:
            raise BufferError(f"__dlpack__: from {self.device} to the CPU only by a copy, which "
                              "copy=False forbids")
        return to_capsule(to_host(self, None).numpy(), versioned, True, -1)
    if stream is not None and (isinstance(stream, bool) or not isinstance(stream, int)):
        raise TypeError(f"__dlpack__: stream is None or an int, not {stream!r}")
    if stream is not None and (stream == 0 or stream < -1):
        raise ValueError(f"__dlpack__: stream {stream} is ambiguous or unknown: -1 (no waiting), "
                         "None or 1 (the default stream), 2 (the default stream of the thread), or "
                         "a pointer")
    if copy:
        x = self.copy("K")
    view = exported(x, header(x))
    ours = library.stream(record.index)
    theirs = 1 if stream is None else stream
    if theirs != -1 and theirs != (ours if ours else 1):
        library.driver.wait_stream(record.index, theirs, ours)
    return to_capsule(view, versioned, bool(copy), record.index)


def __dlpack_device__(CudaArray self):
    return (2, record_of(self).index)


# Pickles and copies


def __reduce_ex__(CudaArray self, protocol):
    """Pickle by value, through the host; it is loaded on this device, or the CPU without it."""
    restore, state = to_host(self, None).__reduce_ex__(protocol)
    return restored, (str(self.device), *state)


def __reduce__(CudaArray self):
    """Pickle by value, with the elements in the stream."""
    return __reduce_ex__(self, 4)


def restored(str device, *state):
    """Make the Array that was pickled, on its device; where that does not exist, on the CPU."""
    x = _restore(*state)
    try:
        target = resolve(device)
    except DeviceError:
        return x
    return from_host(x, target)


def __copy__(CudaArray self):
    """Return a copy in new memory on the same device."""
    return self.copy("K")


def __deepcopy__(CudaArray self, memo):
    """Return a copy in new memory on the same device."""
    return self.copy("K")


# Sharing


cdef object block_of(Record record):
    return _device.loaded().block_of(record.b)


def is_shared(CudaArray self):
    cdef Record record = record_of(self)
    block = block_of(record)
    if block is not None:
        return bool(block.shared)
    library = _device.loaded()
    return bool(library.blocks.owns(library.pointer(record.b)))


def storage(CudaArray self):
    cdef Record record = record_of(self)
    if record.storage is not None:
        return record.storage
    block = block_of(record)
    if block is None:
        raise NotImplementedError(f"storage(): this Array borrows memory of another library on "
                                  f"{self.device}; share_memory_() copies it into memory of ours")
    return block.storage()


def handle(CudaArray self):
    from ._cuda_sending import handle as handle_of
    return handle_of(self)


cdef tuple extent(object b, object library):
    """Return the lowest address of a backend array, and the one behind the highest."""
    cdef object low = library.pointer(b), high
    high = low + b.dtype.itemsize
    for n, step in zip(b.shape, b.strides):
        if step < 0:
            low += step * (n - 1)
        else:
            high += step * (n - 1)
    return low, high


def share_memory_(CudaArray self):
    cdef Record record = record_of(self)
    cdef CudaArray x
    cdef object library = _device.loaded(), root = record.root
    if self.is_shared():
        return self
    if root is None:
        raise DeviceError(f"share_memory_(): memory of {self.device} cannot be shared: "
                          f"{library.driver.refusal(record.index)}")
    if any([ref() is not None for ref in root.exports]):
        raise BufferError("share_memory_(): exports (DLPack, CuPy) of the borrowed memory are alive, "
                          "and would stay behind: drop them first")
    arrays = [y for y in [ref() for ref in root.arrays] if y is not None]
    ends = [extent(record_of(y).b, library) for y in arrays if y.size]
    low = min([e[0] for e in ends], default=library.pointer(record.b))
    high = max([e[1] for e in ends], default=low)
    block = library.blocks.allocate(record.index, max(high - low, 1))
    if high > low:
        library.driver.copy(record.index, block.pointer, record.index, low, high - low,
                            library.stream(record.index))
        library.driver.synchronize(record.index)
    for x in arrays:
        record = record_of(x)
        at = library.pointer(record.b) - low if x.size else 0
        b = library.array(block, at, tuple(record.b.shape), tuple(record.b.strides), record.b.dtype)
        x._rebind(b if record.writable else library.frozen(b))
    return self


for _member in (
    to_device, cpu, cuda, numpy, to_numpy, __array__, __array_ufunc__, __array_function__,
    __dlpack__, __dlpack_device__, __reduce_ex__, __reduce__, __copy__, __deepcopy__, is_shared,
    storage, handle, share_memory_, cupy,
):
    _member.__qualname__ = f"Array.{_member.__name__}"
    if hasattr(Array, _member.__name__):
        _member.__doc__ = getattr(Array, _member.__name__).__doc__ or _member.__doc__
    sa_extend(<PyTypeObject *>CudaArray, _member.__name__, _member)
sa_extend(<PyTypeObject *>CudaArray, "__array_interface__", property(array_interface))
sa_extend(<PyTypeObject *>CudaArray, "__cuda_array_interface__",
          property(cuda_array_interface, doc=cuda_array_interface.__doc__))
