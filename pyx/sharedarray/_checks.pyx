"""What NumPy finds out only after it has written some elements, found out before it writes any.

The few functions of NumPy that can fail in the middle have a guard here. A guard first looks
whether the arguments are of the kind that may fail; if so, the call is made with a copy of what
would be written, so that the error is NumPy's own, and all elements stay as they were.
"""

import numpy as np

cdef str TEXT = "SUTOV"      # dtype kinds whose conversion to numbers may fail at any element
cdef dict OUT = {             # where NumPy's functions take `out` by position
    np.power: 2,
    np.power.reduce: 3,
    np.power.accumulate: 3,
    np.power.reduceat: 4,
    np.ptp: 2,
    np.concatenate: 2,
    np.stack: 2,
}


cdef int refuse_objects(object dtype) except -1:
    if dtype.hasobject:
        raise TypeError(f"arrays of dtype {dtype!r} hold Python objects, which cannot be shared: "
                        "use a numeric or a fixed-width dtype")
    return 0


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


cdef object scratch(object out):
    """Copies of what would be written."""
    if isinstance(out, tuple):
        return tuple([scratch(item) for item in out])
    return out.copy() if isinstance(out, np.ndarray) else out


cdef object given(object args, object kwargs, Py_ssize_t place, str name, object default=None):
    """An argument, whether it was passed by position or by name."""
    return args[place] if place < len(args) else kwargs.get(name, default)


cdef int rehearse(object function, object args, object kwargs, Py_ssize_t place,
                  str name) except -1:
    """Call `function` with a copy of the argument that it writes to."""
    args, kwargs = list(args), dict(kwargs)
    if place < len(args):
        args[place] = scratch(args[place])
    else:
        kwargs[name] = scratch(kwargs[name])
    function(*args, **kwargs)
    return 0


def power(function, args, kwargs):
    """Look for negative powers of integers."""
    cdef Py_ssize_t place = OUT.get(function, len(args))
    if given(args, kwargs, place, "out") is not None:
        if has_negative(args[1] if function in (np.power, np.power.outer) else args[0]):
            rehearse(function, args, kwargs, place, "out")


def power_at(function, args, kwargs):
    """Look for negative powers of integers."""
    if len(args) == 3 and has_negative(args[2]):
        rehearse(function, args, kwargs, 0, "a")


def joining(function, args, kwargs):
    """Look for arrays that cannot be converted to the data type of `out`."""
    out = given(args, kwargs, 2, "out")
    if not isinstance(out, np.ndarray):
        return
    casting = kwargs.get("casting", "same_kind")
    for item in given(args, kwargs, 0, "arrays", ()):
        dtype = np.asarray(item).dtype
        if dtype == out.dtype:
            continue
        if dtype.kind in TEXT or not np.can_cast(dtype, out.dtype, casting):
            rehearse(function, args, kwargs, 2, "out")
            return


def peak_to_peak(function, args, kwargs):
    """Look for an `out` that cannot hold the difference."""
    out = given(args, kwargs, 2, "out")
    if isinstance(out, np.ndarray):
        dtype = np.asarray(given(args, kwargs, 0, "a")).dtype
        if not np.can_cast(dtype, out.dtype, "same_kind"):
            rehearse(function, args, kwargs, 2, "out")


def putting(function, args, kwargs):
    """Look for indices that are out of bounds."""
    a = given(args, kwargs, 0, "a")
    indices = np.asarray(given(args, kwargs, 1, "ind"))
    if isinstance(a, np.ndarray) and indices.dtype.kind in "iu" and indices.size:
        if indices.max() >= a.size or indices.min() < -a.size:
            rehearse(function, args, kwargs, 0, "a")


def copying(function, args, kwargs):
    """Look for text that may not be numbers."""
    dst = given(args, kwargs, 0, "dst")
    dtype = np.asarray(given(args, kwargs, 1, "src")).dtype
    if isinstance(dst, np.ndarray) and dtype.kind in TEXT and dtype != dst.dtype:
        rehearse(function, args, kwargs, 0, "dst")


cdef dict GUARDS = {
    np.power: power,
    np.power.reduce: power,
    np.power.accumulate: power,
    np.power.reduceat: power,
    np.power.outer: power,
    np.power.at: power_at,
    np.concatenate: joining,
    np.stack: joining,
    np.ptp: peak_to_peak,
    np.put: putting,
    np.copyto: copying,
}


cdef object guard_of(object function):
    return GUARDS.get(function)


cdef Py_ssize_t free_of(object function) except -1:
    return OUT.get(function, 2 if function is joining else 0)


def guarded(function):
    """Tell how the arguments of a function of NumPy are looked at before it is called.

    Parameters
    ----------
    function : callable
        NumPy's function, or a method of its ufunc.

    Returns
    -------
    callable or None
        Takes the function that is about to be called, its positional arguments and its keywords,
        and raises what that would raise; None where NumPy looks at all of them first.
    """
    return guard_of(function)
