"""Where the standard and NumPy disagree: the standard's result."""

import numpy as np
import pytest

import sharedarray as xp


def test_finfo_gives_python_numbers():
    for dtype in (xp.float32, xp.float64, xp.complex64, xp.ones(1, dtype=xp.float32)):
        info = xp.finfo(dtype)
        for name in ("eps", "max", "min", "smallest_normal", "tiny"):
            assert type(getattr(info, name)) is float
        assert type(info.bits) is int
    assert xp.finfo(xp.complex64).dtype == np.dtype("float32")
    assert xp.finfo(xp.float32) == xp.finfo(xp.ones(1, dtype=xp.float32))
    with pytest.raises(ValueError):
        xp.finfo(xp.int32)


def test_iinfo_gives_python_numbers():
    info = xp.iinfo(xp.uint8)
    assert (info.bits, info.min, info.max) == (8, 0, 255)
    assert type(info.max) is int
    assert info.dtype == np.dtype("uint8")
    with pytest.raises(ValueError):
        xp.iinfo(xp.float32)


def test_descending_sort_is_stable():
    x = xp.asarray([1.0, -0.0, 0.0, 1.0])
    assert xp.argsort(x, descending=True).tolist() == [0, 3, 1, 2]
    assert xp.signbit(xp.sort(x, descending=True)).tolist() == [False, False, True, False]
    assert xp.sort(xp.asarray([[3, 1], [2, 9]]), axis=None).tolist() == [1, 2, 3, 9]


def test_unique_values_are_sorted():
    x = xp.asarray(np.random.default_rng(0).integers(0, 1000, 500))
    assert xp.unique_values(x).tolist() == sorted(set(x.tolist()))
    nans = xp.asarray([xp.nan, 1.0, xp.nan])
    assert xp.unique_values(nans).shape == (3,)


def test_eigenvalues_are_complex_in_exact_pairs():
    a = xp.asarray([[0.0, -2.0, 1.0], [3.0, 0.1, 0.0], [0.0, 1.0, 2.0]])
    values = xp.linalg.eigvals(a)
    assert values.dtype == np.dtype("complex128")
    pair = [v for v in values.tolist() if v.imag]
    assert len(pair) == 2
    assert pair[0] == pair[1].conjugate()
    assert xp.linalg.eig(xp.eye(2, dtype=xp.float32)).eigenvalues.dtype == np.dtype("complex64")


def test_clip_keeps_the_data_type():
    x = xp.asarray([0, 100, 200], dtype=xp.uint8)
    assert xp.clip(x, 10).tolist() == [10, 100, 200]
    assert xp.clip(x, None, 150).tolist() == [0, 100, 150]
    assert xp.clip(x, -5, 1000).dtype == np.dtype("uint8")
    assert xp.clip(x, -5, 1000).tolist() == [0, 100, 200]
    wide = xp.clip(x, xp.asarray(50, dtype=xp.int64), xp.asarray(300, dtype=xp.int64))
    assert wide.dtype == np.dtype("uint8")
    assert wide.tolist() == [50, 100, 200]
    assert xp.clip(xp.ones(1, dtype=xp.float32), np.float64(2), None).dtype == np.dtype("float32")
    copy = xp.clip(x)
    assert not xp.shares_memory(copy, x)


def test_isin():
    x = xp.asarray([1, 2, 3])
    assert xp.isin(x, 2).tolist() == [False, True, False]
    assert xp.isin(x, xp.asarray([2, 3]), invert=True).tolist() == [True, False, False]
    assert xp.isin(0, xp.asarray(0), invert=True).item() is False


def test_asarray_of_strings_and_objects():
    for bad in (["a", "b"], "a", b"a", [1, None], [object()], {"a": 1}, object(), None):
        with pytest.raises((TypeError, ValueError)):
            xp.asarray(bad)
    assert xp.asarray(["a", "bc"], dtype="U2").tolist() == ["a", "bc"]
    assert xp.asarray(np.array(["a", "bc"])).dtype == np.dtype("U2")
    assert xp.array(["a", "bc"]).is_shared()


def test_count_nonzero_and_rank_are_arrays():
    for result in (
        xp.count_nonzero(xp.asarray([0, 1])),
        xp.linalg.matrix_rank(xp.eye(2)),
        xp.linalg.matrix_rank(xp.ones(3)),
    ):
        assert isinstance(result, xp.Array)
        assert result.item() in (1, 2)


def test_fft_frequencies():
    assert xp.fft.fftfreq(4, dtype=xp.float32).dtype == np.dtype("float32")
    assert xp.fft.rfftfreq(4, d=0.5, device="cpu").tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(ValueError):
        xp.fft.fftfreq(4, dtype=xp.int32)


def test_std_takes_correction_or_ddof():
    x = xp.asarray([1.0, 2.0, 4.0])
    assert xp.std(x, correction=1).item() == xp.std(x, ddof=1).item() == np.std([1, 2, 4], ddof=1)
    assert xp.var(x, 0, None, None, 1).item() == np.var([1, 2, 4], ddof=1)
    with pytest.raises(ValueError, match="ddof"):
        xp.std(x, ddof=1, correction=2)


def test_pinv_cuts_off_as_the_standard_says():
    a = np.diag([1.0, 1e-15])
    eps = np.finfo(float).eps
    assert 2 * eps < 1e-15
    assert xp.linalg.pinv(xp.asarray(a))[1, 1].item() == pytest.approx(1e15)


def test_broadcast_shapes_with_unknown_lengths():
    assert xp.broadcast_shapes((None, 1), (3,)) == (None, 3)
    assert xp.broadcast_shapes((None,), (3,)) == (3,)
    with pytest.raises(ValueError):
        xp.broadcast_shapes((None, 2), (3,))


def test_info():
    info = xp.__array_namespace_info__()
    assert type(info.devices()) is tuple
    assert info.default_device() == "cpu"
    assert info.dtypes(kind=("bool", "real floating")).keys() == {"bool", "float32", "float64"}
    assert all(hash(t) == hash(xp.zeros(1, dtype=t).dtype) for t in info.dtypes().values())
    assert xp.__array_api_version__ == "2025.12"
    assert info.default_dtypes(device="cpu")["integral"] == xp.arange(3).dtype
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="nonsense")


def test_constants_and_names():
    assert xp.newaxis is None
    assert (xp.e, xp.pi, xp.inf) == (np.e, np.pi, np.inf)
    assert xp.isnan(xp.nan).item()
    assert xp.float32 is np.float32
    assert xp.bool is np.bool_
    assert xp.ndarray is xp.Array


def test_real_and_imag_of_real_arrays():
    x = xp.asarray([1.0, 2.0])
    assert xp.imag(x).tolist() == [0.0, 0.0]
    assert xp.real(x).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("low", [0.5, 0.0, np.float32(0.5), [0.5, 0.5, 0.5], float("nan")])
@pytest.mark.parametrize("high", [None, 2.5, 3])
def test_integers_limited_by_floats_are_floats(low, high):
    a = np.asarray([0, 1, 5], dtype="i4")
    expected = np.clip(a, low, high)
    for r in (xp.clip(xp.asarray(a), low, high), xp.asarray(a).clip(low, high)):
        assert r.dtype == expected.dtype
        np.testing.assert_array_equal(r.numpy(), expected)


def test_integers_limited_by_other_integers_stay():
    x = xp.asarray([0, 1, 5], dtype="i4")
    r = xp.clip(x, xp.asarray(1, dtype="i8"), 2**40)
    assert (r.dtype, r.tolist()) == (np.dtype("i4"), [1, 1, 5])
