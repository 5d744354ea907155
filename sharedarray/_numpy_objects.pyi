# What NumPy has beyond the standard, beside functions of numbers: its objects, files and text.

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Literal, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy import False_ as False_
from numpy import ScalarType as ScalarType
from numpy import True_ as True_
from numpy import bool_ as bool_
from numpy import broadcast as broadcast
from numpy import busdaycalendar as busdaycalendar
from numpy import byte as byte
from numpy import bytes_ as bytes_
from numpy import cdouble as cdouble
from numpy import character as character
from numpy import clongdouble as clongdouble
from numpy import complex256 as complex256
from numpy import complexfloating as complexfloating
from numpy import core as core
from numpy import csingle as csingle
from numpy import datetime64 as datetime64
from numpy import double as double
from numpy import dtype as dtype
from numpy import dtypes as dtypes
from numpy import exceptions as exceptions
from numpy import f2py as f2py
from numpy import flatiter as flatiter
from numpy import flexible as flexible
from numpy import float16 as float16
from numpy import float128 as float128
from numpy import floating as floating
from numpy import generic as generic
from numpy import get_include as get_include
from numpy import get_printoptions as get_printoptions
from numpy import getbufsize as getbufsize
from numpy import geterr as geterr
from numpy import half as half
from numpy import index_exp as index_exp
from numpy import inexact as inexact
from numpy import info as info
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import issubdtype as issubdtype
from numpy import iterable as iterable
from numpy import little_endian as little_endian
from numpy import long as long
from numpy import longdouble as longdouble
from numpy import longlong as longlong
from numpy import ma as ma
from numpy import matrix as matrix
from numpy import memmap as memmap
from numpy import ndenumerate as ndenumerate
from numpy import ndindex as ndindex
from numpy import nditer as nditer
from numpy import number as number
from numpy import object_ as object_
from numpy import poly1d as poly1d
from numpy import printoptions as printoptions
from numpy import rec as rec
from numpy import recarray as recarray
from numpy import record as record
from numpy import s_ as s_
from numpy import sctypeDict as sctypeDict
from numpy import set_printoptions as set_printoptions
from numpy import setbufsize as setbufsize
from numpy import seterr as seterr
from numpy import short as short
from numpy import show_config as show_config
from numpy import show_runtime as show_runtime
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import str_ as str_
from numpy import test as test
from numpy import timedelta64 as timedelta64
from numpy import typecodes as typecodes
from numpy import typename as typename
from numpy import typing as typing
from numpy import ubyte as ubyte
from numpy import ufunc as ufunc
from numpy import uint as uint
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort
from numpy import void as void

from ._array import Array, _Axes, _Casting, _Order

_File: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes] | Iterable[str]

