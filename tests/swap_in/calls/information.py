"""Data types, questions about arrays, printing, settings, files, and NumPy's helpers."""

from ._forms import each, joined

FLOATS = "float16 half float32 single float64 double longdouble"
INTEGERS = (
    "int8 byte int16 short int32 intc int64 int_ intp long longlong"
    " uint8 ubyte uint16 ushort uint32 uintc uint64 uint uintp ulong ulonglong"
)
COMPLEX = "complex64 csingle complex128 cdouble clongdouble"
SIZED = "float128 complex256"
ABSTRACT = (
    "character complexfloating flexible floating generic inexact integer number signedinteger"
    " unsignedinteger"
)
ERRORS = (
    "AxisError ComplexWarning DTypePromotionError ModuleDeprecationWarning RankWarning TooHardError"
    " VisibleDeprecationWarning"
)
DTYPES = (
    "BoolDType ByteDType BytesDType CLongDoubleDType Complex128DType Complex64DType DateTime64DType"
    " Float16DType Float32DType Float64DType Int16DType Int32DType Int64DType Int8DType IntDType"
    " LongDType LongDoubleDType LongLongDType ShortDType StrDType TimeDelta64DType UByteDType"
    " UInt16DType UInt32DType UInt64DType UInt8DType UIntDType ULongDType ULongLongDType"
    " UShortDType VoidDType"
)
ASSERTIONS = (
    "assert_allclose assert_almost_equal assert_array_almost_equal assert_array_equal assert_equal"
    " assert_array_almost_equal_nulp assert_array_max_ulp"
)

TYPES = joined(
    each(f"{FLOATS} {SIZED}", "np.array([1, 2], dtype=np.{})", "np.zeros(2, np.{}).dtype.name"),
    each(INTEGERS, "np.ones(2, dtype=np.{})", "np.{}(7) + k"),
    each(COMPLEX, "np.array([1, 2j], dtype=np.{})", "v.astype(np.{})"),
    each(ABSTRACT, "[np.issubdtype(a.dtype, np.{}) for a in (v, i, z, s, d)]"),
    {
        "bool": ["np.array([0, 2], dtype=np.bool)", "np.bool(1) == b[0]"],
        "bool_": ["b.dtype == np.bool_"],
        "str_": ["np.array(['a', 'bc'], dtype=np.str_)"],
        "bytes_": ["np.array([b'a', b'bc'], dtype=np.bytes_)"],
        "void": ["np.zeros(2, dtype=np.dtype((np.void, 3))).dtype.itemsize"],
        "datetime64": ["np.datetime64('2024-03-01') - d", "np.array(np.datetime64('2024'))"],
        "timedelta64": ["d + np.timedelta64(3, 'D')"],
        "dtype": ["np.zeros(2, dtype=np.dtype([('a', 'i4'), ('b', 'f8')]))['b']"],
        "ScalarType": ["np.float64 in np.ScalarType"],
        "sctypeDict": ["v.astype(np.sctypeDict['float32'])"],
        "typecodes": ["[v.astype(c).dtype for c in np.typecodes['AllInteger']]"],
        "can_cast": ["np.can_cast(np.int32, 'f8')", "np.can_cast(v.dtype, np.int8, 'unsafe')"],
        "result_type": ["np.result_type(v, np.float32)", "np.result_type(h, i)"],
        "promote_types": ["np.promote_types('i4', 'f4')"],
        "min_scalar_type": ["np.min_scalar_type(300)", "np.min_scalar_type(v)"],
        "common_type": ["np.common_type(h, i)", "np.common_type(h, z)"],
        "mintypecode": ["np.mintypecode(['f', 'd'])", "np.mintypecode([z, v])"],
        "isdtype": ["np.isdtype(v.dtype, 'real floating')"],
        "issubdtype": ["np.issubdtype(v.dtype, np.floating)"],
        "typename": ["np.typename('d')"],
        "finfo": ["np.finfo(np.float32).bits", "float(np.finfo(v.dtype).eps)"],
        "iinfo": ["np.iinfo(np.int16).max", "np.iinfo(u.dtype).min"],
        "datetime_data": ["np.datetime_data(d.dtype)"],
    },
    each(ERRORS, "issubclass(np.exceptions.{}, Exception)"),
    each(DTYPES, "isinstance(np.dtype(np.dtypes.{}.type), np.dtypes.{})"),
)
TYPES = {
    (f"exceptions.{name}" if name in ERRORS.split() else name): calls
    for name, calls in TYPES.items()
}
TYPES = {
    (f"dtypes.{name}" if name in DTYPES.split() else name): calls for name, calls in TYPES.items()
}

TYPES |= each("ArrayLike DTypeLike", "np.typing.{} is numpy.typing.{}")
TYPES["NDArray"] = ["np.typing.NDArray[np.float64].__name__"]
TYPES = {
    (f"typing.{name}" if name in ("ArrayLike", "DTypeLike", "NDArray") else name): calls
    for name, calls in TYPES.items()
}

