# Compiled scans of recurrent layers; the references document them.
#
# A step is one matrix product, from the last state to all gates of all samples, and one
# pass over the gates, in groups of samples whose gates stay in the cache. The products
# go to NumPy's BLAS, as all others of a network do: the threads of another one would
# compete with its threads.
#
# Part of compiled.pyx.
import numpy

cimport numpy as np
from libc.string cimport memcpy
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_EMPTY, \
    PyArray_NDIM, PyArray_SimpleNewFromData, PyArray_Transpose, PyArray_TYPE, npy_intp

from chainer_fast._core.arrays.plain cimport empty_like, is_matrix, is_vector, kind_of
from chainer_fast._core.graphs.graph cimport add_into, report_float_errors
from chainer_fast.backends.kernels.common.ufuncs cimport Unary, unary_of
from chainer_fast.backends.kernels.recurrent.cell cimport Cell, plain_sizes

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewCopy(np.ndarray, np.NPY_ORDER)
    object PyArray_MatrixProduct2(object, object, np.ndarray)

cdef extern from "chainer_fast/backends/kernels/recurrent/scan.hpp" nogil:
    const Cell STEPS "chainer_fast::recurrent::STEPS"[]
    const Cell STEP_GRADS "chainer_fast::recurrent::STEP_GRADS"[]

# The kinds of cells, in the order of their steps.
cdef enum Mode:
    LSTM, GRU, TANH, RELU

cdef dict _MODES = {'lstm': LSTM, 'gru': GRU, 'rnn_tanh': TANH, 'rnn_relu': RELU}
cdef int[4] _GATES = [4, 3, 1, 1]
# Arrays of the trace that have as many columns as the state.
cdef int[4] _KEPT = [3, 2, 1, 1]


cdef inline char *_rows(object matrix, npy_intp row) noexcept:
    """Return where a row of a matrix begins; NULL if there is no matrix."""
    if matrix is None:
        return NULL
    return np.PyArray_BYTES(<np.ndarray>matrix) + (
        row * np.PyArray_STRIDE(<np.ndarray>matrix, 0))


cdef object _view(object matrix, npy_intp row, npy_intp size):
    """Return rows of a matrix in C order that outlives the result."""
    cdef npy_intp dims[2]
    dims[0], dims[1] = size, PyArray_DIM(<np.ndarray>matrix, 1)
    return PyArray_SimpleNewFromData(
        2, dims, PyArray_TYPE(<np.ndarray>matrix), _rows(matrix, row))


cdef object _new_like(object like, npy_intp rows, npy_intp columns):
    cdef npy_intp dims[2]
    dims[0], dims[1] = rows, columns
    return PyArray_EMPTY(2, dims, PyArray_TYPE(<np.ndarray>like), 0)


cdef object _copy(object array, char kind):
    """Return a copy in C order of a matrix of a type, else None."""
    if not PyArray_CheckExact(array) or PyArray_NDIM(array) != 2:
        return None
    array = PyArray_NewCopy(<np.ndarray>array, np.NPY_CORDER)
    return array if kind_of(array) == kind else None


cdef npy_intp _rows_of(tuple sizes, object states) except -1:
    """Return the rows of all steps, or zero if a step has more than there are states.
    """
    if not sizes or min(sizes) < 0 or max(sizes) > PyArray_DIM(<np.ndarray>states, 0):
        return 0
    return sum(sizes)


cdef list _steps(tuple sizes, bint backward):
    """Return the first row and the size of each step that has any, in their order."""
    cdef npy_intp size, row = 0
    cdef list steps = []
    for size in sizes:
        if size:
            steps.append((row, size))
        row += size
    return steps[::-1] if backward else steps


cdef bint _fit(char kind, object weight, object states, object cells, int m) except -1:
    """Return whether the arrays have the type and sizes of a cell."""
    cdef npy_intp n
    if kind_of(weight) != kind or PyArray_NDIM(weight) != 2 or states is None:
        return False
    n = PyArray_DIM(<np.ndarray>weight, 1)
    return (PyArray_DIM(<np.ndarray>weight, 0) == _GATES[m] * n
            and PyArray_DIM(<np.ndarray>states, 1) == n
            and (m != LSTM or cells is not None and is_matrix(
                cells, kind, PyArray_DIM(<np.ndarray>states, 0), n)))


