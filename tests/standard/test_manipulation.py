"""Manipulation functions."""

import math

from hypothesis import strategies as st

from .compare import differential
from .strategies import (
    ALL,
    INTS,
    SHAPES,
    WITH_AXES,
    arrays,
    axes,
    broadcastable,
    options,
    partners,
)


@st.composite
def broadcast_arrays(draw):
    x = draw(arrays())
    others = [draw(arrays(ALL, broadcastable(x.shape))) for _ in range(draw(st.integers(0, 2)))]
    return (x, *others), {}


@st.composite
def broadcast_shapes(draw):
    shape = draw(SHAPES)
    others = [draw(broadcastable(shape)) for _ in range(draw(st.integers(0, 3)))]
    return (shape, *others), {}


@st.composite
def broadcast_to(draw):
    shape = draw(SHAPES)
    if draw(st.integers(0, 5)) == 0:
        return (draw(arrays()), shape), {}
    cut = draw(st.integers(0, len(shape)))
    own = tuple(1 if draw(st.booleans()) else n for n in shape[cut:])
    return (draw(arrays(ALL, own)), shape), {}


@st.composite
def concat(draw):
    x = draw(arrays(ALL, SHAPES if draw(st.integers(0, 4)) == 0 else WITH_AXES))
    axis = draw(axes(x.ndim, several=False))
    parts = [x]
    for _ in range(draw(st.integers(0, 2))):
        shape = list(x.shape)
        if axis is not None and -x.ndim <= axis < x.ndim:
            shape[axis] = draw(st.integers(0, 3))
        parts.append(draw(arrays(partners(x.dtype.name, ALL), tuple(shape))))
    sequence = parts if draw(st.booleans()) else tuple(parts)
    return (sequence,), {} if axis == 0 else {"axis": axis}


@st.composite
def stack(draw):
    x = draw(arrays())
    same = partners(x.dtype.name, ALL)
    parts = [x, *(draw(arrays(same, x.shape)) for _ in range(draw(st.integers(0, 2))))]
    sequence = parts if draw(st.booleans()) else tuple(parts)
    return (sequence,), draw(options(axis=st.integers(-x.ndim - 2, x.ndim + 1)))


@st.composite
def expand_dims(draw):
    x = draw(arrays())
    axis = st.integers(-x.ndim - 2, x.ndim + 1)
    several = st.sampled_from([(0, 1), (0, -1), (), (1, 1), (0,)])
    which = draw(st.integers(0, 4))
    if which == 0:
        return (x,), {}
    return (x,), {"axis": draw(several if which == 1 else axis)}


@st.composite
def along(draw, shapes=SHAPES, several=True, none=True):
    """One array, and an axis at times."""
    x = draw(arrays(ALL, shapes))
    return (x,), draw(options(axis=axes(x.ndim, several, none)))


@st.composite
def moveaxis(draw):
    x = draw(arrays(ALL, WITH_AXES))
    if draw(st.booleans()):
        places = st.permutations(range(x.ndim)).map(tuple)
        count = draw(st.integers(0, x.ndim))
        return (x, draw(places)[:count], draw(places)[:count]), {}
    place = axes(x.ndim, several=False, none=False)
    return (x, draw(place), draw(place)), {}


@st.composite
def permute_dims(draw):
    x = draw(arrays())
    order = draw(st.permutations(range(x.ndim)))
    order = tuple(n - x.ndim if draw(st.booleans()) else n for n in order)
    return (x, order[: draw(st.sampled_from([9, 9, 9, 1]))]), {}


@st.composite
def repeat(draw):
    (x,), keywords = draw(along(several=False))
    axis = keywords.get("axis")
    length = x.size
    if axis is not None:
        length = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    counts = st.one_of(st.integers(0, 3), arrays(INTS, (length,), 0, 3), arrays(INTS, (1,), 0, 3))
    return (x, draw(counts)), keywords


@st.composite
def reshape(draw):
    x = draw(arrays())
    shapes = [(x.size,), (1, x.size), x.shape[::-1], (*x.shape, 1), (-1,), (2, -1), (3, 5)]
    if x.size == 1:
        shapes.append(())
    return (x, draw(st.sampled_from(shapes))), draw(options(copy=st.sampled_from([None, True])))


@st.composite
def roll(draw):
    (x,), keywords = draw(along(several=False))
    shift = draw(st.integers(-7, 7))
    if x.ndim and draw(st.integers(0, 2)) == 0:
        chosen = draw(st.lists(st.integers(-x.ndim, x.ndim - 1), max_size=3).map(tuple))
        shifts = tuple(draw(st.integers(-4, 4)) for _ in chosen)
        return (x, shifts), {"axis": chosen}
    return (x, shift), keywords


@st.composite
def squeeze(draw):
    x = draw(arrays())
    short = [i for i, n in enumerate(x.shape) if n == 1]
    if short and draw(st.booleans()):
        axis = tuple(draw(st.lists(st.sampled_from(short), unique=True)))
    elif short and draw(st.booleans()):
        axis = draw(st.sampled_from(short)) - draw(st.sampled_from([0, x.ndim]))
    else:
        axis = draw(axes(x.ndim, several=draw(st.booleans()), none=False))
    return (x, axis), {}


@st.composite
def tile(draw):
    times = st.lists(st.integers(0, 3), max_size=4).map(tuple)
    x = draw(arrays(ALL, SHAPES.filter(lambda s: math.prod(s) < 20)))
    return (x, draw(times)), {}


CASES = {
    "broadcast_arrays": broadcast_arrays(),
    "broadcast_shapes": broadcast_shapes(),
    "broadcast_to": broadcast_to(),
    "concat": concat(),
    "stack": stack(),
    "expand_dims": expand_dims(),
    "flip": along(),
    "moveaxis": moveaxis(),
    "permute_dims": permute_dims(),
    "repeat": repeat(),
    "reshape": reshape(),
    "roll": roll(),
    "squeeze": squeeze(),
    "tile": tile(),
    "unstack": along(WITH_AXES, several=False, none=False),
}

test_as_strict = differential(CASES)
