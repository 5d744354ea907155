"""Linear algebra on arrays in shared memory.

The standard's ``linalg`` extension; beyond it NumPy's ``linalg`` by name.
"""

import numpy as np

from ._decompositions import cholesky, eig, eigh, eigvals, eigvalsh, qr, slogdet, svd, svdvals
from ._describe import export
from ._forward import forwarder
from ._linear_algebra import matmul, matrix_transpose, tensordot, vecdot

LinAlgError = np.linalg.LinAlgError

__all__ = [
    "LinAlgError",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

__getattr__, __dir__ = forwarder(np.linalg, __name__, __all__)


@export(module=__name__, arrays=2)
def cross(x1, x2, /, *, axis=-1):
    """Compute the cross products of vectors of three elements.

    Returns
    -------
    out : Array
        The cross products.

    Raises
    ------
    ValueError
        If the vectors do not have three elements.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0])))
    [0 0 1]
    """
    return np.linalg.cross(x1, x2, axis=axis)


@export(module=__name__)
def det(x, /):
    """Compute the determinant of each matrix.

    Returns
    -------
    out : Array
        The determinants.

    Raises
    ------
    LinAlgError
        If the matrices are not square.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.det(xp.asarray([[2.0, 0.0], [0.0, 3.0]])))
    6.0
    """
    return np.linalg.det(x)


@export(module=__name__)
def diagonal(x, /, *, offset=0):
    """Take a diagonal of each matrix.

    Returns
    -------
    out : Array
        A read-only view; its last axis is the diagonal.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.diagonal(xp.asarray([[1, 2], [3, 4]])))
    [1 4]
    """
    return np.linalg.diagonal(x, offset=offset)


@export(module=__name__)
def inv(x, /):
    """Invert each matrix.

    Returns
    -------
    out : Array
        The inverses.

    Raises
    ------
    LinAlgError
        If a matrix is not square or singular.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.inv(xp.asarray([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    return np.linalg.inv(x)


@export(module=__name__)
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Compute a norm of each matrix.

    Parameters
    ----------
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf}, optional
        Which norm.

    Returns
    -------
    out : Array
        The norms, real.

    Raises
    ------
    ValueError
        If there is no such norm, or there are fewer than two dimensions.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.matrix_norm(xp.asarray([[3.0, 0.0], [0.0, 4.0]])))
    5.0
    """
    return np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)


@export(module=__name__)
def matrix_power(x, n, /):
    """Raise each square matrix to an integer power.

    Parameters
    ----------
    n : int
        The power; a negative one inverts the matrix.

    Returns
    -------
    out : Array
        The powers.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or is to be inverted and singular.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.matrix_power(xp.asarray([[1, 1], [0, 1]]), 3))
    [[1 3]
     [0 1]]
    """
    return np.linalg.matrix_power(x, n)


@export(module=__name__)
def matrix_rank(x, /, tol=None, hermitian=False, *, rtol=None):
    """Compute the rank of each matrix.

    Parameters
    ----------
    tol : float or Array, optional
        Singular values up to this count as zero; give `tol` or `rtol`.

    Returns
    -------
    out : Array
        The ranks, integers.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.matrix_rank(xp.asarray([[1.0, 1.0], [1.0, 1.0]])))
    1
    """
    return np.asarray(np.linalg.matrix_rank(x, tol, hermitian, rtol=rtol))


@export(module=__name__, arrays=2)
def outer(x1, x2, /):
    """Multiply each element of one vector with each of another.

    Returns
    -------
    out : Array
        The matrix of products.

    Raises
    ------
    ValueError
        If an input is not one-dimensional.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([3, 4])))
    [[3 4]
     [6 8]]
    """
    return np.linalg.outer(x1, x2)


@export(module=__name__)
def pinv(x, /, rcond=None, hermitian=False, *, rtol=None):
    """Compute the pseudo-inverse of each matrix.

    Parameters
    ----------
    rcond : float or Array, optional
        NumPy's older name of `rtol`.

    Returns
    -------
    out : Array
        The pseudo-inverses.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.pinv(xp.asarray([[2.0], [0.0]])))
    [[0.5 0. ]]
    """
    if rcond is not None and rtol is not None:
        raise ValueError("rcond and rtol are two names of one thing: give one of them")
    rtol = rtol if rcond is None else rcond
    if rtol is None:
        kind = x.dtype if x.dtype.kind in "fc" else np.dtype(float)
        rtol = max(x.shape[-2:], default=0) * np.finfo(kind).eps
    return np.linalg.pinv(x, hermitian=hermitian, rtol=rtol)


@export(module=__name__, arrays=2)
def solve(x1, x2, /):
    """Solve systems of linear equations.

    Parameters
    ----------
    x1 : Array
        Square matrices of coefficients.
    x2 : Array
        Right-hand sides: one vector if one-dimensional, else matrices of columns.

    Returns
    -------
    out : Array
        The solutions, in the shape of the right-hand sides.

    Raises
    ------
    LinAlgError
        If a matrix is not square or singular.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 2.0])))
    [1.  0.5]
    """
    return np.linalg.solve(x1, x2)


@export(module=__name__)
def trace(x, /, *, offset=0, dtype=None):
    """Add up a diagonal of each matrix.

    Returns
    -------
    out : Array
        The sums; integers narrower than the default are added as default integers.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.trace(xp.asarray([[1, 2], [3, 4]])))
    5
    """
    return np.linalg.trace(x, offset=offset, dtype=dtype)


@export(module=__name__)
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Compute a norm of vectors.

    Parameters
    ----------
    axis : int or tuple of int or None, optional
        Axes of the vectors; None takes the whole array for one.
    ord : int or float or {inf, -inf}, optional
        Which norm.

    Returns
    -------
    out : Array
        The norms, real.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.vector_norm(xp.asarray([3.0, 4.0])))
    5.0
    """
    return np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