def array2string(
    a: npt.ArrayLike,
    max_line_width: SupportsIndex | None = None,
    precision: SupportsIndex | None = None,
    suppress_small: bool | None = None,
    separator: str = " ",
    prefix: str = "",
    *,
    formatter: Mapping[str, Callable[[object], str]] | None = None,
    threshold: SupportsIndex | None = None,
    edgeitems: SupportsIndex | None = None,
    sign: Literal["-", "+", " "] | None = None,
    floatmode: Literal["fixed", "unique", "maxprec", "maxprec_equal"] | None = None,
    suffix: str = "",
    legacy: Literal["1.13", "1.21", "1.25", "2.1", "2.2", False] | None = None,
) -> str: ...
def array_repr(
    arr: npt.ArrayLike,
    max_line_width: SupportsIndex | None = None,
    precision: SupportsIndex | None = None,
    suppress_small: bool | None = None,
) -> str: ...
def array_str(
    a: npt.ArrayLike,
    max_line_width: SupportsIndex | None = None,
    precision: SupportsIndex | None = None,
    suppress_small: bool | None = None,
) -> str: ...
def asmatrix(data: object, dtype: npt.DTypeLike | None = None) -> Array: ...
def base_repr(
    number: SupportsIndex, base: SupportsIndex = 2, padding: SupportsIndex = 0
) -> str: ...
def binary_repr(num: SupportsIndex, width: SupportsIndex | None = None) -> str: ...
def bmat(
    obj: str | Sequence[npt.ArrayLike] | npt.ArrayLike,
    ldict: Mapping[str, object] | None = None,
    gdict: Mapping[str, object] | None = None,
) -> Array: ...
def busday_count(
    begindates: npt.ArrayLike,
    enddates: npt.ArrayLike,
    weekmask: str | npt.ArrayLike = "1111100",
    holidays: npt.ArrayLike | None = (),
    busdaycal: np.busdaycalendar | None = None,
    out: Array | None = None,
) -> Array: ...
def busday_offset(
    dates: npt.ArrayLike,
    offsets: npt.ArrayLike,
    roll: str = "raise",
    weekmask: str | npt.ArrayLike = "1111100",
    holidays: npt.ArrayLike | None = None,
    busdaycal: np.busdaycalendar | None = None,
    out: Array | None = None,
) -> Array: ...
def common_type(*arrays: npt.ArrayLike) -> type[np.generic]: ...
def datetime_as_string(
    arr: npt.ArrayLike,
    unit: str | None = None,
    timezone: str = "naive",
    casting: _Casting = "same_kind",
) -> Array: ...
def datetime_data(dtype: npt.DTypeLike, /) -> tuple[str, int]: ...
def format_float_positional(
    x: SupportsFloat,
    precision: SupportsIndex | None = None,
    unique: bool = True,
    fractional: bool = True,
    trim: Literal["k", ".", "0", "-"] = "k",
    sign: bool = False,
    pad_left: SupportsIndex | None = None,
    pad_right: SupportsIndex | None = None,
    min_digits: SupportsIndex | None = None,
) -> str: ...
def format_float_scientific(
    x: SupportsFloat,
    precision: SupportsIndex | None = None,
    unique: bool = True,
    trim: Literal["k", ".", "0", "-"] = "k",
    sign: bool = False,
    pad_left: SupportsIndex | None = None,
    exp_digits: SupportsIndex | None = None,
    min_digits: SupportsIndex | None = None,
) -> str: ...
def fromfile(
    file: str | os.PathLike[str] | IO[bytes],
    dtype: npt.DTypeLike | None = None,
    count: SupportsIndex = -1,
    sep: str = "",
    offset: SupportsIndex = 0,
    *,
    like: object = None,
) -> Array: ...
def frompyfunc(
    func: Callable[..., object], /, nin: SupportsIndex, nout: SupportsIndex, **kwargs: object
) -> np.ufunc: ...
def fromregex(
    file: _File,
    regexp: str | bytes | re.Pattern[str],
    dtype: npt.DTypeLike,
    encoding: str | None = None,
) -> Array: ...
def genfromtxt(
    fname: _File,
    dtype: npt.DTypeLike | None = ...,
    comments: str | Sequence[str] | None = "#",
    delimiter: str | int | Sequence[int] | None = None,
    skip_header: SupportsIndex = 0,
    skip_footer: SupportsIndex = 0,
    converters: Mapping[int | str, Callable[[str], object]] | None = None,
    missing_values: object = None,
    filling_values: object = None,
    usecols: Sequence[SupportsIndex | str] | str | SupportsIndex | None = None,
    names: bool | str | Sequence[str] | None = None,
    excludelist: Sequence[str] | None = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~",
    replace_space: str = "_",
    autostrip: bool = False,
    case_sensitive: bool | Literal["upper", "lower"] = True,
    defaultfmt: str = "f%i",
    unpack: bool | None = None,
    usemask: bool = False,
    loose: bool = True,
    invalid_raise: bool = True,
    max_rows: SupportsIndex | None = None,
    encoding: str | None = None,
    *,
    ndmin: Literal[0, 1, 2] = 0,
    like: object = None,
) -> Array: ...
def is_busday(
    dates: npt.ArrayLike,
    weekmask: str | npt.ArrayLike = "1111100",
    holidays: npt.ArrayLike | None = None,
    busdaycal: np.busdaycalendar | None = None,
    out: Array | None = None,
) -> Array: ...
def iscomplexobj(x: object) -> bool: ...
def isfortran(a: npt.ArrayLike) -> bool: ...
def isrealobj(x: object) -> bool: ...
def isscalar(element: object) -> bool: ...
def loadtxt(
    fname: _File,
    dtype: npt.DTypeLike | None = ...,
    comments: str | Sequence[str] | None = "#",
    delimiter: str | int | Sequence[int] | None = None,
    converters: Mapping[int, Callable[[str], object]] | Callable[[str], object] | None = None,
    skiprows: SupportsIndex = 0,
    usecols: SupportsIndex | Sequence[SupportsIndex] | None = None,
    unpack: bool | None = False,
    ndmin: Literal[0, 1, 2] = 0,
    encoding: str | None = None,
    max_rows: SupportsIndex | None = None,
    *,
    quotechar: str | None = None,
    like: object = None,
) -> Array: ...
def may_share_memory(a: object, b: object, /, max_work: int | None = 0) -> bool: ...
def min_scalar_type(a: npt.ArrayLike, /) -> np.dtype[np.generic]: ...
def mintypecode(
    typechars: str | npt.ArrayLike, typeset: str = "GDFgdf", default: npt.ArrayLike = "d"
) -> str: ...
def ndim(a: npt.ArrayLike) -> int: ...
def nested_iters(
    op: npt.ArrayLike | Sequence[npt.ArrayLike],
    axes: Sequence[Sequence[SupportsIndex]],
    flags: Sequence[str] | None = None,
    op_flags: Sequence[Sequence[str]] | None = None,
    op_dtypes: npt.DTypeLike | Sequence[npt.DTypeLike] | None = None,
    order: _Order = "K",
    casting: _Casting = "safe",
    buffersize: SupportsIndex = 0,
) -> tuple[np.nditer, ...]: ...
def promote_types(type1: npt.DTypeLike, type2: npt.DTypeLike, /) -> np.dtype[np.generic]: ...
def save(file: _File, arr: npt.ArrayLike, allow_pickle: bool = True) -> None: ...
def savetxt(
    fname: _File,
    X: npt.ArrayLike,
    fmt: str | Sequence[str] = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None: ...
def savez(
    file: _File, *args: npt.ArrayLike, allow_pickle: bool = True, **kwds: npt.ArrayLike
) -> None: ...
def savez_compressed(
    file: _File, *args: npt.ArrayLike, allow_pickle: bool = True, **kwds: npt.ArrayLike
) -> None: ...
def shape(a: npt.ArrayLike) -> tuple[int, ...]: ...
def shares_memory(a: object, b: object, /, max_work: int | None = -1) -> bool: ...
def size(a: npt.ArrayLike, axis: _Axes = None) -> int: ...
def fromstring(
    string: str | bytes,
    dtype: npt.DTypeLike | None = None,
    count: SupportsIndex = -1,
    *,
    sep: str,
    like: object = None,
) -> Array: ...
