"""Compiled scans of recurrent layers; see the references for what they compute.

A step is one matrix product, from the last state to all gates of all samples, and one
pass over the gates, in groups of samples whose gates stay in the cache. The products go
to NumPy's BLAS, as all others of a network do: the threads of another one would compete
with its threads.
"""
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libc.string cimport memcpy
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM, \
    PyArray_SimpleNewFromData, PyArray_Transpose, PyArray_TYPE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors, \
    report_float_errors
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP, UfuncLoop
from chainer_fast._core.plain cimport empty_like, kind_of

np.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewCopy(np.ndarray, np.NPY_ORDER)
    object PyArray_MatrixProduct2(object, object, np.ndarray)
    bint PyArray_CheckExact(object)

cdef extern from "chainer_fast/backends/kernels/common/loops.h" nogil:
    void cf_add_f(float *, float *, float *, ptrdiff_t) noexcept
    void cf_add_d(double *, double *, double *, ptrdiff_t) noexcept

cdef extern from "chainer_fast/backends/kernels/recurrent/loops.h" nogil:
    void cf_add_half_f(float *, float *, ptrdiff_t) noexcept
    void cf_add_half_d(double *, double *, ptrdiff_t) noexcept
    void cf_lstm_row_f(float *, float *, float *, ptrdiff_t) noexcept
    void cf_lstm_row_d(double *, double *, double *, ptrdiff_t) noexcept
    void cf_lstm_out_f(float *, float *, float *, float *, ptrdiff_t) noexcept
    void cf_lstm_out_d(double *, double *, double *, double *, ptrdiff_t) noexcept
    void cf_lstm_row_grad_f(
        float *, float *, float *, float *, float *, float *, float *,
        ptrdiff_t) noexcept
    void cf_lstm_row_grad_d(
        double *, double *, double *, double *, double *, double *, double *,
        ptrdiff_t) noexcept
    void cf_gru_new_f(float *, float *, float *, float *, ptrdiff_t) noexcept
    void cf_gru_new_d(double *, double *, double *, double *, ptrdiff_t) noexcept
    void cf_gru_out_f(float *, float *, float *, ptrdiff_t) noexcept
    void cf_gru_out_d(double *, double *, double *, ptrdiff_t) noexcept
    void cf_gru_row_grad_f(
        float *, float *, float *, float *, float *, float *, float *,
        ptrdiff_t) noexcept
    void cf_gru_row_grad_d(
        double *, double *, double *, double *, double *, double *, double *,
        ptrdiff_t) noexcept
    void cf_relu_f(float *, ptrdiff_t) noexcept
    void cf_relu_d(double *, ptrdiff_t) noexcept
    void cf_tanh_row_grad_f(float *, float *, float *, float *, ptrdiff_t) noexcept
    void cf_tanh_row_grad_d(
        double *, double *, double *, double *, ptrdiff_t) noexcept
    void cf_relu_row_grad_f(float *, float *, float *, float *, ptrdiff_t) noexcept
    void cf_relu_row_grad_d(
        double *, double *, double *, double *, ptrdiff_t) noexcept

ctypedef fused real:
    float
    double

cdef enum:
    # Numbers of gates that are worked on at a time, unless one sample has more.
    CHUNK = 4096

cdef enum Mode:
    LSTM, GRU, TANH, RELU

cdef dict _MODES = {'lstm': LSTM, 'gru': GRU, 'rnn_tanh': TANH, 'rnn_relu': RELU}
cdef int[4] _GATES = [4, 3, 1, 1]
# Arrays of the trace that have as many columns as the state.
cdef int[4] _KEPT = [3, 2, 1, 1]

cdef UfuncLoop _tanh_loop = UfuncLoop(numpy.tanh)


cdef inline void _tanh(real *source, real *target, npy_intp n) noexcept nogil:
    _tanh_loop._loop(b'f' if real is float else b'd', source, target, n)


# ------------------------------------------------------------------------ one step

