"""Statistical functions."""

from hypothesis import strategies as st

from .compare import assert_same_but_zeros, differential
from .strategies import ALL, COMPLEX, FLOATS, FULL, NUMERIC, REAL, TYPES, WITH_AXES, reductions

KEEP = {"keepdims": st.booleans()}
CORRECTION = {"correction": st.sampled_from([0.0, 1, 0.5, 2])}
RUNNING = {"include_initial": st.booleans(), "dtype": TYPES}

CASES = {
    "max": reductions(REAL, **KEEP),
    "min": reductions(REAL, **KEEP),
    "sum": reductions(NUMERIC, **KEEP, dtype=TYPES),
    "prod": reductions(NUMERIC, **KEEP, dtype=TYPES),
    "mean": reductions(FLOATS + NUMERIC[-2:] + ALL[:2], **KEEP),
    "std": reductions(FLOATS, **KEEP, **CORRECTION),
    "var": reductions(FLOATS, **KEEP, **CORRECTION),
    "cumulative_sum": reductions(NUMERIC, WITH_AXES, several=False, **RUNNING),
    "cumulative_prod": st.one_of(
        reductions(REAL, FULL, several=False, **RUNNING),
        reductions(COMPLEX, FULL, several=False, low=-9, high=9, **RUNNING),
    ),
}

# With an initial value NumPy puts that in front, where array-api-strict computes with it.
test_as_strict = differential(
    CASES, dict.fromkeys(["cumulative_sum", "cumulative_prod"], assert_same_but_zeros)
)
