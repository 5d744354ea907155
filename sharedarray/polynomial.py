"""NumPy's polynomials, on arrays in shared memory."""

import numpy.polynomial as _numpy

from ._forward import forwarder

__getattr__, __dir__ = forwarder(_numpy, __name__)
