"""The public names of the NumPy that is installed, and those that are left out, with the reason."""

import importlib

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

OBJECTS = "about arrays of Python objects, which cannot be shared"
SUBCLASS = "makes objects of a class of NumPy's that derives from its ndarray, in NumPy's memory"
INTERNAL = "about NumPy itself: its build, documentation, tests or C code"
HELPER = "helps with tests, takes no arrays"
PLAIN = "what every object of Python has, not of arrays"
HOOK = "a hook for classes that derive from ndarray; none can derive from Array"

EXCLUDED = {
    **dict.fromkeys(("frompyfunc", "object_", "dtypes.ObjectDType", "dtypes.StringDType"), OBJECTS),
    **dict.fromkeys(("char.split", "char.rsplit", "char.splitlines"), OBJECTS),
    **dict.fromkeys(("matrix", "asmatrix", "bmat", "recarray", "record", "rec", "ma"), SUBCLASS),
    **dict.fromkeys(("char.array", "char.asarray", "char.chararray"), SUBCLASS),
    **dict.fromkeys(
        ("find_duplicates", "rec_append_fields", "rec_drop_fields", "rec_join"), SUBCLASS
    ),
    **dict.fromkeys(
        "get_include info show_config show_runtime test core f2py ctypeslib.load_library"
        " lib.add_docstring lib.add_newdoc lib.tracemalloc_domain typing.NBitBase".split(),
        INTERNAL,
    ),
    "__version__": "the version of this library",
    **{
        f"testing.{name}": HELPER
        for name in (
            "BLAS_SUPPORTS_FPE HAS_LAPACK64 HAS_REFCOUNT IS_64BIT IS_EDITABLE IS_INSTALLED IS_MUSL"
            " IS_PYPY IS_PYSTON IS_WASM NOGIL_BUILD NUMPY_ROOT IgnoreException SkipTest TestCase"
            " KnownFailureException assert_warns break_cycles build_err_msg check_support_sve"
            " clear_and_catch_warnings decorate_methods jiffies measure memusage overrides"
            " print_assert_equal run_threaded rundocs runstring suppress_warnings tempdir temppath"
            " verbose"
        ).split()
    },
    **{
        f"ndarray.{name}": PLAIN
        for name in "__class__ __delattr__ __init__ __init_subclass__ __subclasshook__".split()
    },
    "ndarray.__array_finalize__": HOOK,
    "ndarray.__array_wrap__": HOOK,
    "ndarray.__array_struct__": "for C code; buffer, `__array_interface__`, `__dlpack__` say it too",
    "ndarray.dump": "an old spelling of `pickle.dump`, which works",
    "ndarray.dumps": "an old spelling of `pickle.dumps`, which works",
    "ndarray.resize": "memory that others may have mapped never moves; `np.resize` works",
}
EXCLUDED = {
    (f"lib.recfunctions.{name}" if name.startswith(("rec_", "find_duplicates")) else name): reason
    for name, reason in EXCLUDED.items()
}

#: Names in the tables that some supported versions of NumPy have not.
OTHER_VERSIONS = {"exceptions.RankWarning"}
#: Names that calls ask for in another way: through an array, a context or another name.
INDIRECT = {"ufunc", "lib.npyio.NpzFile"}


def public():
    """The public names of the modules and classes, with dots, in order."""
    found = []
    for place in MODULES:
        module = numpy.emath if place == "emath" else importlib.import_module(f"numpy.{place}".strip("."))
        names = getattr(module, "__all__", ()) or [n for n in dir(module) if n[0] != "_"]
        found += [
            f"{place}.{name}".lstrip(".")
            for name in sorted(names)
            if f"{place}.{name}".lstrip(".") not in MODULES
        ]
    for place, kind in CLASSES.items():
        names = dir(kind) if kind is numpy.ndarray else [n for n in vars(kind) if n[0] != "_"]
        found += [f"{place}.{name}" for name in sorted(names)]
    return found
