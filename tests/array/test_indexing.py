"""Indexing is NumPy's, but one element is a snapshot in a 0-d Array."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import sharedarray as xp


def pair(shape=(3, 4)):
    """Return an ndarray and an Array with the same elements."""
    a = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return np.array(a), xp.asarray(a)  # both are copies: strides of empty arrays agree


def to_arrays(key):
    """Return the index with Arrays for ndarrays."""
    if isinstance(key, tuple):
        return tuple(to_arrays(k) for k in key)
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


def assert_same_selection(a, x, key, ours):
    """Compare ``x[ours]`` with ``a[key]``: values, layout, what is a view of what."""
    try:
        expected = a[key]
    except Exception as error:
        with pytest.raises(type(error)):
            x[ours]
        return
    got = x[ours]
    assert type(got) is xp.Array
    assert got.is_shared()
    assert (got.shape, got.dtype) == (np.shape(expected), expected.dtype)
    np.testing.assert_array_equal(np.asarray(got), expected)
    if isinstance(expected, np.ndarray):
        assert got.strides == expected.strides
        aliases = np.shares_memory(got.numpy(), x.numpy())
        assert aliases == np.shares_memory(expected, a)
    else:
        assert not np.shares_memory(got.numpy(), x.numpy())


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_basic_indices_agree_with_numpy(data):
    """Integers, slices, Ellipsis and newaxis in any combination."""
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    a, x = pair(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    assert_same_selection(a, x, key, key)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_integer_array_indices_agree_with_numpy(data):
    """Integer arrays, as ndarrays and as Arrays, alone and beside slices."""
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
    a, x = pair(shape)
    key = data.draw(
        hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(min_dims=1, max_dims=2))
    )
    if data.draw(st.booleans()) and len(key) > 1:
        key = (slice(None, None, -1), *key[1:])
    assert_same_selection(a, x, key, key)
    assert_same_selection(a, x, key, to_arrays(key))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_boolean_masks_agree_with_numpy(data):
    """Masks of the whole shape or of leading axes, as ndarrays, Arrays and lists."""
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    a, x = pair(shape)
    leading = data.draw(st.integers(1, len(shape)))
    mask = data.draw(hnp.arrays(bool, shape[:leading]))
    for ours in (mask, xp.asarray(mask)):
        assert_same_selection(a, x, mask, ours)


@pytest.mark.parametrize(
    "key",
    [
        [0, 2],
        [],
        [[0, 1], [2, 0]],
        ([0, 1], [1, 2]),
        (slice(None), [0, 2]),
        True,
        False,
        np.bool_(True),
        None,
        Ellipsis,
        (),
        (..., 0),
        (0, ...),
        np.int64(1),
        np.uint8(2),
        -1,
        -4,
        5,
        2**70,
        "f",
        1.5,
        np.float64(1),
        [1.5],
        (0, 1, 2),
        (..., ...),
        np.array(1),
        np.array([True]),
        slice(None, None, 0),
        slice("a"),
        [True, False, True],
        (1, None, slice(0, 2)),
        np.array([], dtype=np.intp),
        {},
        (np.array(2), slice(None)),
        range(2),
        (range(2), 1),
    ],
)
def test_odd_indices_agree_with_numpy(key):
    """Each of these gives what NumPy gives, or NumPy's kind of error."""
    a, x = pair()
    assert_same_selection(a, x, key, key)


def test_one_element_is_a_snapshot():
    """So that swaps work as with NumPy's scalars."""
    x = xp.asarray([1.0, 2.0, 3.0])
    x[0], x[2] = x[2], x[0]
    assert x.tolist() == [3.0, 2.0, 1.0]
    m = xp.asarray([[1, 2], [3, 4]])
    for first in (
        m[0, 1],
        m[np.int8(0), 1],
        m[xp.asarray(0), xp.asarray(1)],
        xp.asarray(7)[()],
        x[0],
        x[np.int64(0)],
        x[xp.asarray(0)],
        x[-3],
    ):
        assert first.shape == ()
        first[...] = 99
    assert m.tolist() == [[1, 2], [3, 4]]
    assert x.tolist() == [3.0, 2.0, 1.0]


def test_everything_else_basic_is_a_view():
    """A row, an Ellipsis, a slice, None."""
    m = xp.zeros((2, 2))
    views = [m[0], m[...], m[:, 0], m[None], m[0, ...], m[0, 1, ...], m[xp.asarray(1)]]
    for i, view in enumerate(views):
        view[...] = i + 1
    assert m.tolist() == [[5.0, 6.0], [7.0, 7.0]]
    z = xp.zeros(())
    z[...][...] = 4
    assert float(z) == 4.0


