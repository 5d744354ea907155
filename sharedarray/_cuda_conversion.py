"""`asarray` where an array or the device asked for is not the CPU; imports nothing of CUDA."""

import numpy as np

_CUDA_KINDS = frozenset({2, 13})  # DLPack's kDLCUDA, kDLCUDAManaged


def lies_on_cuda(x):
    """Tell whether an object of another library has memory on a CUDA device, by its own word.

    Parameters
    ----------
    x : object
        Any object but an Array.

    Returns
    -------
    out : bool
    """
    kind = type(x)
    if isinstance(x, (np.ndarray, np.generic, type)):
        return False
    if hasattr(kind, "__dlpack_device__"):
        try:
            return int(x.__dlpack_device__()[0]) in _CUDA_KINDS
        except (BufferError, RuntimeError, TypeError, ValueError):
            return False
    return hasattr(x, "__cuda_array_interface__")


def elsewhere(x, dtype, order, target, copy):
    """Convert an Array, on a CUDA device or on its way to one.

    Parameters
    ----------
    x : Array
        On any device.
    dtype, order : optional
        Data type and layout of the result.
    target : Device or None
        The device of the result; None: that of `x`.
    copy : bool or None
        True: always copy. False: never.

    Returns
    -------
    out : Array
        Itself, where nothing changes.

    Raises
    ------
    ValueError
        If ``copy=False`` and a copy is needed.
    """
    moves = target is not None and target != x.device
    converts = dtype is not None and np.dtype(dtype) != x.dtype
    layout = not has_order(x, order)
    if copy is False and (moves or converts or layout):
        raise ValueError(
            f"asarray(copy=False): {x.dtype} on {x.device} becomes "
            f"{np.dtype(dtype or x.dtype)} on {target or x.device} in order {order or 'K'} only by "
            "a copy"
        )
    result = x
    if converts:
        result = result.astype(dtype, order or "K")
    elif layout:
        result = result.copy(order)
    if moves:
        return result.to_device(target)
    return result.copy(order or "K") if copy and result is x else result


def has_order(x, order):
    """Tell whether an array has the layout asked for.

    Parameters
    ----------
    x : Array or numpy.ndarray
        On any device.
    order : str or None
        As in `asarray`.

    Returns
    -------
    out : bool
    """
    if order in (None, "K"):
        return True
    if order == "A":
        return x.flags.forc
    return x.flags.f_contiguous if order == "F" else x.flags.c_contiguous
