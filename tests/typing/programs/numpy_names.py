"""What NumPy has beyond the standard, by NumPy's names."""

import io
from typing import assert_type

import numpy as np

import sharedarray as xp

x = xp.asarray([3.0, 1.0, 2.0])
m = xp.asarray([[1, 2], [3, 4]])

assert_type(xp.arcsin(x - 2), xp.Array)
assert_type(xp.power(x, 2), xp.Array)
assert_type(xp.divmod(m, 2), tuple[xp.Array, xp.Array])
assert_type(xp.modf(x), tuple[xp.Array, xp.Array])
assert_type(xp.einsum("ij->i", m), xp.Array)
assert_type(xp.percentile(x, [25, 75], method="nearest"), xp.Array)
assert_type(xp.histogram(x, bins=3), tuple[xp.Array, xp.Array])
assert_type(xp.gradient(x), xp.Array | tuple[xp.Array, ...])
assert_type(xp.pad(x, 1, mode="edge"), xp.Array)
assert_type(xp.interp(1.5, [1, 2], [3, 4]), xp.Array)
assert_type(xp.nansum(x, axis=0), xp.Array)
assert_type(xp.split(x, 3), list[xp.Array])
assert_type(xp.atleast_2d(x), xp.Array)
assert_type(xp.atleast_2d(x, 1), tuple[xp.Array, ...])
assert_type(xp.unique(m), xp.Array)
assert_type(xp.unique(m, return_counts=True), tuple[xp.Array, ...])
assert_type(xp.average(x, weights=x, returned=True), tuple[xp.Array, xp.Array])
assert_type(xp.polyfit([1, 2, 3], x, 1), xp.Array)
assert_type(xp.polyfit([1, 2, 3], x, 1, cov="unscaled"), tuple[xp.Array, xp.Array])
assert_type(xp.indices((2, 2), sparse=True), tuple[xp.Array, ...])
assert_type(xp.histogramdd(m, bins=2), tuple[xp.Array, list[xp.Array]])
assert_type(xp.trim_zeros(x), xp.Array)
assert_type(xp.trim_zeros([0, 1, 0]), list[int])
assert_type(xp.intersect1d(m, [1, 2]), xp.Array)
assert_type(xp.allclose(x, x), bool)
assert_type(xp.array_equal(x, m), bool)
assert_type(xp.isclose(x, 1.0), xp.Array)
assert_type(xp.ndim(m), int)
assert_type(xp.shape(m), tuple[int, ...])
assert_type(xp.array2string(x, precision=2), str)
assert_type(xp.apply_along_axis(xp.sum, 0, m), xp.Array)
assert_type(xp.mgrid[0:2, 0:3], xp.Array)
assert_type(xp.r_[0:3, 5], xp.Array)
assert_type(xp.lib.stride_tricks.sliding_window_view(x, 2), xp.Array)
assert_type(xp.strings.upper(xp.asarray(["a"], dtype="U1")), xp.Array)
assert_type(xp.emath.sqrt(-1), xp.Array)
xp.testing.assert_allclose(x, x)
xp.copyto(x, 1.0)
xp.put(x, [0], 2.0)
with xp.printoptions(precision=2), io.BytesIO() as file:
    xp.save(file, x)
    file.seek(0)
    loaded = xp.load(file)
assert isinstance(loaded, xp.Array)
assert_type(loaded, xp.Array)
kind: type[np.generic] = xp.float16
