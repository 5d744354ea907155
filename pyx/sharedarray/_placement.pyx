"""Where an Array is, sharing it, and PyTorch's spellings."""

cimport numpy as cnp

from ._array cimport (
    Array,
    below,
    exported,
    extend,
    link_of,
    made,
    unwrap,
    wrap,
)
from ._copies cimport copied
from ._fill cimport fill_array
from ._lost cimport Lost
from ._storage cimport in_shared, storage_of

import numpy as np

from ._devices import Device, resolve

cnp.import_array()

cdef object CPU = Device("cpu")


# Where it is


def _device(Array self):
    """Device that holds the elements."""
    if self._a is None and isinstance(self._link, Lost):
        return Device((<Lost>self._link).device)
    below(self)
    return CPU


def to_device(Array self, device, /, *, stream=None):
    """Return this array on a device; itself where it is there already.

    Parameters
    ----------
    device : Device or str
        The device.
    stream : int or object, optional
        The CUDA stream that copies: a pointer, or an object with ``.ptr`` or ``__cuda_stream__``;
        by default the current one.

    Returns
    -------
    Array
        A copy, where the device is another one; from a CUDA device it follows ``xp.memory``.

    Raises
    ------
    DeviceError
        If the device does not exist.
    ValueError
        If a stream is given for an array that stays on the CPU.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(3)
    >>> x.to_device("cpu") is x
    True
    """
    below(self)
    target = resolve(device)
    if target == CPU:
        if stream is not None:
            raise ValueError("to_device: stream must be None for an array that stays on the CPU, "
                             f"not {stream!r}")
        return self
    from ._cuda_exchange import from_host
    return from_host(self, target, stream)


def _is_cuda(Array self):
    """Whether the elements are in the memory of a CUDA device."""
    return self.device.type == "cuda"


def cpu(Array self):
    """Return this array on the CPU; itself where it is there already.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(3)
    >>> x.cpu() is x
    True
    """
    return self.to_device("cpu")


def cuda(Array self, device=None):
    """Return this array on a CUDA device.

    Parameters
    ----------
    device : int, Device or str, optional
        Which one; default the one in force.

    Returns
    -------
    Array

    Raises
    ------
    DeviceError
        If it does not exist.

    Examples
    --------
    >>> import sharedarray as xp
    >>> try:
    ...     xp.zeros(3).cuda(99)
    ... except xp.DeviceError:
    ...     print("no such device")
    no such device
    """
    if device is None:
        device = "cuda"
    elif isinstance(device, int):
        device = Device("cuda", device)
    return self.to_device(device)


def cupy(Array self):
    """Return a ``cupy.ndarray`` over the memory of an array on a CUDA device, without a copy.

    Returns
    -------
    cupy.ndarray
        It holds the memory.

    Raises
    ------
    TypeError
        If this array is on the CPU, or read-only: CuPy has no arrays that cannot be written.
    ImportError
        If CuPy is not installed.

    Examples
    --------
    >>> import sharedarray as xp
    >>> try:
    ...     xp.zeros(3).cupy()
    ... except TypeError as error:
    ...     print(error)
    cupy(): this Array is on the CPU; x.cuda() copies it to a CUDA device
    """
    below(self)     # a lost Array, of whatever device, says why it is lost
    raise TypeError("cupy(): this Array is on the CPU; x.cuda() copies it to a CUDA device")


def numpy(Array self):
    """Return an ndarray over the same memory.

    Returns
    -------
    numpy.ndarray
        It holds the memory.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(2)
    >>> x.numpy()[0] = 5
    >>> x
    Array([5., 0.], dtype=float64, device='cpu', shared)
    """
    return exported(self)


def to_numpy(Array self):
    """Return an ndarray over the same memory: `numpy` by the name that data frames gave it.

    Libraries that take pandas' objects ask for this method; matplotlib draws the columns of a
    matrix that has it, as of NumPy's, and the rows of any other.

    Returns
    -------
    numpy.ndarray
        It holds the memory.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.zeros(2).to_numpy()
    array([0., 0.])
    """
    return exported(self)


# PyTorch's spellings


def clone(Array self):
    """Return a copy in new memory, which follows ``xp.memory``.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(2)
    >>> x.clone() is x
    False
    """
    return wrap(copied(below(self), cnp.NPY_KEEPORDER))


def fill_(Array self, value):
    """Set all elements to one value, in place, and return this Array.

    Parameters
    ----------
    value : scalar
        The value.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.zeros(2).fill_(1)
    Array([1., 1.], dtype=float64, device='cpu', shared)
    """
    fill_array(below(self), unwrap(value))
    return self


def zero_(Array self):
    """Set all elements to zero, in place, and return this Array.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.ones(2).zero_()
    Array([0., 0.], dtype=float64, device='cpu', shared)
    """
    fill_array(below(self), np.zeros((), self.dtype)[()])
    return self


def copy_(Array self, src):
    """Set the elements to those of another array, in place, and return this Array.

    Parameters
    ----------
    src : array
        The other array, which is broadcast; it may lie on another device.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.zeros(2).copy_([3, 4])
    Array([3., 4.], dtype=float64, device='cpu', shared)
    """
    self[...] = src if type(src) is Array or not isinstance(src, Array) else src.cpu()
    return self


# Sharing


def is_shared(Array self):
    """Return whether this array can go to other processes by handle.

    Returns
    -------
    bool
        True where the receiver gets this very memory; False for private and borrowed memory.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.zeros(3).is_shared()
    True
    """
    return self._a is not None and in_shared(self._a)


def share_memory_(Array self):
    """Make this array shared, in place, and return it.

    Private and borrowed memory is copied once, and every Array over the same storage moves along;
    shared memory stays as it is.

    Returns
    -------
    Array

    Raises
    ------
    BufferError
        If NumPy views, buffers or DLPack exports of the old memory are alive; nothing changes.

    Examples
    --------
    >>> import sharedarray as xp
    >>> with xp.memory("private"):
    ...     x = xp.zeros(3)
    >>> x.is_shared(), x.share_memory_().is_shared()
    (False, True)
    """
    cdef object link
    below(self)
    link = link_of(self)
    if link is not None:
        link.share_memory_()
    return self


def storage(Array self):
    """Return the untyped memory below this array; all its views have the same.

    Returns
    -------
    Storage

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(3)
    >>> x[1:].storage() is x.storage()
    True
    """
    below(self)
    return storage_of(self._a, link_of(self))


def handle(Array self):
    """Return what travels to another process in place of this array.

    Returns
    -------
    Handle

    Raises
    ------
    ValueError
        If the memory is private.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(3)
    >>> xp.from_handle(x.handle()).fill(1)
    >>> x
    Array([1., 1., 1.], dtype=float64, device='cpu', shared)
    """
    from ._transport import handle_of
    return handle_of(self)


def readonly(Array self):
    """Return a view that cannot be written here, nor by whoever receives it.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(3).readonly()
    >>> x[0] = 1
    Traceback (most recent call last):
    ...
    ValueError: assignment destination is read-only
    """
    cdef object r = (<object>below(self)).view()
    r.flags.writeable = False
    return made(r, self)


extend({"device": property(_device), "is_cuda": property(_is_cuda)})
extend({f.__name__: f for f in (
    to_device, cpu, cuda, cupy, numpy, to_numpy, clone, fill_, zero_, copy_, is_shared,
    share_memory_, storage, handle, readonly,
)})
