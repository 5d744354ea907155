"""Functions of the standard in the main namespace."""

from collections.abc import Callable
from typing import assert_type

import numpy as np

import sharedarray as xp

x = xp.linspace(0.0, 1.0, 6)
m = xp.reshape(x, (2, 3))
i = xp.arange(6)
b = xp.asarray([True, False])

# Elementwise functions are ufuncs: calls, their keywords, their methods.
assert_type(xp.sin(x), xp.Array)
assert_type(xp.sin([0.0, 1.0], out=xp.empty(2), where=b, dtype=xp.float64), xp.Array)
assert_type(xp.add(x, 1), xp.Array)
assert_type(xp.add(1, np.ones(6), casting="safe", order="C"), xp.Array)
assert_type(xp.add.reduce(m, axis=(0, 1), keepdims=True), xp.Array)
assert_type(xp.add.accumulate(x), xp.Array)
assert_type(xp.multiply.outer(x, i), xp.Array)
assert_type(xp.maximum.reduceat(x, [0, 3]), xp.Array)
assert_type(xp.add.nin, int)
assert_type(xp.sin.types, list[str])
xp.add.at(x, [0, 1], 1.0)
xp.negative.at(x, 0)
assert_type(xp.matmul(m, x[:3]), xp.Array)
assert_type(xp.vecdot(m, m, axis=0), xp.Array)
function: Callable[[xp.Array], xp.Array] = xp.exp
operation: Callable[[xp.Array, xp.Array], xp.Array] = xp.hypot
assert_type(function(operation(x, x)), xp.Array)

# Creation.
assert_type(xp.zeros(3), xp.Array)
assert_type(xp.empty((2, 3), dtype="f4", order="F"), xp.Array)
assert_type(xp.full((2,), 1 + 2j, device=xp.Device("cpu")), xp.Array)
assert_type(xp.ones_like([1, 2]), xp.Array)
assert_type(xp.eye(2, 3, k=1), xp.Array)
assert_type(xp.meshgrid(x, i, indexing="ij"), tuple[xp.Array, ...])
assert_type(xp.asarray(bytearray(b"abc"), dtype=xp.uint8, copy=True), xp.Array)
assert_type(xp.linspace(0.0, 1.0, 3, retstep=True), tuple[xp.Array, xp.Array])
assert_type(xp.tril(m, k=-1), xp.Array)

# Data types.
assert_type(xp.astype(x, xp.float32), xp.Array)
assert_type(xp.can_cast(x, xp.float64), bool)
assert_type(xp.isdtype(x.dtype, ("bool", "numeric")), bool)
assert_type(xp.finfo(x).eps, float)
assert_type(xp.finfo(xp.float32).bits, int)
assert_type(xp.iinfo("u1").max, int)
assert_type(xp.result_type(x, 1, xp.float32), np.dtype[np.generic])

# Manipulation.
assert_type(xp.concat([x, i], axis=0), xp.Array)
assert_type(xp.stack((x, i)), xp.Array)
assert_type(xp.unstack(m), tuple[xp.Array, ...])
assert_type(xp.broadcast_arrays(x, 1), tuple[xp.Array, ...])
assert_type(xp.broadcast_shapes((2, 1), (3,)), tuple[int, ...])
assert_type(xp.permute_dims(m, (1, 0)), xp.Array)
assert_type(xp.expand_dims(x, axis=0), xp.Array)
assert_type(xp.roll(m, (1, 2), axis=(0, 1)), xp.Array)

# Searching, sorting, sets, statistics.
assert_type(xp.where(x), tuple[xp.Array, ...])
assert_type(xp.where(x > 0, x, 0), xp.Array)
assert_type(xp.nonzero(i), tuple[xp.Array, ...])
assert_type(xp.argsort(x, descending=True), xp.Array)
assert_type(xp.unique_counts(i).counts, xp.Array)
assert_type(xp.unique_all(i).inverse_indices, xp.Array)
assert_type(xp.unique_values(i), xp.Array)
assert_type(xp.mean(m, axis=(0, 1)), xp.Array)
assert_type(xp.std(m, axis=0, correction=1), xp.Array)
assert_type(xp.max(m), xp.Array)
assert_type(xp.all(b), xp.Array)
assert_type(xp.cumulative_sum(x, include_initial=True), xp.Array)

# What the namespace says of itself.
info = xp.__array_namespace_info__()
assert_type(info.default_device(), xp.Device)
assert_type(info.devices(), tuple[xp.Device, ...])
assert_type(info.dtypes(kind="integral"), dict[str, np.dtype[np.generic]])
assert_type(info.capabilities(), dict[str, bool | int])
assert_type(xp.__array_api_version__, str)
assert_type(xp.pi, float)
