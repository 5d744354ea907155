"""xarray, pandas and Dask: what holds Arrays keeps them, what computes with them is right."""

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dask.base import tokenize

import sharedarray as xp

from .common import check, rng

M = rng().standard_normal((6, 4))
LABELS = list("aabbcc")


@pytest.fixture
def data():
    """Return the same DataArray over an Array and over NumPy's."""
    names = {"dims": ("t", "x"), "coords": {"t": np.arange(6), "kind": ("t", LABELS)}}
    return xr.DataArray(xp.asarray(M), **names), xr.DataArray(M, **names)


XARRAY = {
    "mean": lambda d: d.mean("t"),
    "mean of all": lambda d: d.mean(),
    "sum": lambda d: d.sum("x"),
    "std": lambda d: d.std("t"),
    "max": lambda d: d.max("x"),
    "cumsum": lambda d: d.cumsum("t"),
    "isel": lambda d: d.isel(t=slice(1, 4)),
    "isel one": lambda d: d.isel(t=2),
    "isel list": lambda d: d.isel(t=[4, 1]),
    "sel": lambda d: d.sel(t=3),
    "groupby": lambda d: d.groupby("kind").mean(),
    "groupby sum": lambda d: d.groupby("kind").sum("t"),
    "transpose": lambda d: d.transpose("x", "t"),
    "where": lambda d: d.where(d > 0, 0.0),
    "arithmetic": lambda d: 2 * d - d.isel(x=0),
    "ufunc": lambda d: np.exp(d),
    "apply_ufunc": lambda d: xr.apply_ufunc(lambda a: a * 2 + 1, d),
    "stack": lambda d: d.stack(both=("t", "x")),
    "concat": lambda d: xr.concat([d, d], "t"),
    "shift": lambda d: d.shift(t=1, fill_value=0.0),
    "roll": lambda d: d.roll(t=2),
    "diff": lambda d: d.diff("t"),
    "rolling": lambda d: d.rolling(t=3).mean(),
    "coarsen": lambda d: d.drop_vars("kind").coarsen(t=2).mean(),
    "dot": lambda d: xr.dot(d, d, dim="t"),
    "clip": lambda d: d.clip(-1.0, 1.0),
    "astype": lambda d: d.astype("float32"),
    "fillna": lambda d: d.fillna(0.0),
    "sortby": lambda d: d.sortby("t", ascending=False),
    "copy": lambda d: d.copy(deep=True),
}


@pytest.mark.parametrize("name", XARRAY)
def test_xarray(data, name):
    got, want = map(XARRAY[name], data)
    assert got.dims == want.dims
    check(got.data, want.data, where=name)


def test_xarray_holds_the_array_itself():
    x = xp.asarray(M)
    held = xr.DataArray(x, dims=("t", "x"))
    assert held.data is x
    held[0, 0] = 9.0
    assert float(x[0, 0]) == 9.0
    dataset = xr.Dataset({"a": held})
    check(dataset.mean("t")["a"].data, x.numpy().mean(0))


def test_xarray_goes_by_handle(worker):
    held = xr.DataArray(xp.asarray(M), dims=("t", "x"), coords={"kind": ("t", LABELS)})
    worker.run("held.data[...] += 1", held=held)
    check(held.data, M + 1)


SERIES = pd.Series(M[:, 0], index=LABELS)


@pytest.mark.parametrize("operation", ["__add__", "__mul__", "__truediv__", "__pow__", "__lt__"])
def test_pandas_operators(operation):
    """A Series decides about results with it, on either side."""
    x = np.abs(M[:, 1])
    for one, two in ((xp.asarray(x), SERIES), (SERIES, xp.asarray(x))):
        want = getattr(SERIES, operation)(x)
        if one is not SERIES:
            reflected = {"__lt__": "__gt__"}.get(operation, f"__r{operation[2:]}")
            want = getattr(SERIES, reflected)(x)
        operators = {
            "__add__": lambda a, b: a + b,
            "__mul__": lambda a, b: a * b,
            "__truediv__": lambda a, b: a / b,
            "__pow__": lambda a, b: a**b,
            "__lt__": lambda a, b: a < b,
        }
        pd.testing.assert_series_equal(operators[operation](one, two), want)


def test_pandas_takes_arrays():
    frame = pd.DataFrame({"a": xp.asarray(M[:, 0]), "b": xp.arange(6)})
    want = pd.DataFrame({"a": M[:, 0], "b": np.arange(6)})
    pd.testing.assert_frame_equal(frame, want)
    pd.testing.assert_frame_equal(pd.DataFrame(xp.asarray(M)), pd.DataFrame(M))
    frame["c"] = xp.arange(6.0)
    assert frame["c"].tolist() == list(range(6))
    assert frame.loc[xp.asarray([True, False] * 3).numpy(), "b"].tolist() == [0, 2, 4]
    assert frame["b"].where(xp.asarray([True, False] * 3), -1).tolist() == [0, -1, 2, -1, 4, -1]
    assert frame.iloc[xp.asarray([5, 0])]["b"].tolist() == [5, 0]
    assert frame["b"].isin(xp.asarray([1, 2]).numpy()).sum() == 2
    assert pd.Index(xp.arange(3)).tolist() == [0, 1, 2]
    assert pd.cut(xp.asarray([1.0, 7.0]), xp.asarray([0.0, 5.0, 9.0])).codes.tolist() == [0, 1]
    assert pd.to_numeric(xp.arange(3)).tolist() == [0, 1, 2]


