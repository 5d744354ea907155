"""The host memory that objects of other libraries lend, found without a copy."""

import numpy as np


def lent(obj):
    """Return the memory that an object lends to NumPy.

    Parameters
    ----------
    obj : object
        Anything.

    Returns
    -------
    out : numpy.ndarray or None
        None if the object lends none, or only values that it makes for whoever asks.
    """
    if has_buffer(obj) or hasattr(obj, "__array_struct__") or hasattr(obj, "__array_interface__"):
        return np.asarray(obj)
    if not hasattr(obj, "__array__"):
        return None
    first = _answer(obj)
    # Two answers that both live lie in the same memory only if neither is a copy.
    if first is None or first.size == 0:
        return first
    second = _answer(obj)
    return None if second is None or not np.may_share_memory(first, second) else first


def has_buffer(obj):
    """Whether an object has the buffer protocol."""
    try:
        memoryview(obj).release()
    except (TypeError, BufferError, ValueError):
        return False
    return True


def only_dlpack(obj):
    """Whether DLPack is all that an object knows of what NumPy reads."""
    return hasattr(type(obj), "__dlpack__") and not (
        hasattr(obj, "__array__")
        or hasattr(obj, "__array_interface__")
        or hasattr(obj, "__array_struct__")
        or has_buffer(obj)
    )


def _answer(obj):
    """What ``__array__`` returns when asked not to copy; None if it says that it would have to."""
    try:
        return np.asarray(obj.__array__(copy=False))
    except ValueError:
        return None
    except TypeError:  # it does not know copy=, or has no array to give
        return np.asarray(obj)
