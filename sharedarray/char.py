"""NumPy's older functions of strings, on arrays in shared memory."""

import numpy.char as _numpy

from ._forward import forwarder

__getattr__, __dir__ = forwarder(_numpy, __name__)
