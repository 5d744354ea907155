"""CuPy as the library that computes on CUDA devices."""

import functools
import inspect
import operator

import cupy
import numpy as np
from cupy.cuda import memory, runtime

from . import _cuda, _cuda_functions
from ._array import Array
from ._cuda_arguments import bound
from ._cuda_base import CudaBackend
from ._cuda_blocks import Block, allocate
from ._cuda_foreign import extent

#: Comparisons that say something of strings, as NumPy's do.
EQUALITY = {operator.eq: False, operator.ne: True}
_current = getattr(memory, "_get_thread_local_allocator", None)
_set_current = getattr(memory, "_set_thread_local_allocator", None)


class Scope:
    """The time of one operation: the device is current, and what CuPy allocates are Blocks."""

    __slots__ = ("_allocator", "_backend", "_device", "_index")

    def __init__(self, backend, index):
        self._backend = backend
        self._index = index

    def __enter__(self):
        _cuda.start()  # raises in a forked child
        self._device = runtime.getDevice()
        if self._device != self._index:
            runtime.setDevice(self._index)
        if _set_current is not None:
            self._allocator = _current()
            _set_current(self._backend.allocate)
        else:
            self._allocator = cupy.cuda.using_allocator(self._backend.allocate)
            self._allocator.__enter__()

    def __exit__(self, kind, error, trace):
        if _set_current is not None:
            _set_current(self._allocator)
        else:
            self._allocator.__exit__(kind, error, trace)
        if self._device != self._index:
            runtime.setDevice(self._device)
        if kind is ValueError and str(error).startswith("Unsupported dtype"):
            if str(error).endswith(" object"):
                raise TypeError(
                    "arrays of dtype object hold Python objects, which cannot be shared: use a "
                    "numeric dtype"
                ) from error
            raise NotImplementedError(f"CuPy {cupy.__version__}: {error}") from error


class CupyBackend(CudaBackend):
    """The backend of CUDA devices."""

    name = "CuPy"

    def __init__(self):
        self._functions = {}

    def stream(self, index):
        """Return CuPy's current stream of this thread on the device, as a pointer."""
        _cuda.start()  # raises in a forked child, where CuPy would say less
        return cupy.cuda.get_current_stream(index).ptr

    def scope(self, index):
        """Return a context for an operation on the device."""
        return Scope(self, index)

    def allocate(self, size):
        """Give CuPy memory on the current device.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        out : cupy.cuda.MemoryPointer
            It keeps the Block.
        """
        index = runtime.getDevice()
        return wrapped(allocate(index, max(size, 1)), index)

    def is_array(self, obj):
        """Whether `obj` is an array of CuPy's."""
        return isinstance(obj, cupy.ndarray)

    def array(self, block, offset, shape, strides, dtype):
        """Make an array over a Block."""
        return cupy.ndarray(shape, dtype, wrapped(block, block.index, offset), strides)

    def foreign(self, owner, pointer, index, shape, strides, dtype):
        """Make an array over memory that `owner` keeps."""
        dtype = np.dtype(dtype)
        low, high = extent(shape, strides, dtype.itemsize)
        held = memory.UnownedMemory(pointer + low, high - low or dtype.itemsize, owner, index)
        return cupy.ndarray(shape, dtype, memory.MemoryPointer(held, -low), strides)

    def pointer(self, b):
        """Return the address of the first element."""
        return b.data.ptr

    def device_of(self, b):
        """Return the index of the device."""
        return b.data.device_id

    def device_at(self, pointer):
        """Return the index of the device that has this address."""
        return runtime.pointerGetAttributes(pointer).device

    def memory_of(self, b):
        """Return CuPy's object for the memory of an array, one for all its views."""
        return b.data.mem

    def block_of(self, b):
        """Return the Block below an array; None for foreign memory."""
        owner = getattr(b.data.mem, "_owner", None)
        return owner if isinstance(owner, Block) else None

    def is_writable(self, b):
        """Whether each element has a place of its own: CuPy says nothing of writing."""
        return not any(step == 0 and n > 1 for n, step in zip(b.shape, b.strides, strict=True))

    def frozen(self, b):
        """Return a view: CuPy has none that is read-only."""
        return b.view()

    def place(self, b, index):
        """Return a result of an operation, copied unless it lies in a Block."""
        if self.block_of(b) is not None:
            return b
        with self.scope(index):
            return b.copy(order="K")

    def function(self, name, reference):
        """Return CuPy's function for one of the namespace."""
        try:
            return self._functions[name]
        except KeyError:
            pass
        found = self._functions[name] = _cuda_functions.find(name, reference)
        return found

    def method(self, b, name, args, kwargs):
        """Call what does the work of a method of Array."""
        if name in _cuda_functions.METHODS:
            return _cuda_functions.METHODS[name](b, *args, **kwargs)
        method = getattr(b, name, None)
        if method is None:
            raise NotImplementedError(f"{name}(): CuPy's arrays have no such method")
        if not args and not kwargs:
            return method()
        return bound(name, method, signature_of(name), (b, *args), kwargs, 1)

    def operate(self, operation, *operands):
        """Call an operation of Python's module ``operator``."""
        if operation in EQUALITY and isinstance(operands[1], str):
            return cupy.full(operands[0].shape, EQUALITY[operation])
        if operation is operator.setitem and isinstance(operands[2], cupy.ndarray):
            value = operands[2]
            if value.ndim and _is_one(operands[0], operands[1]):
                raise ValueError("setting an array element with a sequence.")
            while value.ndim and value.shape[0] == 1:  # as NumPy: leading axes that say nothing
                value = value[0]
            operands = (*operands[:2], value)
        return operation(*operands)


def _is_one(b, key):
    """Tell whether an index selects one element by integers alone."""
    items = key if isinstance(key, tuple) else (key,)
    return len(items) == b.ndim and all(type(item) is int for item in items)


def wrapped(block, index, offset=0):
    """Return a Block as CuPy's pointer to memory.

    Parameters
    ----------
    block : Block
        What is kept.
    index : int
        The device.
    offset : int, optional
        Bytes from its start.

    Returns
    -------
    out : cupy.cuda.MemoryPointer
        The pointer.
    """
    held = memory.UnownedMemory(block.pointer, block.nbytes, block, index)
    return memory.MemoryPointer(held, offset)


@functools.cache
def signature_of(name):
    """Return the signature of a method of Array.

    Parameters
    ----------
    name : str
        The method.

    Returns
    -------
    out : inspect.Signature
        With `self`.
    """
    return inspect.signature(getattr(Array, name))