QUESTIONS = joined(
    each("shape ndim size", "np.{}(m)", "np.{}([[1, 2]])", "np.{}(3.0)"),
    each("isscalar", "np.{}(3.0)", "np.{}(v)", "np.{}('a')"),
    each("iscomplexobj isrealobj", "np.{}(z)", "np.{}(v)", "np.{}(2j)"),
    each("may_share_memory shares_memory", "np.{}(m, m[1])", "np.{}(v, w)"),
    {
        "size": ["np.size(m, 1)"],
        "isfortran": ["np.isfortran(m)", "np.isfortran(np.asfortranarray(m))"],
        "iterable": ["np.iterable(v)", "np.iterable(2.0)"],
        "ndarray": ["isinstance(v, np.ndarray)", "np.ndarray.__name__ in ('ndarray', 'Array')"],
        "broadcast": ["np.broadcast(m, v).shape", "[float(a * c) for a, c in np.broadcast(v, 2)]"],
        "ndenumerate": ["[(at, float(x)) for at, x in np.ndenumerate(m)]"],
        "ndindex": [
            "list(np.ndindex(2, 2))",
            "list(np.ndindex(m.shape)) == list(np.ndindex(3, 4))",
        ],
        "nditer": [
            "[float(x) for x in np.nditer(m, order='F')]",
            "for x, y in np.nditer([v, w], op_flags=[['readwrite'], ['readonly']]): x[...] = y\nv",
        ],
        "nested_iters": [
            "[[float(y) for y in b] for a, b in [np.nested_iters(m, [[0], [1]])] for x in a]"
        ],
        "flatiter": ["isinstance(v, np.flatiter)"],
        "lib.Arrayterator": ["[a.sum() for a in np.lib.Arrayterator(m, 4)]"],
        "lib.mixins.NDArrayOperatorsMixin": [
            "class A(np.lib.mixins.NDArrayOperatorsMixin):\n"
            "    def __array_ufunc__(self, f, method, *a, **k): return f.__name__\n"
            "A() + v, v * A()"
        ],
        "__array_namespace_info__": [
            "np.__array_namespace_info__().capabilities()['boolean indexing']"
        ],
        "lib.NumpyVersion": ["np.lib.NumpyVersion('2.1.0') < '2.2.0'"],
        "lib.introspect.opt_func_info": ["type(np.lib.introspect.opt_func_info('add'))"],
    },
)

PRINTING = {
    "array2string": [
        "np.array2string(m, precision=2)",
        "np.array2string(v, formatter={'float_kind': lambda x: f'<{x:.1f}>'}, separator=';')",
        "np.array2string(cube, threshold=5)",
    ],
    "array_repr": ["np.array_repr(np.asarray([1.5, 2.0])).split('(')[1]"],
    "array_str": ["np.array_str(m)", "np.array_str(v, precision=1)"],
    "base_repr": ["np.base_repr(10, 3)"],
    "binary_repr": ["np.binary_repr(5, width=8)", "np.binary_repr(k[0], 4)"],
    "format_float_positional": [
        "np.format_float_positional(1e-3)",
        "np.format_float_positional(v[0])",
    ],
    "format_float_scientific": ["np.format_float_scientific(12.5, precision=1)"],
    "datetime_as_string": ["np.datetime_as_string(d)", "np.datetime_as_string(d, unit='M')"],
    "printoptions": ["with np.printoptions(precision=2): a = str(m / 3)\na"],
    "get_printoptions": ["np.get_printoptions()['precision']"],
    "set_printoptions": [
        "old = np.get_printoptions(); np.set_printoptions(precision=3, suppress=True);"
        " a = str(m / 7); np.set_printoptions(**old); a"
    ],
}

SETTINGS = {
    "errstate": [
        "with np.errstate(divide='ignore', invalid='ignore'): a = v / np.zeros(4)\na",
        "seen = []\nwith np.errstate(all='call', call=lambda *a: seen.append(a)): v / 0.0\nseen",
    ],
    "geterr": ["np.geterr()"],
    "seterr": ["old = np.seterr(divide='ignore'); a = v / 0.0; np.seterr(**old); old, a"],
    "geterrcall": ["np.geterrcall()"],
    "seterrcall": ["np.seterrcall(None)"],
    "getbufsize": ["np.getbufsize()"],
    "setbufsize": ["old = np.setbufsize(4096); np.setbufsize(old); old"],
}

