"""`asarray` of Arrays, where the Array or the device asked for is not the CPU."""

import numpy as np

from ._cuda_record import header


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
    layout = not _fits(x, order)
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


def _fits(x, order):
    """Whether an Array has the layout asked for."""
    if order in (None, "K"):
        return True
    flags = x.flags if x.device.index is None else header(x).flags
    if order == "A":
        return flags.forc
    return flags.f_contiguous if order == "F" else flags.c_contiguous
