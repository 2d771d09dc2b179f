"""Compiled steps of recurrent cells; the references document them."""
import numpy

cimport numpy as np
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, PyArray_SAMESHAPE, \
    PyArray_SIZE, npy_intp

from chainer_fast._core.plain cimport CF_PLAIN_FLAGS, empty_like, is_matrix, kind_of
from chainer_fast.backends.kernels.common.loops cimport Unary, unary_of
from chainer_fast.backends.kernels.recurrent.cell cimport Cell, run

np.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_FROM_OF(object, int)
    bint PyArray_CheckExact(object)

cdef extern from "chainer_fast/backends/kernels/recurrent/loops.hpp" nogil:
    const Cell LSTM "chainer_fast::LSTM"
    const Cell LSTM_GRAD "chainer_fast::LSTM_GRAD"
    const Cell SLSTM "chainer_fast::SLSTM"
    const Cell SLSTM_GRAD "chainer_fast::SLSTM_GRAD"
    const Cell TREE_LSTM "chainer_fast::TREE_LSTM"
    const Cell TREE_LSTM_GRAD "chainer_fast::TREE_LSTM_GRAD"

cdef enum:
    MAX_CHILDREN = 16
    MAX_DIMS = 32

cdef Unary _tanh = unary_of(numpy.tanh)


cdef object _plain(object array, char kind, object like):
    """Return the array in C order, if it is of a type and of another's shape.

    Otherwise return ``NotImplemented``. A missing gradient stays None.
    """
    if array is None:
        return None
    if not PyArray_CheckExact(array) or not PyArray_SAMESHAPE(
            <np.ndarray>array, <np.ndarray>like):
        return NotImplemented
    array = PyArray_FROM_OF(array, CF_PLAIN_FLAGS)
    return array if kind_of(array) == kind else NotImplemented


cdef bint _alternate(char kind, object c, object x) except -1:
    """Tell whether ``x`` has the four gates of the cells ``c``, by turns."""
    cdef int d
    if kind == 0 or kind_of(c) != kind or PyArray_NDIM(x) != PyArray_NDIM(c) or (
            not 2 <= PyArray_NDIM(x) <= MAX_DIMS):
        return False
    for d in range(2, PyArray_NDIM(x)):
        if PyArray_DIM(<np.ndarray>x, d) != 1 or PyArray_DIM(<np.ndarray>c, d) != 1:
            return False
    return (PyArray_DIM(<np.ndarray>x, 1) == 4 * PyArray_DIM(<np.ndarray>c, 1)
            and PyArray_DIM(<np.ndarray>x, 0) <= PyArray_DIM(<np.ndarray>c, 0))


cdef object _first_rows(object array, object x):
    """Return a new array of as many rows as there are samples."""
    cdef npy_intp dims[MAX_DIMS]
    cdef int d
    for d in range(PyArray_NDIM(array)):
        dims[d] = PyArray_DIM(<np.ndarray>array, d)
    dims[0] = PyArray_DIM(<np.ndarray>x, 0)
    return np.PyArray_EMPTY(
        PyArray_NDIM(array), dims, np.PyArray_TYPE(<np.ndarray>array), 0)


cdef inline void *_data(object array) noexcept:
    return NULL if array is None else PyArray_DATA(<np.ndarray>array)


cdef int _note(void **data, tuple arrays) except -1:
    """Fill in the addresses of the arrays; NULL for those that are None."""
    cdef Py_ssize_t k
    for k in range(len(arrays)):
        data[k] = _data(arrays[k])
    return 0


# ------------------------------------------------------------------------- one memory

cdef int _run_cells(const Cell &cell, char kind, void **p, object c, object x) noexcept:
    cdef npy_intp samples = PyArray_DIM(<np.ndarray>x, 0)
    return run(cell, kind, p, samples, PyArray_DIM(<np.ndarray>c, 1),
               PyArray_DIM(<np.ndarray>c, 0) - samples, _tanh)


def lstm(c_prev, x):
    cdef char kind = kind_of(x)
    cdef void *p[4]
    if not _alternate(kind, c_prev, x):
        return NotImplemented
    c = empty_like(c_prev)
    h = _first_rows(c_prev, x)
    p[0], p[1], p[2], p[3] = _data(c_prev), _data(x), _data(c), _data(h)
    return NotImplemented if _run_cells(LSTM, kind, p, c, x) else (c, h)


def lstm_grad(c_prev, x, c, gc, gh):
    cdef char kind = kind_of(x)
    cdef void *p[7]
    if not _alternate(kind, c_prev, x):
        return NotImplemented
    c, gc = _plain(c, kind, c_prev), _plain(gc, kind, c_prev)
    if gh is not None:
        # Its rows are those of the samples; otherwise it has the shape of cells.
        if type(gh) is not numpy.ndarray or 4 * gh.size != PyArray_SIZE(x):
            return NotImplemented
        gh = _plain(gh, kind, gh)
    if c is None or c is NotImplemented or gc is NotImplemented or (
            gh is NotImplemented):
        return NotImplemented
    gc_prev = empty_like(c_prev)
    gx = empty_like(x)
    p[0], p[1], p[2], p[3] = _data(c_prev), _data(x), _data(c), _data(gc)
    p[4], p[5], p[6] = _data(gh), _data(gc_prev), _data(gx)
    return NotImplemented if _run_cells(LSTM_GRAD, kind, p, c, x) else (gc_prev, gx)


