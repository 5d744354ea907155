"""The methods and attributes of Arrays on CUDA devices: those of Array, by the same names."""

cimport cython
from cpython.object cimport PyTypeObject
from numpy cimport ndarray

from ._array cimport Array
from ._cuda_array cimport CudaArray, value_of
from ._cuda_call cimport Call, call_of
from ._cuda_record cimport (
    Record,
    check_writable,
    cuda_array,
    download,
    header,
    is_cuda,
    record_of,
    upload,
)

import functools
import inspect

import numpy as np

from . import _device, _show
from ._backends import loaded
from ._cuda_array import looks_of

__all__ = ["CudaFlags", "CudaFlat"]

cdef extern from "core/ndarray.h":
    int sa_extend(PyTypeObject *type, object name, object value) except -1

cdef frozenset COMPUTED = frozenset({
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "byteswap", "choose",
    "clip", "compress", "conj", "conjugate", "copy", "cumprod", "cumsum", "diagonal", "dot",
    "fill", "flatten", "getfield", "max", "mean", "min", "nonzero", "partition", "prod", "put",
    "ravel", "repeat", "reshape", "round", "searchsorted", "setfield", "sort", "squeeze", "std",
    "sum", "swapaxes", "take", "trace", "transpose", "var", "view",
})
cdef frozenset WRITING = frozenset({"fill", "partition", "put", "setfield", "sort"})
cdef frozenset FETCHED = frozenset({"tolist", "tobytes", "tofile"})


@functools.cache
def place_of_output(name):
    """The place of `out` among the positional arguments of a method; a large number: nowhere."""
    parameters = list(inspect.signature(getattr(Array, name)).parameters)
    return parameters.index("out") - 1 if "out" in parameters else 1000


def computed(CudaArray self, str name, tuple args, dict kwargs):
    """Call a method of the backend's array, `args` and `kwargs` being ours."""
    cdef Call call = call_of(self)
    cdef object a = call.operand(self)
    if args or kwargs:
        out = kwargs.get("out")
        place = place_of_output(name)
        out = args[place] if place < len(args) else out
        if is_cuda(out):
            check_writable(record_of(out), "output array")
        args = tuple([call.convert(x) for x in args])
        kwargs = {key: call.convert(x) for key, x in kwargs.items()}
    if name in WRITING or name == "byteswap" and (args and args[0] or kwargs.get("inplace")):
        check_writable(record_of(self), "output array")
    result = call.run(call.library.method, (a, name, args, kwargs), None)
    if name == "diagonal":
        (<Record>record_of(result)).writable = False
    return result


def method(name):
    """Make a method that the backend computes."""
    theirs = getattr(Array, name)
    if name in FETCHED:
        def given(CudaArray self, *args, **kwargs):
            return getattr(download(self), name)(*args, **kwargs)
    else:
        def given(self, *args, **kwargs):
            return computed(self, name, args, kwargs)
    return functools.update_wrapper(given, theirs)


# Attributes


def _t(CudaArray self):
    return self.transpose()


def _mt(CudaArray self):
    if self.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return self.swapaxes(-1, -2)


cdef object part(CudaArray self, str name):
    cdef Call call = call_of(self)
    return call.run(getattr, (call.operand(self), name), None)


def _real(CudaArray self):
    return part(self, "real")


def _set_real(CudaArray self, value):
    part(self, "real")[...] = value


def _imag(CudaArray self):
    cdef object r = part(self, "imag")
    if self.dtype.kind != "c":
        (<Record>record_of(r)).writable = False
    return r


def _set_imag(CudaArray self, value):
    if self.dtype.kind != "c":
        raise TypeError("cannot set imaginary part of a real array")
    part(self, "imag")[...] = value


