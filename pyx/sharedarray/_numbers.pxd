# Python's number protocol by plain pointers: no reference counting, a NULL result is an exception.
from cpython.object cimport PyObject

cdef extern from "Python.h":
    ctypedef PyObject *(*binaryfunc)(PyObject *, PyObject *)
    ctypedef PyObject *(*unaryfunc)(PyObject *)
    PyObject *PyNumber_Power(PyObject *, PyObject *, PyObject *)
    PyObject *PyNumber_InPlacePower(PyObject *, PyObject *, PyObject *)
    PyObject *negative "PyNumber_Negative" (PyObject *)
    PyObject *positive "PyNumber_Positive" (PyObject *)
    PyObject *absolute "PyNumber_Absolute" (PyObject *)
    PyObject *invert "PyNumber_Invert" (PyObject *)
    PyObject *add "PyNumber_Add" (PyObject *, PyObject *)
    PyObject *subtract "PyNumber_Subtract" (PyObject *, PyObject *)
    PyObject *multiply "PyNumber_Multiply" (PyObject *, PyObject *)
    PyObject *divide "PyNumber_TrueDivide" (PyObject *, PyObject *)
    PyObject *floor "PyNumber_FloorDivide" (PyObject *, PyObject *)
    PyObject *remainder "PyNumber_Remainder" (PyObject *, PyObject *)
    PyObject *divmod "PyNumber_Divmod" (PyObject *, PyObject *)
    PyObject *and_ "PyNumber_And" (PyObject *, PyObject *)
    PyObject *or_ "PyNumber_Or" (PyObject *, PyObject *)
    PyObject *xor "PyNumber_Xor" (PyObject *, PyObject *)
    PyObject *lshift "PyNumber_Lshift" (PyObject *, PyObject *)
    PyObject *rshift "PyNumber_Rshift" (PyObject *, PyObject *)
    PyObject *iadd "PyNumber_InPlaceAdd" (PyObject *, PyObject *)
    PyObject *isubtract "PyNumber_InPlaceSubtract" (PyObject *, PyObject *)
    PyObject *imultiply "PyNumber_InPlaceMultiply" (PyObject *, PyObject *)
    PyObject *idivide "PyNumber_InPlaceTrueDivide" (PyObject *, PyObject *)
    PyObject *ifloor "PyNumber_InPlaceFloorDivide" (PyObject *, PyObject *)
    PyObject *iremainder "PyNumber_InPlaceRemainder" (PyObject *, PyObject *)
    PyObject *imatmul "PyNumber_InPlaceMatrixMultiply" (PyObject *, PyObject *)
    PyObject *iand "PyNumber_InPlaceAnd" (PyObject *, PyObject *)
    PyObject *ior "PyNumber_InPlaceOr" (PyObject *, PyObject *)
    PyObject *ixor "PyNumber_InPlaceXor" (PyObject *, PyObject *)
    PyObject *ilshift "PyNumber_InPlaceLshift" (PyObject *, PyObject *)
    PyObject *irshift "PyNumber_InPlaceRshift" (PyObject *, PyObject *)

cdef extern from "core/ndarray.h":
    PyObject *matmul "sa_matmul" (PyObject *, PyObject *)

cdef inline PyObject *power(PyObject *a, PyObject *b) noexcept:
    return PyNumber_Power(a, b, <PyObject *>None)

cdef inline PyObject *ipower(PyObject *a, PyObject *b) noexcept:
    return PyNumber_InPlacePower(a, b, <PyObject *>None)
