"""What NumPy takes for an array, lists and numbers, as an array where CuPy wants one."""

import inspect
from collections.abc import Callable

import cupy
import numpy as np

#: Parameters that are arrays, by NumPy's names for them.
ARRAYS = frozenset(
    {
        *(
            "a",
            "a1",
            "a2",
            "ar",
            "ar1",
            "ar2",
            "arr",
            "array",
            "ary",
            "a_max",
            "a_min",
            "b",
            "bins",
            "c",
        ),
        *("condition", "element", "fill_value", "filter", "fp", "keys", "m", "max", "min", "p"),
        *("prototype", "src", "test_elements", "to_begin", "to_end", "v", "values", "weights"),
        *("x", "x1", "x2", "xp", "y", "z"),
    }
)
#: Functions that CuPy wants arrays for where NumPy takes numbers.
NUMBERS = frozenset(
    {
        *("array_equal", "array_equiv", "atleast_1d", "atleast_2d", "atleast_3d"),
        *("broadcast_arrays", "convolve", "correlate", "dot", "ediff1d", "inner"),
        *("intersect1d", "isin", "kron", "meshgrid", "outer", "setdiff1d", "setxor1d", "union1d"),
        *("vdot",),
    }
)
_SEQUENCES = (list, tuple)
_AND_NUMBERS = (list, tuple, bool, int, float, complex, np.generic)


def converter(name: str, signature: inspect.Signature | None, count: int) -> Callable:
    """Return what makes arrays of arguments that stand for arrays.

    Parameters
    ----------
    name : str
        The function, dotted below the package.
    signature : inspect.Signature or None
        Its parameters.
    count : int
        That many leading arguments are arrays in any case.

    Returns
    -------
    out : callable
        Takes and returns the arguments by position, and those by name.
    """
    kinds = _AND_NUMBERS if name in NUMBERS else _SEQUENCES
    places, rest = _places(signature, count, name in NUMBERS)

    def convert(args, kwargs):
        for i, x in enumerate(args):
            if isinstance(x, kinds) and (i in places or i >= rest):
                args = [*args[:i], cupy.asarray(x), *args[i + 1 :]]
        for key, x in kwargs.items():
            if key in ARRAYS and isinstance(x, kinds):
                kwargs = {**kwargs, key: cupy.asarray(x)}
        return args, kwargs

    return convert


def _places(signature, count, numbers):
    """Return the places of arguments that are arrays, and the place from which all of them are."""
    places, rest = set(range(count)), 1 << 30
    parameters = () if signature is None else signature.parameters.values()
    for i, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_POSITIONAL and numbers:
            rest = i
        elif parameter.kind is not parameter.KEYWORD_ONLY and parameter.name in ARRAYS:
            places.add(i)
    return frozenset(places), rest
