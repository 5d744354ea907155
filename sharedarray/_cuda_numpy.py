"""NumPy as the library that computes on the devices of a driver double.

The double (`tests/cuda_double`) makes the addresses of its device memory readable for the host, so
an array of a device is an ndarray over them, and what this library computes on the CPU it computes
there: in NumPy's own memory, from which results are copied into Blocks.
"""

import ctypes

import numpy as np

from . import _driver
from ._array import Array, unwrap
from ._core import memory
from ._cuda_base import CudaBackend
from ._cuda_blocks import allocate
from ._cuda_foreign import extent
from ._device import CPU
from ._dispatch import borrow

DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
WRITEABLE = 0x400  # NPY_ARRAY_WRITEABLE


class Holder:
    """Memory of a device, for NumPy: the base of every ndarray over it.

    Parameters
    ----------
    pointer : int
        The address of the first byte.
    nbytes : int
        The size.
    block : Block or None
        What is kept, where the memory is this library's.
    owner : object, optional
        What is kept else.
    """

    def __init__(self, pointer, nbytes, block, owner=None):
        self.block = block
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (pointer, False),
        }


class Scope:
    """The time of one operation: what streams still have to do in the memory is done first."""

    def __init__(self, backend, index):
        self._backend = backend
        self._index = index
        self._memory = memory("private")

    def __enter__(self):
        self._backend.synchronize(self._index)
        CPU.__enter__()
        self._memory.__enter__()

    def __exit__(self, *error):
        self._memory.__exit__(*error)
        CPU.__exit__(*error)


class NumpyBackend(CudaBackend):
    """The backend of the driver double."""

    name = "NumPy"

    def stream(self, index):
        """Return the default stream: NumPy does everything at once."""
        return 0

    def scope(self, index):
        """Return a context for an operation on the device."""
        return Scope(self, index)

    def is_array(self, obj):
        """Whether `obj` is an ndarray."""
        return isinstance(obj, np.ndarray)

    def array(self, block, offset, shape, strides, dtype):
        """Make an ndarray over a Block."""
        flat = np.asarray(Holder(block.pointer, block.nbytes, block))
        return np.ndarray(shape, dtype, flat, offset, strides)

    def foreign(self, owner, pointer, index, shape, strides, dtype):
        """Make an ndarray over memory that `owner` keeps."""
        dtype = np.dtype(dtype)
        low, high = extent(shape, strides, dtype.itemsize)
        flat = np.asarray(Holder(pointer + low, high - low or dtype.itemsize, None, owner))
        return np.ndarray(shape, dtype, flat, -low, strides)

    def pointer(self, b):
        """Return the address of the first element."""
        return b.__array_interface__["data"][0]

    def device_of(self, b):
        """Return the device of an ndarray over a Block."""
        return self.block_of(b).index

    def device_at(self, pointer):
        """Return the index of the device that has this address."""
        index = ctypes.c_int()
        rc = ctypes.CDLL(_driver.LIBRARY).cuPointerGetAttribute(
            ctypes.byref(index), DEVICE_ORDINAL, ctypes.c_ulonglong(pointer)
        )
        if rc:
            raise BufferError(f"the address {pointer:#x} is on no CUDA device: error {rc}")
        return index.value

    def memory_of(self, b):
        """Return the Holder below an ndarray; None where it is host memory."""
        while isinstance(b, np.ndarray):
            b = b.base
        return b if isinstance(b, Holder) else None

    def block_of(self, b):
        """Return the Block below an ndarray; None for foreign memory."""
        holder = self.memory_of(b)
        return None if holder is None else holder.block

    def is_writable(self, b):
        """Whether NumPy allows writing to a view that it made."""
        return bool(b.flags.num & WRITEABLE)  # no warning, as of what broadcast_arrays makes

    def frozen(self, b):
        """Return a read-only view."""
        b = b.view()
        b.flags.writeable = False
        return b

    def place(self, b, index):
        """Return an array or scalar as an ndarray over a Block."""
        b = np.asarray(b)
        if self.block_of(b) is not None:
            return b
        order = "F" if b.flags.fnc else "C"
        block = allocate(index, max(b.nbytes, 1))
        layout = np.empty(b.shape, b.dtype, order)
        result = self.array(block, 0, b.shape, layout.strides, b.dtype)
        result[...] = b
        return result

    def function(self, name, reference):
        """Return what computes the function: this library on the CPU."""
        return lambda *args, **kwargs: computed(reference, args, kwargs)

    def method(self, b, name, args, kwargs):
        """Call a method of Array."""
        return computed(getattr(Array, name), (b, *args), kwargs)

    def operate(self, operation, *operands):
        """Call an operation of Python's module ``operator``."""
        return computed(operation, operands, {})


def of_items(function, x):
    """Return a tuple, list or dict of what a function makes of its items; all else as it is."""
    if isinstance(x, tuple):
        items = [function(item) for item in x]
        return type(x)._make(items) if hasattr(x, "_fields") else tuple(items)
    if type(x) is list:
        return [function(item) for item in x]
    if type(x) is dict:
        return {name: function(item) for name, item in x.items()}
    return x


def computed(function, args, kwargs):
    """Call a function of this library with Arrays over the ndarrays of a device.

    Parameters
    ----------
    function : callable
        A function over Arrays.
    args, kwargs : tuple, dict
        Its arguments, with ndarrays.

    Returns
    -------
    out : object
        Its results, with ndarrays: those that were passed, views of them, or host memory.
    """
    lent = {}

    def lend(x):
        if isinstance(x, np.ndarray):
            array = borrow(x)
            lent[id(array)] = array, x
            return array
        if callable(x) and not isinstance(x, (type, np.ufunc)) and not hasattr(x, "dtype"):
            return lambda *args, **kwargs: called(x, args, kwargs)
        return of_items(lend, x)

    def called(x, args, kwargs):
        args = [back(item) for item in args]
        return lend(x(*args, **{name: back(item) for name, item in kwargs.items()}))

    def back(x):
        if isinstance(x, Array):
            return lent[id(x)][1] if id(x) in lent else unwrap(x)
        return of_items(back, x)

    try:
        return back(function(*lend(args), **lend(kwargs)))
    finally:
        lent.clear()  # the functions above refer to each other, and would keep the memory with them
