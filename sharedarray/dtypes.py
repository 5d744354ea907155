"""NumPy's classes of data types. It is NumPy's own module."""

import sys

import numpy.dtypes

sys.modules[__name__] = numpy.dtypes
