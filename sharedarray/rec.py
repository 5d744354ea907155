"""NumPy's record arrays: subclasses of its ndarray, over its memory. It is NumPy's own module."""

import sys

import numpy.rec

sys.modules[__name__] = numpy.rec
