import numpy.typing as npt
from numpy.char import array as array
from numpy.char import asarray as asarray
from numpy.char import chararray as chararray
from numpy.char import join as join
from numpy.char import rsplit as rsplit
from numpy.char import split as split
from numpy.char import splitlines as splitlines

from ._array import Array
from .strings import add as add
from .strings import capitalize as capitalize
from .strings import center as center
from .strings import count as count
from .strings import decode as decode
from .strings import encode as encode
from .strings import endswith as endswith
from .strings import expandtabs as expandtabs
from .strings import find as find
from .strings import index as index
from .strings import isalnum as isalnum
from .strings import isalpha as isalpha
from .strings import isdecimal as isdecimal
from .strings import isdigit as isdigit
from .strings import islower as islower
from .strings import isnumeric as isnumeric
from .strings import isspace as isspace
from .strings import istitle as istitle
from .strings import isupper as isupper
from .strings import ljust as ljust
from .strings import lower as lower
from .strings import lstrip as lstrip
from .strings import mod as mod
from .strings import multiply as multiply
from .strings import replace as replace
from .strings import rfind as rfind
from .strings import rindex as rindex
from .strings import rjust as rjust
from .strings import rstrip as rstrip
from .strings import startswith as startswith
from .strings import str_len as str_len
from .strings import strip as strip
from .strings import swapcase as swapcase
from .strings import title as title
from .strings import translate as translate
from .strings import upper as upper
from .strings import zfill as zfill

def compare_chararrays(a1: npt.ArrayLike, a2: npt.ArrayLike, cmp: str, rstrip: bool) -> Array: ...
def equal(x1: npt.ArrayLike, x2: npt.ArrayLike) -> Array: ...
def greater(x1: npt.ArrayLike, x2: npt.ArrayLike) -> Array: ...
def greater_equal(x1: npt.ArrayLike, x2: npt.ArrayLike) -> Array: ...
def less(x1: npt.ArrayLike, x2: npt.ArrayLike) -> Array: ...
def less_equal(x1: npt.ArrayLike, x2: npt.ArrayLike) -> Array: ...
def not_equal(x1: npt.ArrayLike, x2: npt.ArrayLike) -> Array: ...
def partition(a: npt.ArrayLike, sep: npt.ArrayLike) -> Array: ...
def rpartition(a: npt.ArrayLike, sep: npt.ArrayLike) -> Array: ...
def __dir__() -> list[str]: ...
