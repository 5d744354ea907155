"""NumPy's library of helpers, on arrays in shared memory."""

import numpy.lib as _numpy

from .._forward import forwarder, submodules

__getattr__, __dir__ = forwarder(_numpy, __name__)
globals().update(submodules(_numpy, __name__))
