import os
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Literal, Self

import numpy as np
import numpy.typing as npt
from numpy._globals import _NoValueType

from ._array import Array

KEPT: frozenset[str]
HELPERS: frozenset[str]
LATE: tuple[str, ...]
MODULES: frozenset[str]
OWN: dict[str, object]

def forwarder(
    numpy_module: types.ModuleType, name: str, own: Sequence[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]: ...
def forward(value: object, attribute: str, module: str) -> object: ...

class Submodule(types.ModuleType):
    def __init__(self, numpy_module: types.ModuleType, name: str) -> None: ...

def submodules(numpy_module: types.ModuleType, name: str) -> dict[str, types.ModuleType]: ...

class IndexHelper:
    def __init__(self, helper: object, name: str) -> None: ...
    def __getitem__(self, key: object) -> object: ...
    def __len__(self) -> int: ...

class vectorize(np.vectorize):
    def __init__(
        self,
        pyfunc: Callable[..., object] | _NoValueType = ...,
        otypes: str | Sequence[npt.DTypeLike] | None = None,
        doc: str | None = None,
        excluded: set[int | str] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None: ...
    def __call__(self, *args: object, **kwargs: object) -> Array | tuple[Array, ...]: ...

class Archive(Mapping[str, Array]):
    files: list[str]
    def __init__(self, archive: np.lib.npyio.NpzFile) -> None: ...
    def __getitem__(self, key: str, /) -> Array: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def close(self) -> None: ...

def load(
    file: str | os.PathLike[str] | IO[bytes],
    mmap_mode: Literal["r+", "r", "w+", "c"] | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: Literal["ASCII", "latin1", "bytes"] = "ASCII",
    *,
    max_header_size: int = 10000,
) -> Array | Archive: ...
