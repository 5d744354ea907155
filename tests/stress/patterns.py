"""What an array must contain, from a number: memory of another array is seen at each look."""

import functools

import numpy as np

DTYPES = ("u1", "i2", "u4", "i8", "u8", "f4", "f8", "c8", "c16", "?", "<M8[s]", ">i4")
VIEWS = {
    "tail": lambda x: x[1:],
    "even": lambda x: x[::2],
    "back": lambda x: x[::-1],
    "turn": lambda x: x.T,
    "flat": lambda x: x[None, ..., None],
    "some": lambda x: x[: max(1, x.shape[0] // 3)],
    "locked": lambda x: x if isinstance(x, np.ndarray) else x.readonly(),
}
STEP = np.uint64(0x9E3779B97F4A7C15)


@functools.cache
def _ramp(n):
    with np.errstate(over="ignore"):
        return np.arange(n, dtype=np.uint64) * STEP


def words(ident, n):
    """Return n words of 64 bits that no other `ident` begins with."""
    room = 1 << max(10, (n - 1).bit_length())
    start = np.uint64((ident * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) & (2**64 - 1))
    with np.errstate(over="ignore"):
        return _ramp(room)[:n] + start


def pattern(ident, n, dtype):
    """Return the n elements of that dtype; every value is finite, so that equal means equal."""
    w, dtype = words(ident, n), np.dtype(dtype)
    if dtype.kind == "b":
        return (w >> np.uint64(40)) & np.uint64(1) == 1
    if dtype.kind == "f":
        return (w >> np.uint64(64 - 8 * dtype.itemsize * 3 // 4)).astype(dtype)
    if dtype.kind == "c":
        return (w >> np.uint64(44)).astype(dtype) + 1j * (w & np.uint64(0xFFFFF)).astype(dtype)
    bits = w >> np.uint64(63 - min(62, 8 * dtype.itemsize - 1))
    return bits.astype(np.int64).astype(dtype)


def layout(n, u):
    """Return a shape of at most n elements and an order, from a number in [0, 1)."""
    kind = int(u * 4)
    if kind == 1 and n >= 4:
        return (n // 2, 2), "C"
    if kind == 2 and n >= 9:
        return (3, n // 3), "F"
    if kind == 3 and n >= 8:
        return (2, n // 4, 2), "C"
    return (n,), "C"


def original(spec):
    """Return the array of a description as it was made: ``(ident, dtype, shape, order)``."""
    ident, dtype, shape, order = spec
    n = int(np.prod(shape))
    return pattern(ident, n, dtype).reshape(shape, order=order)


def expected(spec, views):
    """Return what the view of such an array shows."""
    x = original(spec)
    for name in views:
        x = VIEWS[name](x)
    return x


def difference(x, spec, views):
    """Return what is wrong with `x`, or an empty string."""
    want = expected(spec, views)
    if x.flags.writeable == ("locked" in views):
        return "writable" if x.flags.writeable else "read-only"
    if x.shape != want.shape or x.dtype != want.dtype:
        return f"{x.dtype} {x.shape} in place of {want.dtype} {want.shape}"
    if np.array_equal(x, want):
        return ""
    wrong = np.flatnonzero((x != want).reshape(-1))
    at = np.unravel_index(wrong[0], want.shape)
    return (
        f"{len(wrong)} of {want.size} elements differ, the first at {tuple(map(int, at))}: "
        f"{x[at]!r} in place of {want[at]!r}"
    )
