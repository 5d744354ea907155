"""CuPy's functions and methods, with the parameters and results that this namespace promises.

What the standard has goes through ``array_api_compat.cupy``, the rest to CuPy by name.
"""

import inspect

import array_api_compat.cupy as compat
import cupy
import numpy as np

from . import _decompositions as results
from ._array import Array
from ._cuda_arguments import bound, converter, required

_NO_VALUE = (np._NoValue, inspect.Parameter.empty)
#: Functions whose parameters CuPy has as NumPy has them, and the wrapper for the standard has not.
PLAIN = frozenset(
    {
        "arange",
        "empty",
        "empty_like",
        "eye",
        "full",
        "full_like",
        "linspace",
        "meshgrid",
        "ones",
        "ones_like",
        "zeros",
        "zeros_like",
    }
)
#: Functions that return a Python bool.
TRUTHS = frozenset({"allclose", "array_equal", "array_equiv", "may_share_memory", "shares_memory"})
#: Functions that return tuples, for which CuPy has lists.
TUPLES = frozenset({"atleast_1d", "atleast_2d", "atleast_3d", "gradient"})


def find(name, reference):
    """Return CuPy's function for one of the namespace.

    Parameters
    ----------
    name : str
        Its name, dotted below the package.
    reference : Function
        The function of the namespace, which tells parameters and defaults.

    Returns
    -------
    out : callable
        Takes what the function of the namespace takes, with CuPy's arrays.

    Raises
    ------
    NotImplementedError
        If CuPy has no such function.
    """
    target = FUNCTIONS.get(name)
    if target is None:
        target = None if name in PLAIN else _by_name(compat, name)
        target = target or _by_name(cupy, name)
    if target is None:
        raise NotImplementedError(f"{name}: CuPy {cupy.__version__} has no such function")
    signature = getattr(reference, "__signature__", None)
    needed = required(signature, target)
    leading = reference._arrays if not isinstance(target, cupy.ufunc) else target.nin
    convert = converter(name, signature, leading)

    def function(*args, **kwargs):
        args, kwargs = convert(args, kwargs)
        try:
            if len(args) == needed and not kwargs:
                r = target(*args)
            else:
                r = bound(name, target, signature, args, kwargs)
        except AttributeError as error:  # CuPy asks for attributes before it checks
            raise NotImplementedError(
                f"{name}: CuPy {cupy.__version__} takes no such arguments ({error})"
            ) from error
        if name in TRUTHS:
            return bool(r)
        return tuple(r) if name in TUPLES and type(r) is list else r

    return function


def _by_name(module, name):
    """Return a function by its dotted name; None where there is none."""
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if callable(found) and not isinstance(found, type) else None


# What differs


def _freedom(ddof, correction):
    """Return the one correction that was given."""
    if ddof in (None, np._NoValue, 0) and correction not in (None, np._NoValue):
        return correction
    return 0 if ddof in (None, np._NoValue) else ddof


def _spread(name):
    """Make `std` or `var`, as function and as method."""
    target = getattr(cupy, name)

    def spread(
        x, axis=None, dtype=None, out=None, ddof=None, keepdims=False, *, correction=0, **more
    ):
        unknown = [key for key, value in more.items() if key == "where" and value is not True]
        unknown += [key for key, value in more.items() if key == "mean" and value not in _NO_VALUE]
        if unknown:
            raise NotImplementedError(f"{name}: CuPy {cupy.__version__} takes no {unknown[0]}=")
        return target(x, axis, dtype, out, _freedom(ddof, correction), keepdims)

    return spread


def _sorted(x, axis=-1, kind=None, order=None, *, descending=False, stable=True):
    """Sort; CuPy's sort is stable."""
    _no_order("sort", order)
    if axis is None:
        x, axis = x.ravel(), -1
    result = cupy.sort(x, axis)
    return cupy.flip(result, axis) if descending else result


def _argsorted(x, axis=-1, kind=None, order=None, *, descending=False, stable=True):
    """Sort indices; equal elements keep their order, also in a descending sort."""
    _no_order("argsort", order)
    if axis is None:
        x, axis = x.ravel(), -1
    if not descending:
        return cupy.argsort(x, axis)
    reversed_ = cupy.flip(cupy.argsort(cupy.flip(x, axis), axis), axis)
    return x.shape[axis] - 1 - reversed_


