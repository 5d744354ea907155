import builtins
from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias, overload

import numpy as np
import numpy.typing as npt
from numpy import bool as bool
from numpy import complex64 as complex64
from numpy import complex128 as complex128
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import int8 as int8
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import uint8 as uint8
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy._globals import _NoValueType
from typing_extensions import Buffer

from . import char as char
from . import ctypeslib as ctypeslib
from . import cuda, fft, linalg, random
from . import emath as emath
from . import lib as lib
from . import polynomial as polynomial
from . import strings as strings
from . import testing as testing
from ._array import Array, _Axes, _Casting, _Order, _Shape, _SortKind
from ._core import capture_numpy, memory
from ._data_types import FloatInfo, IntegerInfo
from ._device import Device
from ._devices import device_of
from ._dispatch import BinaryUfunc, UnaryUfunc, VectorUfunc
from ._errors import DeviceError, HandleError
from ._exchange import from_dlpack
from ._floating import errstate, geterrcall, seterrcall
from ._forward import load, vectorize
from ._handle import Handle
from ._info import Info
from ._memory import collect, empty_cache, memory_stats, memory_summary
from ._numpy_names import *
from ._numpy_objects import *
from ._numpy_polynomials import *
from ._sets import UniqueAllResult, UniqueCountsResult, UniqueInverseResult
from ._storage import Storage
from ._transport import from_handle, from_storage
from ._version import __version__ as __version__

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

_Axis: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_Number: TypeAlias = complex | np.generic | Array

ndarray = Array
device = Device

e: float
euler_gamma: float
inf: float
nan: float
newaxis: None
pi: float

__array_api_version__: str

def __array_namespace_info__() -> Info: ...
def __dir__() -> list[str]: ...
def array(
    object: npt.ArrayLike,
    dtype: npt.DTypeLike | None = None,
    *,
    copy: builtins.bool | None = True,
    order: _Order | None = "K",
    subok: builtins.bool = False,
    ndmin: SupportsIndex = 0,
    ndmax: SupportsIndex = 64,
    like: object = None,
) -> Array: ...
def asarray(
    obj: npt.ArrayLike,
    /,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = None,
    *,
    device: Device | str | None = None,
    copy: builtins.bool | None = None,
    like: object = None,
) -> Array: ...
def frombuffer(
    buf: Buffer,
    dtype: npt.DTypeLike | None = ...,
    count: SupportsIndex = -1,
    offset: SupportsIndex = 0,
    *,
    like: object = None,
) -> Array: ...
def is_shared(obj: object) -> builtins.bool: ...

abs: UnaryUfunc[Array]
acos: UnaryUfunc[Array]
acosh: UnaryUfunc[Array]
add: BinaryUfunc[Array]

def all(
    x: npt.ArrayLike,
    /,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    *,
    where: npt.ArrayLike = True,
) -> Array: ...
def any(
    x: npt.ArrayLike,
    /,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    *,
    where: npt.ArrayLike = True,
) -> Array: ...
def arange(
    start: _Number,
    /,
    stop: _Number | None = None,
    step: _Number = 1,
    dtype: npt.DTypeLike | None = None,
    *,
    device: Device | str | None = None,
    like: object = None,
) -> Array: ...
def argmax(
    x: npt.ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    *,
    keepdims: builtins.bool = False,
) -> Array: ...
def argmin(
    x: npt.ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    *,
    keepdims: builtins.bool = False,
) -> Array: ...
def argsort(
    x: npt.ArrayLike,
    /,
    axis: SupportsIndex | None = -1,
    kind: _SortKind | None = None,
    order: str | Sequence[str] | None = None,
    *,
    descending: builtins.bool = False,
    stable: builtins.bool | None = True,
) -> Array: ...

asin: UnaryUfunc[Array]
asinh: UnaryUfunc[Array]

def astype(
    x: npt.ArrayLike,
    dtype: npt.DTypeLike,
    /,
    *,
    copy: builtins.bool = True,
    device: Device | str | None = None,
) -> Array: ...

