"""Arrays of CUDA devices to and from the host, other devices, other libraries, and pickles."""

from cpython.object cimport PyTypeObject
cimport numpy as cnp
from numpy cimport ndarray

from ._array cimport Array, wrap
from ._cuda_array cimport CudaArray
from ._cuda_call cimport call_of
from ._cuda_foreign cimport hand_out
from ._cuda_record cimport (
    Record,
    cuda_array,
    download,
    header,
    in_one_piece,
    is_cuda,
    joined,
    record_of,
    upload,
)
from ._dlpack cimport place, to_capsule, understands_versions
from ._storage cimport Export

import operator
import sys

import numpy as np

from . import _cuda_methods  # no-cython-lint  # the class is complete from here on
from . import _cuda, _device
from ._backends import loaded
from ._cuda_blocks import allocate
from ._devices import Device, resolve
from ._errors import DeviceError

__all__ = ["from_host", "transfer"]

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
cdef tuple COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt,
                          operator.ge)
cdef tuple CPU = (1, 0)             # kDLCPU


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
    cdef object library, b, block
    if device.index is None:
        return to_host(x, pointer)
    library = _device.backend(device)
    b = in_one_piece(record, header(x))
    block = allocate(device.index, max(b.size * b.dtype.itemsize, 1))
    result = library.array(block, 0, tuple(b.shape), tuple(b.strides), b.dtype)
    if b.size:
        pointer = joined(library, record.index, pointer)
        _cuda.synchronize(device.index)        # the block may still be read there
        _cuda.copy(device.index, block.pointer, record.index, library.pointer(b),
                   b.size * b.dtype.itemsize, pointer)
        _cuda.synchronize(record.index)
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


cdef object refused_function(CudaArray x, object function):
    """Raise for a function of NumPy or on top of it, naming ours where there is one."""
    cdef object name = getattr(function, "__name__", "?")
    cdef object module = getattr(function, "__module__", None) or ""
    cdef object found
    if isinstance(function, np.ufunc):
        module = "numpy" if getattr(np, name, None) is function else ""
    path = f"{module}.{name}" if module else name
    if module.partition(".")[0] != "numpy":
        refused(x, path)
    ours = path.partition(".")[2]
    found = sys.modules["sharedarray"]
    for part in ours.split("."):
        found = getattr(found, part, None)
    if found is None:
        refused(x, path)
    raise TypeError(f"{path} works on host memory, and this Array is on {x.device}: use "
                    f"sharedarray.{ours}, and bring NumPy arrays there by "
                    f"sharedarray.asarray(..., device='{x.device}')")


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
        operation = SCALAR_FIRST.get(ufunc.__name__)
        first = inputs[0]
        if operation in COMPARISONS and isinstance(first, ndarray) and first.ndim == 0:
            first = first[()]               # NumPy's scalars make arrays of themselves to compare
        theirs = isinstance(first, np.generic) or (loaded().is_array(first)
                                                   and not isinstance(first, ndarray))
        if theirs and is_cuda(inputs[1]) and operation is not None:
            call = call_of(self)            # np.float64(1) + x, cupy.ones(3) + x
            if not isinstance(first, np.generic):
                first = call.operand(first)
            return call.run(call.library.operate, (operation, first, call.operand(inputs[1])),
                            None)
    for x in inputs:
        if isinstance(x, ndarray) or isinstance(x, np.generic):
            call_of(self).host(x)
    refused_function(self, ufunc)


def __array_function__(CudaArray self, func, types, args, kwargs):
    refused_function(self, func)


# To other libraries


def cuda_array_interface(CudaArray self):
    """Address, layout and stream of an Array on a CUDA device, protocol version 3."""
    cdef Record record = record_of(self)
    cdef ndarray view = header(self)
    hand_out(loaded().block_of(record.b))
    stream = loaded().stream(record.index)
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


