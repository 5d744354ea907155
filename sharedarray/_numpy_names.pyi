# Functions that NumPy has beyond the standard, by NumPy's names; read by type checkers alone.

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import EllipsisType
from typing import (
    Any,
    Literal,
    Protocol,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    overload,
    type_check_only,
)

import numpy.typing as npt

from ._array import Array, _Axes, _Casting, _Order, _Shape
from ._device import Device
from ._dispatch import BinaryUfunc, UnaryUfunc, VectorUfunc

_T = TypeVar("_T")
_Axis: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_Convolve: TypeAlias = Literal["full", "same", "valid"]
_Method: TypeAlias = Literal[
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]
_Mode: TypeAlias = Literal["raise", "wrap", "clip"]
_Nested: TypeAlias = npt.ArrayLike | Sequence[_Nested]

@type_check_only
class _ByIndex(Protocol):
    def __getitem__(self, key: object, /) -> Array: ...
    def __len__(self) -> int: ...

@type_check_only
class _GridByIndex(Protocol):
    def __getitem__(self, key: slice | tuple[slice, ...], /) -> tuple[Array, ...] | Array: ...
    def __len__(self) -> int: ...

c_: _ByIndex
mgrid: _ByIndex
ogrid: _GridByIndex
r_: _ByIndex

absolute: UnaryUfunc[Array]
arccos: UnaryUfunc[Array]
arccosh: UnaryUfunc[Array]
arcsin: UnaryUfunc[Array]
arcsinh: UnaryUfunc[Array]
arctan: UnaryUfunc[Array]
arctan2: BinaryUfunc[Array]
arctanh: UnaryUfunc[Array]
bitwise_count: UnaryUfunc[Array]
bitwise_not: UnaryUfunc[Array]
cbrt: UnaryUfunc[Array]
conjugate: UnaryUfunc[Array]
deg2rad: UnaryUfunc[Array]
degrees: UnaryUfunc[Array]
divmod: BinaryUfunc[tuple[Array, Array]]
exp2: UnaryUfunc[Array]
fabs: UnaryUfunc[Array]
float_power: BinaryUfunc[Array]
fmax: BinaryUfunc[Array]
fmin: BinaryUfunc[Array]
fmod: BinaryUfunc[Array]
frexp: UnaryUfunc[tuple[Array, Array]]
gcd: BinaryUfunc[Array]
heaviside: BinaryUfunc[Array]
invert: UnaryUfunc[Array]
isnat: UnaryUfunc[Array]
lcm: BinaryUfunc[Array]
ldexp: BinaryUfunc[Array]
left_shift: BinaryUfunc[Array]
logaddexp2: BinaryUfunc[Array]
matvec: VectorUfunc
mod: BinaryUfunc[Array]
modf: UnaryUfunc[tuple[Array, Array]]
power: BinaryUfunc[Array]
rad2deg: UnaryUfunc[Array]
radians: UnaryUfunc[Array]
right_shift: BinaryUfunc[Array]
rint: UnaryUfunc[Array]
spacing: UnaryUfunc[Array]
true_divide: BinaryUfunc[Array]
vecmat: VectorUfunc

