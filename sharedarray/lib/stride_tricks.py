"""Views of arrays with other shapes and strides, on arrays in shared memory."""

import numpy.lib.stride_tricks as _numpy

from .._forward import forwarder

__getattr__, __dir__ = forwarder(_numpy, __name__)
