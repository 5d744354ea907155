"""What NumPy finds out only after it has written some elements, found out before it writes any.

The few functions of NumPy that can fail in the middle have a guard here. A guard first looks
whether the arguments are of the kind that may fail; if so, the call is made with a copy of what
would be written, so that the error is NumPy's own, and all elements stay as they were.
"""

cimport cython

import numpy as np

__all__ = ["Guard", "guarded"]

cdef str TEXT = "SUTOV"     # dtype kinds whose conversion to numbers may fail at any element
cdef enum:
    NOWHERE = 99            # a parameter that is passed by name only


cdef int refuse_objects(object dtype) except -1:
    if dtype.hasobject:
        raise TypeError(f"arrays of dtype {dtype!r} hold Python objects, which cannot be shared: "
                        "use a numeric or a fixed-width dtype")
    return 0


cdef object scratch(object out):
    """Copies of what would be written."""
    if isinstance(out, tuple):
        return tuple([scratch(item) for item in out])
    return out.copy() if isinstance(out, np.ndarray) else out


@cython.final
cdef class Guard:
    """Looks at the arguments of a function of NumPy before it is called.

    Parameters
    ----------
    risky : callable
        Takes positional arguments, keywords, and the array that would be written; tells whether
        the call may fail after it has written something.
    place : int
        Where the function takes that array by position.
    name : str
        Its name as a keyword.
    """

    cdef object risky
    cdef Py_ssize_t place
    cdef str name

    def __init__(self, risky, place=NOWHERE, name="out"):
        self.risky, self.place, self.name = risky, place, name

    def __call__(self, function, args, kwargs):
        """Raise what ``function(*args, **kwargs)`` would raise, and write nothing."""
        cdef object whole, written
        whole = args[self.place] if self.place < len(args) else kwargs.get(self.name)
        written = whole[0] if isinstance(whole, tuple) and len(whole) == 1 else whole
        if not isinstance(written, np.ndarray) or not self.risky(args, kwargs, written):
            return
        args, kwargs = list(args), dict(kwargs)
        if self.place < len(args):
            args[self.place] = scratch(whole)
        else:
            kwargs[self.name] = scratch(whole)
        function(*args, **kwargs)


cdef object argument(object args, object kwargs, Py_ssize_t place, str name):
    """An argument, whether it was passed by position or by name."""
    return args[place] if place < len(args) else kwargs.get(name)


cdef bint has_negative(object powers) except -1:
    """Whether these are integers, some of them negative."""
    if isinstance(powers, int):
        return powers < 0
    powers = np.asarray(powers)
    return powers.dtype.kind == "i" and powers.size > 0 and powers.min() < 0


cdef int check_power(object a, object b) except -1:
    if a.dtype.kind in "iub" and has_negative(b):
        np.power(a, b, out=a.copy())
    return 0


def to_negative_power(args, kwargs, out):
    """Whether integers may be raised to negative powers."""
    return len(args) > 1 and has_negative(args[1])


def by_negative_powers(args, kwargs, out):
    """Whether integers may be powers of each other, some of them negative."""
    return len(args) > 0 and has_negative(args[0])


def at_negative_power(args, kwargs, a):
    """Whether elements of `a` may be raised to negative powers."""
    return len(args) == 3 and has_negative(args[2])


def without_axis(args, kwargs, out):
    """Raise where `out` has no dimensions: NumPy would read its shape all the same, and crash."""
    if out.ndim == 0:
        raise ValueError("out has no dimensions, but the result has: pass an array of its shape")
    return False


def powers_without_axis(args, kwargs, out):
    """Both of the above."""
    return without_axis(args, kwargs, out) or by_negative_powers(args, kwargs, out)


def narrow(args, kwargs, out):
    """Whether `out` cannot hold what comes last, a difference or the imaginary part."""
    return not np.can_cast(np.asarray(argument(args, kwargs, 0, "a")).dtype, out.dtype, "same_kind")


def no_fraction(args, kwargs, out):
    """Whether `out` cannot hold a square root."""
    return out.dtype.kind not in "fc" or narrow(args, kwargs, out)


def always(args, kwargs, out):
    """Several steps write to `out`, each of which checks its own arguments."""
    return True


