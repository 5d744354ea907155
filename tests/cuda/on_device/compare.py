"""The same calculation on the CPU and on a CUDA device."""

import numpy as np
import pytest

import sharedarray as xp
from sharedarray import _backends, _device

#: Another device than ``cuda:0``, where there is one.
SECOND = "cuda:1" if _device.count() > 1 else "cuda:0"
two = pytest.mark.skipif(_device.count() < 2, reason="needs two devices, there is one")
#: Whether CuPy computes, which lacks some functions and sums in another order.
ON_CARD = _backends.loaded().name == "CuPy"


def moved(value, device, memo=None):
    """Return nested arguments with every Array on a device; what was one Array stays one."""
    memo = {} if memo is None else memo
    if isinstance(value, xp.Array):
        return memo.setdefault(id(value), value.to_device(device))
    if isinstance(value, (list, tuple)):
        return type(value)(moved(item, device, memo) for item in value)
    if type(value) is dict:
        return {name: moved(item, device, memo) for name, item in value.items()}
    return value


def same(there, here, device="cuda:0"):
    """Assert that what came from a device is what came from the CPU, and lies on the device."""
    if isinstance(here, xp.Array):
        assert isinstance(there, xp.Array), there
        assert there.device == device
        assert there.is_shared()
        assert there.dtype == here.dtype
        assert there.shape == here.shape
        back = there.to_device("cpu")
        assert back.device == "cpu"
        equal_values(np.asarray(back), np.asarray(here))
    elif isinstance(here, (list, tuple)):
        assert type(there).__name__ == type(here).__name__
        assert len(there) == len(here)
        for one, other in zip(there, here, strict=True):
            same(one, other, device)
    elif isinstance(here, dict):
        assert there.keys() == here.keys()
        for key in here:
            same(there[key], here[key], device)
    elif isinstance(here, float) and here != here:
        assert there != there
    else:
        assert there == here


def equal_values(there, here):
    """Assert that two NumPy arrays are equal, on a card up to rounding."""
    if ON_CARD and here.dtype.kind in "fc":
        np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-6)
    else:
        np.testing.assert_array_equal(there, here)


def same_but_for_signs(there, here):
    """As `same`, of factors that are known up to signs and order alone."""
    if isinstance(here, (list, tuple)):
        for one, other in zip(there, here, strict=True):
            same_but_for_signs(one, other)
        return
    assert (there.device, there.dtype, there.shape) == ("cuda:0", here.dtype, here.shape)
    one, other = (np.sort(np.abs(np.asarray(x.to_device("cpu"))), axis=None) for x in (there, here))
    equal_values(one, other)


def both(function, *args, device="cuda:0", **kwargs):
    """Call a function on the CPU and on a device, and assert that the results are the same."""
    here = function(*args, **kwargs)
    there = function(*moved(args, device), **moved(kwargs, device))
    same(there, here, device)
    return there