atan: UnaryUfunc[Array]
atan2: BinaryUfunc[Array]
atanh: UnaryUfunc[Array]
bitwise_and: BinaryUfunc[Array]
bitwise_invert: UnaryUfunc[Array]
bitwise_left_shift: BinaryUfunc[Array]
bitwise_or: BinaryUfunc[Array]
bitwise_right_shift: BinaryUfunc[Array]
bitwise_xor: BinaryUfunc[Array]

def broadcast_arrays(*arrays: npt.ArrayLike, subok: builtins.bool = False) -> tuple[Array, ...]: ...
def broadcast_shapes(*shapes: _Shape) -> tuple[int, ...]: ...
def broadcast_to(x: npt.ArrayLike, /, shape: _Shape, subok: builtins.bool = False) -> Array: ...
def can_cast(
    from_: npt.DTypeLike | npt.ArrayLike, to: npt.DTypeLike, /, casting: _Casting = "safe"
) -> builtins.bool: ...

ceil: UnaryUfunc[Array]

def clip(
    x: npt.ArrayLike,
    /,
    min: npt.ArrayLike | None = None,
    max: npt.ArrayLike | None = None,
    out: Array | None = None,
    *,
    where: npt.ArrayLike = True,
    casting: _Casting = "same_kind",
) -> Array: ...
def concat(
    arrays: Sequence[npt.ArrayLike] | npt.ArrayLike,
    /,
    axis: SupportsIndex | None = 0,
    out: Array | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    casting: _Casting = "same_kind",
) -> Array: ...

conj: UnaryUfunc[Array]
copysign: BinaryUfunc[Array]
cos: UnaryUfunc[Array]
cosh: UnaryUfunc[Array]

def count_nonzero(
    x: npt.ArrayLike, /, axis: _Axes = None, *, keepdims: builtins.bool = False
) -> Array: ...
def cumulative_prod(
    x: npt.ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    include_initial: builtins.bool = False,
) -> Array: ...
def cumulative_sum(
    x: npt.ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    include_initial: builtins.bool = False,
) -> Array: ...
def diff(
    x: npt.ArrayLike,
    /,
    n: SupportsIndex = 1,
    axis: SupportsIndex = -1,
    prepend: npt.ArrayLike | None = None,
    append: npt.ArrayLike | None = None,
) -> Array: ...

divide: BinaryUfunc[Array]

def empty(
    shape: _Shape,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = "C",
    *,
    device: Device | str | None = None,
    like: object = None,
) -> Array: ...
def empty_like(
    x: npt.ArrayLike,
    /,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = "K",
    subok: builtins.bool = True,
    shape: _Shape | None = None,
    *,
    device: Device | str | None = None,
) -> Array: ...

equal: BinaryUfunc[Array]
exp: UnaryUfunc[Array]

def expand_dims(x: npt.ArrayLike, /, axis: _Axis = 0) -> Array: ...

expm1: UnaryUfunc[Array]

def eye(
    n_rows: SupportsIndex,
    n_cols: SupportsIndex | None = None,
    /,
    k: SupportsIndex = 0,
    dtype: npt.DTypeLike | None = None,
    order: _Order = "C",
    *,
    device: Device | str | None = None,
    like: object = None,
) -> Array: ...
def finfo(type: npt.DTypeLike | Array, /) -> FloatInfo: ...
def flip(x: npt.ArrayLike, /, axis: _Axes = None) -> Array: ...

floor: UnaryUfunc[Array]
floor_divide: BinaryUfunc[Array]

def full(
    shape: _Shape,
    fill_value: npt.ArrayLike,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = "C",
    *,
    device: Device | str | None = None,
    like: object = None,
) -> Array: ...
def full_like(
    x: npt.ArrayLike,
    /,
    fill_value: npt.ArrayLike,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = "K",
    subok: builtins.bool = True,
    shape: _Shape | None = None,
    *,
    device: Device | str | None = None,
) -> Array: ...

greater: BinaryUfunc[Array]
greater_equal: BinaryUfunc[Array]
hypot: BinaryUfunc[Array]

def iinfo(type: npt.DTypeLike | Array, /) -> IntegerInfo: ...
def imag(x: npt.ArrayLike, /) -> Array: ...
def isdtype(
    dtype: npt.DTypeLike, kind: npt.DTypeLike | tuple[npt.DTypeLike, ...]
) -> builtins.bool: ...

