"""Statistical functions."""

from hypothesis import strategies as st

from .compare import assert_same_but_zeros, differential
from .strategies import ALL, FLOATS, FULL, NUMERIC, REAL, TYPES, WITH_AXES, reductions

KEEP = {"keepdims": st.booleans()}
CORRECTION = {"correction": st.sampled_from([0.0, 1, 0.5, 2])}

CASES = {
    "max": reductions(REAL, **KEEP),
    "min": reductions(REAL, **KEEP),
    "sum": reductions(NUMERIC, **KEEP, dtype=TYPES),
    "prod": reductions(NUMERIC, **KEEP, dtype=TYPES),
    "mean": reductions(FLOATS + NUMERIC[-2:] + ALL[:2], **KEEP),
    "std": reductions(FLOATS, **KEEP, **CORRECTION),
    "var": reductions(FLOATS, **KEEP, **CORRECTION),
    "cumulative_sum": reductions(
        NUMERIC, WITH_AXES, several=False, include_initial=st.booleans(), dtype=TYPES
    ),
    "cumulative_prod": reductions(
        NUMERIC, FULL, several=False, include_initial=st.booleans(), dtype=TYPES
    ),
}

# NumPy puts the initial zero in front, where array-api-strict adds it to the first element.
test_as_strict = differential(CASES, {"cumulative_sum": assert_same_but_zeros})
