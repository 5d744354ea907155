"""Parameters that only newer versions of NumPy have, where the installed one takes them."""

import inspect

from ..compare import place
from ._forms import joined


def takes(name, parameter):
    """Whether a function or method of the installed NumPy has a parameter."""
    try:
        return parameter in inspect.signature(place(name)[1]).parameters
    except ValueError:  # older versions give no signature of some methods
        return False


def where_taken(parameter, calls):
    """Those of the calls whose function has the parameter."""
    return {name: lines for name, lines in calls.items() if takes(name, parameter)}


CALLS = joined(
    where_taken(
        "descending",
        {
            "sort": ["np.sort(m, axis=0, descending=True)", "np.sort(k, descending=False)"],
            "argsort": ["np.argsort(k, stable=True, descending=True)"],
            "ndarray.sort": ["m.sort(axis=0, descending=True); m"],
            "ndarray.argsort": ["k.argsort(stable=True, descending=True)"],
        },
    ),
    where_taken(
        "check_bounds",
        {
            "lib.stride_tricks.as_strided": [
                "np.lib.stride_tricks.as_strided(v, (2, 3), (8, 8), check_bounds=True)",
            ]
        },
    ),
)