@cython.final
cdef class CudaFlags:
    """Memory layout of an Array on a CUDA device; what ``x.flags`` gives."""

    cdef CudaArray x

    def __cinit__(self, CudaArray x not None):
        self.x = x

    def __getattr__(self, name):
        return getattr((<object>header(self.x)).flags, name)

    def __getitem__(self, key):
        return (<object>header(self.x)).flags[key]

    def __setitem__(self, key, value):
        if key not in ("WRITEABLE", "W"):
            raise ValueError(f"flag {key!r} cannot be set")
        self.x.setflags(write=value)

    def __setattr__(self, name, value):
        if name != "writeable":
            raise AttributeError(f"flag {name!r} cannot be set")
        self.x.setflags(write=value)

    def __eq__(self, other):
        cdef CudaArray y
        if isinstance(other, CudaFlags):
            y = (<CudaFlags>other).x
            other = (<object>header(y)).flags
        return (<object>header(self.x)).flags == other

    def __repr__(self):
        return repr((<object>header(self.x)).flags)


def _flags(CudaArray self):
    return CudaFlags(self)


def _strides(CudaArray self):
    return tuple(record_of(self).b.strides)


def _base(CudaArray self):
    cdef Record record = record_of(self)
    base = record.b.base
    if not loaded().is_array(base):
        return None
    return cuda_array(base, record.index, record.writable, record.storage)


def _data(CudaArray self):
    return memoryview(self)


def _ctypes(CudaArray self):
    raise TypeError(f"ctypes takes addresses of host memory, and this Array is on {self.device}: "
                    "x.to_device(\"cpu\") copies it; its address there is in "
                    "x.__cuda_array_interface__")


def setflags(CudaArray self, write=None, align=None, uic=None):
    cdef Record record = record_of(self)
    if write and not record.writable:
        raise ValueError("cannot set write: this Array is read-only; make a copy to write into")
    if write is not None and not write:
        record.writable = False


@cython.binding(False)
@cython.embedsignature(True)
@cython.embedsignature.format("clinic")
@cython.final
cdef class CudaFlat:
    """A one-dimensional look at an Array on a CUDA device, in C order; what ``x.flat`` gives."""

    cdef CudaArray x
    cdef Py_ssize_t i

    def __init__(self, CudaArray x not None):
        self.x = x

    def __iter__(self):
        return self

    def __next__(self):
        cdef Py_ssize_t i = self.i
        if i >= self.x.size:
            raise StopIteration
        self.i = i + 1
        return self[i]

    def __len__(self):
        return self.x.size

    cdef object places(self, key):
        """Return indices along each axis for an index of the flat order."""
        if isinstance(key, Array):
            key = download(key) if is_cuda(key) else np.asarray(key)
        at = np.arange(self.x.size)[key]
        if isinstance(at, np.generic):
            return tuple([int(i) for i in np.unravel_index(at, self.x.shape)])
        return np.unravel_index(at, self.x.shape)

    def __getitem__(self, key):
        return self.x[self.places(key)].copy()

    def __setitem__(self, key, value):
        at = self.places(key)
        self.x[at] = cycled(self.x, value, at[0].size if at and not isinstance(at[0], int) else 1,
                            at[0].shape if at and not isinstance(at[0], int) else ())

    @property
    def base(self):
        """Array that is looked at."""
        return self.x

    @property
    def index(self):
        """Position in the flat order."""
        return self.i

    @property
    def coords(self):
        """Position along each axis."""
        return tuple([int(i) for i in np.unravel_index(self.i, self.x.shape)])

    def copy(self):
        """Return the elements in one dimension, copied.

        Returns
        -------
        Array
        """
        return self.x.flatten()


cdef object cycled(CudaArray x, object value, Py_ssize_t n, tuple shape):
    """Return `n` values in a shape, those given being repeated, as ``flat`` of NumPy does."""
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return value
    if not is_cuda(value):
        if isinstance(value, (Array, ndarray)):
            call_of(x).operand(value)       # raises
        return np.resize(np.asarray(value), shape).tolist()
    if value.size == 0:
        return value
    return value.reshape(-1)[np.arange(n) % value.size].reshape(shape)


def _flat(CudaArray self):
    return CudaFlat(self)


