"""Arrays: operators, indexing, attributes, methods, sharing."""

import pickle
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import sharedarray as xp

x = xp.zeros((2, 3), dtype=xp.float32, device="cpu")
y = xp.asarray([[1, 2, 3], [4, 5, 6]])

# Operators, with Arrays, NumPy's arrays and scalars.
assert_type(x, xp.Array)
assert_type(x + 1, xp.Array)
assert_type(2.0 * x, xp.Array)
assert_type(x @ np.ones(3), xp.Array)
assert_type(-x[0, 1:], xp.Array)
assert_type(x < 1, xp.Array)
assert_type(x == y, xp.Array)
assert_type(divmod(y, 2), tuple[xp.Array, xp.Array])
assert_type(y & 1 | 2 ^ ~y, xp.Array)
assert_type(abs(x), xp.Array)
x += np.ones((2, 3))
y <<= 1
y //= 2
assert_type(x, xp.Array)

# Indices.
assert_type(x[0], xp.Array)
assert_type(x[0, 1], xp.Array)
assert_type(x[..., None, ::2], xp.Array)
assert_type(x[x > 0], xp.Array)
assert_type(x[[0, 1], np.asarray([1, 2])], xp.Array)
x[:, 1] = [1, 2]
for row in x:
    assert_type(row, xp.Array)

# Attributes.
assert_type(x.shape, tuple[int, ...])
assert_type(x.strides, tuple[int, ...])
assert_type(x.ndim, int)
assert_type(x.size, int)
assert_type(x.nbytes, int)
assert_type(x.dtype, np.dtype[np.generic])
assert_type(x.device, xp.Device)
assert_type(x.T, xp.Array)
assert_type(x.mT, xp.Array)
assert_type(x.real, xp.Array)
assert_type(x.data, memoryview)

# Conversions.
assert_type(float(x[0, 0]), float)
assert_type(int(y[0, 0]), int)
assert_type(bool(y[0, 0]), bool)
assert_type(complex(x[0, 0]), complex)
assert_type(round(x[0, 0]), int)
assert_type(round(x[0, 0], 1), xp.Array)
assert_type(range(3)[y[0, 0]], int)
assert_type(len(x), int)
assert_type(x.numpy(), npt.NDArray[Any])
assert_type(x.tobytes(), bytes)
assert_type(memoryview(x), memoryview)
assert_type(np.asarray(x), npt.NDArray[Any])
numbers: list[object] = [x.item(0), x.tolist(), pickle.dumps(x)]

# Methods.
assert_type(x.sum(axis=0), xp.Array)
assert_type(x.mean(keepdims=True), xp.Array)
assert_type(x.reshape(3, -1), xp.Array)
assert_type(x.astype(xp.int64), xp.Array)
assert_type(x.transpose(1, 0), xp.Array)
assert_type(y.nonzero(), tuple[xp.Array, ...])
assert_type(x.clone().fill_(1.0).zero_(), xp.Array)
assert_type(x.readonly(), xp.Array)
assert_type(x.to_device("cpu"), xp.Array)
x.clone().sort(axis=0)

# Sharing.
assert_type(x.is_shared(), bool)
assert_type(x.share_memory_(), xp.Array)
assert_type(x.storage(), xp.Storage)
assert_type(x.storage().id, str)
assert_type(x.storage().processes(), list[int])
assert_type(bytes(x.handle()), bytes)
assert_type(xp.from_handle(x.handle()), xp.Array | xp.Storage)
assert_type(xp.from_storage(x.storage(), xp.float32, (3,)), xp.Array)
assert_type(xp.from_dlpack(np.ones(3)), xp.Array)
assert_type(xp.frombuffer(b"abcd", dtype=xp.uint8), xp.Array)
assert_type(xp.is_shared(x), bool)
assert_type(xp.memory_stats()["cpu"]["peak"], int)
assert_type(xp.memory_summary(), str)
assert_type(xp.empty_cache(), int)
assert_type(xp.collect(older_than=60.0), int)
with xp.memory("private"), xp.capture_numpy(), xp.device_of(x), xp.errstate(divide="ignore"):
    assert_type(isinstance(x, xp.ndarray), bool)


@xp.Device("cpu")
def make(count: int) -> xp.Array:
    """Keep the type of what a device decorates."""
    return xp.zeros(count)


assert_type(make(3), xp.Array)
