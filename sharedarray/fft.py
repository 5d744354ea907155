"""Discrete Fourier transforms, on arrays in shared memory.

The standard's ``fft`` extension; NumPy computes, in the precision of the input.
"""

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ._checks import guarded
from ._describe import export
from ._devices import resolve
from ._forward import forwarder

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

__getattr__, __dir__ = forwarder(np.fft, __name__, __all__)


def _along(summary, returned, example, shown):
    """Describe a transform along one axis."""
    return f"""{summary}

Parameters
----------
axis : int, optional
    Axis to transform.

Returns
-------
out : Array
    {returned}

Raises
------
ValueError
    If `n` is less than one.
AxisError
    If there is no such axis.

Examples
--------
>>> import sharedarray as xp
>>> print({example})
{shown}
"""


def _several(summary, returned, example, shown):
    """Describe a transform along several axes."""
    return f"""{summary}

Parameters
----------
axes : sequence of int, optional
    Axes to transform; by default all, or the last ones if `s` is given.

Returns
-------
out : Array
    {returned}

Raises
------
ValueError
    If `s` and `axes` differ in length.
AxisError
    If there is no such axis.

Examples
--------
>>> import sharedarray as xp
>>> print({example})
{shown}
"""


def _transform(name, doc):
    """A transform along one axis."""

    def transform(x, /, n=None, axis=-1, norm="backward", out=None):
        return numpy_transform(x, n, normalize_axis_index(axis, x.ndim), norm, out)

    numpy_transform = getattr(np.fft, name)
    transform.__doc__ = doc
    return export(transform, name=name, module=__name__)


def _transform_n(name, doc):
    """A transform along several axes."""

    def transform(x, /, s=None, axes=None, norm="backward", out=None):
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        if axes is not None:
            axes = normalize_axis_tuple(axes, x.ndim, "axes", allow_duplicate=True)
        return numpy_transform(x, s, axes, norm, out)

    numpy_transform = getattr(np.fft, name)
    transform.__doc__ = doc
    return export(transform, name=name, module=__name__, guard=guarded(numpy_transform))


fft = _transform(
    "fft",
    _along(
        "Compute the discrete Fourier transform along an axis.",
        "The complex spectrum.",
        "xp.fft.fft(xp.asarray([1.0, 0.0, 0.0]))",
        "[1.+0.j 1.+0.j 1.+0.j]",
    ),
)
ifft = _transform(
    "ifft",
    _along(
        "Compute the inverse discrete Fourier transform along an axis.",
        "The complex signal.",
        "xp.fft.ifft(xp.asarray([4.0, 0.0]))",
        "[2.+0.j 2.+0.j]",
    ),
)
rfft = _transform(
    "rfft",
    _along(
        "Compute the discrete Fourier transform of real input along an axis.",
        "The non-negative half of the complex spectrum.",
        "xp.fft.rfft(xp.asarray([1.0, 0.0, 0.0]))",
        "[1.+0.j 1.+0.j]",
    ),
)
irfft = _transform(
    "irfft",
    _along(
        "Compute the inverse of `rfft` along an axis.",
        "The real signal, of even length by default.",
        "xp.fft.irfft(xp.asarray([1.0, 1.0]))",
        "[1. 0.]",
    ),
)
hfft = _transform(
    "hfft",
    _along(
        "Compute the transform of a signal that is Hermitian-symmetric.",
        "The real spectrum.",
        "xp.fft.hfft(xp.asarray([1.0, 0.0]))",
        "[1. 1.]",
    ),
)
ihfft = _transform(
    "ihfft",
    _along(
        "Compute the inverse of `hfft` along an axis.",
        "The non-negative half of the signal.",
        "xp.fft.ihfft(xp.asarray([2.0, 0.0]))",
        "[1.-0.j 1.-0.j]",
    ),
)
fftn = _transform_n(
    "fftn",
    _several(
        "Compute the discrete Fourier transform along several axes.",
        "The complex spectrum.",
        "xp.fft.fftn(xp.asarray([[1.0, 0.0]]))",
        "[[1.+0.j 1.+0.j]]",
    ),
)
ifftn = _transform_n(
    "ifftn",
    _several(
        "Compute the inverse discrete Fourier transform along several axes.",
        "The complex signal.",
        "xp.fft.ifftn(xp.asarray([[2.0, 0.0]]))",
        "[[1.+0.j 1.+0.j]]",
    ),
)
rfftn = _transform_n(
    "rfftn",
    _several(
        "Compute the discrete Fourier transform of real input along several axes.",
        "The complex spectrum, its last axis the non-negative half.",
        "xp.fft.rfftn(xp.asarray([[1.0, 0.0]]))",
        "[[1.+0.j 1.+0.j]]",
    ),
)
irfftn = _transform_n(
    "irfftn",
    _several(
        "Compute the inverse of `rfftn` along several axes.",
        "The real signal.",
        "xp.fft.irfftn(xp.asarray([[2.0, 0.0]]))",
        "[[1. 1.]]",
    ),
)


@export(module=__name__, arrays=0)
def fftfreq(n, /, d=1.0, device=None, *, dtype=None):
    """Compute the frequencies that belong to the elements of `fft`.

    Parameters
    ----------
    n : int
        Length of the transform.
    d : float, optional
        Distance of two samples.

    Returns
    -------
    out : Array
        The frequencies, in cycles per unit of `d`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.fft.fftfreq(4))
    [ 0.    0.25 -0.5  -0.25]
    """
    resolve(device)
    result = np.fft.fftfreq(n, d)
    return result if dtype is None else _floating(result, dtype)


@export(module=__name__, arrays=0)
def rfftfreq(n, /, d=1.0, device=None, *, dtype=None):
    """Compute the frequencies that belong to the elements of `rfft`.

    Parameters
    ----------
    n : int
        Length of the transform.
    d : float, optional
        Distance of two samples.

    Returns
    -------
    out : Array
        The frequencies, in cycles per unit of `d`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.fft.rfftfreq(4))
    [0.   0.25 0.5 ]
    """
    resolve(device)
    result = np.fft.rfftfreq(n, d)
    return result if dtype is None else _floating(result, dtype)


def _floating(result, dtype):
    """Frequencies in the data type asked for."""
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        raise ValueError(f"dtype of frequencies must be a real floating-point type, not {dtype}")
    return result.astype(dtype, copy=False)


@export(module=__name__)
def fftshift(x, /, axes=None):
    """Move the zero frequency to the middle.

    Returns
    -------
    out : Array
        The shifted copy.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.fft.fftshift(xp.asarray([0, 1, 2, 3])))
    [2 3 0 1]
    """
    return np.fft.fftshift(x, axes)


@export(module=__name__)
def ifftshift(x, /, axes=None):
    """Move the zero frequency back to the front: the inverse of `fftshift`.

    Returns
    -------
    out : Array
        The shifted copy.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.fft.ifftshift(xp.asarray([2, 3, 0, 1])))
    [0 1 2 3]
    """
    return np.fft.ifftshift(x, axes)