isfinite: UnaryUfunc[Array]

def isin(
    x1: npt.ArrayLike,
    x2: npt.ArrayLike,
    /,
    assume_unique: builtins.bool = False,
    invert: builtins.bool = False,
    *,
    kind: Literal["sort", "table"] | None = None,
) -> Array: ...

isinf: UnaryUfunc[Array]
isnan: UnaryUfunc[Array]
less: BinaryUfunc[Array]
less_equal: BinaryUfunc[Array]

@overload
def linspace(
    start: npt.ArrayLike,
    stop: npt.ArrayLike,
    /,
    num: SupportsIndex = 50,
    endpoint: builtins.bool = True,
    retstep: Literal[False] = False,
    dtype: npt.DTypeLike | None = None,
    axis: SupportsIndex = 0,
    *,
    device: Device | str | None = None,
) -> Array: ...
@overload
def linspace(
    start: npt.ArrayLike,
    stop: npt.ArrayLike,
    /,
    num: SupportsIndex = 50,
    endpoint: builtins.bool = True,
    *,
    retstep: Literal[True],
    dtype: npt.DTypeLike | None = None,
    axis: SupportsIndex = 0,
    device: Device | str | None = None,
) -> tuple[Array, Array]: ...

log: UnaryUfunc[Array]
log10: UnaryUfunc[Array]
log1p: UnaryUfunc[Array]
log2: UnaryUfunc[Array]
logaddexp: BinaryUfunc[Array]
logical_and: BinaryUfunc[Array]
logical_not: UnaryUfunc[Array]
logical_or: BinaryUfunc[Array]
logical_xor: BinaryUfunc[Array]
matmul: VectorUfunc

def matrix_transpose(x: npt.ArrayLike, /) -> Array: ...
def max(
    x: npt.ArrayLike,
    /,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: npt.ArrayLike | _NoValueType = ...,
    where: npt.ArrayLike = True,
) -> Array: ...

maximum: BinaryUfunc[Array]

def mean(
    x: npt.ArrayLike,
    /,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    *,
    where: npt.ArrayLike = True,
) -> Array: ...
def meshgrid(
    *arrays: npt.ArrayLike,
    indexing: Literal["xy", "ij"] = "xy",
    copy: builtins.bool = True,
    sparse: builtins.bool = False,
) -> tuple[Array, ...]: ...
def min(
    x: npt.ArrayLike,
    /,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: npt.ArrayLike | _NoValueType = ...,
    where: npt.ArrayLike = True,
) -> Array: ...

minimum: BinaryUfunc[Array]

def moveaxis(x: npt.ArrayLike, source: _Axis, destination: _Axis, /) -> Array: ...

multiply: BinaryUfunc[Array]
negative: UnaryUfunc[Array]
nextafter: BinaryUfunc[Array]

def nonzero(x: npt.ArrayLike, /) -> tuple[Array, ...]: ...

not_equal: BinaryUfunc[Array]

def ones(
    shape: _Shape,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = "C",
    *,
    device: Device | str | None = None,
    like: object = None,
) -> Array: ...
def ones_like(
    x: npt.ArrayLike,
    /,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = "K",
    subok: builtins.bool = True,
    shape: _Shape | None = None,
    *,
    device: Device | str | None = None,
) -> Array: ...
def permute_dims(x: npt.ArrayLike, /, axes: Sequence[SupportsIndex] | None = None) -> Array: ...

positive: UnaryUfunc[Array]
pow: BinaryUfunc[Array]

def prod(
    x: npt.ArrayLike,
    /,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: npt.ArrayLike | _NoValueType = ...,
    where: npt.ArrayLike = True,
) -> Array: ...
def real(x: npt.ArrayLike, /) -> Array: ...

reciprocal: UnaryUfunc[Array]
remainder: BinaryUfunc[Array]

