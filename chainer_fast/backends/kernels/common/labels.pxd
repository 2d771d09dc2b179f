"""Labels of classes: plain arrays of integers."""
cimport numpy as np
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_Check
from numpy cimport PyArray_CheckExact, PyArray_CHKFLAGS, PyArray_CompareLists, \
    PyArray_DATA, PyArray_DIMS, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_TYPE, npy_intp

from chainer_fast._core.arrays.plain cimport CF_PLAIN_FLAGS


cdef inline bint plain_labels(object t) noexcept:
    """Return whether ``t`` is an array that :func:`label_at` reads.

    Two of the three C types have one size. Which of them NumPy names int32 or int64
    depends on the system: on Windows, the type numbers of ``'i'`` and int32 differ.
    """
    return (PyArray_CheckExact(t)
            and PyArray_CHKFLAGS(t, CF_PLAIN_FLAGS)
            and PyArray_TYPE(<np.ndarray>t) in (
                np.NPY_INT, np.NPY_LONG, np.NPY_LONGLONG)
            and not np.PyArray_ISBYTESWAPPED(<np.ndarray>t))


cdef struct Ignored:
    bint some                   # whether any label is ignored
    npy_intp label


cdef inline bint read_ignored(object given, Ignored *ignored) except -1:
    """Read a label to ignore: an integer of Python, or None for no label.

    The result is False for other objects. Integers of more than 64 bits do not equal
    any label.
    """
    cdef int overflow = 0
    ignored.some = False
    ignored.label = -1
    if given is None:
        return True
    if not PyLong_Check(given):
        return False
    ignored.label = PyLong_AsLongLongAndOverflow(given, &overflow)
    ignored.some = overflow == 0
    return True


cdef inline npy_intp label_at(object t, npy_intp i) noexcept:
    if PyArray_ITEMSIZE(<np.ndarray>t) == sizeof(np.npy_int32):
        return (<np.npy_int32 *>PyArray_DATA(<np.ndarray>t))[i]
    return (<np.npy_int64 *>PyArray_DATA(<np.ndarray>t))[i]


cdef inline bint has_row_of_each(
        object rows, object labels, npy_intp *row_shape, int row_ndim) noexcept:
    """Return whether an array has a row of a shape for each label."""
    cdef int ndim = PyArray_NDIM(labels)
    return (PyArray_NDIM(rows) == ndim + row_ndim
            and PyArray_CompareLists(
                PyArray_DIMS(<np.ndarray>rows), PyArray_DIMS(<np.ndarray>labels), ndim)
            and PyArray_CompareLists(
                PyArray_DIMS(<np.ndarray>rows) + ndim, row_shape, row_ndim))
