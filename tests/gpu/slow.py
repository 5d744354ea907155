"""Work on an array that takes its time, so that reading too early can be seen."""

import functools

import numpy as np

from . import machine

SOURCE = r"""
extern "C" __global__ void late(unsigned long long wait, int* x, int value) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < wait);
    *x = value;
}
"""


@functools.cache
def _kernel():
    import cupy

    return cupy.RawKernel(SOURCE, "late")


@functools.cache
def _driver():
    return machine.Driver()


def write_late(x, value: int, seconds: float) -> None:
    """
    Give the device the order to write ``x[0]``, and return before that is done.

    Parameters
    ----------
    x : Array
        Of int32, on the device.
    value : int
    seconds : float
        How long the device takes; on the double, its delayed mode decides.
    """
    if machine.on_double():
        _driver()("cuMemsetD32Async", x.storage().data_ptr(), value, 1, 0)
    else:
        _kernel()((1,), (1,), (np.uint64(1e9 * seconds), x.cupy(), np.int32(value)))


def warm_up(x) -> None:
    """Compile what `write_late` needs, and have it done once."""
    write_late(x, 0, 0.0)
    _driver().wait()