def allclose(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    rtol: npt.ArrayLike = 1e-05,
    atol: npt.ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> bool: ...
def amax(
    a: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = ...,
    initial: npt.ArrayLike = ...,
    where: npt.ArrayLike = ...,
) -> Array: ...
def amin(
    a: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = ...,
    initial: npt.ArrayLike = ...,
    where: npt.ArrayLike = ...,
) -> Array: ...
def angle(z: npt.ArrayLike, deg: bool = False) -> Array: ...
def append(
    arr: npt.ArrayLike, values: npt.ArrayLike, axis: SupportsIndex | None = None
) -> Array: ...
def apply_along_axis(
    func1d: Callable[..., object],
    axis: SupportsIndex,
    arr: npt.ArrayLike,
    *args: object,
    **kwargs: object,
) -> Array: ...
def apply_over_axes(
    func: Callable[[Array, int], npt.ArrayLike], a: npt.ArrayLike, axes: _Axis
) -> Array: ...
def argpartition(
    a: npt.ArrayLike,
    kth: _Shape,
    axis: SupportsIndex | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: str | Sequence[str] | None = None,
) -> Array: ...
def argwhere(a: npt.ArrayLike) -> Array: ...
def around(a: npt.ArrayLike, decimals: SupportsIndex = 0, out: Array | None = None) -> Array: ...
def array_equal(a1: npt.ArrayLike, a2: npt.ArrayLike, equal_nan: bool = False) -> bool: ...
def array_equiv(a1: npt.ArrayLike, a2: npt.ArrayLike) -> bool: ...
def array_split(
    ary: npt.ArrayLike,
    indices_or_sections: SupportsIndex | Sequence[SupportsIndex] | npt.ArrayLike,
    axis: SupportsIndex = 0,
) -> list[Array]: ...
def asanyarray(
    a: npt.ArrayLike,
    dtype: npt.DTypeLike | None = None,
    order: _Order | None = None,
    *,
    device: Device | str | None = None,
    copy: bool | None = None,
    like: object = None,
) -> Array: ...
def asarray_chkfinite(
    a: npt.ArrayLike, dtype: npt.DTypeLike | None = None, order: _Order | None = None
) -> Array: ...
def ascontiguousarray(
    a: npt.ArrayLike, dtype: npt.DTypeLike | None = None, *, like: object = None
) -> Array: ...
def asfortranarray(
    a: npt.ArrayLike, dtype: npt.DTypeLike | None = None, *, like: object = None
) -> Array: ...
def bartlett(M: float) -> Array: ...
def bincount(
    x: npt.ArrayLike, /, weights: npt.ArrayLike | None = None, minlength: SupportsIndex = 0
) -> Array: ...
def blackman(M: float) -> Array: ...
def block(arrays: _Nested) -> Array: ...
def choose(
    a: npt.ArrayLike,
    choices: Sequence[npt.ArrayLike] | npt.ArrayLike,
    out: Array | None = None,
    mode: _Mode = "raise",
) -> Array: ...
def column_stack(tup: Sequence[npt.ArrayLike] | npt.ArrayLike) -> Array: ...
def compress(
    condition: npt.ArrayLike,
    a: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
) -> Array: ...
def concatenate(
    arrays: Sequence[npt.ArrayLike] | npt.ArrayLike,
    /,
    axis: SupportsIndex | None = 0,
    out: Array | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    casting: _Casting = "same_kind",
) -> Array: ...
def convolve(a: npt.ArrayLike, v: npt.ArrayLike, mode: _Convolve = "full") -> Array: ...
def copy(a: npt.ArrayLike, order: _Order = "K", subok: bool = False) -> Array: ...
def copyto(
    dst: Array, src: npt.ArrayLike, casting: _Casting = "same_kind", where: npt.ArrayLike = True
) -> None: ...
def corrcoef(
    x: npt.ArrayLike,
    y: npt.ArrayLike | None = None,
    rowvar: bool = True,
    *,
    dtype: npt.DTypeLike | None = None,
) -> Array: ...
def correlate(a: npt.ArrayLike, v: npt.ArrayLike, mode: _Convolve = "valid") -> Array: ...
def cov(
    m: npt.ArrayLike,
    y: npt.ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights: npt.ArrayLike | None = None,
    aweights: npt.ArrayLike | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
) -> Array: ...
def cross(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    axisa: SupportsIndex = -1,
    axisb: SupportsIndex = -1,
    axisc: SupportsIndex = -1,
    axis: SupportsIndex | None = None,
) -> Array: ...
def cumprod(
    a: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...
def cumsum(
    a: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...
def delete(
    arr: npt.ArrayLike, obj: slice | npt.ArrayLike, axis: SupportsIndex | None = None
) -> Array: ...
def diag(v: npt.ArrayLike, k: SupportsIndex = 0) -> Array: ...
def diag_indices(n: SupportsIndex, ndim: SupportsIndex = 2) -> tuple[Array, ...]: ...
def diag_indices_from(arr: npt.ArrayLike) -> tuple[Array, ...]: ...
def diagflat(v: npt.ArrayLike, k: SupportsIndex = 0) -> Array: ...
def diagonal(
    a: npt.ArrayLike, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> Array: ...
def digitize(x: npt.ArrayLike, bins: npt.ArrayLike, right: bool = False) -> Array: ...
def dot(a: npt.ArrayLike, b: npt.ArrayLike, out: Array | None = None) -> Array: ...
def dsplit(
    ary: npt.ArrayLike, indices_or_sections: SupportsIndex | Sequence[SupportsIndex] | npt.ArrayLike
) -> list[Array]: ...
def dstack(tup: Sequence[npt.ArrayLike] | npt.ArrayLike) -> Array: ...
def ediff1d(
    ary: npt.ArrayLike, to_end: npt.ArrayLike | None = None, to_begin: npt.ArrayLike | None = None
) -> Array: ...
def einsum(
    *operands: npt.ArrayLike | str | Sequence[SupportsIndex | EllipsisType],
    out: Array | None = None,
    optimize: bool | str | Sequence[object] = False,
    **kwargs: object,
) -> Array: ...
def einsum_path(
    *operands: npt.ArrayLike | str | Sequence[SupportsIndex | EllipsisType],
    optimize: bool | str | Sequence[object] = "greedy",
    einsum_call: bool = False,
) -> tuple[list[object], str]: ...
def extract(condition: npt.ArrayLike, arr: npt.ArrayLike) -> Array: ...
def fill_diagonal(a: Array, val: npt.ArrayLike, wrap: bool = False) -> None: ...
def fix(x: npt.ArrayLike, out: Array | None = None) -> Array: ...
def flatnonzero(a: npt.ArrayLike) -> Array: ...
def fliplr(m: npt.ArrayLike) -> Array: ...
def flipud(m: npt.ArrayLike) -> Array: ...
def fromfunction(
    function: Callable[..., npt.ArrayLike],
    shape: Sequence[SupportsIndex],
    *,
    dtype: npt.DTypeLike | None = ...,
    like: object = None,
    **kwargs: object,
) -> Array: ...
def fromiter(
    iter: Iterable[object], dtype: npt.DTypeLike, count: SupportsIndex = -1, *, like: object = None
) -> Array: ...
def geomspace(
    start: npt.ArrayLike,
    stop: npt.ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    dtype: npt.DTypeLike | None = None,
    axis: SupportsIndex = 0,
) -> Array: ...
def gradient(
    f: npt.ArrayLike, *varargs: npt.ArrayLike, axis: _Axes = None, edge_order: Literal[1, 2] = 1
) -> Array | tuple[Array, ...]: ...
def hamming(M: float) -> Array: ...
def hanning(M: float) -> Array: ...
def histogram(
    a: npt.ArrayLike,
    bins: SupportsIndex | str | npt.ArrayLike = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: npt.ArrayLike | None = None,
) -> tuple[Array, Array]: ...
def histogram2d(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    bins: SupportsIndex | npt.ArrayLike | Sequence[SupportsIndex | npt.ArrayLike] = 10,
    range: npt.ArrayLike | None = None,
    density: bool | None = None,
    weights: npt.ArrayLike | None = None,
) -> tuple[Array, Array, Array]: ...
def histogram_bin_edges(
    a: npt.ArrayLike,
    bins: SupportsIndex | str | npt.ArrayLike = 10,
    range: tuple[float, float] | None = None,
    weights: npt.ArrayLike | None = None,
) -> Array: ...
def histogramdd(
    sample: npt.ArrayLike | Sequence[npt.ArrayLike],
    bins: SupportsIndex | npt.ArrayLike | Sequence[SupportsIndex | npt.ArrayLike] = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool | None = None,
    weights: npt.ArrayLike | None = None,
) -> tuple[Array, list[Array]]: ...
def hsplit(
    ary: npt.ArrayLike, indices_or_sections: SupportsIndex | Sequence[SupportsIndex] | npt.ArrayLike
) -> list[Array]: ...
def hstack(
    tup: Sequence[npt.ArrayLike] | npt.ArrayLike,
    *,
    dtype: npt.DTypeLike | None = None,
    casting: _Casting = "same_kind",
) -> Array: ...
def i0(x: npt.ArrayLike) -> Array: ...
def identity(
    n: SupportsIndex, dtype: npt.DTypeLike | None = None, *, like: object = None
) -> Array: ...
@overload
def indices(
    dimensions: Sequence[SupportsIndex],
    dtype: npt.DTypeLike | None = ...,
    sparse: Literal[False] = False,
) -> Array: ...
@overload
def indices(
    dimensions: Sequence[SupportsIndex],
    dtype: npt.DTypeLike | None = ...,
    *,
    sparse: Literal[True],
) -> tuple[Array, ...]: ...
def inner(a: npt.ArrayLike, b: npt.ArrayLike, /) -> Array: ...
def insert(
    arr: npt.ArrayLike,
    obj: slice | npt.ArrayLike,
    values: npt.ArrayLike,
    axis: SupportsIndex | None = None,
) -> Array: ...
def interp(
    x: npt.ArrayLike,
    xp: npt.ArrayLike,
    fp: npt.ArrayLike,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> Array: ...
def isclose(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    rtol: npt.ArrayLike = 1e-05,
    atol: npt.ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Array: ...
def iscomplex(x: npt.ArrayLike) -> Array: ...
def isneginf(x: npt.ArrayLike, out: Array | None = None) -> Array: ...
def isposinf(x: npt.ArrayLike, out: Array | None = None) -> Array: ...
def isreal(x: npt.ArrayLike) -> Array: ...
def ix_(*args: npt.ArrayLike) -> tuple[Array, ...]: ...
def kaiser(M: float, beta: npt.ArrayLike) -> Array: ...
def kron(a: npt.ArrayLike, b: npt.ArrayLike) -> Array: ...
def lexsort(keys: npt.ArrayLike | Sequence[npt.ArrayLike], axis: SupportsIndex = -1) -> Array: ...
def logspace(
    start: npt.ArrayLike,
    stop: npt.ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: npt.ArrayLike = 10.0,
    dtype: npt.DTypeLike | None = None,
    axis: SupportsIndex = 0,
) -> Array: ...
def mask_indices(
    n: SupportsIndex, mask_func: Callable[[Array, int], npt.ArrayLike], k: SupportsIndex = 0
) -> tuple[Array, Array]: ...
def median(
    a: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array: ...
def nan_to_num(
    x: npt.ArrayLike,
    copy: bool = True,
    nan: npt.ArrayLike = 0.0,
    posinf: npt.ArrayLike | None = None,
    neginf: npt.ArrayLike | None = None,
) -> Array: ...
def nanargmax(
    a: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = ...,
) -> Array: ...
def nanargmin(
    a: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = ...,
) -> Array: ...
def nancumprod(
    a: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...
def nancumsum(
    a: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...
def nanmax(
    a: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = ...,
    initial: npt.ArrayLike = ...,
    where: npt.ArrayLike = ...,
) -> Array: ...
def nanmean(
    a: npt.ArrayLike,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = ...,
    *,
    where: npt.ArrayLike = ...,
) -> Array: ...
def nanmedian(
    a: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = ...,
) -> Array: ...
def nanmin(
    a: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = ...,
    initial: npt.ArrayLike = ...,
    where: npt.ArrayLike = ...,
) -> Array: ...
def nanpercentile(
    a: npt.ArrayLike,
    q: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: _Method = "linear",
    keepdims: bool = ...,
    *,
    weights: npt.ArrayLike | None = None,
) -> Array: ...
def nanprod(
    a: npt.ArrayLike,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = ...,
    initial: npt.ArrayLike = ...,
    where: npt.ArrayLike = ...,
) -> Array: ...
def nanquantile(
    a: npt.ArrayLike,
    q: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: _Method = "linear",
    keepdims: bool = ...,
    *,
    weights: npt.ArrayLike | None = None,
) -> Array: ...
def nanstd(
    a: npt.ArrayLike,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = ...,
    *,
    where: npt.ArrayLike = ...,
    mean: npt.ArrayLike = ...,
    correction: float = ...,
) -> Array: ...
def nansum(
    a: npt.ArrayLike,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = ...,
    initial: npt.ArrayLike = ...,
    where: npt.ArrayLike = ...,
) -> Array: ...
def nanvar(
    a: npt.ArrayLike,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = ...,
    *,
    where: npt.ArrayLike = ...,
    mean: npt.ArrayLike = ...,
    correction: float = ...,
) -> Array: ...
def outer(a: npt.ArrayLike, b: npt.ArrayLike, out: Array | None = None) -> Array: ...
def packbits(
    a: npt.ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    bitorder: Literal["big", "little"] = "big",
) -> Array: ...
def pad(
    array: npt.ArrayLike,
    pad_width: SupportsIndex
    | Sequence[SupportsIndex]
    | Sequence[Sequence[SupportsIndex]]
    | Mapping[int, SupportsIndex | tuple[SupportsIndex, SupportsIndex]]
    | npt.ArrayLike,
    mode: str | Callable[..., object] = "constant",
    **kwargs: object,
) -> Array: ...
def partition(
    a: npt.ArrayLike,
    kth: _Shape,
    axis: SupportsIndex | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: str | Sequence[str] | None = None,
) -> Array: ...
def percentile(
    a: npt.ArrayLike,
    q: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: _Method = "linear",
    keepdims: bool = False,
    *,
    weights: npt.ArrayLike | None = None,
) -> Array: ...
def piecewise(
    x: npt.ArrayLike,
    condlist: npt.ArrayLike | Sequence[npt.ArrayLike],
    funclist: Sequence[Callable[..., npt.ArrayLike] | complex],
    *args: object,
    **kw: object,
) -> Array: ...
def place(arr: Array, mask: npt.ArrayLike, vals: npt.ArrayLike) -> None: ...
def ptp(
    a: npt.ArrayLike, axis: _Axes = None, out: Array | None = None, keepdims: bool = ...
) -> Array: ...
def put(a: Array, ind: npt.ArrayLike, v: npt.ArrayLike, mode: _Mode = "raise") -> None: ...
def put_along_axis(
    arr: Array, indices: npt.ArrayLike, values: npt.ArrayLike, axis: SupportsIndex | None
) -> None: ...
def putmask(a: Array, /, mask: npt.ArrayLike, values: npt.ArrayLike) -> None: ...
def quantile(
    a: npt.ArrayLike,
    q: npt.ArrayLike,
    axis: _Axes = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: _Method = "linear",
    keepdims: bool = False,
    *,
    weights: npt.ArrayLike | None = None,
) -> Array: ...
def ravel(a: npt.ArrayLike, order: _Order = "C") -> Array: ...
def ravel_multi_index(
    multi_index: Sequence[npt.ArrayLike],
    dims: _Shape,
    mode: _Mode | tuple[_Mode, ...] = "raise",
    order: Literal["C", "F"] = "C",
) -> Array: ...
def real_if_close(a: npt.ArrayLike, tol: float = 100) -> Array: ...
def require(
    a: npt.ArrayLike,
    dtype: npt.DTypeLike | None = None,
    requirements: str | Sequence[str] | None = None,
    *,
    like: object = None,
) -> Array: ...
def resize(a: npt.ArrayLike, new_shape: _Shape) -> Array: ...
def rollaxis(a: npt.ArrayLike, axis: SupportsIndex, start: SupportsIndex = 0) -> Array: ...
def rot90(
    m: npt.ArrayLike, k: SupportsIndex = 1, axes: tuple[SupportsIndex, SupportsIndex] = (0, 1)
) -> Array: ...
def select(
    condlist: Sequence[npt.ArrayLike],
    choicelist: Sequence[npt.ArrayLike],
    default: npt.ArrayLike = 0,
) -> Array: ...
def setdiff1d(ar1: npt.ArrayLike, ar2: npt.ArrayLike, assume_unique: bool = False) -> Array: ...
def setxor1d(ar1: npt.ArrayLike, ar2: npt.ArrayLike, assume_unique: bool = False) -> Array: ...
def sinc(x: npt.ArrayLike) -> Array: ...
def sort_complex(a: npt.ArrayLike) -> Array: ...
def split(
    ary: npt.ArrayLike,
    indices_or_sections: SupportsIndex | Sequence[SupportsIndex] | npt.ArrayLike,
    axis: SupportsIndex = 0,
) -> list[Array]: ...
def swapaxes(a: npt.ArrayLike, axis1: SupportsIndex, axis2: SupportsIndex) -> Array: ...
def trace(
    a: npt.ArrayLike,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...
def transpose(a: npt.ArrayLike, axes: _Axes = None) -> Array: ...
def trapezoid(
    y: npt.ArrayLike, x: npt.ArrayLike | None = None, dx: float = 1.0, axis: SupportsIndex = -1
) -> Array: ...
def tri(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: npt.DTypeLike | None = ...,
    *,
    like: object = None,
) -> Array: ...
def tril_indices(
    n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None
) -> tuple[Array, Array]: ...
def tril_indices_from(arr: npt.ArrayLike, k: SupportsIndex = 0) -> tuple[Array, Array]: ...
@overload
def trim_zeros(
    filt: Array | npt.NDArray[Any],
    trim: Literal["f", "b", "fb", "bf"] = "fb",
    axis: _Axes = None,
) -> Array: ...
@overload
def trim_zeros(
    filt: list[_T], trim: Literal["f", "b", "fb", "bf"] = "fb", axis: _Axes = None
) -> list[_T]: ...
def triu_indices(
    n: SupportsIndex, k: SupportsIndex = 0, m: SupportsIndex | None = None
) -> tuple[Array, Array]: ...
def triu_indices_from(arr: npt.ArrayLike, k: SupportsIndex = 0) -> tuple[Array, Array]: ...
def union1d(ar1: npt.ArrayLike, ar2: npt.ArrayLike) -> Array: ...
def unpackbits(
    a: npt.ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    count: SupportsIndex | None = None,
    bitorder: Literal["big", "little"] = "big",
) -> Array: ...
def unravel_index(
    indices: npt.ArrayLike, shape: _Shape, order: Literal["C", "F"] = "C"
) -> tuple[Array, ...]: ...
def unwrap(
    p: npt.ArrayLike,
    discont: float | None = None,
    axis: SupportsIndex = -1,
    *,
    period: float = 6.283185307179586,
) -> Array: ...
def vdot(a: npt.ArrayLike, b: npt.ArrayLike, /) -> Array: ...
def vsplit(
    ary: npt.ArrayLike, indices_or_sections: SupportsIndex | Sequence[SupportsIndex] | npt.ArrayLike
) -> list[Array]: ...
def vstack(
    tup: Sequence[npt.ArrayLike] | npt.ArrayLike,
    *,
    dtype: npt.DTypeLike | None = None,
    casting: _Casting = "same_kind",
) -> Array: ...
@overload
def atleast_1d(a: npt.ArrayLike, /) -> Array: ...
@overload
def atleast_1d(*arys: npt.ArrayLike) -> tuple[Array, ...]: ...
@overload
def atleast_2d(a: npt.ArrayLike, /) -> Array: ...
@overload
def atleast_2d(*arys: npt.ArrayLike) -> tuple[Array, ...]: ...
@overload
def atleast_3d(a: npt.ArrayLike, /) -> Array: ...
@overload
def atleast_3d(*arys: npt.ArrayLike) -> tuple[Array, ...]: ...
@overload
def average(
    a: npt.ArrayLike,
    axis: _Axes = None,
    weights: npt.ArrayLike | None = None,
    returned: Literal[False] = False,
    *,
    keepdims: bool = ...,
) -> Array: ...
@overload
def average(
    a: npt.ArrayLike,
    axis: _Axes = None,
    weights: npt.ArrayLike | None = None,
    *,
    returned: Literal[True],
    keepdims: bool = ...,
) -> tuple[Array, Array]: ...
@overload
def intersect1d(
    ar1: npt.ArrayLike,
    ar2: npt.ArrayLike,
    assume_unique: bool = False,
    return_indices: Literal[False] = False,
) -> Array: ...
@overload
def intersect1d(
    ar1: npt.ArrayLike,
    ar2: npt.ArrayLike,
    assume_unique: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Array, Array, Array]: ...
@overload
def unique(
    ar: npt.ArrayLike,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: SupportsIndex | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Array: ...
@overload
def unique(
    ar: npt.ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: SupportsIndex | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[Array, ...]: ...

row_stack = vstack
