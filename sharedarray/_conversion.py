"""Arrays of what exists already: copied into shared memory, adopted, or borrowed."""

import inspect

import numpy as np

from ._arguments import is_array_like
from ._array import Array
from ._cuda_conversion import elsewhere, has_order, lies_on_cuda
from ._devices import CPU, resolve
from ._dispatch import Function, borrow, call, device_in_force, has_elsewhere, is_shared_memory
from ._exchange import from_dlpack
from ._lenders import lent, only_dlpack

_MISSING = object()


def asarray(
    obj=_MISSING, /, dtype=None, order=None, *, device=None, copy=None, like=None, a=_MISSING
):
    """Make an Array of an object.

    An Array comes back as it is. Memory of this library, however it arrives, is taken over without
    a copy; other arrays and buffers are copied into shared memory, so that the result never
    aliases private memory unless ``copy=False`` asks for that. Arrays of other libraries on CUDA
    devices are borrowed without a copy, and stay on their device unless `device` names another.

    Parameters
    ----------
    obj : Array, scalar, nested sequence, NumPy array, buffer, or DLPack object
        What to convert.
    dtype : dtype, optional
        Data type of the result; by default that of the object.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout, as in NumPy.
    device : Device or str, optional
        Device of the result; by default that of an Array, and for all else the one in force.
    copy : bool, optional
        True: always copy. False: never, borrow the memory of an array or buffer as it is. None:
        copy where necessary.
    like : object, optional
        Accepted for code written for NumPy; has no effect.

    Returns
    -------
    out : Array
        `is_shared` tells whether a borrowed array's memory can go by handle.

    Raises
    ------
    ValueError
        If ``copy=False`` and a copy is needed, as for lists and other data types.
    TypeError
        If the elements would be strings or other Python objects.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1.0, 2.0]).is_shared()
    True
    >>> import numpy as np
    >>> a = np.zeros(3)
    >>> xp.asarray(a, copy=False).is_shared()
    False
    """
    if obj is _MISSING:
        obj = _by_name(a, "asarray", "obj")
    if type(obj) is Array:
        if device is not None:
            target = resolve(device)
            if target.index is not None:
                return elsewhere(obj, dtype, order, target, copy)
        if dtype is None and order is None:
            return call(np.array, obj) if copy else obj
        return call(_converted, obj, dtype, order, copy)
    if isinstance(obj, Array):
        return elsewhere(obj, dtype, order, None if device is None else resolve(device), copy)
    target = device_in_force() if device is None else resolve(device)
    if type(obj) not in _HERE and lies_on_cuda(obj):
        from ._cuda_foreign import borrowed

        return elsewhere(borrowed(obj), dtype, order, None if device is None else target, copy)
    if target is not None and target.index is not None:
        return from_cpu(obj, dtype, order, target, copy, device is not None)
    source = None if type(obj) in _VALUES else _source(obj, copy)
    if source is None and type(obj) not in _VALUES and only_dlpack(obj):
        return _from_dlpack(obj, dtype, order, copy)
    if source is None:
        if copy is False:
            raise ValueError(
                f"asarray(copy=False): {type(obj).__name__} has no memory to borrow; leave out "
                "copy=False to make an array of its values"
            )
        result = _from_values(obj, dtype, order)
        return result if type(result) is Array or device is None else result.to_device(target)
    if copy:
        return call(np.array, source, dtype, order=order or "K")
    fits = (dtype is None or np.dtype(dtype) == source.dtype) and has_order(source, order)
    if fits and (copy is False or is_shared_memory(source)):
        return borrow(source)
    if copy is False:
        raise ValueError(
            f"asarray(copy=False): {source.dtype} with strides {source.strides} cannot be seen as "
            f"{np.dtype(dtype or source.dtype)} in order {order or 'K'} without a copy"
        )
    return call(np.array, source, dtype, order=order or "K")


def from_cpu(obj, dtype, order, target, copy, named):
    """Make an Array on a CUDA device of values or memory of the host, which takes a copy.

    Values that are Arrays of a device decide where the result is, unless `named` does.
    """
    if copy is False:
        raise ValueError(
            f"asarray(copy=False): {type(obj).__name__} is in the memory of the host, and comes to "
            f"{target} only by a copy; leave out copy=False"
        )
    from ._cuda_exchange import from_host

    with CPU:
        result = asarray(obj, dtype, order)
    if result.device.index is None:
        return from_host(result, target)
    return result.to_device(target) if named else result


def _by_name(value, function, name):
    """The first argument, given under the name that NumPy has for it."""
    if value is _MISSING:
        raise TypeError(f"{function}() missing 1 required positional argument: '{name}'")
    return value


