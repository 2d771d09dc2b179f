"""Plain arrays: NumPy, one of two float types, in C order and native bytes."""
cimport numpy as np
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_DIMS, \
    PyArray_EMPTY, PyArray_NDIM, PyArray_SAMESHAPE, PyArray_SIZE

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
    """
    int CF_PLAIN_FLAGS
    char cf_float_kind(np.ndarray array) noexcept

cdef inline char kind_of(object array) noexcept:
    """Return 'f' or 'd' for a plain array that is not empty, else 0."""
    if not PyArray_CheckExact(array):
        return 0
    if not PyArray_CHKFLAGS(array, CF_PLAIN_FLAGS) or PyArray_SIZE(array) == 0:
        return 0
    return cf_float_kind(<np.ndarray>array)


cdef inline object empty_like(object array):
    """Return a new array of the same shape and type, not filled."""
    return PyArray_EMPTY(
        PyArray_NDIM(array), PyArray_DIMS(array), np.PyArray_TYPE(array), 0)


cdef inline char common_kind(object a, object b) noexcept:
    """Return the kind of two plain arrays of one type and shape, else 0."""
    cdef char kind = kind_of(a)
    if not kind or kind_of(b) != kind or not PyArray_SAMESHAPE(
            <np.ndarray>a, <np.ndarray>b):
        return 0
    return kind
