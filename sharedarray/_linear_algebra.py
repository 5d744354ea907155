"""Linear algebra of the main namespace."""

import numpy as np

from ._describe import export
from ._elementwise import ufunc

matmul = ufunc(
    "matmul",
    np.matmul,
    "x1, x2, /",
    """\
Multiply matrices.

Parameters
----------
x1 : Array
    A matrix, a stack of them, or a vector.
x2 : Array
    A matrix, a stack of them, or a vector.
{extra}
Returns
-------
out : Array
    The products; an axis of a vector is gone.

Raises
------
ValueError
    If the shapes do not fit, or an input has no dimensions.

Examples
--------
>>> import sharedarray as xp
>>> print(xp.matmul(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 1])))
[3 7]
""",
)

vecdot = ufunc(
    "vecdot",
    np.vecdot,
    "x1, x2, /",
    """\
Compute the dot products of vectors along an axis, conjugating the first.

Parameters
----------
x1 : Array
    First vectors.
x2 : Array
    Second vectors.
{extra}axis : int, optional
    The axis of the vectors; the other axes are broadcast.

Returns
-------
out : Array
    The dot products.

Raises
------
ValueError
    If the vectors differ in length.

Examples
--------
>>> import sharedarray as xp
>>> print(xp.vecdot(xp.asarray([1, 2]), xp.asarray([3, 4])))
11
""",
    axis=True,
)


@export(brief=np.matrix_transpose, most=1)
def matrix_transpose(x, /):
    """Transpose a matrix, or each of a stack of them.

    Returns
    -------
    out : Array
        A view with the last two axes exchanged.

    Raises
    ------
    ValueError
        If there are fewer than two dimensions.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.matrix_transpose(xp.asarray([[1, 2], [3, 4]])))
    [[1 3]
     [2 4]]
    """
    return np.matrix_transpose(x)


@export(arrays=2, brief=np.tensordot, most=3)
def tensordot(x1, x2, /, axes=2):
    """Multiply tensors and add up along pairs of axes.

    Parameters
    ----------
    axes : int or tuple of sequences of int, optional
        How many axes to contract, the last of `x1` with the first of `x2`; or the axes of each.

    Returns
    -------
    out : Array
        The contraction.

    Raises
    ------
    ValueError
        If contracted axes differ in length.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.tensordot(xp.asarray([1, 2]), xp.asarray([3, 4]), axes=1))
    11
    """
    return np.tensordot(x1, x2, axes)