def test_iteration():
    """A 1-d array gives snapshots, others views; a 0-d one a TypeError."""
    x = xp.asarray([1, 2, 3])
    for v in x:
        assert type(v) is xp.Array
        v[...] = 0
    assert x.tolist() == [1, 2, 3]
    m = xp.zeros((2, 2))
    for row in m:
        row[...] = 1
    assert m.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    first, *rest = x
    assert [int(v) for v in (first, *rest)] == [1, 2, 3]
    assert len(list(xp.zeros((0, 3)))) == 0
    it = iter(x)
    assert it.__length_hint__() == 3
    with pytest.raises(TypeError, match="0-d"):
        iter(xp.asarray(1))
    assert not np.iterable(xp.asarray(1))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_assignment_agrees_with_numpy(data):
    """Any index, with scalars, arrays and Arrays as values."""
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
    a, x = pair(shape)
    key = data.draw(
        st.one_of(
            hnp.basic_indices(shape, allow_newaxis=True),
            hnp.integer_array_indices(shape),
            hnp.arrays(bool, shape),
        )
    )
    part = np.shape(a[key])
    value = data.draw(
        st.sampled_from([5, np.float32(2.0), -np.arange(np.prod(part, dtype=int)).reshape(part)])
    )
    a[key] = value
    x[to_arrays(key)] = to_arrays(value)
    assert x.tolist() == a.tolist()


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_assignment_from_overlapping_views(data):
    """``x[i] = x[j]`` reads everything before it writes."""
    a, x = pair((8,))
    start, stop = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))
    n = 4
    step = data.draw(st.sampled_from([1, -1]))
    target = slice(start, start + n)
    source = slice(stop, stop + n)
    a[target] = a[source][::step].copy()
    x[target] = x[source][::step]
    assert x.tolist() == a.tolist()
    order = data.draw(st.permutations(range(8)))
    a[order] = a[::-1].copy()
    x[order] = x[::-1]
    assert x.tolist() == a.tolist()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (slice(None), [1, "x", 3]),
        (slice(None), [1, 2]),
        ([0, 1, 9], [1, 2, 3]),
        (slice(None), np.array(["1", "x", "3"])),
        (slice(None), [1, [2, 3], 4]),
        (7, 1),
        ([0, 1], [1, 2, 3]),
        (np.array([True, False]), 1),
        (slice(None), [1, None, 2]),
        (slice(None), np.array([1, None, 3], dtype=object)),
        ("name", 1),
        (0, "x"),
        (0, None),
    ],
)
def test_errors_of_assignment_come_before_anything_is_written(key, value):
    """NumPy's kind of error, and no element changed."""
    a, x = pair((3,))
    with pytest.raises(Exception) as expected:
        a[key] = value
    with pytest.raises(expected.type):
        x[key] = value
    assert x.tolist() == [0, 1, 2]


def test_read_only_and_deletion():
    """Assignment to a read-only array, and deletion, are ValueErrors."""
    x = xp.arange(3)
    r = x.readonly()
    with pytest.raises(ValueError, match="read-only"):
        r[0] = 1
    with pytest.raises(ValueError, match="delete"):
        del x[0]
    assert x.tolist() == [0, 1, 2]


def test_fields_of_structured_arrays():
    """A field is a view; one element is a snapshot, which cannot be written; tuples are values."""
    x = xp.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
    x["b"] = 2.5
    x[1] = (7, 1.5)
    assert x["b"].tolist() == [2.5, 1.5, 2.5]
    assert x[["a"]].dtype.names == ("a",)
    for element in (x[1], x[xp.asarray(1)], list(x)[1], x[None][0, 1]):
        assert element["a"].shape == ()
        assert element.item() == (7, 1.5)
        with pytest.raises(ValueError, match="read-only"):
            element["a"] = 9
    assert x[0:1].flags.writeable
    assert x["a"].tolist() == [0, 7, 0]
    x["a"][1] = 8
    assert x["a"].tolist() == [0, 8, 0]


def test_code_of_the_user_in_an_index_runs_outside_the_scope():
    """``__index__`` and ``__array__`` of indices allocate private memory."""
    seen = []

    class Index:
        """An integer that allocates."""

        def __index__(self):
            """See where an array lies."""
            seen.append(xp.is_shared(np.ones(3)))
            return 1

    a, x = pair()
    i = Index()
    for key in (i, (i, 0), slice(i, None), (slice(i, None), [0, 1]), [i, 0], (i, [0])):
        assert_same_selection(a, x, key, key)
    assert seen
    assert not any(seen)


def test_views_in_private_memory_alias():
    """Views of private Arrays stay views, and know their storage."""
    with xp.memory("private"):
        x = xp.zeros(6)
        rows = [x[1:], x.reshape(2, 3), xp.reshape(x, (3, 2)), x[::2], np.reshape(x, (6, 1))]
        for row in rows:
            row[...] = row + 1
        assert all(not row.is_shared() and row.storage() is x.storage() for row in rows)
    assert x.tolist() == [4.0, 4.0, 5.0, 4.0, 5.0, 4.0]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_one_element_of_a_vector_by_every_integer(n):
    """Out of range on either side is an IndexError, with NumPy's words."""
    a, x = pair((n,))
    for i in range(-3 * n - 2, 2 * n + 2):
        if -n <= i < n:
            assert x[i] == a[i]
            continue
        with pytest.raises(IndexError) as numpys:
            a[i]
        with pytest.raises(IndexError) as ours:
            x[i]
        assert str(ours.value) == str(numpys.value)