cdef ndarray exported(CudaArray x):
    """Return what is handed out of `x`: borrowed memory cannot move as long as it lives."""
    cdef Record record = record_of(x)
    while record.storage is not None:
        view = header(x, Export(record.storage))
        if record_of(x) is record:
            return view
        record = record_of(x)       # moved before it was exported
    hand_out(loaded().block_of(record.b))
    return header(x)


def cupy(CudaArray self):
    cdef Record record = record_of(self)
    try:
        import cupy as library
    except ImportError:
        raise ImportError("x.cupy() needs CuPy, which is not installed: pip install "
                          "\"sharedarray-xp[cuda13]\", or [cuda12], by the driver's version"
                          ) from None
    if not record.writable:
        raise TypeError("cupy(): this Array is read-only, and CuPy has no such arrays: x.copy() "
                        "can be written")
    if record.storage is None and isinstance(record.b, library.ndarray):
        return record.b.view()
    view = exported(self)
    memory = library.cuda.UnownedMemory(<size_t>cnp.PyArray_DATA(view), max(self.nbytes, 1), view,
                                        device_id=record.index)
    return library.ndarray(self.shape, self.dtype, library.cuda.MemoryPointer(memory, 0),
                           self.strides)


def __dlpack__(CudaArray self, *, stream=None, max_version=None, dl_device=None, copy=None):
    cdef Record record = record_of(self)
    cdef bint versioned = understands_versions(max_version)
    cdef object library = loaded()
    cdef CudaArray x = self
    if dl_device is not None and place(dl_device) != (2, record.index):
        if place(dl_device) != CPU:
            raise BufferError(f"__dlpack__: an array on {self.device} {(2, record.index)} cannot "
                              f"be exported to device {place(dl_device)!r}")
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
    view = exported(x)
    ours = library.stream(record.index)
    theirs = 1 if stream is None else stream
    if theirs != -1 and theirs != (ours if ours else 1):
        _cuda.wait_stream(record.index, theirs, ours)
    return to_capsule(view, versioned, bool(copy), record.index)


def __dlpack_device__(CudaArray self):
    return (2, record_of(self).index)


# Pickles and copies


def __reduce_ex__(CudaArray self, protocol):
    """Pickle by value, through the host; it is loaded on this device, or the CPU without it."""
    cdef object restore
    cdef tuple state
    restore, state = to_host(self, None).__reduce_ex__(protocol)
    return restored, (str(self.device), restore, *state)


def __reduce__(CudaArray self):
    """Pickle by value, with the elements in the stream."""
    return __reduce_ex__(self, 4)


def restored(str device, restore, *state):
    """Make the Array that was pickled, on its device; where that does not exist, on the CPU."""
    x = restore(*state)
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
    return loaded().block_of(record.b)


def is_shared(CudaArray self):
    cdef Record record = record_of(self)
    if record.storage is not None:
        return record.storage.is_shared()
    return bool(block_of(record).shared)


def storage(CudaArray self):
    cdef Record record = record_of(self)
    return block_of(record).storage() if record.storage is None else record.storage


def handle(CudaArray self):
    from ._cuda_sending import handle
    return handle(self)


def share_memory_(CudaArray self):
    self.storage().share_memory_()
    return self


for _member in (
    to_device, cpu, cuda, numpy, to_numpy, __array__, __array_ufunc__, __array_function__,
    __dlpack__, __dlpack_device__, __reduce_ex__, __reduce__, __copy__, __deepcopy__, is_shared,
    storage, handle, share_memory_, cupy,
):
    _member.__qualname__ = f"Array.{_member.__name__}"
    _member.__doc__ = getattr(Array, _member.__name__).__doc__ or _member.__doc__
    sa_extend(<PyTypeObject *>CudaArray, _member.__name__, _member)
sa_extend(<PyTypeObject *>CudaArray, "__array_interface__", property(array_interface))
sa_extend(<PyTypeObject *>CudaArray, "__cuda_array_interface__",
          property(cuda_array_interface, doc=cuda_array_interface.__doc__))