def _converted(array, dtype, order, copy):
    """An ndarray in another type or layout."""
    return np.array(array, dtype, copy=copy, order=order or "K")


def _source(obj, copy):
    """The NumPy array over the memory of an object that has any; None for values."""
    if isinstance(obj, (np.generic, str, bytes)):
        return None
    if isinstance(obj, np.ndarray):
        return np.asarray(obj)
    if is_array_like(obj):
        return lent(obj) if copy is False else None if only_dlpack(obj) else np.asarray(obj)
    if hasattr(type(obj), "_ndarray"):
        return obj._ndarray
    return None


def _from_dlpack(obj, dtype, order, copy):
    """An Array of an object that NumPy does not read, but DLPack does."""
    try:
        taken = from_dlpack(obj, copy=copy)
    except BufferError as exc:
        raise ValueError(f"asarray: {exc}") from exc
    if copy is None and not taken.is_shared():
        copy = True
    return asarray(taken, dtype, order, copy=copy)


_VALUES = frozenset({bool, int, float, complex, list, tuple, str, bytes})
#: What is in the memory of the host.
_HERE = _VALUES | {np.ndarray}


def _numbers(obj, dtype, order):
    """An ndarray of scalars and nested sequences of them."""
    result = np.asarray(obj, dtype, order)
    if dtype is None and result.dtype.kind in "SU":
        raise TypeError(
            "asarray: strings make no array of numbers; give dtype= for an array of "
            "fixed-width strings"
        )
    return result


_from_values = Function(_numbers, "asarray")


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=64, like=None):
    """Make an Array of an object, by default of a copy: NumPy's older spelling of `asarray`.

    Parameters
    ----------
    object : Array, scalar, nested sequence, NumPy array, buffer, or DLPack object
        What to convert.
    dtype : dtype, optional
        Data type of the result.
    copy : bool or None, optional
        As in `asarray`.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout, as in NumPy.
    subok : bool, optional
        Accepted for code written for NumPy; results are always Arrays.
    ndmin : int, optional
        Least number of dimensions; axes are added in front.
    ndmax : int, optional
        Greatest number of dimensions; what lies deeper would be objects.
    like : object, optional
        Accepted for code written for NumPy; has no effect.

    Returns
    -------
    out : Array
        The array.

    Raises
    ------
    ValueError
        If ``copy=False`` and a copy is needed.
    TypeError
        If the elements would be Python objects.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.array([1, 2], ndmin=2).shape
    (1, 2)
    """
    if (
        isinstance(object, (str, list, tuple))
        and dtype is None
        and copy is not False
        and device_in_force() is None
        and not has_elsewhere(object)
    ):
        result = call(np.array, object, order=order)
    else:
        result = asarray(object, dtype, None if order == "K" else order, copy=copy)
    if result.ndim > ndmax:
        raise TypeError(
            f"array: the object has {result.ndim} dimensions and ndmax is {ndmax}: its elements "
            f"would be Python objects, which cannot live in shared memory"
        )
    missing = ndmin - result.ndim
    return result if missing <= 0 else result[(None,) * missing]


def frombuffer(buf=_MISSING, dtype=float, count=-1, offset=0, *, like=None, buffer=_MISSING):
    """Borrow the memory of a buffer as a one-dimensional Array, without a copy.

    Parameters
    ----------
    buf : buffer
        Anything with the buffer protocol: bytes, bytearray, memoryview, mmap, array.array.
    dtype : dtype, optional
        Data type of the elements.
    count : int, optional
        Number of elements; -1 for all.
    offset : int, optional
        Where the first element lies, in bytes.
    like : object, optional
        Accepted for code written for NumPy; has no effect.

    Returns
    -------
    out : Array
        Read-only if the buffer is; not shared unless the buffer is memory of this library.

    Raises
    ------
    ValueError
        If the buffer is too small, or no whole number of elements.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.frombuffer(bytearray(b"abc"), dtype=xp.uint8)
    >>> print(x, x.is_shared())
    [97 98 99] False
    """
    if buf is _MISSING:
        buf = _by_name(buffer, "frombuffer", "buf")
    if np.dtype(dtype).hasobject:
        raise TypeError(
            f"frombuffer: {np.dtype(dtype)} holds Python objects, which no other process could use"
        )
    return borrow(np.frombuffer(buf, dtype, count, offset))


def _shown(function):
    """The signature of a function without NumPy's name of the first argument, which is required."""
    parameters = list(inspect.signature(function).parameters.values())[:-1]
    parameters[0] = parameters[0].replace(default=inspect.Parameter.empty)
    return inspect.Signature(parameters)


for _function in (asarray, array, frombuffer):
    _function.__module__ = "sharedarray"
    if _function is not array:
        vars(_function)["__signature__"] = _shown(_function)