FILES = {
    "save": ["np.save(folder / 'a.npy', m); np.load(folder / 'a.npy')"],
    "load": [
        "f = io.BytesIO(); np.save(f, m); f.seek(0); np.load(f)",
        "np.savez(folder / 'a.npz', v); np.load(folder / 'a.npz')['arr_0']",
    ],
    "savez": [
        "np.savez(folder / 'b.npz', m, w=w)\n"
        "with np.load(folder / 'b.npz') as a: found = {n: a[n] for n in a.files}\n"
        "found"
    ],
    "savez_compressed": [
        "f = io.BytesIO(); np.savez_compressed(f, x=cube); f.seek(0); np.load(f)['x']"
    ],
    "fromfile": [
        "m.tofile(folder / 'a'); np.fromfile(folder / 'a', count=4, offset=8)",
        "v.tofile(folder / 'b', sep=' '); np.fromfile(folder / 'b', sep=' ')",
    ],
    "memmap": [
        "a = np.memmap(folder / 'm', dtype='f4', mode='w+', shape=(2, 3)); a[:] = 1.5; a.flush();"
        " np.array(np.memmap(folder / 'm', dtype='f4', mode='r'))"
    ],
    "loadtxt": [
        "np.loadtxt(io.StringIO('1 2\\n3 4'))",
        "np.loadtxt(['1,2', '3,4'], delimiter=',', unpack=True, dtype=int)",
        "np.loadtxt(['1 x'], dtype=[('a', int), ('b', 'U1')])",
        "np.loadtxt(['1 2'], converters=lambda field: float(field) + 1)",
    ],
    "savetxt": [
        "f = io.StringIO(); np.savetxt(f, m, fmt='%.2f', header='a'); f.getvalue()",
        "np.savetxt(folder / 'a.txt', v); np.loadtxt(folder / 'a.txt')",
    ],
    "genfromtxt": [
        "np.genfromtxt(io.StringIO('1,2\\n,4'), delimiter=',')",
        "np.genfromtxt(io.StringIO('a b\\n1 x'), names=True, dtype=None, encoding='utf-8')",
    ],
    "fromregex": [
        "np.fromregex(io.StringIO('1 a\\n23 b'), r'(\\d+) (\\w)', [('n', int), ('k', 'S1')])"
    ],
    "lib.npyio.NpzFile": [
        "np.savez(folder / 'c.npz', v=v)\n"
        "with np.load(folder / 'c.npz') as a: found = sorted(a), len(a), 'v' in a, dict(a)\n"
        "found"
    ],
    "lib.npyio.DataSource": ["np.lib.npyio.DataSource(folder).exists('nothing')"],
}

DATES = {
    "busday_count": ["np.busday_count(d, '2025-02-01')", "np.busday_count('2024-01', '2024-02')"],
    "busday_offset": ["np.busday_offset(d, 2, roll='forward')"],
    "is_busday": ["np.is_busday(d)", "np.is_busday(d, busdaycal=np.busdaycalendar('1110000'))"],
    "busdaycalendar": ["np.busdaycalendar(holidays=['2024-12-25']).weekmask.tolist()"],
}

EMATH = {
    **each("log log2 log10 sqrt", "np.emath.{}(m)", "np.emath.{}(-1.0)", "np.emath.{}(v)"),
    **each("arccos arcsin arctanh", "np.emath.{}(v)", "np.emath.{}(w / 2)"),
    "logn": ["np.emath.logn(2, v)", "np.emath.logn(v + 1, -w)"],
    "power": ["np.emath.power(m, 0.5)", "np.emath.power([2, 4], -1)"],
}

TESTING = joined(
    each(
        ASSERTIONS,
        "np.testing.{}(v, v.copy())",
        "np.testing.{}([1.0, 2.0], np.array([1.0, 2.0]))",
        "with np.testing.assert_raises(AssertionError): np.testing.{}(v, v + 1.0)\n1",
    ),
    {
        "assert_": ["np.testing.assert_(v[0] == 3.0)"],
        "assert_approx_equal": ["np.testing.assert_approx_equal(v[0], 3.0)"],
        "assert_array_less": ["np.testing.assert_array_less(v, v + 1)"],
        "assert_array_compare": ["np.testing.assert_array_compare(np.equal, v, v)"],
        "assert_raises": [
            "with np.testing.assert_raises(ValueError): v + np.zeros(3)\n1",
            "np.testing.assert_raises(ValueError, np.add, v, np.zeros(3))",
        ],
        "assert_raises_regex": [
            "with np.testing.assert_raises_regex(ValueError, 'broadcast'): v + np.zeros(3)\n1"
        ],
        "assert_no_warnings": ["np.testing.assert_no_warnings(np.add, v, w)"],
        "assert_string_equal": ["np.testing.assert_string_equal('a', 'a')"],
        "assert_no_gc_cycles": ["np.testing.assert_no_gc_cycles(np.add, v, w)"],
    },
)

CALLS = joined(
    TYPES,
    QUESTIONS,
    PRINTING,
    SETTINGS,
    FILES,
    DATES,
    {f"emath.{name}": calls for name, calls in EMATH.items()},
    {
        f"lib.scimath.{name}": [c.replace("np.emath", "np.lib.scimath") for c in calls]
        for name, calls in EMATH.items()
    },
    {f"testing.{name}": calls for name, calls in TESTING.items()},
)
