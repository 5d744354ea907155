"""Indexing: by keys of every kind, reading and assigning; ``take`` and its relatives."""

import numpy as np
from hypothesis import strategies as st

from .compare import differential
from .strategies import ALL, BOOL, INTS, WITH_AXES, arrays, axes, broadcastable, options, scalars

BOUNDS = st.one_of(st.none(), st.integers(-4, 4))


@st.composite
def slices(draw):
    step = draw(st.sampled_from([None, None, 1, 2, -1, -2]))
    return slice(draw(BOUNDS), draw(BOUNDS), step)


@st.composite
def basic(draw, shape):
    """Integers, slices, an ellipsis and new axes; out of bounds at times."""
    key = []
    for n in shape[: draw(st.integers(0, len(shape)))]:
        inside = st.integers(-n, n - 1) if n else slices()
        key.append(draw(st.one_of(inside, slices(), st.integers(-5, 5))))
    while len(key) < len(shape) or draw(st.integers(0, 4)) == 0:
        if Ellipsis not in key:
            key.insert(draw(st.integers(0, len(key))), Ellipsis)
            break
    if draw(st.integers(0, 2)) == 0:
        key.insert(draw(st.integers(0, len(key))), None)
    return key[0] if len(key) == 1 and draw(st.booleans()) else tuple(key)


@st.composite
def advanced(draw, shape):
    """Arrays of integers along all axes, with integers among them, or a mask."""
    if not shape or draw(st.booleans()):
        return draw(arrays(BOOL, shape))
    target = draw(st.sampled_from([(2,), (), (0,), (3, 1), (2, 2)]))
    key = []
    for n in shape:
        if draw(st.integers(0, 3)) == 0 and n:
            key.append(draw(st.integers(-n, n - 1)))
            continue
        low, high = (-n, n - 1) if n and draw(st.integers(0, 7)) else (0, 3)
        key.append(draw(arrays(["int64"], draw(broadcastable(target)), low, high)))
    return tuple(key)


@st.composite
def keys(draw, shape):
    return draw(basic(shape) if draw(st.booleans()) else advanced(shape))


@st.composite
def reading(draw):
    x = draw(arrays())
    return (x, draw(keys(x.shape))), {}


@st.composite
def assigning(draw):
    """A value that fits the selection, or does not, of the array's type, a smaller or another."""
    x = draw(arrays())
    key = draw(keys(x.shape))
    try:
        shape = np.zeros(x.shape)[key].shape
    except (IndexError, ValueError):
        shape = ()
    same = [x.dtype.name] if draw(st.booleans()) else ALL
    values = st.one_of(
        scalars(x.dtype.kind),
        arrays(same, ()),
        broadcastable(shape).flatmap(lambda s: arrays(same, s)),
    )
    return (x, key, draw(values)), {}


@st.composite
def take(draw):
    x = draw(arrays(ALL, WITH_AXES))
    axis = draw(axes(x.ndim, several=False, none=False))
    n = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    bounds = (-n, n - 1) if n and draw(st.integers(0, 5)) else (0, 4)
    indices = draw(arrays(INTS, st.sampled_from([(2,), (0,), (5,)]), *bounds))
    return (x, indices), {} if x.ndim == 1 and draw(st.booleans()) else {"axis": axis}


@st.composite
def take_along_axis(draw):
    x = draw(arrays(ALL, WITH_AXES))
    axis = draw(axes(x.ndim, several=False, none=False))
    shape = list(x.shape)
    n = 1
    if -x.ndim <= axis < x.ndim:
        n = shape[axis]
        shape[axis] = draw(st.integers(0, 3))
    bounds = (-n, n - 1) if n and draw(st.integers(0, 5)) else (0, 4)
    indices = draw(arrays(["int64", "int32", "uint8"], tuple(shape), *bounds))
    return (x, indices), draw(options(axis=st.just(axis)))


CASES = {
    "Array.__getitem__": reading(),
    "Array.__setitem__": assigning(),
    "take": take(),
    "take_along_axis": take_along_axis(),
}

test_as_strict = differential(CASES)
