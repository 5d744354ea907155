"""What NumPy has beyond the standard."""

import io
import pickle

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import run_script

A = np.arange(12.0).reshape(3, 4)
V = np.array([3.0, 1.0, 2.0, 2.0])

CALLS = {
    "einsum": (("ij,kj->ik", A, A), {}),
    "percentile": ((A, [10, 50]), {"axis": 0}),
    "quantile": ((A, 0.3), {"method": "weibull"}),
    "histogram": ((V,), {"bins": 3}),
    "histogram2d": ((V, V), {"bins": 2}),
    "pad": ((A, ((1, 1), (0, 2))), {"mode": "reflect"}),
    "gradient": ((A,), {}),
    "interp": (([0.5, 1.5], V, V), {}),
    "nanmean": ((A,), {"axis": 1}),
    "nansum": ((A,), {}),
    "cumsum": ((A, 1), {}),
    "cov": ((A,), {}),
    "corrcoef": ((A,), {}),
    "convolve": ((V, V, "same"), {}),
    "cross": (([1, 0, 0], [0, 1, 0]), {}),
    "diag": ((V,), {}),
    "kron": ((V, V), {}),
    "polyfit": ((V, V, 1), {}),
    "polyval": (([1, 2], V), {}),
    "intersect1d": ((V, A), {}),
    "setdiff1d": ((A, V), {}),
    "union1d": ((A, V), {}),
    "unique": ((V,), {"return_counts": True}),
    "bincount": ((np.array([0, 1, 1]),), {}),
    "digitize": ((V, np.array([0.0, 2.0])), {}),
    "median": ((A,), {"axis": 1, "keepdims": True}),
    "average": ((V,), {"weights": V}),
    "vstack": (((V, V),), {}),
    "hstack": (([V, V],), {}),
    "split": ((A, 2), {"axis": 1}),
    "array_split": ((V, 3), {}),
    "ix_": (([0, 1], [2]), {}),
    "unravel_index": ((np.array([3, 5]), (3, 4)), {}),
    "ravel_multi_index": (((np.array([1]), np.array([2])), (3, 4)), {}),
    "tri": ((3,), {}),
    "vander": ((V,), {}),
    "logspace": ((0, 2, 3), {}),
    "geomspace": ((1, 8, 4), {}),
    "identity": ((3,), {}),
    "indices": (((2, 3),), {}),
    "fromstring": (("1 2 3",), {"sep": " "}),
    "rot90": ((A,), {}),
    "swapaxes": ((A, 0, 1), {}),
    "trapezoid": ((V,), {}),
    "nan_to_num": ((np.array([np.nan, np.inf]),), {}),
    "select": (([V > 1, V > 0], [V, -V]), {}),
    "choose": ((np.array([0, 1]), [V[:2], V[2:]]), {}),
    "partition": ((V, 2), {}),
    "modf": ((V,), {}),
    "divmod": ((V, 2.0), {}),
    "spacing": ((V,), {}),
    "linalg.norm": ((A,), {}),
    "linalg.lstsq": ((A, V[:3]), {"rcond": None}),
    "linalg.multi_dot": (([A, A.T, A],), {}),
    "linalg.cond": ((A[:3, :3] + np.eye(3),), {}),
    "polynomial.polynomial.polyval": ((V, [1.0, 2.0]), {}),
    "lib.stride_tricks.sliding_window_view": ((V, 2), {}),
    "emath.sqrt": ((-V,), {}),
    "strings.upper": ((np.array(["ab", "c"]),), {}),
}


def of(namespace, name):
    """The function of a dotted name."""
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


def wrapped(value):
    """An argument with Arrays in place of NumPy's arrays."""
    if isinstance(value, np.ndarray):
        return xp.asarray(value)
    if isinstance(value, tuple | list):
        return type(value)(wrapped(v) for v in value)
    return value


def assert_same(ours, theirs):
    """Compare results, and find every array shared."""
    if isinstance(theirs, np.ndarray | np.generic):
        assert isinstance(ours, xp.Array)
        assert ours.is_shared()
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(np.asarray(ours), theirs)
    elif isinstance(theirs, tuple | list):
        assert type(ours).__name__ == type(theirs).__name__
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b)
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", sorted(CALLS))
def test_as_numpy(name):
    args, kwargs = CALLS[name]
    theirs = of(np, name)(*args, **kwargs)
    assert_same(of(xp, name)(*args, **kwargs), theirs)
    assert_same(of(xp, name)(*wrapped(args), **{k: wrapped(v) for k, v in kwargs.items()}), theirs)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_functions_go_by_name(name):
    function = of(xp, name)
    assert of(xp, name) is function
    assert pickle.loads(pickle.dumps(function)) is function
    assert function.__name__ == name.rpartition(".")[2]


