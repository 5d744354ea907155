/* What Cython's declarations of NumPy and of Python's types do not offer. */
#ifndef SHAREDARRAY_NDARRAY_H
#define SHAREDARRAY_NDARRAY_H

#include <Python.h>
#include <numpy/arrayobject.h>

/* The exception is set already: hand it to the caller. */
static inline PyObject *sa_reraise(void) { return NULL; }

/* NumPy's descriptors and types, as the plain references that Cython knows. */

static inline PyObject *sa_descr(PyArrayObject *a) {
    return Py_NewRef((PyObject *)PyArray_DESCR(a));
}

static inline int sa_holds_objects(PyArrayObject *a) {
    return PyDataType_REFCHK(PyArray_DESCR(a));
}

/* An ndarray of the dtype of `a`; over `data` it is writable where `a` is. */
static inline PyObject *sa_like(PyArrayObject *a, int nd, npy_intp *dims, npy_intp *strides,
                                void *data) {
    PyArray_Descr *descr = PyArray_DESCR(a);
    int flags = data ? PyArray_FLAGS(a) & NPY_ARRAY_WRITEABLE : 0;
    Py_INCREF(descr); /* taken over, also on failure */
    return PyArray_NewFromDescr(&PyArray_Type, descr, nd, dims, strides, data, flags, NULL);
}

static inline PyObject *sa_view(PyArrayObject *a) { return PyArray_View(a, NULL, &PyArray_Type); }

static inline PyObject *sa_copy(PyArrayObject *a, int order) {
    return PyArray_NewCopy(a, (NPY_ORDER)order);
}

static inline PyObject *sa_bytes(Py_ssize_t n) { return PyArray_SimpleNew(1, &n, NPY_UINT8); }

static inline PyObject *sa_from_scalar(PyObject *r) { return PyArray_FromScalar(r, NULL); }

/* `a @ b`; the inner product of two vectors without the detour by the ufunc and its scalar. */
static inline PyObject *sa_matmul(PyObject *a, PyObject *b) {
    if (PyArray_CheckExact(a) && PyArray_CheckExact(b)) {
        PyArrayObject *x = (PyArrayObject *)a, *y = (PyArrayObject *)b;
        int t = PyArray_TYPE(x);
        if (PyArray_NDIM(x) == 1 && PyArray_NDIM(y) == 1 && PyArray_DIM(x, 0) == PyArray_DIM(y, 0) &&
            PyArray_TYPE(y) == t && (t == NPY_DOUBLE || t == NPY_FLOAT || t == NPY_CDOUBLE || t == NPY_CFLOAT))
            return PyArray_MatrixProduct2(a, b, NULL);
    }
    return PyNumber_MatrixMultiply(a, b);
}

/* Whether NumPy reads the format that it writes for records.  Where they are no multiple of the
 * alignment of their fields it does not, and raises where it could go on to `__array__`. */
static inline int sa_readable(PyArray_Descr *descr) {
    npy_intp none = 0;
    PyObject *a, *view = NULL, *back = NULL;
    int same = 0;

    Py_INCREF(descr); /* taken over, also on failure */
    a = PyArray_NewFromDescr(&PyArray_Type, descr, 1, &none, NULL, NULL, 0, NULL);
    if (a != NULL && (view = PyMemoryView_FromObject(a)) != NULL)
        back = PyArray_FromAny(view, NULL, 0, 0, 0, NULL);
    if (back != NULL)
        same = PyArray_EquivTypes(descr, PyArray_DESCR((PyArrayObject *)back));
    PyErr_Clear();
    Py_XDECREF(back);
    Py_XDECREF(view);
    Py_XDECREF(a);
    return same;
}

/* Fill `buffer` from `view`, which it then refers to (Cython put a None there).  Plain void elements
 * have no format but padding, which NumPy reads as a structure without fields. */
static inline int sa_export(PyObject *view, Py_buffer *buffer, int flags) {
    PyArray_Descr *descr = PyArray_DESCR((PyArrayObject *)view);

    Py_CLEAR(buffer->obj);
    if ((flags & PyBUF_FORMAT) && descr->type_num == NPY_VOID &&
        (PyDataType_NAMES(descr) == NULL || !sa_readable(descr))) {
        PyErr_Format(PyExc_BufferError, "the buffer protocol has no format for elements of %S; "
                     "use np.asarray(x), or x.view(xp.uint8)", descr);
        return -1;
    }
    return PyObject_GetBuffer(view, buffer, flags);
}

/* A type of this library, before anybody used it: add a member, give it its public name. */

static inline int sa_extend(PyTypeObject *type, PyObject *name, PyObject *value) {
    int rc = PyDict_SetItem(type->tp_dict, name, value);
    PyType_Modified(type);
    return rc;
}

static inline void sa_rename(PyTypeObject *type, const char *name) { type->tp_name = name; }

/* From now on nobody can make subclasses of it. */
static inline void sa_refuse_subclasses(PyTypeObject *type) {
    type->tp_flags &= ~Py_TPFLAGS_BASETYPE;
    PyType_Modified(type);
}

#endif
