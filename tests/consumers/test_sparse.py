"""scipy.sparse: products with Arrays, and solvers that have Arrays for right-hand sides."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg

import sharedarray as xp

from .common import rng

N = 12
V = rng().standard_normal(N)
W = rng().standard_normal((N, 3))
A = scipy.sparse.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(N, N))
FORMATS = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]


def equal(got, want):
    """Compare with what the same call gives on NumPy's arrays."""
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("kind", FORMATS)
def test_products(kind):
    a, x, m = A.asformat(kind), xp.asarray(V), xp.asarray(W)
    equal(a @ x, a @ V)
    equal(x @ a, V @ a)
    equal(a @ m, a @ W)
    equal(m.T @ a, W.T @ a)
    equal((a.T @ x), a.T @ V)
    assert scipy.sparse.issparse(a * x) == scipy.sparse.issparse(a * V)


@pytest.mark.parametrize("kind", FORMATS)
def test_matrices_are_made_of_arrays(kind):
    dense = xp.asarray(A.toarray())
    made = getattr(scipy.sparse, f"{kind}_array")(dense)
    equal(made.toarray(), A.toarray())
    equal(dense.numpy() + made, A.toarray() * 2)
    equal(made.multiply(dense).toarray(), A.toarray() ** 2)
    equal((made * dense).toarray(), A.toarray() ** 2)


def test_made_of_parts():
    csr = A.tocsr()
    parts = tuple(xp.asarray(part) for part in (csr.data, csr.indices, csr.indptr))
    made = scipy.sparse.csr_array(parts, shape=csr.shape)
    equal(made @ xp.asarray(V), csr @ V)
    rows, columns = xp.arange(N), xp.arange(N)
    equal(scipy.sparse.coo_array((xp.asarray(V), (rows, columns))).toarray(), np.diag(V))


def test_indexing_by_arrays():
    csr, picked = A.tocsr(), np.asarray([3, 1])
    equal(csr[xp.asarray(picked)].toarray(), csr[picked].toarray())
    equal(csr[:, xp.asarray(V > 0)].toarray(), csr[:, V > 0].toarray())


def test_direct_solvers():
    csc, x = A.tocsc(), xp.asarray(V)
    equal(scipy.sparse.linalg.spsolve(csc, x), scipy.sparse.linalg.spsolve(csc, V))
    equal(scipy.sparse.linalg.spsolve(csc, xp.asarray(W)), scipy.sparse.linalg.spsolve(csc, W))
    equal(scipy.sparse.linalg.splu(csc).solve(x.numpy()), scipy.sparse.linalg.splu(csc).solve(V))
    solve = scipy.sparse.linalg.factorized(csc)
    equal(solve(x.numpy()), solve(V))


@pytest.mark.parametrize("solver", ["cg", "bicgstab", "gmres", "minres", "lgmres", "cgs", "qmr"])
def test_iterative_solvers(solver):
    solve = getattr(scipy.sparse.linalg, solver)
    for matrix in (A.tocsr(), xp.asarray(A.toarray()).numpy()):
        keywords = {} if solver == "minres" else {"atol": 0.0}
        got, status = solve(matrix, xp.asarray(V), x0=xp.zeros(N), rtol=1e-10, **keywords)
        assert status == 0
        np.testing.assert_allclose(A @ got, V, atol=1e-7)
    want, _ = solve(A.tocsr(), V, x0=np.zeros(N), rtol=1e-10, **keywords)
    equal(np.asarray(solve(A.tocsr(), xp.asarray(V), rtol=1e-10, **keywords)[0]), want)


def test_operators_and_eigenvalues():
    operator = scipy.sparse.linalg.LinearOperator((N, N), matvec=lambda v: A @ xp.asarray(v))
    found, status = scipy.sparse.linalg.cg(operator, xp.asarray(V))
    assert status == 0
    np.testing.assert_allclose(A @ found, V, atol=1e-3)
    values = scipy.sparse.linalg.eigsh(A.tocsc(), 3, v0=xp.asarray(V), return_eigenvectors=False)
    np.testing.assert_allclose(sorted(values), np.linalg.eigvalsh(A.toarray())[-3:], rtol=1e-8)
    dense = scipy.sparse.linalg.aslinearoperator(xp.asarray(W).numpy())
    equal(dense @ xp.ones(3), W @ np.ones(3))


def test_graphs():
    weights = np.abs(A.toarray())
    got = scipy.sparse.csgraph.shortest_path(xp.asarray(weights))
    equal(got, scipy.sparse.csgraph.shortest_path(weights))
    assert scipy.sparse.csgraph.connected_components(xp.asarray(weights))[0] == 1


THEIRS = {
    "dense + sparse": lambda a, m, x: m + a,
    "sparse - dense": lambda a, m, x: a - m,
    "sparse / dense": lambda a, m, x: a / (m + 2.0),
    "comparison": lambda a, m, x: a < m,
    "splu": lambda a, m, x: scipy.sparse.linalg.splu(a).solve(x),
    "cg of a dense matrix": lambda a, m, x: scipy.sparse.linalg.cg(m, x),
    "aslinearoperator": lambda a, m, x: scipy.sparse.linalg.aslinearoperator(m),
}


@pytest.mark.xfail(
    strict=True, raises=TypeError, reason="scipy.sparse asks isinstance(x, np.ndarray) here"
)
@pytest.mark.parametrize("name", THEIRS)
def test_what_takes_ndarrays_alone(name):
    dense = A.toarray()
    THEIRS[name](A.tocsc(), dense, V)
    THEIRS[name](A.tocsc(), xp.asarray(dense), xp.asarray(V))
