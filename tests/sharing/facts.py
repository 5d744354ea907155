"""What two processes must agree on about an array, and arrays of every layout and dtype."""

import numpy as np

import sharedarray as xp

MIB = 1 << 20


def address(x):
    """Address of the first element in this process."""
    return np.asarray(x).__array_interface__["data"][0]


def writable(x):
    """Whether NumPy may write it."""
    return np.asarray(x).flags.writeable


def facts(x):
    """Everything that survives sending, as plain objects."""
    a = np.asarray(x)
    strides = a.strides if a.size else None
    return x.shape, str(a.dtype.descr), strides, writable(x), x.is_shared(), a.tobytes().hex()


def stamp(x, value):
    """Write every element through NumPy."""
    np.asarray(x)[...] = value


def base():
    """A matrix of 6 by 8 whose elements differ."""
    return xp.reshape(xp.arange(48, dtype=xp.float64), (6, 8))


def _fortran():
    x = xp.empty((4, 6), dtype=xp.float64, order="F")
    x[...] = xp.reshape(xp.arange(24.0), (4, 6))
    return x


LAYOUTS = {
    "c": base,
    "vector": lambda: xp.arange(10),
    "transposed": lambda: base().T,
    "permuted": lambda: xp.permute_dims(xp.reshape(xp.arange(60.0), (3, 4, 5)), (1, 2, 0)),
    "strided": lambda: base()[::2, 1::3],
    "negative": lambda: base()[::-1, ::-2],
    "reversed": lambda: xp.arange(10)[::-1],
    "offset": lambda: base()[2:, 3:],
    "column": lambda: base()[:, 3],
    "broadcast": lambda: xp.broadcast_to(base()[0, :], (5, 8)),
    "0-d": lambda: xp.asarray(3.5),
    "0-d view": lambda: base()[2, 3, ...],
    "one element": lambda: xp.ones(1),
    "empty": lambda: xp.empty((0, 3)),
    "empty view": lambda: base()[3:3],
    "fortran": _fortran,
    "new axes": lambda: base()[None, :, None, :],
    "squeezed": lambda: xp.ones((1, 5, 1))[0, :, 0],
    "8 dimensions": lambda: xp.reshape(xp.arange(256), (2,) * 8),
    "32 dimensions": lambda: xp.ones((1,) * 31 + (3,)),
    "overlapping": lambda: xp.from_storage(xp.arange(9.0).storage(), xp.float64, (4, 3), (16, 8)),
    "field": lambda: xp.zeros(4, dtype=[("a", "i4"), ("b", "f8")])["b"],
    "imaginary": lambda: xp.imag(xp.full(5, 1 + 2j)),
    "large": lambda: xp.arange(MIB, dtype=xp.int64),
    "large view": lambda: xp.reshape(xp.arange(MIB, dtype=xp.int64), (1024, 1024))[5:900:3, ::-1],
}

WRITABLE = [name for name in LAYOUTS if name != "broadcast"]

_PAIR = np.dtype([("name", "S4"), ("at", "<f8", (2,)), ("inner", [("k", "u1"), ("v", ">i4")])])
_ALIGNED = np.dtype([("a", "u1"), ("b", "f8")], align=True)

_NAMES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble"),
    *("datetime64[ns]", "datetime64[D]", "timedelta64[ms]", "S5", "U7", "V16"),
    *(">i2", ">i8", ">f4", ">f8", ">c16", ">U3", ">M8[s]"),
]

DTYPES = {
    **{name: np.dtype(name) for name in _NAMES},
    "structured": _PAIR,
    "aligned": _ALIGNED,
}


def of_dtype(dtype, length=6):
    """A NumPy array of the dtype whose bytes are legal values of it."""
    if dtype.kind == "b":
        return np.arange(length) % 2 == 1
    if dtype.kind in "iufcmM":
        return np.arange(length).astype(dtype)
    if dtype.kind in "SU":
        return np.array([f"s{i}" for i in range(length)]).astype(dtype)
    raw = np.random.default_rng(1).integers(32, 100, length * dtype.itemsize, dtype=np.uint8)
    return raw.view(dtype).copy()
