import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from ._array import Array

@disjoint_base
class Arguments: ...

def __array__(
    self: Array, dtype: npt.DTypeLike | None = None, copy: bool | None = None
) -> npt.NDArray[Any]: ...
def __array_namespace__(self: Array, *, api_version: str | None = None) -> types.ModuleType: ...
def __array_ufunc__(
    self: Array, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object
) -> object: ...
def __array_function__(
    self: Array,
    func: Callable[..., object],
    types: Sequence[type],
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> object: ...