cdef void _lstm_step(real *g, real *part, real *h, real *c, real *y, real *c_prev,
                     real *tanh_c, npy_intp size, npy_intp n) noexcept nogil:
    cdef npy_intp group = max(1, CHUNK // (4 * n))
    cdef npy_intp row, at, end, start = 0
    while start < size:
        end = min(start + group, size)
        for row in range(start, end):
            at = row * 4 * n
            if real is float:
                cf_add_half_f(g + at, part + at, 2 * n)
                cf_add_f(g + at + 2 * n, part + at + 2 * n, g + at + 2 * n, n)
                cf_add_half_f(g + at + 3 * n, part + at + 3 * n, n)
            else:
                cf_add_half_d(g + at, part + at, 2 * n)
                cf_add_d(g + at + 2 * n, part + at + 2 * n, g + at + 2 * n, n)
                cf_add_half_d(g + at + 3 * n, part + at + 3 * n, n)
        _tanh(g + start * 4 * n, g + start * 4 * n, (end - start) * 4 * n)
        for row in range(start, end):
            if real is float:
                cf_lstm_row_f(g + row * 4 * n, c + row * n, c_prev + row * n, n)
            else:
                cf_lstm_row_d(g + row * 4 * n, c + row * n, c_prev + row * n, n)
        _tanh(c + start * n, tanh_c + start * n, (end - start) * n)
        for row in range(start, end):
            if real is float:
                cf_lstm_out_f(g + (row * 4 + 3) * n, tanh_c + row * n, h + row * n,
                              y + row * n, n)
            else:
                cf_lstm_out_d(g + (row * 4 + 3) * n, tanh_c + row * n, h + row * n,
                              y + row * n, n)
        start = end


cdef void _gru_step(real *g, real *part, real *bias, real *h, real *y,
                    real *recurrent, npy_intp size, npy_intp n) noexcept nogil:
    cdef npy_intp row
    cdef real *gates
    for row in range(size):
        gates = g + row * 3 * n
        if real is float:
            cf_add_half_f(gates, part + row * 3 * n, 2 * n)
        else:
            cf_add_half_d(gates, part + row * 3 * n, 2 * n)
        _tanh(gates, gates, 2 * n)
        if real is float:
            cf_gru_new_f(gates, part + row * 3 * n, bias, recurrent + row * n, n)
        else:
            cf_gru_new_d(gates, part + row * 3 * n, bias, recurrent + row * n, n)
        _tanh(gates + 2 * n, gates + 2 * n, n)
        if real is float:
            cf_gru_out_f(gates, h + row * n, y + row * n, n)
        else:
            cf_gru_out_d(gates, h + row * n, y + row * n, n)


cdef void _plain_step(int mode, real *g, real *part, real *h, real *y,
                      npy_intp count) noexcept nogil:
    if real is float:
        cf_add_f(g, part, g, count)
    else:
        cf_add_d(g, part, g, count)
    if mode == TANH:
        _tanh(g, g, count)
    elif real is float:
        cf_relu_f(g, count)
    else:
        cf_relu_d(g, count)
    memcpy(h, g, count * sizeof(real))
    memcpy(y, g, count * sizeof(real))


cdef void _step(int mode, npy_intp size, npy_intp n, real *gates, real *part,
                real *bias, real *h, real *c, real *y, real *kept1,
                real *kept2) noexcept nogil:
    if mode == LSTM:
        _lstm_step(gates, part, h, c, y, kept1, kept2, size, n)
    elif mode == GRU:
        _gru_step(gates, part, bias, h, y, kept1, size, n)
    else:
        _plain_step(mode, gates, part, h, y, size * n)


cdef void _step_grad(int mode, npy_intp size, npy_intp n, real *gates, real *h_prev,
                     real *kept1, real *kept2, real *gy, real *gh, real *gc,
                     real *gx, real *gr) noexcept nogil:
    cdef npy_intp width = _GATES[mode] * n
    cdef npy_intp i, at, row
    if mode == TANH:
        if real is float:
            cf_tanh_row_grad_f(gates, gy, gh, gx, size * n)
        else:
            cf_tanh_row_grad_d(gates, gy, gh, gx, size * n)
        return
    if mode == RELU:
        if real is float:
            cf_relu_row_grad_f(gates, gy, gh, gx, size * n)
        else:
            cf_relu_row_grad_d(gates, gy, gh, gx, size * n)
        return
    for i in range(size):
        at, row = i * n, i * width
        if mode == LSTM:
            if real is float:
                cf_lstm_row_grad_f(gates + row, kept1 + at, kept2 + at, gy + at,
                                   gh + at, gc + at, gx + row, n)
            else:
                cf_lstm_row_grad_d(gates + row, kept1 + at, kept2 + at, gy + at,
                                   gh + at, gc + at, gx + row, n)
        elif real is float:
            cf_gru_row_grad_f(gates + row, h_prev + at, kept1 + at, gy + at,
                              gh + at, gx + row, gr + row, n)
        else:
            cf_gru_row_grad_d(gates + row, h_prev + at, kept1 + at, gy + at,
                              gh + at, gx + row, gr + row, n)


# ------------------------------------------------------------------- the whole sequence

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


cdef object _new(object like, npy_intp rows, npy_intp columns):
    cdef npy_intp dims[2]
    dims[0], dims[1] = rows, columns
    return PyArray_EMPTY(2, dims, PyArray_TYPE(<np.ndarray>like), 0)


cdef object _copy(object array, char kind):
    """Return a copy in C order of a matrix of a type, else None."""
    if not PyArray_CheckExact(array) or PyArray_NDIM(array) != 2:
        return None
    array = PyArray_NewCopy(<np.ndarray>array, np.NPY_CORDER)
    return array if kind_of(array) == kind else None


cdef bint _is_matrix(object array, char kind, npy_intp rows,
                     npy_intp columns) noexcept:
    return (kind_of(array) == kind and PyArray_NDIM(array) == 2
            and PyArray_DIM(<np.ndarray>array, 0) == rows
            and PyArray_DIM(<np.ndarray>array, 1) == columns)


def scan(gates, weight, bias, hx, cx, tuple sizes, mode, bint reverse):
    cdef char kind = kind_of(gates)
    cdef int m = _MODES[mode]
    cdef int flags = 0
    cdef npy_intp n, rows, row, last, size = 0
    cdef Py_ssize_t k, t, steps = len(sizes)
    cdef object h = None, part = None, parts, turned
    cdef void *p[8]
    if kind == 0 or kind_of(weight) != kind or PyArray_NDIM(weight) != 2:
        return NotImplemented
    n = PyArray_DIM(<np.ndarray>weight, 1)
    rows = PyArray_DIM(<np.ndarray>gates, 0)
    hy = _copy(hx, kind)
    cy = _copy(cx, kind) if m == LSTM else None
    if hy is None or (m == LSTM and cy is None) or (
            m == GRU and kind_of(bias) != kind) or (
            not _is_matrix(gates, kind, sum(sizes), _GATES[m] * n)):
        return NotImplemented
    ys = _new(gates, rows, n)
    kept = [empty_like(ys) for _ in range(_KEPT[m])]
    kept1 = kept[1] if m == LSTM or m == GRU else None
    kept2 = kept[2] if m == LSTM else None
    # A copy: the products of few rows spend their time on reading it.
    turned = PyArray_NewCopy(
        <np.ndarray>PyArray_Transpose(<np.ndarray>weight, NULL), np.NPY_CORDER)
    parts = _new(gates, max(sizes), _GATES[m] * n)

    row = rows if reverse else 0
    for t in range(steps):
        k = steps - 1 - t if reverse else t
        last, size = size, sizes[k]
        if reverse:
            row -= size
        if size == 0:
            continue
        if size != last:
            h, part = _view(hy, 0, size), _view(parts, 0, size)
        p[0], p[1], p[2] = _rows(gates, row), PyArray_DATA(<np.ndarray>parts), NULL
        if bias is not None:
            p[2] = PyArray_DATA(<np.ndarray>bias)
        p[3], p[4], p[5] = PyArray_DATA(<np.ndarray>hy), _rows(cy, 0), _rows(ys, row)
        p[6], p[7] = _rows(kept1, row), _rows(kept2, row)
        memcpy(_rows(kept[0], row), p[3], size * np.PyArray_STRIDE(<np.ndarray>hy, 0))
        PyArray_MatrixProduct2(h, turned, <np.ndarray>part)
        clear_float_errors()
        if size * n < LONG_LOOP // 4:
            _typed_step(kind, m, size, n, p)
        else:
            with nogil:
                _typed_step(kind, m, size, n, p)
        flags |= float_errors()
        if not reverse:
            row += size
    if flags:
        report_float_errors(flags)
    return ys, hy, cy, (gates, *kept)


cdef void _typed_step(
        char kind, int m, npy_intp size, npy_intp n, void **p) noexcept nogil:
    if kind == b'f':
        _step[float](m, size, n, <float *>p[0], <float *>p[1], <float *>p[2],
                     <float *>p[3], <float *>p[4], <float *>p[5], <float *>p[6],
                     <float *>p[7])
    else:
        _step[double](m, size, n, <double *>p[0], <double *>p[1], <double *>p[2],
                      <double *>p[3], <double *>p[4], <double *>p[5],
                      <double *>p[6], <double *>p[7])


def scan_grad(gys, tuple trace, weight, ghy, gcy, tuple sizes, mode, bint reverse):
    cdef char kind = kind_of(gys)
    cdef int m = _MODES[mode]
    cdef int flags = 0
    cdef npy_intp n, row, last, size = 0
    cdef Py_ssize_t k, t, steps = len(sizes)
    cdef object gh = None
    cdef void *p[9]
    if kind == 0 or kind_of(weight) != kind:
        return NotImplemented
    for array in trace:
        if kind_of(array) != kind:
            return NotImplemented
    n = PyArray_DIM(<np.ndarray>weight, 1)
    ghx = _copy(ghy, kind)
    gcx = _copy(gcy, kind) if m == LSTM else None
    if ghx is None or (m == LSTM and gcx is None) or (
            not _is_matrix(gys, kind, sum(sizes), n)):
        return NotImplemented
    gates, h_prev = trace[0], trace[1]
    kept1 = trace[2] if m == LSTM or m == GRU else None
    kept2 = trace[3] if m == LSTM else None
    gx = empty_like(gates)
    gr = empty_like(gates) if m == GRU else gx
    parts = empty_like(ghx) if m == GRU else None

    row = 0 if reverse else PyArray_DIM(<np.ndarray>gys, 0)
    for t in range(steps):
        # From the end of the scan to its beginning.
        k = t if reverse else steps - 1 - t
        last, size = size, sizes[k]
        if not reverse:
            row -= size
        if size == 0:
            continue
        if size != last:
            gh = _view(ghx if parts is None else parts, 0, size)
        p[0], p[1], p[2] = _rows(gates, row), _rows(h_prev, row), _rows(kept1, row)
        p[3], p[4], p[5] = _rows(kept2, row), _rows(gys, row), _rows(ghx, 0)
        p[6], p[7], p[8] = _rows(gcx, 0), _rows(gx, row), _rows(gr, row)
        clear_float_errors()
        if size * n < LONG_LOOP // 4:
            _typed_step_grad(kind, m, size, n, p)
        else:
            with nogil:
                _typed_step_grad(kind, m, size, n, p)
        flags |= float_errors()
        PyArray_MatrixProduct2(_view(gr, row, size), weight, <np.ndarray>gh)
        if m == GRU:
            if kind == b'f':
                cf_add_f(<float *>p[5], <float *>_rows(parts, 0), <float *>p[5],
                         size * n)
            else:
                cf_add_d(<double *>p[5], <double *>_rows(parts, 0),
                         <double *>p[5], size * n)
        if reverse:
            row += size
    if flags:
        report_float_errors(flags)
    return gx, gr, ghx, gcx


cdef void _typed_step_grad(
        char kind, int m, npy_intp size, npy_intp n, void **p) noexcept nogil:
    if kind == b'f':
        _step_grad[float](
            m, size, n, <float *>p[0], <float *>p[1], <float *>p[2],
            <float *>p[3], <float *>p[4], <float *>p[5], <float *>p[6],
            <float *>p[7], <float *>p[8])
    else:
        _step_grad[double](
            m, size, n, <double *>p[0], <double *>p[1], <double *>p[2],
            <double *>p[3], <double *>p[4], <double *>p[5], <double *>p[6],
            <double *>p[7], <double *>p[8])
