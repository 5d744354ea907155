import types

from numpy._pytesttester import PytestTester
from numpy.polynomial import Chebyshev as Chebyshev
from numpy.polynomial import Hermite as Hermite
from numpy.polynomial import HermiteE as HermiteE
from numpy.polynomial import Laguerre as Laguerre
from numpy.polynomial import Legendre as Legendre
from numpy.polynomial import Polynomial as Polynomial
from numpy.polynomial import set_default_printstyle as set_default_printstyle

chebyshev: types.ModuleType
hermite: types.ModuleType
hermite_e: types.ModuleType
laguerre: types.ModuleType
legendre: types.ModuleType
polynomial: types.ModuleType
polyutils: types.ModuleType
test: PytestTester

def __dir__() -> list[str]: ...
