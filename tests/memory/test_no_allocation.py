"""Views, in-place operations and ``out=`` take no memory of a segment, not even for a moment."""

import numpy as np
import pytest

import sharedarray as xp

N = 1 << 17  # elements: a block of its own, which the statistics count to the byte
VIEWS = {
    "x[1:]": lambda x, m: x[1:],
    "x[::-2]": lambda x, m: x[::-2],
    "m[1]": lambda x, m: m[1],
    "m[..., None, 2]": lambda x, m: m[..., None, 2],
    "m.T": lambda x, m: m.T,
    "m.mT": lambda x, m: m.mT,
    "asarray": lambda x, m: xp.asarray(x),
    "reshape": lambda x, m: xp.reshape(x, (2, -1)),
    "x.reshape": lambda x, m: x.reshape(2, -1),
    "permute_dims": lambda x, m: xp.permute_dims(m, (1, 0)),
    "moveaxis": lambda x, m: xp.moveaxis(m, 0, 1),
    "swapaxes": lambda x, m: m.swapaxes(0, 1),
    "matrix_transpose": lambda x, m: xp.matrix_transpose(m),
    "expand_dims": lambda x, m: xp.expand_dims(x, axis=0),
    "squeeze": lambda x, m: xp.squeeze(m[:1], axis=0),
    "flip": lambda x, m: xp.flip(x),
    "broadcast_to": lambda x, m: xp.broadcast_to(x, (3, N)),
    "broadcast_arrays": lambda x, m: xp.broadcast_arrays(x, m[:, :1]),
    "unstack": lambda x, m: xp.unstack(m),
    "diagonal": lambda x, m: xp.linalg.diagonal(m),
    "view": lambda x, m: x.view(xp.int64),
    "readonly": lambda x, m: x.readonly(),
    "real": lambda x, m: xp.real(x),
    "numpy": lambda x, m: x.numpy(),
    "memoryview": lambda x, m: memoryview(x),
    "from_storage": lambda x, m: xp.from_storage(x.storage(), xp.float64, (N,)),
    "from_dlpack": lambda x, m: xp.from_dlpack(x),
    "astype": lambda x, m: xp.astype(x, xp.float64, copy=False),
}
WRITES = {
    "sin": lambda x, y, m: xp.sin(x, out=y),
    "sin, by position": lambda x, y, m: xp.sin(x, y),
    "sin, another type": lambda x, y, m: xp.sin(x, out=y.view(xp.float32)[::2], casting="unsafe"),
    "add": lambda x, y, m: xp.add(x, 1.0, out=y),
    "add, where": lambda x, y, m: xp.add(x, y, out=y, where=True),
    "sum": lambda x, y, m: xp.sum(m, axis=0, out=y[: N // 4]),
    "mean": lambda x, y, m: xp.mean(m, axis=0, out=y[: N // 4]),
    "max": lambda x, y, m: xp.max(m, axis=0, out=y[: N // 4]),
    "cumulative_sum": lambda x, y, m: xp.cumulative_sum(x, out=y),
    "clip": lambda x, y, m: xp.clip(x, 0.2, 0.5, out=y),
    "round": lambda x, y, m: xp.round(x, out=y),
    "concat": lambda x, y, m: xp.concat((x[1:], x[:1]), out=y),
    "stack": lambda x, y, m: xp.stack((x[::2], x[1::2]), out=y.reshape(2, -1)),
    "take": lambda x, y, m: xp.take(x, np.arange(N), out=y, mode="clip"),
    "matmul": lambda x, y, m: xp.matmul(m, x[: N // 4], out=y[:4]),
    "x += 1": lambda x, y, m: x.__iadd__(1),
    "x -= y": lambda x, y, m: x.__isub__(y),
    "x *= x": lambda x, y, m: x.__imul__(x),
    "x /= 2": lambda x, y, m: x.__itruediv__(2),
    "x //= 2": lambda x, y, m: x.__ifloordiv__(2),
    "x %= 2": lambda x, y, m: x.__imod__(2),
    "x **= 2": lambda x, y, m: x.__ipow__(2),
    "view += 1": lambda x, y, m: m[:, ::3].__iadd__(1),
    "shifted": lambda x, y, m: x[1:].__iadd__(x[:-1]),
    "x[...] = y": lambda x, y, m: x.__setitem__(..., y),
    "x[2:] = 0": lambda x, y, m: x.__setitem__(slice(2, None), 0),
    "x[numpy mask] = 0": lambda x, y, m: x.__setitem__(np.arange(N) % 2 == 0, 0),
    "fill_": lambda x, y, m: x.fill_(2.0),
    "zero_": lambda x, y, m: x.zero_(),
    "copy_": lambda x, y, m: x.copy_(y),
    "x.sort()": lambda x, y, m: x.sort(),
}


def grown(operation, *arguments):
    """Bytes that an operation took and kept, and those it took at most."""
    stats = xp.memory_stats()["cpu"]
    # From the peak on, whatever is taken shows, also what is given back at once.
    filler = xp.empty(stats["peak"] - stats["allocated"] + (1 << 20), dtype=xp.uint8)
    before = xp.memory_stats()["cpu"]
    assert before["allocated"] == before["peak"]
    result = operation(*arguments)
    after = xp.memory_stats()["cpu"]
    del result, filler
    return after["allocated"] - before["allocated"], after["peak"] - before["peak"]


@pytest.fixture
def arrays():
    """A vector, another one, and a matrix of four rows."""
    x = xp.linspace(0.1, 1.0, N)
    return x, xp.zeros(N), x.reshape(4, -1)


@pytest.mark.parametrize("name", VIEWS)
def test_views_take_no_memory(name, arrays):
    x, _, m = arrays
    assert grown(VIEWS[name], x, m) == (0, 0)


@pytest.mark.parametrize("name", WRITES)
def test_writing_to_what_is_there_takes_no_memory(name, arrays):
    assert grown(WRITES[name], *arrays) == (0, 0)


def test_the_check_notices_what_is_kept_and_what_is_not(arrays):
    x, y, _ = arrays
    assert grown(lambda: x + 1)[0] >= x.nbytes
    kept, most = grown(lambda: xp.sin(x + 1, out=y))
    assert kept == 0
    assert most >= x.nbytes
