"""Plain arrays: NumPy, one of two float types, in C order and native bytes."""
cimport numpy as np
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DIM, PyArray_DIMS, \
    PyArray_EMPTY, PyArray_NDIM, PyArray_SAMESHAPE, PyArray_SIZE, npy_intp

cdef extern from *:
    """
    #define CF_PLAIN_FLAGS (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED)
    /* Of the two types, only arrays in native byte order. */
    static char cf_float_kind(PyArrayObject *array) {
        int typenum = PyArray_TYPE(array);
        if (PyArray_ISBYTESWAPPED(array))
            return 0;
        return typenum == NPY_FLOAT ? 'f' : typenum == NPY_DOUBLE ? 'd' : 0;
    }
    /* Likewise, or 'e' for halves. */
    static char cf_any_float_kind(PyArrayObject *array) {
        if (PyArray_TYPE(array) == NPY_HALF)
            return PyArray_ISBYTESWAPPED(array) ? 0 : 'e';
        return cf_float_kind(array);
    }
    /* A scalar whose value a double holds. */
    static int cf_is_numpy_float(PyObject *x) {
        const PyTypeObject *type = Py_TYPE(x);
        return type == &PyDoubleArrType_Type || type == &PyFloatArrType_Type
            || type == &PyHalfArrType_Type;
    }
    /* A scalar of a type that is not derived from one of NumPy's: no code of the user's
       runs when it becomes a double. */
    static int cf_is_numpy_number(PyObject *x) {
        const PyTypeObject *type = Py_TYPE(x);
        return cf_is_numpy_float(x) || type == &PyBoolArrType_Type
            || type == &PyByteArrType_Type || type == &PyUByteArrType_Type
            || type == &PyShortArrType_Type || type == &PyUShortArrType_Type
            || type == &PyIntArrType_Type || type == &PyUIntArrType_Type
            || type == &PyLongArrType_Type || type == &PyULongArrType_Type
            || type == &PyLongLongArrType_Type || type == &PyULongLongArrType_Type;
    }
    """
    int CF_PLAIN_FLAGS
    char cf_float_kind(np.ndarray array) noexcept
    char cf_any_float_kind(np.ndarray array) noexcept
    bint is_numpy_float "cf_is_numpy_float" (object x) noexcept
    bint is_numpy_number "cf_is_numpy_number" (object x) noexcept

cdef inline bint is_half(object array) noexcept:
    """Return whether an object is a native float16 array, with any strides."""
    return PyArray_CheckExact(array) and (
        cf_any_float_kind(<np.ndarray>array) == b'e')


cdef inline char kind_of(object array) noexcept:
    """Return 'f' or 'd' for a plain array that is not empty, else 0."""
    if not PyArray_CheckExact(array):
        return 0
    if not PyArray_CHKFLAGS(array, CF_PLAIN_FLAGS) or PyArray_SIZE(array) == 0:
        return 0
    return cf_float_kind(<np.ndarray>array)


# A loop trusts its size arguments, but arrays may have changed since these were
# determined: in backward, an input may have been replaced by the user since forward.
# Therefore each compiled form checks the size of every array that it reads.

cdef inline bint is_vector(object array, char kind, npy_intp n) noexcept:
    """Return whether an array is plain, of a kind, with one axis of ``n`` elements."""
    return (kind_of(array) == kind and PyArray_NDIM(array) == 1
            and PyArray_DIM(<np.ndarray>array, 0) == n)


cdef inline bint is_matrix(
        object array, char kind, npy_intp rows, npy_intp columns) noexcept:
    """Return whether an array is plain, of a kind, and a matrix of these sizes."""
    return (kind_of(array) == kind and PyArray_NDIM(array) == 2
            and PyArray_DIM(<np.ndarray>array, 0) == rows
            and PyArray_DIM(<np.ndarray>array, 1) == columns)


cdef inline object empty_like(object array):
    """Return a new uninitialized array of the same shape and type."""
    return PyArray_EMPTY(
        PyArray_NDIM(array), PyArray_DIMS(array), np.PyArray_TYPE(array), 0)


cdef inline char common_kind(object a, object b) noexcept:
    """Return the kind of two plain arrays of one type and shape, else 0."""
    cdef char kind = kind_of(a)
    if not kind or kind_of(b) != kind or not PyArray_SAMESHAPE(
            <np.ndarray>a, <np.ndarray>b):
        return 0
    return kind
