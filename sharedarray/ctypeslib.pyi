import ctypes
from collections.abc import Iterable, Sequence
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
from numpy.ctypeslib import as_ctypes_type as as_ctypes_type
from numpy.ctypeslib import c_intp as c_intp
from numpy.ctypeslib import load_library as load_library

from ._array import Array

__all__ = ["as_array", "as_ctypes", "as_ctypes_type", "c_intp", "load_library", "ndpointer"]

def as_array(
    obj: ctypes.Array[ctypes._SimpleCData[object]]
    | ctypes._Pointer[ctypes._SimpleCData[object]]
    | npt.ArrayLike,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
) -> Array: ...
def as_ctypes(
    obj: Array | npt.NDArray[np.generic],
) -> ctypes.Array[ctypes._SimpleCData[object]]: ...
def ndpointer(
    dtype: npt.DTypeLike | None = None,
    ndim: SupportsIndex | None = None,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    flags: str | int | Iterable[str] | None = None,
) -> type: ...
