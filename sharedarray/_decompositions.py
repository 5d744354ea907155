"""Decompositions and eigenvalues of matrices, for `sharedarray.linalg`."""

from typing import NamedTuple

import numpy as np

from ._array import Array
from ._describe import export

MODULE = "sharedarray.linalg"


class EigResult(NamedTuple):
    """What `eig` returns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """What `eigh` returns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """What `qr` returns."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """What `slogdet` returns."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """What `svd` returns."""

    U: Array
    S: Array
    Vh: Array


@export(module=MODULE)
def cholesky(x, /, *, upper=False):
    """Decompose Hermitian positive-definite matrices into a triangular factor.

    Parameters
    ----------
    upper : bool, optional
        Return the upper factor ``U`` of ``U^H U`` in place of the lower one of ``L L^H``.

    Returns
    -------
    out : Array
        The factors.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or not positive-definite.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.cholesky(xp.asarray([[4.0, 0.0], [0.0, 9.0]])))
    [[2. 0.]
     [0. 3.]]
    """
    return np.linalg.cholesky(x, upper=upper)


def _complex(x):
    """Eigenvalues in the complex type of their precision.

    A real matrix has gone through the real routine, so conjugate pairs are exact.
    """
    return x if x.dtype.kind == "c" else x.astype(np.result_type(x.dtype, np.complex64))


@export(module=MODULE)
def eig(x, /):
    """Compute eigenvalues and right eigenvectors of square matrices.

    Returns
    -------
    eigenvalues : Array
        Complex also where all are real; those of real matrices come in exact conjugate pairs.
    eigenvectors : Array
        Complex; the columns, of unit length.

    Raises
    ------
    LinAlgError
        If a matrix is not square, not finite, or the computation does not converge.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.eig(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).eigenvalues)
    [2.+0.j 3.+0.j]
    """
    values, vectors = np.linalg.eig(x)
    return EigResult(_complex(values), _complex(vectors))


@export(module=MODULE)
def eigvals(x, /):
    """Compute eigenvalues of square matrices.

    Returns
    -------
    out : Array
        Complex also where all are real; those of real matrices come in exact conjugate pairs.

    Raises
    ------
    LinAlgError
        If a matrix is not square, not finite, or the computation does not converge.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.eigvals(xp.asarray([[2.0, 0.0], [0.0, 3.0]])))
    [2.+0.j 3.+0.j]
    """
    return _complex(np.linalg.eigvals(x))


@export(module=MODULE)
def eigh(x, /, UPLO="L"):
    """Compute eigenvalues and eigenvectors of Hermitian matrices.

    Parameters
    ----------
    UPLO : {'L', 'U'}, optional
        Which triangle is read.

    Returns
    -------
    eigenvalues : Array
        Real, ascending.
    eigenvectors : Array
        The columns, orthonormal.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or the computation does not converge.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.eigh(xp.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues)
    [1. 2.]
    """
    return EighResult(*np.linalg.eigh(x, UPLO))


@export(module=MODULE)
def eigvalsh(x, /, UPLO="L"):
    """Compute eigenvalues of Hermitian matrices.

    Parameters
    ----------
    UPLO : {'L', 'U'}, optional
        Which triangle is read.

    Returns
    -------
    out : Array
        Real, ascending.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or the computation does not converge.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.eigvalsh(xp.asarray([[2.0, 0.0], [0.0, 1.0]])))
    [1. 2.]
    """
    return np.linalg.eigvalsh(x, UPLO)


@export(module=MODULE)
def qr(x, /, mode="reduced"):
    """Decompose matrices into an orthonormal and an upper triangular factor.

    Parameters
    ----------
    mode : {'reduced', 'complete', 'r', 'raw'}, optional
        Whether ``Q`` has ``min(M, N)`` columns or ``M``; the others are NumPy's.

    Returns
    -------
    Q : Array
        Orthonormal columns.
    R : Array
        Upper triangular.

    Examples
    --------
    >>> import sharedarray as xp
    >>> q, r = xp.linalg.qr(xp.eye(2))
    >>> r.shape
    (2, 2)
    """
    result = np.linalg.qr(x, mode)
    return QRResult(*result) if mode in ("reduced", "complete") else result


@export(module=MODULE)
def slogdet(x, /):
    """Compute sign and logarithm of the determinant of each matrix.

    Returns
    -------
    sign : Array
        The signs; for complex input numbers of absolute value one; 0 for singular matrices.
    logabsdet : Array
        The logarithms of the absolute values.

    Raises
    ------
    LinAlgError
        If a matrix is not square.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.slogdet(xp.eye(2)).sign)
    1.0
    """
    return SlogdetResult(*np.linalg.slogdet(x))


@export(module=MODULE)
def svd(x, /, full_matrices=True, compute_uv=True, hermitian=False):
    """Compute the singular value decomposition of each matrix.

    Parameters
    ----------
    full_matrices : bool, optional
        Whether ``U`` and ``Vh`` are square.
    compute_uv : bool, optional
        False: return the singular values alone.

    Returns
    -------
    U : Array
        Left singular vectors, the columns.
    S : Array
        Singular values, real, descending.
    Vh : Array
        Right singular vectors, the rows, conjugated.

    Raises
    ------
    LinAlgError
        If the computation does not converge.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.svd(xp.asarray([[3.0, 0.0], [0.0, 4.0]])).S)
    [4. 3.]
    """
    result = np.linalg.svd(x, full_matrices, compute_uv, hermitian)
    return SVDResult(*result) if compute_uv else result


@export(module=MODULE)
def svdvals(x, /):
    """Compute the singular values of each matrix.

    Returns
    -------
    out : Array
        Singular values, real, descending.

    Raises
    ------
    LinAlgError
        If the computation does not converge.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linalg.svdvals(xp.asarray([[3.0, 0.0], [0.0, 4.0]])))
    [4. 3.]
    """
    return np.linalg.svd(x, compute_uv=False)
