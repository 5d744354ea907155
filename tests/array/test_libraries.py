"""Operators beside arrays of other libraries, which decide about results with them."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import xarray

import sharedarray as xp

V = np.asarray([1.0, 2.0, 3.0])


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
def test_sparse_matrices(kind):
    """``x @ csr`` and ``csr @ x`` multiply without making the matrix dense."""
    matrix = kind(np.asarray([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.0, 1.0]]))
    x = xp.asarray(V)
    np.testing.assert_array_equal(x @ matrix, V @ matrix)
    np.testing.assert_array_equal(matrix @ x, matrix @ V)
    m = xp.asarray(np.outer(V, V))
    np.testing.assert_array_equal(m @ matrix, np.outer(V, V) @ matrix)
    assert kind(m).shape == (3, 3)
    assert type(x * matrix) is type(V * matrix)


def test_pandas():
    """A Series gives a Series, on either side, with its index."""
    series = pd.Series(V, index=list("abc"))
    x = xp.asarray(V)
    for got in (x * series, series * x, np.multiply(x, series), np.multiply(series, x)):
        pd.testing.assert_series_equal(got, series * series.to_numpy())
    pd.testing.assert_series_equal(x == series, series == V)
    pd.testing.assert_series_equal(pd.Series(x, index=series.index), series)
    y = x
    y *= series
    assert type(y) is pd.Series
    assert x.tolist() == [1.0, 2.0, 3.0]
    assert pd.DataFrame(xp.ones((2, 3))).shape == (2, 3)


def test_xarray():
    """A DataArray gives a DataArray, and may hold an Array."""
    data = xarray.DataArray(V, dims="t")
    x = xp.asarray(V)
    for got in (x * data, data * x):
        xarray.testing.assert_equal(got, data * data)
    held = xarray.DataArray(x, dims="t")
    assert type(held.data) is xp.Array
    assert type((held + 1).data) is xp.Array
    assert type(held.mean().data) is xp.Array
    assert float(held.sum()) == 6.0