def joining(args, kwargs, out):
    """Whether some array cannot be converted to the data type of `out`."""
    for item in argument(args, kwargs, 0, "arrays") or ():
        dtype = np.asarray(item).dtype
        if dtype == out.dtype:
            continue
        if dtype.kind in TEXT or not np.can_cast(dtype, out.dtype,
                                                 kwargs.get("casting", "same_kind")):
            return True
    return False


def out_of_bounds(args, kwargs, a):
    """Whether some index is."""
    indices = np.asarray(argument(args, kwargs, 1, "ind"))
    if indices.dtype.kind not in "iu" or not indices.size:
        return False
    return indices.max() >= a.size or indices.min() < -a.size


def from_text(args, kwargs, dst):
    """Whether text is to be converted, which may be no number."""
    dtype = np.asarray(argument(args, kwargs, 1, "src")).dtype
    return dtype.kind in TEXT and dtype != dst.dtype


cdef object ACCUMULATE = Guard(without_axis, 3)
cdef dict GUARDS = {
    np.power: Guard(to_negative_power, 2),
    np.power.outer: Guard(to_negative_power),
    np.power.reduce: Guard(by_negative_powers, 3),
    np.power.reduceat: Guard(by_negative_powers, 4),
    np.power.accumulate: Guard(powers_without_axis, 3),
    np.power.at: Guard(at_negative_power, 0, "a"),
    np.cumsum: ACCUMULATE,
    np.cumprod: ACCUMULATE,
    np.nancumsum: ACCUMULATE,
    np.nancumprod: ACCUMULATE,
    np.cumulative_sum: ACCUMULATE,
    np.cumulative_prod: ACCUMULATE,
    np.concatenate: Guard(joining, 2),
    np.stack: Guard(joining, 2),
    np.ptp: Guard(narrow, 2),
    np.round: Guard(narrow, 2),
    np.around: Guard(narrow, 2),
    np.std: Guard(no_fraction, 3),
    np.nanstd: Guard(no_fraction, 3),
    np.var: Guard(no_fraction, 3),
    np.nanvar: Guard(no_fraction, 3),
    np.mean: Guard(no_fraction, 3),
    np.nanmean: Guard(no_fraction, 3),
    np.median: Guard(no_fraction, 2),
    np.nanmedian: Guard(no_fraction, 2),
    np.percentile: Guard(no_fraction, 3),
    np.nanpercentile: Guard(no_fraction, 3),
    np.quantile: Guard(no_fraction, 3),
    np.nanquantile: Guard(no_fraction, 3),
    np.put: Guard(out_of_bounds, 0, "a"),
    np.copyto: Guard(from_text, 0, "dst"),
}
# By name: `numpy.fft` is imported when it is first asked for.
cdef object TRANSFORM = Guard(always, 4)
cdef frozenset TRANSFORMS = frozenset({"fftn", "ifftn", "rfftn", "fft2", "ifft2", "rfft2"})
cdef dict METHODS = {
    "cumsum": Guard(without_axis),
    "cumprod": Guard(without_axis),
    "round": Guard(narrow),
    "std": Guard(no_fraction),
    "var": Guard(no_fraction),
    "mean": Guard(no_fraction),
}


cdef object guard_of(object function):
    cdef object guard = GUARDS.get(function)
    cdef object name
    if guard is None:
        name = getattr(function, "__name__", None)
        if name == "accumulate" and isinstance(getattr(function, "__self__", None), np.ufunc):
            return ACCUMULATE
        if name in TRANSFORMS and getattr(function, "__module__", None) == "numpy.fft":
            return TRANSFORM
    return guard


cdef int check_method(object name, object a, tuple args, dict kwargs) except -1:
    cdef object guard = METHODS.get(name)
    if guard is not None:
        guard(getattr(np.ndarray, name), (a, *args), kwargs)
    return 0


cdef Py_ssize_t free_of(object guard) except -1:
    if guard is None:
        return NOWHERE
    return (<Guard>guard).place if (<Guard>guard).name == "out" else 0


def guarded(function):
    """Tell how the arguments of a function of NumPy are looked at before it is called.

    Parameters
    ----------
    function : callable
        NumPy's function, or a method of its ufunc.

    Returns
    -------
    Guard or None
        None where NumPy looks at all of them itself before it writes.
    """
    return guard_of(function)
