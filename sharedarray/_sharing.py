"""Whether an object's bytes lie in shared memory of this library."""

import contextlib
import ctypes

import numpy as np

from ._arguments import is_array_like
from ._array import Array
from ._cuda_conversion import lies_on_cuda
from ._dispatch import is_shared_memory
from ._lenders import lent
from ._storage import Storage


def is_shared(obj):
    """Tell whether an object's bytes lie in this library's shared memory.

    Parameters
    ----------
    obj : Array, Storage, NumPy array, memoryview, or another library's array
        Whose memory; how it came there does not matter.

    Returns
    -------
    out : bool
        By the address of its memory; for another library's array elsewhere, what its own
        ``is_shared`` says, if it has one.

    Raises
    ------
    TypeError
        If the object is no array and no view of memory.

    Examples
    --------
    >>> import numpy as np
    >>> import sharedarray as xp
    >>> x = xp.zeros(3)
    >>> xp.is_shared(x), xp.is_shared(x.numpy()), xp.is_shared(np.zeros(3))
    (True, True, False)
    """
    if isinstance(obj, (Array, Storage)):
        return obj.is_shared()
    if isinstance(obj, np.ndarray):
        return is_shared_memory(obj)
    if lies_on_cuda(obj):
        from ._cuda_foreign import owned
        from ._cuda_record import looks_for_devices

        if looks_for_devices() and owned(obj):
            return True
    elif isinstance(obj, (bytes, np.generic)) or not is_array_like(obj):
        raise TypeError(
            f"is_shared() takes an array, a Storage or a memoryview, not {type(obj).__name__}"
        )
    else:
        memory = _memory(obj)
        if memory is not None and is_shared_memory(memory):
            return True
    own = getattr(obj, "is_shared", None)
    return bool(own()) if callable(own) else False


def _memory(obj):
    """The NumPy array over the host memory of an object, never a copy; None if it has none."""
    for way in (_by_dlpack, lent, _by_address):
        # What cannot be read this way (a type that NumPy lacks, a tensor with gradients) is no
        # reason to fail: whose memory it is can be told without reading it.
        with contextlib.suppress(Exception):
            memory = way(obj)
            if memory is not None:
                return memory
    return None


def _by_dlpack(obj):
    """Through DLPack; None for what has something nearer."""
    return np.from_dlpack(obj) if hasattr(type(obj), "__dlpack__") else None


def _by_address(obj):
    """The first byte of a tensor that tells where it lies."""
    address = obj.data_ptr()
    return np.frombuffer((ctypes.c_byte * 1).from_address(address), np.uint8) if address else None


is_shared.__module__ = "sharedarray"
