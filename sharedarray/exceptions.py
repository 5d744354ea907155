"""NumPy's exceptions and warnings. It is NumPy's own module."""

import sys

import numpy.exceptions

sys.modules[__name__] = numpy.exceptions
