"""Sorting functions."""

import numpy as np
from hypothesis import strategies as st

from .compare import assert_same, check, differential, examples
from .strategies import REAL, WITH_AXES, reductions


def sorting(stable):
    """Calls with every keyword; NaN is left out, the order of which is not defined."""
    cases = reductions(
        REAL, WITH_AXES, several=False, none=False, descending=st.booleans(), stable=stable
    )
    return cases.map(lambda case: ((np.nan_to_num(case[0][0]),), case[1]))


CASES = {"sort": sorting(st.booleans()), "argsort": sorting(st.just(True))}

test_as_strict = differential(CASES)


def test_argsort_that_need_not_be_stable():
    """Any order of equal elements will do: what is compared is what the indices select."""
    cases = sorting(st.just(False))

    def one(case):
        (x,), keywords = case

        def same(ours, theirs):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            axis = keywords["axis"]
            ours, theirs = (np.take_along_axis(x, i, axis) for i in (ours, theirs))
            assert_same(ours + 0, theirs + 0)

        return check("argsort", *case, same=same)

    examples(one, cases, fewest=0.3)
