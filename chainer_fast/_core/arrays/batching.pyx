"""Making of batches: collecting examples, stacking arrays."""
cimport numpy as np
from cpython.object cimport PyObject_GetItem
from cpython.ref cimport Py_INCREF
from cpython.sequence cimport PySequence_GetItem
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.string cimport memcpy
from numpy cimport (
    NPY_ARRAY_C_CONTIGUOUS, NPY_CDOUBLE, NPY_FLOAT16, PyArray_Check, PyArray_CHKFLAGS,
    PyArray_CheckExact, PyArray_CheckScalar, PyArray_CompareLists, PyArray_DATA,
    PyArray_DescrFromScalar, PyArray_DIM, PyArray_DIMS, PyArray_EMPTY,
    PyArray_ISNOTSWAPPED, PyArray_ITEMSIZE, PyArray_NBYTES, PyArray_NDIM,
    PyArray_ScalarAsCtype, PyArray_TYPE, npy_intp)

np.import_array()

cdef enum:
    # Examples with more axes than this are left to NumPy.
    MAX_AXES = 15


def tuples(tuple columns not None, list indices not None):
    """Return tuples of the examples of several data sets at some indices.

    Parameters
    ----------
    columns : tuple of sequences
        The data sets.
    indices : list of int
        Indices of the examples.

    Returns
    -------
    list of tuple
        The examples of all data sets at each index.
    """
    cdef Py_ssize_t i, place, n = len(columns)
    cdef list examples = []
    cdef tuple example
    for index in indices:
        place = index
        example = PyTuple_New(n)
        for i in range(n):
            column = columns[i]
            if PyArray_CheckExact(column):
                # The fast path for arrays with at least one axis.
                element = PySequence_GetItem(column, place)
            else:
                element = PyObject_GetItem(column, index)
            Py_INCREF(element)  # the tuple steals a reference
            PyTuple_SET_ITEM(example, i, element)
        examples.append(example)
    return examples


cdef inline bint _is_number(int typenum) noexcept:
    return typenum <= NPY_CDOUBLE or typenum == NPY_FLOAT16


cdef bint _is_row(object array, object first):
    """Return whether two plain arrays in C order have equal dtypes and shapes."""
    cdef int typenum
    if not PyArray_CheckExact(array):
        return False
    typenum = PyArray_TYPE(array)
    return (
        typenum == PyArray_TYPE(first)
        and _is_number(typenum)
        and PyArray_ISNOTSWAPPED(array)
        and PyArray_NDIM(array) == PyArray_NDIM(first)
        and PyArray_CompareLists(
            PyArray_DIMS(array), PyArray_DIMS(first), PyArray_NDIM(array))
        and PyArray_CHKFLAGS(array, NPY_ARRAY_C_CONTIGUOUS))


cdef object _stack_scalars(list scalars):
    """Return an array of NumPy scalars of one numeric type, or None."""
    cdef npy_intp i, n = len(scalars)
    cdef type kind = type(scalars[0])
    cdef char *target
    cdef object descr = PyArray_DescrFromScalar(scalars[0])
    cdef int typenum = (<np.dtype>descr).type_num
    if descr.type is not kind or not _is_number(typenum):
        return None
    result = PyArray_EMPTY(1, &n, typenum, 0)
    target = <char *>PyArray_DATA(result)
    for i in range(n):
        if type(scalars[i]) is not kind:
            return None
        PyArray_ScalarAsCtype(scalars[i], target + i * PyArray_ITEMSIZE(result))
    return result


def stack(list arrays not None):
    """Stack arrays or scalars along a new first axis.

    Returns
    -------
    numpy.ndarray or None
        The result of ``numpy.stack``; ``None`` unless all are arrays of numbers in C
        order that agree in dtype and shape, or NumPy scalars of one type.
    """
    cdef Py_ssize_t i, n = len(arrays)
    cdef npy_intp dims[MAX_AXES + 1]
    cdef npy_intp nbytes
    cdef int axis, ndim
    cdef char *target
    if n == 0:
        return None
    first = arrays[0]
    if PyArray_CheckScalar(first) and not PyArray_Check(first):
        return _stack_scalars(arrays)
    if not PyArray_CheckExact(first):
        return None
    ndim = PyArray_NDIM(first)
    if ndim > MAX_AXES:
        return None
    for array in arrays:
        if not _is_row(array, first):
            return None
    dims[0] = n
    for axis in range(ndim):
        dims[axis + 1] = PyArray_DIM(first, axis)
    result = PyArray_EMPTY(ndim + 1, dims, PyArray_TYPE(first), 0)
    target = <char *>PyArray_DATA(result)
    nbytes = PyArray_NBYTES(first)
    for i in range(n):
        memcpy(target + i * nbytes, PyArray_DATA(arrays[i]), nbytes)
    return result
