"""NumPy's polynomials, on arrays in shared memory.

>>> import sharedarray as xp
>>> p = xp.polynomial.Polynomial([1.0, 2.0])
>>> p(xp.asarray([0.0, 3.0]))
Array([1., 7.], dtype=float64, device='cpu', shared)
"""

import numpy.polynomial as _numpy

from ._dispatch import call
from ._forward import forwarder, submodules

_Base = _numpy.Polynomial.__base__


def _series(base):
    """A class of series whose values, unlike its coefficients, are Arrays."""

    def __call__(self, arg):
        """Evaluate the series; at another series, it is a series."""
        if isinstance(arg, _Base):
            return super(series, self).__call__(arg)
        return call(super(series, self).__call__, arg)

    def roots(self):
        """Return the roots of the series."""
        return call(super(series, self).roots)

    def linspace(self, n=100, domain=None):
        """Return n points of the domain, evenly spaced, and the values there."""
        return call(super(series, self).linspace, n, domain)

    def __eq__(self, other):
        """Whether another series is the same; NumPy's may be."""
        return base.__eq__(other, self) if type(other) is base else base.__eq__(self, other)

    members = {"__module__": __name__, "__doc__": base.__doc__, "__hash__": None}
    for method in (__call__, __eq__, roots, linspace):
        members[method.__name__] = method
    series = type(base.__name__, (base,), members)
    return series


Polynomial = _series(_numpy.Polynomial)
Chebyshev = _series(_numpy.Chebyshev)
Legendre = _series(_numpy.Legendre)
Laguerre = _series(_numpy.Laguerre)
Hermite = _series(_numpy.Hermite)
HermiteE = _series(_numpy.HermiteE)

__getattr__, __dir__ = forwarder(_numpy, __name__)
for _name, _module in submodules(_numpy, __name__).items():
    globals()[_name] = _module
    for _class in (Polynomial, Chebyshev, Legendre, Laguerre, Hermite, HermiteE):
        if hasattr(_module, _class.__name__):
            setattr(_module, _class.__name__, _class)
