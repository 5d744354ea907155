"""array-api-extra: each of its functions, against itself on NumPy's arrays."""

import array_api_extra as xpx
import numpy as np
import pytest

import sharedarray as xp

from .common import check, rng, shared

R = rng()
V = R.standard_normal(7)
M = R.standard_normal((4, 5))
Z = V + 1j * R.standard_normal(7)
HOLES = np.where(M > 0.5, np.nan, M)
COUNTS = R.integers(0, 5, 9)
OTHERS = R.integers(2, 8, 6)

# Name, arguments, keyword arguments. Those without arrays among them get `xp`.
CALLS = [
    ("angle", (Z,), {}),
    ("angle", (Z,), {"deg": True}),
    ("apply_where", (V > 0, V, np.sqrt), {"fill_value": np.nan}),
    ("apply_where", (V > 0, (V, V[::-1].copy()), np.add, np.subtract), {}),
    ("argpartition", (V, 3), {}),
    ("atleast_nd", (V,), {"ndim": 3}),
    ("atleast_nd", (np.asarray(2.0),), {"ndim": 1}),
    ("broadcast_shapes", ((3, 1), (1, 4)), {}),
    ("cov", (M,), {}),
    ("cov", (M,), {"axis": 0, "correction": 0}),
    ("cov", (M,), {"fweights": np.asarray([1, 2, 1, 3, 1]), "aweights": np.abs(M[0])}),
    ("create_diagonal", (V,), {}),
    ("create_diagonal", (V,), {"offset": -2}),
    ("deg2rad", (V,), {}),
    ("diag_indices", (4,), {"ndim": 3}),
    ("expand_dims", (M,), {"axis": (0, 2)}),
    ("isclose", (V, V + 1e-9), {}),
    ("isclose", (HOLES, HOLES), {"equal_nan": True}),
    ("isin", (COUNTS, OTHERS), {}),
    ("isin", (COUNTS, OTHERS), {"invert": True}),
    ("kron", (M, M[:2, :2].copy()), {}),
    ("kron", (V, 2), {}),
    ("nan_to_num", (HOLES,), {}),
    ("nan_to_num", (HOLES,), {"fill_value": 3.0}),
    ("nanmax", (HOLES,), {"axis": 1}),
    ("nanmean", (HOLES,), {"axis": 0}),
    ("nanmin", (HOLES,), {}),
    ("nansum", (HOLES,), {"axis": -1}),
    ("nunique", (COUNTS,), {}),
    ("one_hot", (COUNTS, 5), {}),
    ("one_hot", (COUNTS, 5), {"dtype": np.float32, "axis": 0}),
    ("pad", (M, 2), {}),
    ("pad", (M, ((1, 0), (2, 3))), {"constant_values": -1.0}),
    ("partition", (V, 3), {}),
    ("rad2deg", (V,), {}),
    ("searchsorted", (np.sort(V), M), {"side": "right"}),
    ("setdiff1d", (COUNTS, OTHERS), {}),
    ("sinc", (V,), {}),
    ("tril_indices", (4,), {"offset": 1, "m": 5}),
    ("triu_indices", (4,), {"offset": -1}),
    ("union1d", (COUNTS, OTHERS), {}),
    ("unravel_index", (COUNTS, (3, 4)), {}),
]
NEED_NAMESPACE = {"diag_indices", "tril_indices", "triu_indices"}
ELSEWHERE = {"at", "default_dtype", "lazy_apply", "testing", "__version__"}


def test_every_function_is_called():
    assert {name for name, _, _ in CALLS} | ELSEWHERE == set(xpx.__all__)


@pytest.mark.filterwarnings("ignore:`xpx.* is deprecated:DeprecationWarning")
@pytest.mark.parametrize(
    ("name", "arguments", "keywords"),
    CALLS,
    ids=[f"{name}-{number}" for number, (name, _, _) in enumerate(CALLS)],
)
def test_function(name, arguments, keywords):
    function = getattr(xpx, name)
    more = {"xp": xp} if name in NEED_NAMESPACE else {}
    got = function(*shared(arguments), **shared(keywords), **more)
    want = function(*arguments, **keywords, **({"xp": np} if more else {}))
    if name in {"partition", "argpartition"}:  # what lies on either side is in any order
        kth = arguments[1]
        values = [arguments[0][got], arguments[0][want]] if name[0] == "a" else [got, want]
        got, want = (np.r_[np.sort(v[:kth]), v[kth], np.sort(v[kth + 1 :])] for v in values)
        np.testing.assert_array_equal(got, want)
        assert type(function(*shared(arguments))) is xp.Array
    else:
        check(got, want, where=name)


def test_callbacks_get_arrays():
    kinds = []

    def root(x):
        kinds.append(type(x))
        return xp.sqrt(x)

    check(
        xpx.apply_where(xp.asarray(V) > 0, xp.asarray(V), root, fill_value=0.0),
        np.sqrt(np.where(V > 0, V, 0.0)),
    )
    assert kinds == [xp.Array]


def test_lazy_apply():
    x = xp.asarray(M)
    got = xpx.lazy_apply(lambda a: np.cumsum(a, axis=0), x, as_numpy=True)
    check(got, np.cumsum(M, axis=0))
    check(xpx.lazy_apply(lambda a: a + 1, x, xp=xp), M + 1)


@pytest.mark.parametrize("kind", ["real floating", "complex floating", "integral", "indexing"])
def test_default_dtype(kind):
    assert xpx.default_dtype(xp, kind) == xpx.default_dtype(np, kind)
    assert xpx.default_dtype(xp, kind, device="cpu") == xpx.default_dtype(np, kind)


UPDATES = ["set", "add", "subtract", "multiply", "divide", "power", "min", "max"]


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize(
    "index",
    [1, slice(1, 5, 2), V > 0, np.asarray([4, 0]), ...],
    ids=["int", "slice", "mask", "integers", "all"],
)
def test_at(update, index, copy):
    start = np.abs(V)
    x, y = xp.asarray(start), start.copy()
    got = getattr(xpx.at(x)[shared(index)], update)(2.0, copy=copy)
    want = getattr(xpx.at(y)[index], update)(2.0, copy=copy)
    check(got, want, where=update)
    assert (got is x) is (copy is not True)
    check(x, y, where="the input")


def test_at_raises_before_it_writes():
    x = xp.arange(4)
    for value in (1.5, xp.asarray(1.5)):
        with pytest.raises(TypeError):
            xpx.at(x)[1:].add(value)
    assert x.tolist() == [0, 1, 2, 3]
    fixed = x.readonly()
    with pytest.raises(ValueError, match="read-only"):
        xpx.at(fixed)[0].set(7)
    check(xpx.at(fixed)[0].set(7, copy=True), np.asarray([7, 1, 2, 3]))
    assert x.tolist() == [0, 1, 2, 3]
