"""Calls of every public function of NumPy, as tables: name to lines of Python.

A line uses ``np`` and the names of ``inputs.py``; its last expression is what is compared.
"""

from . import (
    creation,
    elementwise,
    information,
    linear_algebra,
    manipulation,
    methods,
    newer,
    options,
    options_text,
    polynomial,
    random,
    records,
    statistics,
    strings,
)
from ._forms import joined

CHAPTERS = {
    module.__name__.rpartition(".")[2]: module.CALLS
    for module in (
        elementwise,
        creation,
        manipulation,
        statistics,
        linear_algebra,
        random,
        polynomial,
        strings,
        records,
        information,
        methods,
        options,
        options_text,
        newer,
    )
}
CALLS = joined(*CHAPTERS.values())
