"""NumPy's functions of fixed-width strings, on arrays in shared memory."""

import numpy.strings as _numpy

from ._forward import forwarder

__getattr__, __dir__ = forwarder(_numpy, __name__)