def test_threads_get_one_object_of_a_name():
    code = """
        import pickle, sys, threading
        from concurrent.futures import ThreadPoolExecutor
        import numpy as np
        import sharedarray as xp
        sys.setswitchinterval(1e-6)
        barrier = threading.Barrier(8)

        def ask(module, name):
            barrier.wait(60)
            return getattr(module, name)

        with ThreadPoolExecutor(8) as pool:
            for module, numpy in (xp, np), (xp.fft, np.fft), (xp.random, np.random):
                for name in sorted(vars(numpy)):
                    if not hasattr(numpy, name) or name.startswith("_") or name in vars(module):
                        continue
                    if isinstance(getattr(numpy, name), np.ndarray):
                        continue
                    found = list(pool.map(lambda _: ask(module, name), range(8)))
                    assert len(set(map(id, found))) == 1, name
                    if isinstance(found[0], type(xp.sin)):
                        assert pickle.loads(pickle.dumps(found[0])) is found[0], name
        print("done")
        """
    assert run_script(code).ok() == "done"


def test_names_that_are_not_about_arrays():
    assert issubclass(xp.errstate, np.errstate)
    assert xp.float16 is np.float16
    assert xp.dtype is np.dtype
    assert xp.s_ is np.s_
    assert xp.exceptions is np.exceptions
    assert xp.issubdtype(xp.float32, xp.floating)
    assert {"einsum", "sin", "zeros", "errstate"} <= set(dir(xp))
    assert "norm" in dir(xp.linalg)
    with xp.printoptions(precision=2):
        assert str(xp.asarray([1.23456])) == "[1.23]"


def test_index_helpers():
    v = xp.asarray(V)
    for ours, theirs in (
        (xp.r_[v, 0, 5], np.r_[V, 0, 5]),
        (xp.c_[v, v], np.c_[V, V]),
        (xp.mgrid[0:2, 0:3], np.mgrid[0:2, 0:3]),
        (xp.ogrid[0:2, 0:3], np.ogrid[0:2, 0:3]),
        (xp.r_[0:3], np.r_[0:3]),
    ):
        assert_same(ours, theirs)


def test_in_place_functions():
    x = xp.zeros(4)
    xp.copyto(x, V)
    assert x.tolist() == V.tolist()
    xp.put(x, [0], 9.0)
    xp.place(x, x == 2.0, [7.0])
    xp.fill_diagonal(m := xp.zeros((2, 2)), 1.0)
    assert x.tolist() == [9.0, 1.0, 7.0, 7.0]
    assert m.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    v = xp.nan_to_num(y := xp.asarray([xp.nan]), copy=False)
    assert v is y


def test_vectorize():
    seen = []

    @xp.vectorize
    def larger(a, b):
        seen.append(np.zeros(100))
        return a if a > b else b

    result = larger(xp.asarray([1.0, 5.0]), 3.0)
    assert result.tolist() == [3.0, 5.0]
    assert result.is_shared()
    assert not any(xp.is_shared(s) for s in seen)
    norm = xp.vectorize(lambda row: xp.sum(row), signature="(n)->()")
    assert norm(xp.asarray(A)).tolist() == A.sum(axis=1).tolist()
    plus = xp.vectorize(lambda a: a + 1, otypes=[float])
    assert plus(xp.zeros(0)).shape == (0,)


def test_files(tmp_path):
    x = xp.asarray(A)
    xp.save(tmp_path / "x.npy", x)
    for file in (tmp_path / "x.npy", str(tmp_path / "x.npy")):
        loaded = xp.load(file)
        assert loaded.is_shared()
        assert loaded.tolist() == A.tolist()
    mapped = xp.load(tmp_path / "x.npy", mmap_mode="r+")
    assert not mapped.is_shared()
    mapped[0, 0] = 7.0
    assert np.load(tmp_path / "x.npy")[0, 0] == 7.0
    del mapped
    xp.savez(tmp_path / "x.npz", x=x, v=xp.asarray(V))
    with xp.load(tmp_path / "x.npz") as archive:
        assert sorted(archive) == ["v", "x"]
        assert len(archive) == 2
        assert archive["x"].is_shared()
        assert archive["v"].tolist() == V.tolist()
    xp.savetxt(tmp_path / "x.txt", x)
    assert xp.loadtxt(tmp_path / "x.txt").tolist() == A.tolist()
    assert xp.genfromtxt(io.StringIO("1 2\n3 4")).is_shared()


def test_testing():
    x = xp.asarray(V)
    xp.testing.assert_allclose(x, V)
    with pytest.raises(AssertionError):
        xp.testing.assert_array_equal(x, V + 1)
    with xp.testing.assert_raises(ValueError):
        xp.add(xp.ones(2), xp.ones(3))


def test_as_strided():
    x = xp.arange(6)
    view = xp.lib.stride_tricks.as_strided(x, (3, 2), (16, 8))
    assert view.tolist() == [[0, 1], [2, 3], [4, 5]]
    view[0, 0] = 9
    assert x[0].item() == 9
    assert view.is_shared()
