"""NumPy's attributes of an Array, and how it looks."""

cimport cython
cimport numpy as cnp
from numpy cimport ndarray

from ._array cimport (
    Array,
    below,
    borrow,
    exported,
    extend,
    kind_of,
    made,
    unwrap,
    wrap,
)
from ._copies cimport scoped
from ._keys cimport value_for
from ._lost cimport Lost
from ._storage cimport make_ndarray

from types import GenericAlias

import numpy as np

from . import _show
from ._devices import Device

cnp.import_array()

cdef object CPU = Device("cpu")


# NumPy's attributes


def _t(Array self):
    """View with the axes reversed."""
    return made(below(self).T, self)


def _mt(Array self):
    """View with the last two axes exchanged."""
    return made((<object>below(self)).mT, self)


def _real(Array self):
    """Real part, a view; assigning to it sets the real part."""
    return made((<object>below(self)).real, self)


def _set_real(Array self, value):
    value = value_for((<object>below(self)).real, None, unwrap(value))
    (<object>below(self)).real = value


def _imag(Array self):
    """Imaginary part, a view of a complex array; assigning to it sets the imaginary part."""
    cdef ndarray a = below(self)
    return made(scoped(getattr, (a, "imag"), None), self)


def _set_imag(Array self, value):
    value = value_for((<object>below(self)).imag, None, unwrap(value))
    (<object>below(self)).imag = value


def _flags(Array self):
    """Memory layout, as of an ndarray; ``writeable`` can be set to False, not back to True."""
    cdef ndarray a = below(self)
    if cnp.PyArray_ISWRITEABLE(a):
        return (<object>a).flags
    # A view whose base refuses to be written: the flags of it cannot be set back.
    return make_ndarray(cnp.PyArray_DATA(a), a.dtype, cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a),
                        cnp.PyArray_STRIDES(a), False, (b"", a)).flags


def _strides(Array self):
    """Bytes from one element to the next along each axis."""
    return (<object>below(self)).strides


def _itemsize(Array self):
    """Bytes of one element."""
    return self.dtype.itemsize


def _nbytes(Array self):
    """Bytes of all elements."""
    return self.size * self.dtype.itemsize


def _data(Array self):
    """Buffer over the elements, a memoryview."""
    return memoryview(self)


def _base(Array self):
    """Array of which this one is a view, or None where it has memory of its own."""
    base = (<object>below(self)).base
    return borrow(base) if isinstance(base, ndarray) else None


def _ctypes(Array self):
    """Address, shape and strides for ``ctypes``, as of an ndarray; it holds the memory."""
    return (<object>exported(self)).ctypes


@cython.binding(False)
@cython.embedsignature(True)
@cython.embedsignature.format("clinic")
@cython.final
cdef class Flat:
    """A one-dimensional look at an Array, in C order; what ``x.flat`` gives.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.asarray([[1, 2], [3, 4]])
    >>> x.flat[2]
    Array(3, dtype=int64, device='cpu', shared)
    >>> x.flat[:2] = 0
    >>> [int(v) for v in x.flat]
    [0, 0, 3, 4]
    """

    cdef Array x
    cdef object it

    def __init__(self, Array x not None):
        self.x = x
        self.it = (<object>exported(x)).flat

    def __iter__(self):
        return self

    def __next__(self):
        return wrap(next(self.it))

    def __len__(self):
        return len(self.it)

    def __getitem__(self, key):
        return wrap(self.it[unwrap(key)])

    def __setitem__(self, key, value):
        key = unwrap(key)
        if not isinstance(key, (int, slice)):
            self.it[key]        # raises for an index that is out of bounds
        self.it[key] = unwrap(value)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.it, dtype=dtype)

    @property
    def base(self):
        """Array that is looked at."""
        return self.x

    @property
    def index(self):
        """Position in the flat order."""
        return self.it.index

    @property
    def coords(self):
        """Position along each axis."""
        return self.it.coords

    def copy(self):
        """Return the elements in one dimension, copied.

        Returns
        -------
        Array
        """
        return self.x.flatten()


def _flat(Array self):
    """One-dimensional look at the elements, to iterate, index and assign."""
    return Flat(self)


def _set_flat(Array self, value):
    value = unwrap(value)
    (<object>below(self)).flat = value


# Numbers and looks


cdef object scalar_of(Array x, str what):
    """Return the element of a 0-d Array as a NumPy scalar; other shapes have none."""
    cdef ndarray a = below(x)
    if cnp.PyArray_NDIM(a) != 0:
        raise TypeError(f"{what} works on 0-d arrays; this one has shape {x.shape}")
    return cnp.PyArray_ToScalar(cnp.PyArray_DATA(a), a)


def __complex__(Array self):
    """Return the one element as a complex."""
    return complex(below(self))


def __round__(Array self, ndigits=None):
    """Round a 0-d array: to an int, or to a 0-d Array with that many digits."""
    value = round(scalar_of(self, "round()"), ndigits)
    return value if ndigits is None else wrap(value)


def __floor__(Array self):
    """Return the largest int not above a 0-d array."""
    return (<object>scalar_of(self, "math.floor()").item()).__floor__()


def __ceil__(Array self):
    """Return the smallest int not below a 0-d array."""
    return (<object>scalar_of(self, "math.ceil()").item()).__ceil__()


def __trunc__(Array self):
    """Return a 0-d array as an int, cut towards zero."""
    return (<object>scalar_of(self, "math.trunc()").item()).__trunc__()


def __format__(Array self, spec):
    """Format the element of a 0-d array; other shapes take no format."""
    if self._a is None and isinstance(self._link, Lost) and not spec:
        return _show.lost(self._link)
    return format(below(self), spec)


def _repr_html_(Array self):
    """Return a table of what the array is, above its elements, for notebooks."""
    if self._a is None and isinstance(self._link, Lost):
        return _show.lost_html(self._link)
    return _show.html(below(self), kind_of(self))


extend({
    "T": property(_t),
    "mT": property(_mt),
    "real": property(_real, _set_real),
    "imag": property(_imag, _set_imag),
    "flags": property(_flags),
    "strides": property(_strides),
    "itemsize": property(_itemsize),
    "nbytes": property(_nbytes),
    "data": property(_data),
    "base": property(_base),
    "ctypes": property(_ctypes),
    "flat": property(_flat, _set_flat),
    "__class_getitem__": classmethod(GenericAlias),
})
extend({f.__name__: f for f in (
    __complex__, __round__, __floor__, __ceil__, __trunc__, __format__, _repr_html_,
)})