@pytest.mark.xfail(strict=True, reason="pandas takes masks of its own types, ndarrays and lists")
@pytest.mark.parametrize("index", [lambda s: s, lambda s: s.loc], ids=["[]", "loc"])
def test_pandas_masks(index):
    assert index(SERIES)[xp.asarray(M[:, 0] > 0)].size == (M[:, 0] > 0).sum()


@pytest.mark.xfail(strict=True, reason="pandas makes a list of what is no ndarray, of 0-d Arrays")
def test_pandas_isin():
    assert pd.Series([1, 2, 3]).isin(xp.asarray([1, 2])).tolist() == [True, True, False]


def test_pandas_columns_of_several_types_are_not_borrowed():
    mixed = pd.DataFrame({"a": [1, 2], "b": [3.0, 4.0]})
    for values in (mixed, pd.array([1, None], dtype="Int64")):
        with pytest.raises(ValueError, match="copy=False"):
            xp.asarray(values, copy=False)
    series = pd.Series([1.0, 2.0])
    assert np.shares_memory(xp.asarray(series, copy=False).numpy(), series.to_numpy())


def test_pandas_gives_arrays():
    check(xp.asarray(SERIES), SERIES.to_numpy())
    check(xp.asarray(pd.DataFrame(M)), M)
    check(xp.sqrt(xp.asarray(SERIES) ** 2), np.abs(SERIES.to_numpy()))


DASK = {
    "add": lambda d: d + 1,
    "sum": lambda d: d.sum(),
    "mean": lambda d: d.mean(axis=0),
    "std": lambda d: d.std(axis=1),
    "matmul": lambda d: d @ d.T,
    "ufunc": lambda d: np.exp(d),
    "slice": lambda d: d[1:5, ::2],
    "mask": lambda d: d[d[:, 0] > 0],
    "transpose": lambda d: d.T,
    "concatenate": lambda d: da.concatenate([d, d]),
    "stack": lambda d: da.stack([d, d]),
    "map_blocks": lambda d: d.map_blocks(lambda block: block * 2),
    "rechunk": lambda d: d.rechunk((6, 1)) * 2,
    "cumsum": lambda d: d.cumsum(axis=0),
    "reshape": lambda d: d.reshape(24),
    "argmax": lambda d: d.argmax(axis=1),
    "where": lambda d: da.where(d > 0, d, 0.0),
    "tensordot": lambda d: da.tensordot(d, d, axes=([0], [0])),
    "overlap": lambda d: d.map_overlap(lambda block: block + 1, depth=1, boundary="reflect"),
    "norm": lambda d: da.linalg.norm(d, axis=1),
    "qr": lambda d: da.linalg.tsqr(d.rechunk((3, 4)))[1] ** 2,
}


@pytest.mark.parametrize("name", DASK)
def test_dask(name):
    """Chunks of a Dask array over an Array are Arrays, and so is the result."""
    with dask.config.set(scheduler="threads"):
        got = DASK[name](da.from_array(xp.asarray(M), chunks=(3, 2))).compute()
        want = DASK[name](da.from_array(M, chunks=(3, 2))).compute()
    check(got, want, 1e-9, where=name)


def test_dask_names_by_content():
    """Equal content gives an equal name, so what was computed is found again."""
    x = xp.asarray(M)
    assert tokenize(x) == tokenize(xp.asarray(M)) == tokenize(xp.asarray(x, copy=True))
    assert da.from_array(x).name == da.from_array(xp.asarray(M)).name
    other = xp.asarray(M)
    other[0, 0] += 1
    assert tokenize(other) != tokenize(x)
    assert tokenize(x[:3]) == tokenize(xp.asarray(M[:3]))
    assert tokenize(x[:3]) != tokenize(x[3:])
    assert tokenize(xp.astype(x, xp.float32)) != tokenize(x)
    assert tokenize(xp.reshape(x, (4, 6))) != tokenize(x)
    with dask.config.set({"tokenize.ensure-deterministic": True}):
        assert tokenize(x) == tokenize(xp.asarray(M))


def test_dask_delayed_and_processes():
    """Between the processes of Dask's scheduler Arrays go by value, and arrive shared."""
    total = dask.delayed(xp.sum)(dask.delayed(xp.asarray)([1.0, 2.0]))
    check(total.compute(scheduler="threads"), np.float64(3.0))
    check(total.compute(scheduler="processes", num_workers=1), np.float64(3.0))