def scan(gates, weight, bias, hx, cx, tuple sizes, mode, bint reverse):
    cdef int m = _MODES[mode]
    sizes = plain_sizes(sizes)
    cdef char kind = kind_of(gates)
    cdef int flags = 0
    cdef npy_intp n, rows, row, size, last = 0
    cdef object h = None, part = None, parts, transposed
    cdef void *p[8]
    if kind == 0:
        return NotImplemented
    hy = _copy(hx, kind)
    cy = _copy(cx, kind) if m == LSTM else None
    if not _fit(kind, weight, hy, cy, m):
        return NotImplemented
    n = PyArray_DIM(<np.ndarray>weight, 1)
    rows = _rows_of(sizes, hy)
    if not is_matrix(gates, kind, rows, _GATES[m] * n) or (
            (m == GRU or bias is not None) and not is_vector(bias, kind, n)):
        return NotImplemented
    ys = _new_like(gates, rows, n)
    kept = [empty_like(ys) for _ in range(_KEPT[m])]
    kept1 = kept[1] if m == LSTM or m == GRU else None
    kept2 = kept[2] if m == LSTM else None
    # A copy: the products of few rows spend their time on reading it.
    transposed = PyArray_NewCopy(
        <np.ndarray>PyArray_Transpose(<np.ndarray>weight, NULL), np.NPY_CORDER)
    parts = _new_like(gates, max(sizes), _GATES[m] * n)

    for row, size in _steps(sizes, reverse):
        if size != last:
            h, part, last = _view(hy, 0, size), _view(parts, 0, size), size
        p[0], p[1], p[2] = _rows(gates, row), PyArray_DATA(<np.ndarray>parts), NULL
        if bias is not None:
            p[2] = PyArray_DATA(<np.ndarray>bias)
        p[3], p[4], p[5] = PyArray_DATA(<np.ndarray>hy), _rows(cy, 0), _rows(ys, row)
        p[6], p[7] = _rows(kept1, row), _rows(kept2, row)
        memcpy(_rows(kept[0], row), p[3], size * np.PyArray_STRIDE(<np.ndarray>hy, 0))
        PyArray_MatrixProduct2(h, transposed, <np.ndarray>part)
        flags |= STEPS[m].run(kind, p, size, n, n, _tanh)
    if flags:
        report_float_errors(flags)
    return ys, hy, cy, (gates, *kept)


def scan_grad(gys, tuple trace, weight, ghy, gcy, tuple sizes, mode, bint reverse):
    cdef int m = _MODES[mode]
    sizes = plain_sizes(sizes)
    cdef char kind = kind_of(gys)
    cdef int flags = 0
    cdef npy_intp n, row, size, last = 0
    cdef object gh = None
    cdef void *p[9]
    if kind == 0 or len(trace) != 1 + _KEPT[m]:
        return NotImplemented
    ghx = _copy(ghy, kind)
    gcx = _copy(gcy, kind) if m == LSTM else None
    if not _fit(kind, weight, ghx, gcx, m):
        return NotImplemented
    n = PyArray_DIM(<np.ndarray>weight, 1)
    row = _rows_of(sizes, ghx)
    if not is_matrix(gys, kind, row, n) or not is_matrix(
            trace[0], kind, row, _GATES[m] * n):
        return NotImplemented
    for array in trace[1:]:
        if not is_matrix(array, kind, row, n):
            return NotImplemented
    gates, h_prev = trace[0], trace[1]
    kept1 = trace[2] if m == LSTM or m == GRU else None
    kept2 = trace[3] if m == LSTM else None
    gx = empty_like(gates)
    gr = empty_like(gates) if m == GRU else gx
    parts = empty_like(ghx) if m == GRU else None

    # From the end of the scan to its beginning.
    for row, size in _steps(sizes, not reverse):
        if size != last:
            gh, last = _view(ghx if parts is None else parts, 0, size), size
        p[0], p[1], p[2] = _rows(gates, row), _rows(h_prev, row), _rows(kept1, row)
        p[3], p[4], p[5] = _rows(kept2, row), _rows(gys, row), _rows(ghx, 0)
        p[6], p[7], p[8] = _rows(gcx, 0), _rows(gx, row), _rows(gr, row)
        flags |= STEP_GRADS[m].run(kind, p, size, n, n, _tanh)
        PyArray_MatrixProduct2(_view(gr, row, size), weight, <np.ndarray>gh)
        if m == GRU:
            add_into(PyArray_TYPE(<np.ndarray>ghx), p[5], _rows(parts, 0), size * n)
    if flags:
        report_float_errors(flags)
    return gx, gr, ghx, gcx
