"""The extension ``fft``."""

import numpy as np
from hypothesis import strategies as st

from .compare import differential
from .strategies import COMPLEX, FLOATS, FULL, INEXACT, WITH_AXES, arrays, axes, calls, options

NORMS = st.sampled_from(["backward", "ortho", "forward"])
ONE = {
    "fft": INEXACT,
    "ifft": INEXACT,
    "rfft": FLOATS,
    "irfft": COMPLEX,
    "hfft": COMPLEX,
    "ihfft": FLOATS,
}
SEVERAL = {"fftn": INEXACT, "ifftn": INEXACT, "rfftn": FLOATS, "irfftn": COMPLEX}


@st.composite
def along(draw, dtypes):
    """A transform along one axis, of its length, a shorter or a longer one."""
    x = draw(arrays(dtypes, FULL, -9, 9))
    return (x,), draw(
        options(n=st.integers(1, 6), axis=axes(x.ndim, several=False, none=False), norm=NORMS)
    )


@st.composite
def several(draw, dtypes):
    """A transform along several axes."""
    x = draw(arrays(dtypes, FULL, -9, 9))
    keywords = draw(options(norm=NORMS))
    if draw(st.booleans()):
        chosen = draw(st.lists(st.integers(0, x.ndim - 1), unique=True, min_size=1))
        keywords["axes"] = tuple(a - x.ndim if draw(st.booleans()) else a for a in chosen)
        if draw(st.booleans()):
            keywords["s"] = tuple(draw(st.integers(1, 4)) for _ in chosen)
    return (x,), keywords


@st.composite
def shift(draw):
    x = draw(arrays(INEXACT, WITH_AXES))
    return (x,), draw(options(axes=axes(x.ndim)))


FREQUENCIES = calls(
    st.integers(1, 9),
    d=st.sampled_from([1.0, 0.25, 3.0]),
    dtype=st.sampled_from([np.dtype("float32"), np.dtype("float64")]),
)
CASES = {f"fft.{name}": along(dtypes) for name, dtypes in ONE.items()}
CASES |= {f"fft.{name}": several(dtypes) for name, dtypes in SEVERAL.items()}
CASES |= {
    "fft.fftshift": shift(),
    "fft.ifftshift": shift(),
    "fft.fftfreq": FREQUENCIES,
    "fft.rfftfreq": FREQUENCIES,
}

test_as_strict = differential(CASES)
