"""Set functions."""

import numpy as np
from hypothesis import strategies as st

import sharedarray as xp

from .compare import assert_same, differential, examples
from .strategies import ALL, INTS, REAL, arrays, options, pairs

UNIQUE = ["unique_all", "unique_counts", "unique_inverse", "unique_values"]


def in_any_order(ours, theirs):
    """Compare distinct values, in whatever order they come."""
    assert_same(np.sort(ours), np.sort(theirs))


CASES = {name: st.tuples(st.tuples(arrays(ALL)), st.just({})) for name in UNIQUE}
CASES["isin"] = st.tuples(pairs(INTS, -5, 5), options(invert=st.just(False)))

test_as_strict = differential(CASES, {"unique_values": in_any_order})


def test_isin_inverted():
    """array-api-strict 2.5 drops `invert`."""

    def one(pair):
        given = [xp.asarray(x) if isinstance(x, np.ndarray) else x for x in pair]
        assert xp.isin(*given, invert=True).tolist() == np.isin(*pair, invert=True).tolist()
        return True

    examples(one, pairs(INTS, -5, 5))


def test_unique_values_are_sorted():
    def one(a):
        assert_same(xp.unique_values(xp.asarray(a)).numpy(), np.unique(a, equal_nan=False))
        return True

    examples(one, arrays(REAL))
