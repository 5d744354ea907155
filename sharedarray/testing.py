"""NumPy's assertions about arrays, on arrays in shared memory."""

import numpy.testing as _numpy

from ._forward import forwarder

__getattr__, __dir__ = forwarder(_numpy, __name__)
