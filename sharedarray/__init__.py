"""Arrays in shared memory that behave like NumPy's and travel between processes by handle.

The namespace of the Python array API standard, and beyond it what NumPy has.

>>> import sharedarray as xp
>>> x = xp.linspace(0.0, 1.0, 5)
>>> x.is_shared()
True
"""

from sharedarray import _platform  # isort: skip  # first: it says why the rest cannot be imported

import numpy as _numpy

from . import (  # they complete the Array, and what happens when the process ends
    _attributes,
    _exchange,
    _keeper,
    _methods,
    _placement,
    _protocols,
    _selection,
    _views,
    cuda,
)

# isort: split
from . import _cuda_backend  # finds it when a CUDA device is first needed

# isort: split
from ._array import Array
from ._constants import e, euler_gamma, inf, nan, newaxis, pi
from ._conversion import array, asarray, frombuffer
from ._core import capture_numpy, memory
from ._creation import (
    arange,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from ._data_types import astype, can_cast, finfo, iinfo, isdtype, result_type
from ._devices import Device, device, device_of
from ._elementwise import (
    abs_ as abs,
)
from ._elementwise import (
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    conj,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    reciprocal,
    remainder,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
)
from ._elementwise import (
    pow_ as pow,
)
from ._errors import DeviceError, HandleError
from ._exchange import from_dlpack
from ._floating import errstate, geterrcall, seterrcall
from ._forward import forwarder as _forwarder
from ._forward import load, vectorize
from ._handle import Handle
from ._indexing import take, take_along_axis
from ._info import __array_namespace_info__
from ._late import later as _later
from ._linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from ._manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from ._memory import collect, empty_cache, memory_stats, memory_summary
from ._parts import clip, imag, real
from ._parts import round_ as round
from ._searching import argmax, argmin, count_nonzero, nonzero, searchsorted, where
from ._sets import isin, unique_all, unique_counts, unique_inverse, unique_values
from ._sharing import is_shared
from ._sorting import argsort, sort
from ._statistical import cumulative_prod, cumulative_sum, mean, prod, std, var
from ._statistical import max_ as max
from ._statistical import min_ as min
from ._statistical import sum_ as sum
from ._storage import Storage
from ._transport import from_handle, from_storage
from ._utility import all_ as all
from ._utility import any_ as any
from ._utility import diff
from ._version import __version__

bool = _numpy.bool_
int8 = _numpy.int8
int16 = _numpy.int16
int32 = _numpy.int32
int64 = _numpy.int64
uint8 = _numpy.uint8
uint16 = _numpy.uint16
uint32 = _numpy.uint32
uint64 = _numpy.uint64
float32 = _numpy.float32
float64 = _numpy.float64
complex64 = _numpy.complex64
complex128 = _numpy.complex128

ndarray = Array

__array_api_version__ = "2025.12"

__all__ = [
    "Array",
    "Device",
    "DeviceError",
    "Handle",
    "HandleError",
    "Storage",
    "__array_api_version__",
    "__array_namespace_info__",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "array",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "capture_numpy",
    "ceil",
    "clip",
    "complex128",
    "complex64",
    "collect",
    "concat",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cuda",
    "cumulative_prod",
    "cumulative_sum",
    "device",
    "device_of",
    "diff",
    "divide",
    "e",
    "empty",
    "empty_cache",
    "empty_like",
    "equal",
    "errstate",
    "euler_gamma",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "fft",
    "finfo",
    "flip",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_dlpack",
    "from_handle",
    "from_storage",
    "frombuffer",
    "full",
    "full_like",
    "geterrcall",
    "greater",
    "greater_equal",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_shared",
    "isdtype",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "load",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "memory",
    "memory_stats",
    "memory_summary",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "nan",
    "ndarray",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "random",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "searchsorted",
    "seterrcall",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "tril",
    "triu",
    "trunc",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "vectorize",
    "where",
    "zeros",
    "zeros_like",
]

_forwarded, __dir__ = _forwarder(_numpy, __name__, __all__)
__getattr__ = _later(__name__, ("fft", "linalg", "random"), _forwarded)

# Members of Array by being imported, and the platform's check.
del _attributes, _cuda_backend, _exchange, _keeper, _methods
del _placement, _platform, _protocols, _selection, _views
