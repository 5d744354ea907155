import types

from numpy._pytesttester import PytestTester
from numpy.lib import Arrayterator as Arrayterator
from numpy.lib import NumpyVersion as NumpyVersion
from numpy.lib import add_docstring as add_docstring
from numpy.lib import add_newdoc as add_newdoc
from numpy.lib import tracemalloc_domain as tracemalloc_domain

from . import recfunctions as recfunctions
from . import stride_tricks as stride_tricks

array_utils: types.ModuleType
format: types.ModuleType
introspect: types.ModuleType
mixins: types.ModuleType
npyio: types.ModuleType
scimath: types.ModuleType
test: PytestTester

def __dir__() -> list[str]: ...
