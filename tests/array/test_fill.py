"""Filling: NumPy's values and errors, also where large arrays are written past the caches."""

import numpy as np
import pytest

import sharedarray as xp

LARGE = 64 << 20  # bytes: from here on by streaming stores
DTYPES = ["?", "i1", "u2", ">i4", "f4", "f8", "c8", "c16", "M8[s]", "i2,f4,u2", "i4,i1"]
FILLS = {
    "fill": lambda x, value: x.fill(value),
    "fill_": lambda x, value: x.fill_(value),
    "full": lambda x, value: xp.full_like(x, value),
}


def value_of(dtype):
    """Return a scalar of a dtype whose bytes all matter."""
    raw = np.arange(1, 1 + dtype.itemsize, dtype="u1").tobytes()
    return np.bool_(True) if dtype.kind == "b" else np.frombuffer(raw, dtype)[0]


@pytest.mark.parametrize("code", DTYPES)
@pytest.mark.parametrize("nbytes", [LARGE, LARGE // 2])
def test_every_element_is_written(code, nbytes):
    dtype = np.dtype(code)
    x = xp.zeros(nbytes // dtype.itemsize + 3, dtype)
    x.fill(0)  # its memory is there now
    value = value_of(dtype)
    x.fill(value)
    expected = np.zeros(1, dtype)
    expected.fill(value)
    assert (x.numpy() == expected).all()


@pytest.mark.parametrize("start", [0, 1, 2, 3, 7, 8])
@pytest.mark.parametrize("extra", [0, 1, 9])
@pytest.mark.parametrize("code", ["i1", "f4", "f8", "c16"])
def test_neighbours_stay_as_they_are(start, extra, code):
    dtype = np.dtype(code)
    count = LARGE // dtype.itemsize + extra
    whole = xp.zeros(count + start + 9, dtype)
    whole.fill(0)
    whole[start : start + count].fill(3)
    a = whole.numpy()
    assert not a[:start].any() and not a[start + count :].any()
    assert (a[start : start + count] == 3).all()


def test_memory_at_any_address():
    """A view at an odd offset: the pattern starts in the middle of a cache line."""
    raw = xp.zeros(LARGE + 64, dtype="u1")
    raw.fill(0)
    x = raw[3 : 3 + LARGE].view("f8")
    x.fill(1.5)
    assert (x.numpy() == 1.5).all()
    assert not raw[:3].numpy().any() and not raw[3 + LARGE :].numpy().any()


@pytest.mark.parametrize("how", FILLS)
def test_large_layouts(how):
    x = xp.zeros((2, LARGE // 16, 2), order="F")
    for view in (x, x.T, x[:, ::2], x[::-1]):
        made = FILLS[how](view, 7)
        assert ((view if made is None else made).numpy() == 7).all()
    if how != "full":
        assert (x.numpy() == 7).all()


@pytest.mark.parametrize("size", [4, LARGE // 4])
@pytest.mark.parametrize("bad", ["word", [1, 2], 1j, object()])
def test_what_numpy_refuses_is_refused(size, bad):
    a, x = np.zeros(size, "f4"), xp.zeros(size, "f4")
    with pytest.raises(Exception) as expected:
        a.fill(bad)
    with pytest.raises(type(expected.value)):
        x.fill(bad)
    assert not x.numpy().any()


@pytest.mark.parametrize("size", [4, LARGE // 4])
def test_read_only_memory_is_refused(size):
    x = xp.zeros(size, "f4").readonly()
    with pytest.raises(ValueError, match="read-only"):
        x.fill(1)


@pytest.mark.parametrize("size", [3, LARGE // 4])
@pytest.mark.parametrize("value", [1.5, True, np.float32(2.5), np.array(3), "4", -1])
@pytest.mark.parametrize("dtype", [None, "f4", "i4"])
def test_full_is_numpys(size, value, dtype):
    with np.errstate(all="ignore"):
        a = np.full(size, value, dtype)
        x = xp.full(size, value, dtype) if a.dtype.kind != "U" else None
    if x is None:
        x = xp.asarray(a)
    assert x.dtype == a.dtype and np.array_equal(x.numpy(), a)


def test_full_broadcasts_a_large_array():
    x = xp.full((2, LARGE // 8), xp.asarray([[1.0], [2.0]]))
    assert (x[0].numpy() == 1).all() and (x[1].numpy() == 2).all()
    assert x.is_shared()
