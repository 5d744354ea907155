"""Arguments of this namespace's functions as CuPy's functions take them.

What NumPy takes for an array, lists and numbers, becomes one where CuPy wants it. Parameters are
passed on where they differ from their defaults, by name; what CuPy does not take is refused.
"""

import functools
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
#: Without effect on results.
IGNORED = frozenset({"like", "subok"})
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


def required(signature, target):
    """Return how many arguments say all that CuPy's function needs.

    Parameters
    ----------
    signature : inspect.Signature or None
        Our parameters.
    target : callable
        CuPy's function.

    Returns
    -------
    out : int
        -1 where that depends on the arguments.
    """
    if signature is None:
        return -1
    taken, count = _taken(target) or {}, 0
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            return -1
        if parameter.default is parameter.empty:
            count += 1
        elif taken.get(parameter.name):
            return -1
    return count


@functools.lru_cache(maxsize=1024)
def _taken(target):
    """Return names and necessity of the parameters a function of CuPy's takes; None: unknown."""
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return {p.name: p.default is p.empty for p in parameters}


def bound(name, target, signature, args, kwargs, skip=0):
    """Call a function of CuPy's with what was given for parameters of ours.

    Parameters
    ----------
    name : str
        The name, for messages.
    target : callable
        CuPy's function.
    signature : inspect.Signature or None
        Our parameters; None where they are not known: all is passed on as it is.
    args, kwargs : sequence, dict
        The arguments.
    skip : int, optional
        That many leading arguments are bound to `target` already.

    Returns
    -------
    out : object
        What it returns.

    Raises
    ------
    NotImplementedError
        If an argument is given that CuPy does not take.
    """
    if signature is None:
        return target(*args[skip:], **kwargs)
    # What is remembered must not hold an array, as a method bound to it would.
    taken = _taken(getattr(type(target.__self__), target.__name__) if skip else target)
    given = signature.bind(*args, **kwargs).arguments
    positional, named = [], {}
    for parameter in signature.parameters.values():
        if parameter.name not in given:
            if (
                taken is not None
                and taken.get(parameter.name)
                and parameter.default is not (parameter.empty)
            ):
                named[parameter.name] = parameter.default
            continue
        value = given[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += value
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.default is parameter.empty or parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        elif not _same(value, parameter.default) or (taken and taken.get(parameter.name)):
            named[parameter.name] = value
    for key in [*named]:
        if key in IGNORED:
            del named[key]
        elif taken is not None and key not in taken:
            raise NotImplementedError(
                f"{name}: CuPy {cupy.__version__} takes no {key}={named[key]!r}"
            )
    try:
        result = target(*positional[skip:], **named)
    except TypeError as error:
        if "unexpected keyword" in str(error):
            raise NotImplementedError(f"{name}: CuPy {cupy.__version__}: {error}") from None
        raise
    out = named.get("out")  # of which CuPy's cumsum returns a view
    return out if isinstance(out, cupy.ndarray) else result


def _same(value, default):
    """Tell whether an argument is the default."""
    if value is default:
        return True
    plain = (bool, int, float, str, type(None))
    return isinstance(value, plain) and type(value) is type(default) and value == default
