"""Element types of arrays, and their comparison.

Arrays from files, pickles or other libraries have separate descriptors: types may be
equal although the descriptors are different objects.
"""
cimport numpy as np

# Kinds of floats, in the order of the loops of updates and of GPU kernels.
cdef enum:
    HALF, SINGLE, DOUBLE, N_KINDS

cdef extern from *:
    """
    /* Whether the type is one of the numbers of C, in native byte order. */
    static inline int cf_is_native_number(const PyArray_Descr *type) {
        return PyTypeNum_ISNUMBER(type->type_num) && PyArray_ISNBO(type->byteorder);
    }

    static inline int cf_same_descr(PyArray_Descr *a, PyArray_Descr *b) {
        if (a == b)
            return 1;
        /* Types of one size, such as long and long long, stay apart. */
        if (a->type_num != b->type_num)
            return 0;
        return (cf_is_native_number(a) && cf_is_native_number(b))
            || PyArray_EquivTypes(a, b);
    }

    static inline int cf_same_dtype(PyObject *a, PyObject *b) {
        return a == b || (PyArray_DescrCheck(a) && PyArray_DescrCheck(b)
                          && cf_same_descr((PyArray_Descr *)a, (PyArray_Descr *)b));
    }

    static inline int cf_same_type(PyObject *a, PyObject *b) {
        return cf_same_descr(
            PyArray_DESCR((PyArrayObject *)a), PyArray_DESCR((PyArrayObject *)b));
    }

    static inline int cf_has_dtype(PyObject *array, PyObject *dtype) {
        return PyArray_Check(array) && cf_same_dtype(
            (PyObject *)PyArray_DESCR((PyArrayObject *)array), dtype);
    }
    """
    # For two objects, which need not be dtypes.
    bint same_dtype "cf_same_dtype" (object a, object b) noexcept
    # For two NumPy arrays.
    bint same_type "cf_same_type" (object a, object b) noexcept
    # For an object that may be a NumPy array, and a dtype.
    bint has_dtype "cf_has_dtype" (object array, object dtype) noexcept