def repeat(
    x: npt.ArrayLike, repeats: npt.ArrayLike, /, axis: SupportsIndex | None = None
) -> Array: ...
def reshape(
    x: npt.ArrayLike, /, shape: _Shape, order: _Order = "C", *, copy: builtins.bool | None = None
) -> Array: ...
def result_type(*arrays_and_dtypes: npt.ArrayLike | npt.DTypeLike) -> np.dtype[np.generic]: ...
def roll(x: npt.ArrayLike, /, shift: _Shape, axis: _Axes = None) -> Array: ...
def round(x: npt.ArrayLike, /, decimals: SupportsIndex = 0, out: Array | None = None) -> Array: ...
def searchsorted(
    x1: npt.ArrayLike,
    x2: npt.ArrayLike,
    /,
    side: Literal["left", "right"] = "left",
    sorter: npt.ArrayLike | None = None,
) -> Array: ...

sign: UnaryUfunc[Array]
signbit: UnaryUfunc[Array]
sin: UnaryUfunc[Array]
sinh: UnaryUfunc[Array]

def sort(
    x: npt.ArrayLike,
    /,
    axis: SupportsIndex | None = -1,
    kind: _SortKind | None = None,
    order: str | Sequence[str] | None = None,
    *,
    descending: builtins.bool = False,
    stable: builtins.bool | None = True,
) -> Array: ...

sqrt: UnaryUfunc[Array]
square: UnaryUfunc[Array]

def squeeze(x: npt.ArrayLike, /, axis: _Axes = None) -> Array: ...
def stack(
    arrays: Sequence[npt.ArrayLike] | npt.ArrayLike,
    /,
    axis: SupportsIndex = 0,
    out: Array | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    casting: _Casting = "same_kind",
) -> Array: ...
def std(
    x: npt.ArrayLike,
    /,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    ddof: float | None = None,
    keepdims: builtins.bool = False,
    *,
    correction: float = 0.0,
    where: npt.ArrayLike = True,
    mean: npt.ArrayLike | None = None,
) -> Array: ...

subtract: BinaryUfunc[Array]

def sum(
    x: npt.ArrayLike,
    /,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: builtins.bool = False,
    initial: npt.ArrayLike | _NoValueType = ...,
    where: npt.ArrayLike = True,
) -> Array: ...
def take(
    x: npt.ArrayLike,
    indices: npt.ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    mode: Literal["raise", "wrap", "clip"] = "raise",
) -> Array: ...
def take_along_axis(
    x: npt.ArrayLike, indices: npt.ArrayLike, /, axis: SupportsIndex | None = -1
) -> Array: ...

tan: UnaryUfunc[Array]
tanh: UnaryUfunc[Array]

def tensordot(
    x1: npt.ArrayLike, x2: npt.ArrayLike, /, axes: SupportsIndex | tuple[_Axis, _Axis] = 2
) -> Array: ...
def tile(x: npt.ArrayLike, repetitions: _Shape, /) -> Array: ...
def tril(x: npt.ArrayLike, /, k: SupportsIndex = 0) -> Array: ...
def triu(x: npt.ArrayLike, /, k: SupportsIndex = 0) -> Array: ...

trunc: UnaryUfunc[Array]

def unique_all(x: npt.ArrayLike, /) -> UniqueAllResult: ...
def unique_counts(x: npt.ArrayLike, /) -> UniqueCountsResult: ...
def unique_inverse(x: npt.ArrayLike, /) -> UniqueInverseResult: ...
def unique_values(x: npt.ArrayLike, /) -> Array: ...
def unstack(x: npt.ArrayLike, /, *, axis: SupportsIndex = 0) -> tuple[Array, ...]: ...
def var(
    x: npt.ArrayLike,
    /,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    ddof: float | None = None,
    keepdims: builtins.bool = False,
    *,
    correction: float = 0.0,
    where: npt.ArrayLike = True,
    mean: npt.ArrayLike | None = None,
) -> Array: ...

vecdot: VectorUfunc

@overload
def where(condition: npt.ArrayLike, x1: None = None, x2: None = None, /) -> tuple[Array, ...]: ...
@overload
def where(condition: npt.ArrayLike, x1: npt.ArrayLike, x2: npt.ArrayLike, /) -> Array: ...
def zeros(
    shape: _Shape,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = "C",
    *,
    device: Device | str | None = None,
    like: object = None,
) -> Array: ...
def zeros_like(
    x: npt.ArrayLike,
    /,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = "K",
    subok: builtins.bool = True,
    shape: _Shape | None = None,
    *,
    device: Device | str | None = None,
) -> Array: ...
