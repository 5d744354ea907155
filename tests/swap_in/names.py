"""The public names of the NumPy that is installed, and those that are left out, with the reason."""

import importlib
import types

import numpy

#: Modules of NumPy whose names are looked at, by their place below ``numpy``.
MODULES = (
    "",
    "linalg",
    "fft",
    "random",
    "polynomial",
    "polynomial.polynomial",
    "polynomial.chebyshev",
    "polynomial.legendre",
    "polynomial.laguerre",
    "polynomial.hermite",
    "polynomial.hermite_e",
    "emath",
    "char",
    "strings",
    "ctypeslib",
    "exceptions",
    "dtypes",
    "testing",
    "typing",
    "lib",
    "lib.array_utils",
    "lib.format",
    "lib.introspect",
    "lib.mixins",
    "lib.npyio",
    "lib.recfunctions",
    "lib.scimath",
    "lib.stride_tricks",
)
#: Classes whose members are looked at.
CLASSES = {
    "ndarray": numpy.ndarray,
    "random.Generator": numpy.random.Generator,
    "random.RandomState": numpy.random.RandomState,
}

REASONS = {
    "about arrays of Python objects, which cannot be shared": """
        frompyfunc object_ dtypes.ObjectDType dtypes.StringDType
        char.split char.rsplit char.splitlines
    """,
    "makes objects of a class of NumPy's that derives from its ndarray, in NumPy's memory": """
        matrix asmatrix bmat recarray record rec ma char.array char.asarray char.chararray
        lib.recfunctions.find_duplicates lib.recfunctions.rec_append_fields
        lib.recfunctions.rec_drop_fields lib.recfunctions.rec_join
    """,
    "about NumPy itself: its build, documentation, tests or C code": """
        get_include info show_config show_runtime test core f2py ctypeslib.load_library
        lib.add_docstring lib.add_newdoc lib.tracemalloc_domain typing.NBitBase
    """,
    "helps with tests, takes no arrays": """
        testing.BLAS_SUPPORTS_FPE testing.HAS_LAPACK64 testing.HAS_REFCOUNT testing.IS_64BIT
        testing.IS_EDITABLE testing.IS_INSTALLED testing.IS_MUSL testing.IS_PYPY
        testing.IS_PYSTON testing.IS_WASM testing.NOGIL_BUILD testing.NUMPY_ROOT
        testing.IgnoreException testing.SkipTest testing.TestCase testing.KnownFailureException
        testing.assert_warns testing.break_cycles testing.build_err_msg
        testing.check_support_sve testing.clear_and_catch_warnings testing.decorate_methods
        testing.jiffies testing.measure testing.memusage testing.overrides
        testing.print_assert_equal testing.run_threaded testing.rundocs testing.runstring
        testing.suppress_warnings testing.tempdir testing.temppath testing.verbose
    """,
    "the version of this library, not of NumPy": "__version__",
    "what every object of Python has, not about arrays": """
        ndarray.__class__ ndarray.__delattr__ ndarray.__init__ ndarray.__init_subclass__
        ndarray.__subclasshook__
    """,
    "a hook for classes that derive from ndarray; none can derive from Array": """
        ndarray.__array_finalize__ ndarray.__array_wrap__
    """,
    "for C code: buffer, `__array_interface__` and `__dlpack__` say the same": """
        ndarray.__array_struct__
    """,
    "an old spelling of `pickle.dump` and `pickle.dumps`, which work": """
        ndarray.dump ndarray.dumps
    """,
    "for C code that defines data types; an Array exchanges those that it can share": """
        dtypes.register_dlpack_dtype
    """,
    "gone from NumPy 2: where the name is left, it raises or warns": """
        ndarray.itemset ndarray.newbyteorder ndarray.ptp ndarray.tostring testing._OLD_PROMOTION
    """,
    "memory that others may have mapped never moves; `np.resize` works": "ndarray.resize",
}
EXCLUDED = {name: reason for reason, names in REASONS.items() for name in names.split()}
#: Names in the tables that some supported versions of NumPy, or of Python, have not.
_OTHERS = """
    exceptions.RankWarning in1d row_stack trapz matvec vecmat strings.slice testing._OLD_PROMOTION
    testing.BLAS_SUPPORTS_FPE testing.NUMPY_ROOT testing.IS_64BIT testing.IS_INSTALLED
    ndarray.itemset ndarray.newbyteorder ndarray.ptp ndarray.tostring
    ndarray.__buffer__ ndarray.__release_buffer__ dtypes.register_dlpack_dtype
    polynomial.polynomial.polyvalnd polynomial.chebyshev.chebvalnd polynomial.legendre.legvalnd
    polynomial.laguerre.lagvalnd polynomial.hermite.hermvalnd polynomial.hermite_e.hermevalnd
"""
OTHER_VERSIONS = set(_OTHERS.split())
#: Names that calls ask for in another way: through an array, a context or another name.
INDIRECT = {"ufunc", "lib.npyio.NpzFile"}
#: Parameters that no call uses, with the reason.
UNUSED = {
    "like": "asks a library of arrays to make the array, which is what the namespace is for",
    "device": "the one device of NumPy; see the tests of devices",
    "subok": "about classes derived from ndarray",
    "pickle_kwargs": "about arrays of Python objects",
    "einsum_call": "for NumPy's own functions",
    "matmul axis": "for functions of vectors: NumPy refuses it here",
    "matmul keepdims": "for functions of vectors: NumPy refuses it here",
}
for _name in ("matvec", "vecmat"):
    UNUSED |= {f"{_name} {p}": UNUSED[f"matmul {p}"] for p in ("axis", "keepdims")}


def public():
    """The public names of the modules and classes, with dots, in order."""
    found = []
    for place in MODULES:
        module = (
            numpy.emath
            if place == "emath"
            else importlib.import_module(f"numpy.{place}".strip("."))
        )
        names = getattr(module, "__all__", ()) or [
            n
            for n, v in vars(module).items()
            if n[0] != "_" and not isinstance(v, types.ModuleType)
        ]
        found += [
            f"{place}.{name}".lstrip(".")
            for name in sorted(names)
            if not name.startswith("_") or name.endswith("__") or place == "testing"
            if f"{place}.{name}".lstrip(".") not in MODULES
        ]
    for place, kind in CLASSES.items():
        names = dir(kind) if kind is numpy.ndarray else vars(kind)
        special = kind is numpy.ndarray
        found += [
            f"{place}.{name}"
            for name in sorted(names)
            if name[0] != "_" or (special and name.endswith("__"))
        ]
    return found
