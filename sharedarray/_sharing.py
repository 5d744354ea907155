"""Whether an object's bytes lie in shared memory of this library."""

import numpy as np

from ._arguments import is_array_like
from ._array import Array
from ._cuda_conversion import lies_on_cuda
from ._dispatch import is_shared_memory
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
    if isinstance(obj, memoryview):
        return np.asarray(obj)
    if hasattr(obj, "__dlpack__"):
        try:
            return np.from_dlpack(obj)
        except (BufferError, RuntimeError, TypeError, ValueError):
            pass
    try:
        return np.asarray(memoryview(obj))
    except (BufferError, TypeError, ValueError):
        pass
    if hasattr(obj, "__array_interface__") or hasattr(obj, "__array__"):
        try:
            return np.array(obj, copy=False)
        except ValueError:
            pass
    return None


is_shared.__module__ = "sharedarray"
