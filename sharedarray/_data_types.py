"""Data types: NumPy's scalar classes, what they can hold, and conversion between them."""

import numpy as np

from ._describe import export
from ._devices import resolve

#: The data types of the standard by the kinds that `isdtype` knows.
KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


class FloatInfo:
    """Limits of a floating-point type, as Python numbers.

    NumPy's ``finfo`` gives its limits as NumPy scalars, which turn comparisons with Arrays of
    another precision around; here they are Python floats.

    Attributes
    ----------
    bits : int
        Bits of one number.
    dtype : dtype
        The real type described.
    eps, max, min, smallest_normal : float
        The distance from one to the next greater number; the greatest, the least, and the smallest
        positive normal number.
    """

    bits: int
    dtype: np.dtype[np.generic]
    eps: float
    max: float
    min: float
    smallest_normal: float

    def __init__(self, info: "np.finfo[np.floating]") -> None:
        self._info = info
        self.bits = int(info.bits)
        self.dtype = info.dtype
        self.eps = float(info.eps)
        self.max = float(info.max)
        self.min = float(info.min)
        self.smallest_normal = float(info.smallest_normal)

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._info, name)
        return value.item() if isinstance(value, np.generic) else value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FloatInfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __reduce__(self) -> tuple[object, ...]:
        return finfo, (self.dtype,)

    def __repr__(self) -> str:
        return (
            f"finfo(bits={self.bits}, eps={self.eps}, max={self.max}, min={self.min}, "
            f"smallest_normal={self.smallest_normal}, dtype={self.dtype})"
        )


class IntegerInfo:
    """Limits of an integer type, as Python numbers.

    Attributes
    ----------
    bits : int
        Bits of one number.
    dtype : dtype
        The type described.
    kind : str
        ``'i'`` for signed integers, ``'u'`` for unsigned ones.
    max, min : int
        The greatest and the least number.
    """

    bits: int
    dtype: np.dtype[np.generic]
    kind: str
    max: int
    min: int

    def __init__(self, info: "np.iinfo[np.integer]") -> None:
        self.bits = int(info.bits)
        self.dtype = np.dtype(info.dtype)
        self.kind = info.kind
        self.max = int(info.max)
        self.min = int(info.min)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IntegerInfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __reduce__(self) -> tuple[object, ...]:
        return iinfo, (self.dtype,)

    def __repr__(self) -> str:
        return f"iinfo(bits={self.bits}, max={self.max}, min={self.min}, dtype={self.dtype})"


def _type_of(value):
    """The data type of an array, or the one that is named."""
    dtype = getattr(value, "dtype", value)
    return dtype if isinstance(dtype, np.dtype) else value


@export(arrays=0)
def finfo(type, /):
    """Tell the limits of a floating-point type.

    Parameters
    ----------
    type : dtype or Array
        A real or complex floating-point type, or an array of it.

    Returns
    -------
    out : FloatInfo
        The limits, as Python floats; for a complex type those of its parts.

    Raises
    ------
    ValueError
        If the type is not a floating-point type.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.finfo(xp.float32).bits
    32
    >>> isinstance(xp.finfo(xp.float32).eps, float)
    True
    """
    return FloatInfo(np.finfo(_type_of(type)))


@export(arrays=0)
def iinfo(type, /):
    """Tell the limits of an integer type.

    Parameters
    ----------
    type : dtype or Array
        An integer type, or an array of it.

    Returns
    -------
    out : IntegerInfo
        The limits, as Python integers.

    Raises
    ------
    ValueError
        If the type is not an integer type.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.iinfo(xp.int8).max
    127
    """
    return IntegerInfo(np.iinfo(_type_of(type)))


@export(brief=np.ndarray.astype, most=2)
def astype(x, dtype, /, *, copy=True, device=None):
    """Convert an array to another data type.

    Parameters
    ----------
    dtype : dtype
        The type to convert to.
    copy : bool, optional
        False: return the input itself where its type is this one already.

    Returns
    -------
    out : Array
        The converted array.

    Raises
    ------
    TypeError
        If elements of the type would be Python objects.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.astype(xp.asarray([1.5, 2.5]), xp.int64))
    [1 2]
    """
    if device is not None:
        resolve(device)
    return x.astype(dtype, copy=copy)


@export(arrays=0)
def can_cast(from_, to, /, casting="safe"):
    """Tell whether values of one data type can be converted to another.

    Parameters
    ----------
    from_ : dtype or Array
        The type to convert from.
    to : dtype
        The type to convert to.

    Returns
    -------
    out : bool
        Whether the conversion is allowed by the rule.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.can_cast(xp.int32, xp.float64)
    True
    """
    return np.can_cast(_type_of(from_), to, casting)


@export(arrays=0)
def isdtype(dtype, kind):
    """Tell whether a data type is of a kind.

    Parameters
    ----------
    dtype : dtype
        The type.
    kind : dtype or str or tuple of these
        A type; or ``'bool'``, ``'signed integer'``, ``'unsigned integer'``, ``'integral'``,
        ``'real floating'``, ``'complex floating'``, ``'numeric'``; or several of them.

    Returns
    -------
    out : bool
        Whether the type is of the kind, or of one of the kinds.

    Raises
    ------
    ValueError
        If there is no such kind.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.isdtype(xp.float32, ("integral", "real floating"))
    True
    """
    return np.isdtype(np.dtype(dtype), kind)


@export(arrays=0, direct=np.result_type)
def result_type(*arrays_and_dtypes):
    """Compute the data type that an operation on several arrays has.

    Parameters
    ----------
    *arrays_and_dtypes : Array or dtype or scalar
        What takes part.

    Returns
    -------
    out : dtype
        The common type.

    Raises
    ------
    TypeError
        If there is none.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.result_type(xp.int32, xp.asarray([1.0], dtype=xp.float32))
    dtype('float64')
    """
