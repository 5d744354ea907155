"""With what this package was built.

Attributes
----------
compiler : str
    The C compiler and its version.
cython : str
    The version of Cython.
numpy_api, numpy_api_oldest : int
    The number of NumPy's C API in the headers, and that of the oldest NumPy it runs with.
"""

cdef extern from *:
    """
    #include <numpy/numpyconfig.h>
    #if defined(__clang__)
    #define SHAREDARRAY_COMPILER "Clang " __clang_version__
    #elif defined(__GNUC__)
    #define SHAREDARRAY_COMPILER "GCC " __VERSION__
    #else
    #define SHAREDARRAY_COMPILER "unknown"
    #endif
    """
    const char *SHAREDARRAY_COMPILER
    const unsigned int CYTHON_HEX_VERSION
    const unsigned int NPY_API_VERSION
    const unsigned int NPY_FEATURE_VERSION

compiler = SHAREDARRAY_COMPILER.decode().strip()
cython = ".".join(str(CYTHON_HEX_VERSION >> shift & 255) for shift in (24, 16, 8))
numpy_api = NPY_API_VERSION
numpy_api_oldest = NPY_FEATURE_VERSION