# ---------------------------------------------------------------------- two memories

cdef bint _two_fit(char kind, object c1, object c2, object x1, object x2) except -1:
    return (_alternate(kind, c1, x1) and _alternate(kind, c2, x2)
            and kind_of(x2) == kind
            and PyArray_SAMESHAPE(<np.ndarray>c1, <np.ndarray>c2)
            and PyArray_SAMESHAPE(<np.ndarray>x1, <np.ndarray>x2)
            and PyArray_SIZE(x1) == 4 * PyArray_SIZE(c1))


def slstm(c_prev1, c_prev2, x1, x2):
    cdef char kind = kind_of(x1)
    cdef void *p[6]
    if not _two_fit(kind, c_prev1, c_prev2, x1, x2):
        return NotImplemented
    c, h = empty_like(c_prev1), empty_like(c_prev1)
    _note(p, (c_prev1, c_prev2, x1, x2, c, h))
    return NotImplemented if _run_cells(SLSTM, kind, p, c, x1) else (c, h)


def slstm_grad(c_prev1, c_prev2, x1, x2, c, gc, gh):
    cdef char kind = kind_of(x1)
    cdef void *p[11]
    if not _two_fit(kind, c_prev1, c_prev2, x1, x2):
        return NotImplemented
    c, gc, gh = [_plain(each, kind, c_prev1) for each in (c, gc, gh)]
    if c is None or c is NotImplemented or gc is NotImplemented or (
            gh is NotImplemented):
        return NotImplemented
    results = (empty_like(c_prev1), empty_like(c_prev1), empty_like(x1), empty_like(x1))
    _note(p, (c_prev1, c_prev2, x1, x2, c, gc, gh, *results))
    return NotImplemented if _run_cells(SLSTM_GRAD, kind, p, c_prev1, x1) else results


# ---------------------------------------------------------------------------- trees

cdef bint _children_fit(char kind, object like, tuple cs) except -1:
    if len(cs) > MAX_CHILDREN:
        return False
    for child in cs:
        if kind_of(child) != kind or PyArray_NDIM(child) != 2 or (
                not PyArray_SAMESHAPE(<np.ndarray>child, <np.ndarray>like)):
            return False
    return True


cdef int _run_tree(
        const Cell &cell, char kind, tuple arrays, object c, int children) except -1:
    cdef void *p[6 + 2 * MAX_CHILDREN]
    _note(p, arrays)
    return run(cell, kind, p, PyArray_DIM(<np.ndarray>c, 0),
               PyArray_DIM(<np.ndarray>c, 1), children, _tanh)


def tree_lstm(x, *cs):
    cdef char kind = kind_of(x)
    cdef int count = len(cs)
    if kind == 0 or PyArray_NDIM(x) != 2 or not _children_fit(kind, cs[0], cs):
        return NotImplemented
    if PyArray_DIM(<np.ndarray>x, 0) != PyArray_DIM(<np.ndarray>cs[0], 0) or (
            PyArray_DIM(<np.ndarray>x, 1)
            != (3 + count) * PyArray_DIM(<np.ndarray>cs[0], 1)):
        return NotImplemented
    results = empty_like(x), empty_like(cs[0]), empty_like(cs[0])
    if _run_tree(TREE_LSTM, kind, (x, *results, *cs), cs[0], count):
        return NotImplemented
    return results


def tree_lstm_grad(gates, c, gc, gh, *cs):
    cdef char kind = kind_of(gates)
    cdef int count = len(cs)
    cdef npy_intp three
    if kind == 0 or kind_of(c) != kind or PyArray_NDIM(c) != 2 or (
            not _children_fit(kind, c, cs)) or not is_matrix(
            gates, kind, PyArray_DIM(<np.ndarray>c, 0),
            (3 + count) * PyArray_DIM(<np.ndarray>c, 1)):
        return NotImplemented
    gc, gh = _plain(gc, kind, c), _plain(gh, kind, c)
    if gc is NotImplemented or gh is NotImplemented:
        return NotImplemented
    three = 3 * PyArray_DIM(<np.ndarray>c, 1)
    scratch = np.PyArray_EMPTY(1, &three, np.PyArray_TYPE(<np.ndarray>c), 0)
    gx = empty_like(gates)
    gcs = tuple([empty_like(c) for _ in range(count)])
    if _run_tree(TREE_LSTM_GRAD, kind, (gates, c, gc, gh, gx, scratch, *cs, *gcs), c,
                 count):
        return NotImplemented
    return (*gcs, gx)
