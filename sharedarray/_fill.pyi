from typing import Any

import numpy.typing as npt

def filled(a: npt.NDArray[Any], value: npt.ArrayLike) -> npt.NDArray[Any]: ...