def _set_flat(CudaArray self, value):
    self[...] = cycled(self, value, self.size, self.shape)


def _itemsize(CudaArray self):
    return self.dtype.itemsize


def _nbytes(CudaArray self):
    return self.size * self.dtype.itemsize


def _device_of(CudaArray self):
    return _device.make("cuda", record_of(self).index)


def _is_cuda(CudaArray self):
    return True


# Numbers and looks


cdef object element(CudaArray x, str what):
    """Return the element of a 0-d Array as a NumPy scalar; other shapes have none."""
    if x.ndim != 0:
        raise TypeError(f"{what} works on 0-d arrays; this one has shape {x.shape}")
    return download(x)[()]


def item(CudaArray self, *args):
    if len(args) == 1 and isinstance(args[0], tuple):
        args = args[0]
    if len(args) == 1 and self.ndim != 1:
        n = self.size
        at = int(args[0])
        if not -n <= at < n:
            raise IndexError(f"index {at} is out of bounds for size {n}")
        args = tuple([int(i) for i in np.unravel_index(at % n, self.shape)])
    if args:
        if len(args) != self.ndim:
            raise ValueError("incorrect number of indices for array")
        return download(self[args]).item()
    if self.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    return download(self).item()


def __complex__(CudaArray self):
    return complex(value_of(self))


def __round__(CudaArray self, ndigits=None):
    value = round(element(self, "round()"), ndigits)
    if ndigits is None:
        return value
    return cuda_array(upload(np.asarray(value), record_of(self).index), record_of(self).index)


def __floor__(CudaArray self):
    return element(self, "math.floor()").item().__floor__()


def __ceil__(CudaArray self):
    return element(self, "math.ceil()").item().__ceil__()


def __trunc__(CudaArray self):
    return element(self, "math.trunc()").item().__trunc__()


def __format__(CudaArray self, spec):
    if self.ndim == 0:
        return format(download(self), spec)
    if spec:
        return format(np.empty(0), spec)        # raises, as of any array
    return str(self)


def _repr_html_(CudaArray self):
    return looks_of(self, _show.html)


# PyTorch's spellings


def clone(CudaArray self):
    return self.copy("K")


def fill_(CudaArray self, value):
    self.fill(value)
    return self


def zero_(CudaArray self):
    self.fill(np.zeros((), self.dtype)[()])
    return self


def copy_(CudaArray self, src):
    self[...] = src.to_device(self.device) if isinstance(src, Array) else src
    return self


# Sharing


def readonly(CudaArray self):
    cdef Record record = record_of(self)
    return cuda_array(loaded().frozen(record.b), record.index, False, record.storage)


cdef int complete() except -1:
    """Give CudaArray all members, each named and described as that of Array."""
    cdef dict members = {name: method(name) for name in COMPUTED | FETCHED}
    members.update({f.__name__: f for f in (
        setflags, item, clone, fill_, zero_, copy_, readonly, __complex__, __round__, __floor__,
        __ceil__, __trunc__, __format__, _repr_html_,
    )})
    for name, member in members.items():
        theirs = getattr(Array, name)
        member.__name__, member.__qualname__ = name, f"Array.{name}"
        member.__doc__ = theirs.__doc__
        sa_extend(<PyTypeObject *>CudaArray, name, member)
    for name, get, put in (
            ("T", _t, None), ("mT", _mt, None), ("real", _real, _set_real),
            ("imag", _imag, _set_imag), ("flags", _flags, None), ("strides", _strides, None),
            ("base", _base, None), ("data", _data, None), ("ctypes", _ctypes, None),
            ("flat", _flat, _set_flat), ("itemsize", _itemsize, None), ("nbytes", _nbytes, None),
            ("device", _device_of, None), ("is_cuda", _is_cuda, None)):
        member = property(get, put, doc=getattr(Array, name).__doc__)
        sa_extend(<PyTypeObject *>CudaArray, name, member)
    return 0


complete()
