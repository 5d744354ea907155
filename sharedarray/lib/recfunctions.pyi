from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from .._array import Array, _Casting

_Records: TypeAlias = Array | npt.NDArray[Any]  # NumPy's masked and record arrays among them

def append_fields(
    base: npt.ArrayLike,
    names: str | Sequence[str],
    data: npt.ArrayLike | Sequence[npt.ArrayLike],
    dtypes: npt.DTypeLike | Sequence[npt.DTypeLike] | None = None,
    fill_value: object = -1,
    usemask: bool = True,
    asrecarray: bool = False,
) -> _Records: ...
def apply_along_fields(func: Callable[[Array], npt.ArrayLike], arr: npt.ArrayLike) -> Array: ...
def assign_fields_by_name(dst: Array, src: npt.ArrayLike, zero_unassigned: bool = True) -> None: ...
def drop_fields(
    base: npt.ArrayLike,
    drop_names: str | Sequence[str],
    usemask: bool = True,
    asrecarray: bool = False,
) -> _Records: ...
def find_duplicates(
    a: npt.ArrayLike,
    key: str | Sequence[str] | None = None,
    ignoremask: bool = True,
    return_index: bool = False,
) -> _Records | tuple[_Records, _Records]: ...
def flatten_descr(ndtype: np.dtype[np.void]) -> tuple[tuple[str, np.dtype[np.generic]], ...]: ...
def get_fieldstructure(
    adtype: np.dtype[np.void],
    lastname: str | None = None,
    parents: dict[str, list[str]] | None = None,
) -> dict[str, list[str]]: ...
def get_names(adtype: np.dtype[np.void]) -> tuple[object, ...] | None: ...
def get_names_flat(adtype: np.dtype[np.void]) -> tuple[str, ...] | None: ...
def join_by(
    key: str | Sequence[str],
    r1: npt.ArrayLike,
    r2: npt.ArrayLike,
    jointype: Literal["inner", "outer", "leftouter"] = "inner",
    r1postfix: str = "1",
    r2postfix: str = "2",
    defaults: Mapping[str, object] | None = None,
    usemask: bool = True,
    asrecarray: bool = False,
) -> _Records: ...
def merge_arrays(
    seqarrays: npt.ArrayLike | Sequence[npt.ArrayLike],
    fill_value: object = -1,
    flatten: bool = False,
    usemask: bool = False,
    asrecarray: bool = False,
) -> _Records: ...
def rec_append_fields(
    base: npt.ArrayLike,
    names: str | Sequence[str],
    data: npt.ArrayLike | Sequence[npt.ArrayLike],
    dtypes: npt.DTypeLike | Sequence[npt.DTypeLike] | None = None,
) -> _Records: ...
def rec_drop_fields(base: npt.ArrayLike, drop_names: str | Sequence[str]) -> _Records: ...
def rec_join(
    key: str | Sequence[str],
    r1: npt.ArrayLike,
    r2: npt.ArrayLike,
    jointype: Literal["inner", "outer", "leftouter"] = "inner",
    r1postfix: str = "1",
    r2postfix: str = "2",
    defaults: Mapping[str, object] | None = None,
) -> _Records: ...
def recursive_fill_fields(input: npt.ArrayLike, output: Array) -> Array: ...
def rename_fields(base: npt.ArrayLike, namemapper: Mapping[str, str]) -> _Records: ...
def repack_fields(
    a: npt.ArrayLike, align: bool = False, recurse: bool = False
) -> Array | np.dtype[np.generic]: ...
def require_fields(array: npt.ArrayLike, required_dtype: npt.DTypeLike) -> Array: ...
def stack_arrays(
    arrays: Sequence[npt.ArrayLike] | npt.ArrayLike,
    defaults: Mapping[str, object] | None = None,
    usemask: bool = True,
    asrecarray: bool = False,
    autoconvert: bool = False,
) -> _Records: ...
def structured_to_unstructured(
    arr: npt.ArrayLike,
    dtype: npt.DTypeLike | None = None,
    copy: bool = False,
    casting: _Casting = "unsafe",
) -> Array: ...
def unstructured_to_structured(
    arr: npt.ArrayLike,
    dtype: npt.DTypeLike | None = None,
    names: str | Sequence[str] | None = None,
    align: bool = False,
    copy: bool = False,
    casting: _Casting = "unsafe",
) -> Array: ...
def __dir__() -> list[str]: ...
