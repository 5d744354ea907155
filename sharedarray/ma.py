"""NumPy's masked arrays: subclasses of its ndarray, over its memory. It is NumPy's own module."""

import sys

import numpy.ma

sys.modules[__name__] = numpy.ma
