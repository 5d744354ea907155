"""NumPy's functions of structured arrays, on arrays in shared memory.

>>> import sharedarray as xp
>>> from sharedarray.lib import recfunctions
>>> records = xp.asarray([(1, 2.5), (3, 4.5)], dtype=[("a", "i4"), ("b", "f8")])
>>> recfunctions.structured_to_unstructured(records)
Array([[1. , 2.5],
       [3. , 4.5]], dtype=float64, device='cpu', shared)
"""

import numpy.lib.recfunctions as _numpy

from .._forward import forwarder

__getattr__, __dir__ = forwarder(_numpy, __name__, _numpy.__all__)
