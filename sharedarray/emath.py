"""NumPy's functions that turn complex where real numbers have no answer, on shared memory."""

import numpy.lib.scimath as _numpy

from ._forward import forwarder

__getattr__, __dir__ = forwarder(_numpy, __name__)