def _no_order(name, order):
    """Refuse fields of structured types."""
    if order is not None:
        raise NotImplementedError(f"{name}: CuPy {cupy.__version__} takes no order={order!r}")


def _sort_in_place(x, axis=-1, kind=None, order=None, *, stable=None, descending=None):
    """Sort the elements of an array in place."""
    _no_order("sort", order)
    x.sort(axis)
    if descending:
        x[...] = cupy.flip(x, axis).copy()


def _argsort_method(x, axis=-1, kind=None, order=None, *, stable=None, descending=None):
    """Sort indices, as a method."""
    return _argsorted(x, axis, kind, order, descending=bool(descending))


def _partition(x, kth, axis=-1, kind="introselect", order=None):
    """Partition an array in place."""
    _no_order("partition", order)
    x.partition(kth, axis)


def _argpartition(x, kth, axis=-1, kind="introselect", order=None):
    """Return indices that partition an array."""
    _no_order("argpartition", order)
    return cupy.argpartition(x, kth, axis)


def _as_array(x):
    """Return values as an array of CuPy's."""
    return x if isinstance(x, cupy.ndarray) else cupy.asarray(x)


def _asarray(obj, dtype, order):
    """Make an array of numbers and arrays in lists, which CuPy wants to be arrays all of them."""
    return cupy.array(_all_arrays(obj) if _any_array(obj) else obj, dtype, order=order or "K")


def _any_array(obj):
    """Tell whether there is an array among nested values."""
    if isinstance(obj, (list, tuple)):
        return any(_any_array(item) for item in obj)
    return isinstance(obj, cupy.ndarray)


def _all_arrays(obj):
    """Return nested values with arrays for the numbers."""
    if isinstance(obj, (list, tuple)):
        return [_all_arrays(item) for item in obj]
    return _as_array(obj)


def _where(condition, x1=None, x2=None):
    """Choose elements; of a condition alone, tell where it holds."""
    return cupy.where(condition) if x1 is None else cupy.where(condition, x1, x2)


def _whole(name):
    """Make `ceil`, `floor` or `trunc`, which leave integers what they are."""
    target = getattr(cupy, name)

    def whole(x, out=None, **options):
        if x.dtype.kind not in "iub" or options:
            return target(x, out, **options)
        if out is None:
            return x.copy()
        out[...] = x
        return out

    return whole


def _take(x, indices, axis=None, out=None, mode="raise"):
    """Take elements; CuPy wraps indices that are out of bounds."""
    if mode == "clip":
        n = x.size if axis is None else x.shape[axis]
        indices = cupy.clip(_as_array(indices), 0, n - 1)
    indices = _as_array(indices)
    if indices.size and indices.dtype.kind not in "iub":  # CuPy finds that no compiler takes it
        raise TypeError(f"take: indices are integers, not {indices.dtype}")
    return cupy.take(x, indices.astype(np.intp) if indices.size == 0 else indices, axis, out)


def _choose(x, choices, out=None, mode="raise"):
    """Choose elements of several arrays, which CuPy wants to be one."""
    if isinstance(choices, (list, tuple)):
        choices = cupy.stack(cupy.broadcast_arrays(*[_as_array(item) for item in choices]))
    result = _as_array(x).choose(choices, None, mode)
    if out is None:
        return result
    out[...] = result
    return out


def _clip(x, min=None, max=None, out=None, **options):
    """Limit elements; the type of the result is that of all arguments."""
    if options:
        raise NotImplementedError(f"clip: CuPy {cupy.__version__} takes no {next(iter(options))}=")
    if min is None and max is None:
        return cupy.positive(x, out)
    return cupy.clip(x, min, max, out)


def _i0(x):
    """Modified Bessel function, of integers in double precision."""
    return cupy.i0(x if x.dtype.kind == "f" else x.astype(np.float64))


def _vecdot(x1, x2, axis=-1, **options):
    """Multiply vectors; of booleans it tells whether any product holds."""
    result = compat.vecdot(x1, x2, axis=axis, **options)
    return result.astype(bool) if x1.dtype == x2.dtype == bool else result


def _complex(x):
    """Return eigenvalues in the complex type of their precision."""
    return x if x.dtype.kind == "c" else x.astype(np.result_type(x.dtype, np.complex64))


