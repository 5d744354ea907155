"""NumPy's library of helpers, on arrays in shared memory."""

import numpy.lib as _numpy

from .._forward import forwarder

__getattr__, __dir__ = forwarder(_numpy, __name__)
