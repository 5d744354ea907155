from collections.abc import Sequence
from typing import Literal, SupportsIndex

import numpy.typing as npt

from ._array import Array, _SortKind

def argpartition(
    self: Array,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: SupportsIndex | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: str | Sequence[str] | None = None,
) -> Array: ...
def argsort(
    self: Array,
    axis: SupportsIndex | None = -1,
    kind: _SortKind | None = None,
    order: str | Sequence[str] | None = None,
    *,
    descending: bool | None = None,
    stable: bool | None = None,
) -> Array: ...
def choose(
    self: Array,
    choices: Sequence[npt.ArrayLike] | npt.ArrayLike,
    out: Array | None = None,
    mode: Literal["raise", "wrap", "clip"] = "raise",
) -> Array: ...
def compress(
    self: Array,
    condition: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
) -> Array: ...
def nonzero(self: Array) -> tuple[Array, ...]: ...
def partition(
    self: Array,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: SupportsIndex = -1,
    kind: Literal["introselect"] = "introselect",
    order: str | Sequence[str] | None = None,
) -> None: ...
def put(
    self: Array,
    indices: npt.ArrayLike,
    values: npt.ArrayLike,
    mode: Literal["raise", "wrap", "clip"] = "raise",
) -> None: ...
def repeat(self: Array, repeats: npt.ArrayLike, axis: SupportsIndex | None = None) -> Array: ...
def searchsorted(
    self: Array,
    v: npt.ArrayLike,
    side: Literal["left", "right"] = "left",
    sorter: npt.ArrayLike | None = None,
) -> Array: ...
def sort(
    self: Array,
    axis: SupportsIndex | None = -1,
    kind: _SortKind | None = None,
    order: str | Sequence[str] | None = None,
    *,
    descending: bool | None = None,
    stable: bool | None = None,
) -> None: ...
def take(
    self: Array,
    indices: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    mode: Literal["raise", "wrap", "clip"] = "raise",
) -> Array: ...