def _eig(x):
    """Eigenvalues and eigenvectors, complex in any case."""
    values, vectors = _existing("linalg.eig")(x)
    return results.EigResult(_complex(values), _complex(vectors))


def _eigvals(x):
    """Eigenvalues, complex in any case."""
    return _complex(_existing("linalg.eigvals")(x))


def _existing(name):
    """Return a function that only some versions of CuPy have."""
    found = _by_name(cupy, name)
    if found is None:
        raise NotImplementedError(f"{name}: CuPy {cupy.__version__} has no such function")
    return found


def _eigh(x, UPLO="L"):
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    return results.EighResult(*cupy.linalg.eigh(x, UPLO))


def _qr(x, mode="reduced"):
    """Orthonormal and triangular factors."""
    r = cupy.linalg.qr(x, mode)
    return results.QRResult(*r) if mode in ("reduced", "complete") else r


def _slogdet(x):
    """Sign and logarithm of determinants."""
    return results.SlogdetResult(*cupy.linalg.slogdet(x))


def _svd(x, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular value decomposition."""
    r = cupy.linalg.svd(x, full_matrices, compute_uv)
    return results.SVDResult(*r) if compute_uv else r


def _lexsorted(keys, axis=-1):
    """Sort indices by several keys, the last one first."""
    keys = cupy.stack(keys) if isinstance(keys, (list, tuple)) else keys
    if axis not in (-1, keys.ndim - 2):
        keys = cupy.moveaxis(keys, axis + 1 if axis >= 0 else axis, -1)
    return cupy.lexsort(keys)


def _fill(x, value):
    """Set all elements."""
    x[...] = value


def _astype(x, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """Convert to another data type."""
    if not np.can_cast(x.dtype, dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to {np.dtype(dtype)!r} according to the rule "
            f"{casting!r}"
        )
    return x.astype(dtype, order=order, copy=copy)


def _nonzero(x):
    """Indices of elements that are not zero."""
    if x.ndim == 0:
        raise ValueError("nonzero: a 0-d array has no indices")
    return tuple(x.nonzero())


def _view(x, dtype=None, type=None):
    """Return a view, as another data type."""
    return x.view() if dtype is None or dtype is Array else x.view(dtype)


def _permuted(x, axes=None):
    """Put the axes into another order."""
    return x.transpose() if axes is None else x.transpose(axes)


def _dot(x, other, out=None):
    """Multiply with an array, a list or a number."""
    return cupy.dot(x, cupy.asarray(other) if isinstance(other, (list, tuple)) else other, out)


def _listed(name, place):
    """Make a method one of whose arguments may be a list."""

    def method(x, *args, **kwargs):
        args = [_as_array(a) if i == place else a for i, a in enumerate(args)]
        if kwargs.get("mode") == "raise":
            kwargs.pop("mode")
        return getattr(x, name)(*args, **kwargs)

    return method


FUNCTIONS = {
    "argsort": _argsorted,
    "asarray": _asarray,
    "ceil": _whole("ceil"),
    "choose": _choose,
    "clip": _clip,
    "floor": _whole("floor"),
    "i0": _i0,
    "lexsort": _lexsorted,
    "linalg.eig": _eig,
    "linalg.eigh": _eigh,
    "linalg.eigvals": _eigvals,
    "linalg.qr": _qr,
    "linalg.slogdet": _slogdet,
    "linalg.svd": _svd,
    "linalg.vecdot": _vecdot,
    "permute_dims": _permuted,
    "sort": _sorted,
    "std": _spread("std"),
    "take": _take,
    "trunc": _whole("trunc"),
    "var": _spread("var"),
    "vecdot": _vecdot,
    "where": _where,
}
METHODS = {
    "argpartition": _argpartition,
    "argsort": _argsort_method,
    "astype": _astype,
    "choose": _choose,
    "compress": _listed("compress", 0),
    "dot": _dot,
    "fill": _fill,
    "nonzero": _nonzero,
    "partition": _partition,
    "searchsorted": _listed("searchsorted", 0),
    "sort": _sort_in_place,
    "std": _spread("std"),
    "take": _take,
    "var": _spread("var"),
    "view": _view,
}
