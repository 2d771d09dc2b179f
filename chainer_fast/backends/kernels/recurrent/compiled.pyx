"""Compiled steps of recurrent cells; see the references for what they compute.

The units of all samples form one row, which is worked on in blocks that stay in the
cache from the gates to the results. A tree's gates stand one after the other for each
sample instead, so its samples are the blocks.
"""
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libc.string cimport memcpy, memset
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, PyArray_SAMESHAPE, \
    PyArray_SIZE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP, UfuncLoop
from chainer_fast._core.plain cimport CF_PLAIN_FLAGS, empty_like, kind_of

np.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_FROM_OF(object, int)
    bint PyArray_CheckExact(object)

cdef extern from "chainer_fast/backends/kernels/recurrent/loops.h" nogil:
    void cf_take_gates_f(float *, float *, ptrdiff_t) noexcept
    void cf_take_gates_d(double *, double *, ptrdiff_t) noexcept
    void cf_open_gates_f(float *, ptrdiff_t) noexcept
    void cf_open_gates_d(double *, ptrdiff_t) noexcept
    void cf_cell_f(float *, float *, float *, ptrdiff_t) noexcept
    void cf_cell_d(double *, double *, double *, ptrdiff_t) noexcept
    void cf_cell2_f(float *, float *, float *, float *, float *, ptrdiff_t) noexcept
    void cf_cell2_d(
        double *, double *, double *, double *, double *, ptrdiff_t) noexcept
    void cf_output_grad_f(
        float *, float *, float *, float *, float *, float *, ptrdiff_t) noexcept
    void cf_output_grad_d(
        double *, double *, double *, double *, double *, double *,
        ptrdiff_t) noexcept
    void cf_cell_grad_f(
        float *, float *, float *, float *, float *, float *, ptrdiff_t) noexcept
    void cf_cell_grad_d(
        double *, double *, double *, double *, double *, double *,
        ptrdiff_t) noexcept
    void cf_half_f(float *, ptrdiff_t) noexcept
    void cf_half_d(double *, ptrdiff_t) noexcept
    void cf_add_kept_f(float *, float *, float *, ptrdiff_t) noexcept
    void cf_add_kept_d(double *, double *, double *, ptrdiff_t) noexcept
    void cf_add_input_f(float *, float *, float *, ptrdiff_t) noexcept
    void cf_add_input_d(double *, double *, double *, ptrdiff_t) noexcept
    void cf_input_grad_f(
        float *, float *, float *, float *, float *, ptrdiff_t) noexcept
    void cf_input_grad_d(
        double *, double *, double *, double *, double *, ptrdiff_t) noexcept
    void cf_kept_grad_f(
        float *, float *, float *, float *, float *, ptrdiff_t) noexcept
    void cf_kept_grad_d(
        double *, double *, double *, double *, double *, ptrdiff_t) noexcept

cdef extern from "chainer_fast/backends/kernels/common/loops.h" nogil:
    void cf_add_f(float *, float *, float *, ptrdiff_t) noexcept
    void cf_add_d(double *, double *, double *, ptrdiff_t) noexcept
    void cf_mul_f(float *, float *, float *, ptrdiff_t) noexcept
    void cf_mul_d(double *, double *, double *, ptrdiff_t) noexcept

ctypedef fused real:
    float
    double

cdef enum:
    BLOCK = 256
    MAX_CHILDREN = 16

cdef UfuncLoop _tanh_loop = UfuncLoop(numpy.tanh)


cdef inline void _tanh(real *source, real *target, npy_intp n) noexcept nogil:
    _tanh_loop._loop(b'f' if real is float else b'd', source, target, n)


cdef object _plain(object array, char kind, object shape_of):
    """Return the array in C order, if it is of a type and of another's shape."""
    if array is None or not PyArray_CheckExact(array) or not PyArray_SAMESHAPE(
            <np.ndarray>array, <np.ndarray>shape_of):
        return None
    array = PyArray_FROM_OF(array, CF_PLAIN_FLAGS)
    return array if kind_of(array) == kind else None


cdef bint _alternate(char kind, object c, object x) except -1:
    """Tell whether ``x`` has the four gates of the cells ``c``, by turns."""
    cdef int d
    if kind == 0 or kind_of(c) != kind or PyArray_NDIM(x) != PyArray_NDIM(c) or (
            PyArray_NDIM(x) < 2):
        return False
    for d in range(2, PyArray_NDIM(x)):
        if PyArray_DIM(<np.ndarray>x, d) != 1 or PyArray_DIM(<np.ndarray>c, d) != 1:
            return False
    return (PyArray_DIM(<np.ndarray>x, 1) == 4 * PyArray_DIM(<np.ndarray>c, 1)
            and PyArray_DIM(<np.ndarray>x, 0) <= PyArray_DIM(<np.ndarray>c, 0))


cdef object _first_rows(object array, object x):
    """Return a new array of as many rows as there are samples."""
    cdef npy_intp dims[32]
    cdef int d
    for d in range(PyArray_NDIM(array)):
        dims[d] = PyArray_DIM(<np.ndarray>array, d)
    dims[0] = PyArray_DIM(<np.ndarray>x, 0)
    return np.PyArray_EMPTY(
        PyArray_NDIM(array), dims, np.PyArray_TYPE(<np.ndarray>array), 0)


cdef inline void *_data(object array) noexcept:
    return NULL if array is None else PyArray_DATA(<np.ndarray>array)


# ------------------------------------------------------------------------- one memory

cdef inline void _gates(real *x, real *s, npy_intp n) noexcept nogil:
    """Take a block's gates apart and find their values."""
    if real is float:
        cf_take_gates_f(x, s, n)
    else:
        cf_take_gates_d(x, s, n)
    _tanh(s, s, 4 * n)
    if real is float:
        cf_open_gates_f(s + n, 3 * n)
    else:
        cf_open_gates_d(s + n, 3 * n)


cdef inline void _multiply(real *a, real *b, npy_intp n) noexcept nogil:
    """``b *= a``"""
    if real is float:
        cf_mul_f(a, b, b, n)
    else:
        cf_mul_d(a, b, b, n)


cdef void _lstm(real *c_prev, real *x, real *c, real *h, npy_intp units,
                npy_intp all_units) noexcept nogil:
    cdef real s[4 * BLOCK]
    cdef npy_intp block, start, n
    for block in range((units + BLOCK - 1) // BLOCK):
        start = block * BLOCK
        n = min(<npy_intp>BLOCK, units - start)
        _gates(x + 4 * start, s, n)
        if real is float:
            cf_cell_f(s, c_prev + start, c + start, n)
        else:
            cf_cell_d(s, c_prev + start, c + start, n)
        _tanh(c + start, h + start, n)
        _multiply(s + 3 * n, h + start, n)
    memcpy(c + units, c_prev + units, (all_units - units) * sizeof(real))


cdef void _lstm_grad(
        real *c_prev, real *x, real *c, real *gc, real *gh, real *gc_prev,
        real *gx, npy_intp units, npy_intp all_units) noexcept nogil:
    cdef real s[4 * BLOCK]
    cdef real tanh_c[BLOCK]
    cdef real gc_step[BLOCK]
    cdef real go[BLOCK]
    cdef real zeros[BLOCK]
    cdef real *gc_block
    cdef real *gh_block
    cdef npy_intp block, start, n
    memset(zeros, 0, sizeof(zeros))
    for block in range((units + BLOCK - 1) // BLOCK):
        start = block * BLOCK
        n = min(<npy_intp>BLOCK, units - start)
        _gates(x + 4 * start, s, n)
        _tanh(c + start, tanh_c, n)
        gc_block = &zeros[0] if gc is NULL else gc + start
        gh_block = &zeros[0] if gh is NULL else gh + start
        if real is float:
            cf_output_grad_f(s + 3 * n, tanh_c, gc_block, gh_block, gc_step, go, n)
            cf_cell_grad_f(
                s, c_prev + start, gc_step, go, gc_prev + start, gx + 4 * start, n)
        else:
            cf_output_grad_d(s + 3 * n, tanh_c, gc_block, gh_block, gc_step, go, n)
            cf_cell_grad_d(
                s, c_prev + start, gc_step, go, gc_prev + start, gx + 4 * start, n)
    if gc is NULL:
        memset(gc_prev + units, 0, (all_units - units) * sizeof(real))
    else:
        memcpy(gc_prev + units, gc + units, (all_units - units) * sizeof(real))


def lstm(c_prev, x):
    cdef char kind = kind_of(x)
    cdef npy_intp units, all_units
    cdef void *p_old
    cdef void *p_x
    cdef void *p_c
    cdef void *p_h
    if not _alternate(kind, c_prev, x):
        return NotImplemented
    c = empty_like(c_prev)
    h = _first_rows(c_prev, x)
    units, all_units = PyArray_SIZE(h), PyArray_SIZE(c)
    p_old, p_x, p_c, p_h = _data(c_prev), _data(x), _data(c), _data(h)
    clear_float_errors()
    if units < LONG_LOOP // 4:
        if kind == b'f':
            _lstm[float](<float *>p_old, <float *>p_x, <float *>p_c, <float *>p_h,
                         units, all_units)
        else:
            _lstm[double](<double *>p_old, <double *>p_x, <double *>p_c,
                          <double *>p_h, units, all_units)
    else:
        with nogil:
            if kind == b'f':
                _lstm[float](<float *>p_old, <float *>p_x, <float *>p_c,
                             <float *>p_h, units, all_units)
            else:
                _lstm[double](<double *>p_old, <double *>p_x, <double *>p_c,
                              <double *>p_h, units, all_units)
    return NotImplemented if float_errors() else (c, h)


def lstm_grad(c_prev, x, c, gc, gh):
    cdef char kind = kind_of(x)
    cdef npy_intp units, all_units
    cdef void *p[7]
    if not _alternate(kind, c_prev, x):
        return NotImplemented
    c = _plain(c, kind, c_prev)
    gc_prev = empty_like(c_prev)
    gx = empty_like(x)
    all_units = PyArray_SIZE(c_prev)
    units = PyArray_SIZE(x) // 4
    if gc is not None:
        gc = _plain(gc, kind, c_prev)
        if gc is None:
            return NotImplemented
    if gh is not None:
        # Its rows are those of the samples; otherwise it has the shape of cells.
        if type(gh) is not numpy.ndarray or gh.size != units:
            return NotImplemented
        gh = PyArray_FROM_OF(gh, CF_PLAIN_FLAGS)
        if kind_of(gh) != kind:
            return NotImplemented
    if c is None:
        return NotImplemented
    p[0], p[1], p[2], p[3] = _data(c_prev), _data(x), _data(c), _data(gc)
    p[4], p[5], p[6] = _data(gh), _data(gc_prev), _data(gx)
    clear_float_errors()
    if units < LONG_LOOP // 4:
        if kind == b'f':
            _lstm_grad[float](
                <float *>p[0], <float *>p[1], <float *>p[2], <float *>p[3],
                <float *>p[4], <float *>p[5], <float *>p[6], units, all_units)
        else:
            _lstm_grad[double](
                <double *>p[0], <double *>p[1], <double *>p[2], <double *>p[3],
                <double *>p[4], <double *>p[5], <double *>p[6], units, all_units)
    else:
        with nogil:
            if kind == b'f':
                _lstm_grad[float](
                    <float *>p[0], <float *>p[1], <float *>p[2], <float *>p[3],
                    <float *>p[4], <float *>p[5], <float *>p[6], units, all_units)
            else:
                _lstm_grad[double](
                    <double *>p[0], <double *>p[1], <double *>p[2], <double *>p[3],
                    <double *>p[4], <double *>p[5], <double *>p[6], units,
                    all_units)
    return NotImplemented if float_errors() else (gc_prev, gx)


# ---------------------------------------------------------------------- two memories

cdef inline void _two_gates(
        real *x1, real *x2, real *s1, real *s2, npy_intp n) noexcept nogil:
    """As ``_gates`` for each, with the sum of both output gates in the first."""
    if real is float:
        cf_take_gates_f(x1, s1, n)
        cf_take_gates_f(x2, s2, n)
        cf_add_f(s1 + 3 * n, s2 + 3 * n, s1 + 3 * n, n)
    else:
        cf_take_gates_d(x1, s1, n)
        cf_take_gates_d(x2, s2, n)
        cf_add_d(s1 + 3 * n, s2 + 3 * n, s1 + 3 * n, n)
    _tanh(s1, s1, 4 * n)
    _tanh(s2, s2, 3 * n)
    if real is float:
        cf_open_gates_f(s1 + n, 3 * n)
        cf_open_gates_f(s2 + n, 2 * n)
    else:
        cf_open_gates_d(s1 + n, 3 * n)
        cf_open_gates_d(s2 + n, 2 * n)


cdef void _slstm(real *c_prev1, real *c_prev2, real *x1, real *x2, real *c, real *h,
                 npy_intp units) noexcept nogil:
    cdef real s1[4 * BLOCK]
    cdef real s2[4 * BLOCK]
    cdef npy_intp block, start, n
    for block in range((units + BLOCK - 1) // BLOCK):
        start = block * BLOCK
        n = min(<npy_intp>BLOCK, units - start)
        _two_gates(x1 + 4 * start, x2 + 4 * start, s1, s2, n)
        if real is float:
            cf_cell2_f(s1, s2, c_prev1 + start, c_prev2 + start, c + start, n)
        else:
            cf_cell2_d(s1, s2, c_prev1 + start, c_prev2 + start, c + start, n)
        _tanh(c + start, h + start, n)
        _multiply(s1 + 3 * n, h + start, n)


cdef void _slstm_grad(
        real *c_prev1, real *c_prev2, real *x1, real *x2, real *c, real *gc,
        real *gh, real *gc_prev1, real *gc_prev2, real *gx1, real *gx2,
        npy_intp units) noexcept nogil:
    cdef real s1[4 * BLOCK]
    cdef real s2[4 * BLOCK]
    cdef real tanh_c[BLOCK]
    cdef real gc_step[BLOCK]
    cdef real go[BLOCK]
    cdef real zeros[BLOCK]
    cdef real *gc_block
    cdef real *gh_block
    cdef npy_intp block, start, n
    memset(zeros, 0, sizeof(zeros))
    for block in range((units + BLOCK - 1) // BLOCK):
        start = block * BLOCK
        n = min(<npy_intp>BLOCK, units - start)
        _two_gates(x1 + 4 * start, x2 + 4 * start, s1, s2, n)
        _tanh(c + start, tanh_c, n)
        gc_block = &zeros[0] if gc is NULL else gc + start
        gh_block = &zeros[0] if gh is NULL else gh + start
        if real is float:
            cf_output_grad_f(s1 + 3 * n, tanh_c, gc_block, gh_block, gc_step, go, n)
            cf_cell_grad_f(s1, c_prev1 + start, gc_step, go, gc_prev1 + start,
                           gx1 + 4 * start, n)
            cf_cell_grad_f(s2, c_prev2 + start, gc_step, go, gc_prev2 + start,
                           gx2 + 4 * start, n)
        else:
            cf_output_grad_d(s1 + 3 * n, tanh_c, gc_block, gh_block, gc_step, go, n)
            cf_cell_grad_d(s1, c_prev1 + start, gc_step, go, gc_prev1 + start,
                           gx1 + 4 * start, n)
            cf_cell_grad_d(s2, c_prev2 + start, gc_step, go, gc_prev2 + start,
                           gx2 + 4 * start, n)


cdef bint _two_fit(char kind, object c1, object c2, object x1, object x2) except -1:
    return (_alternate(kind, c1, x1) and _alternate(kind, c2, x2)
            and kind_of(x2) == kind
            and PyArray_SAMESHAPE(<np.ndarray>c1, <np.ndarray>c2)
            and PyArray_SAMESHAPE(<np.ndarray>x1, <np.ndarray>x2)
            and PyArray_SIZE(x1) == 4 * PyArray_SIZE(c1))


def slstm(c_prev1, c_prev2, x1, x2):
    cdef char kind = kind_of(x1)
    cdef void *p[6]
    cdef npy_intp units
    if not _two_fit(kind, c_prev1, c_prev2, x1, x2):
        return NotImplemented
    c, h = empty_like(c_prev1), empty_like(c_prev1)
    units = PyArray_SIZE(c)
    p[0], p[1], p[2] = _data(c_prev1), _data(c_prev2), _data(x1)
    p[3], p[4], p[5] = _data(x2), _data(c), _data(h)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            _slstm[float](<float *>p[0], <float *>p[1], <float *>p[2],
                          <float *>p[3], <float *>p[4], <float *>p[5], units)
        else:
            _slstm[double](<double *>p[0], <double *>p[1], <double *>p[2],
                           <double *>p[3], <double *>p[4], <double *>p[5], units)
    return NotImplemented if float_errors() else (c, h)


def slstm_grad(c_prev1, c_prev2, x1, x2, c, gc, gh):
    cdef char kind = kind_of(x1)
    cdef void *p[11]
    cdef npy_intp units
    cdef int k
    if not _two_fit(kind, c_prev1, c_prev2, x1, x2):
        return NotImplemented
    c = _plain(c, kind, c_prev1)
    given = []
    for g in (gc, gh):
        if g is not None:
            g = _plain(g, kind, c_prev1)
            if g is None:
                return NotImplemented
        given.append(g)
    if c is None:
        return NotImplemented
    results = (empty_like(c), empty_like(c), empty_like(x1), empty_like(x1))
    arrays = (c_prev1, c_prev2, x1, x2, c, *given, *results)
    for k in range(11):
        p[k] = _data(arrays[k])
    units = PyArray_SIZE(c)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            _slstm_grad[float](
                <float *>p[0], <float *>p[1], <float *>p[2], <float *>p[3],
                <float *>p[4], <float *>p[5], <float *>p[6], <float *>p[7],
                <float *>p[8], <float *>p[9], <float *>p[10], units)
        else:
            _slstm_grad[double](
                <double *>p[0], <double *>p[1], <double *>p[2], <double *>p[3],
                <double *>p[4], <double *>p[5], <double *>p[6], <double *>p[7],
                <double *>p[8], <double *>p[9], <double *>p[10], units)
    return NotImplemented if float_errors() else results


# ---------------------------------------------------------------------------- trees

cdef void _tree(real *x, real **children, int count, real *g, real *c, real *h,
                npy_intp rows, npy_intp n) noexcept nogil:
    cdef npy_intp row, width = (3 + count) * n
    cdef int k
    memcpy(g, x, rows * width * sizeof(real))
    for row in range(rows):
        if real is float:
            cf_half_f(g + n, width - n)
        else:
            cf_half_d(g + n, width - n)
        _tanh(g, g, width)
        memset(c, 0, n * sizeof(real))
        if real is float:
            cf_open_gates_f(g + n, width - n)
            for k in range(count):
                cf_add_kept_f(g + (3 + k) * n, children[k] + row * n, c, n)
            cf_add_input_f(g, g + n, c, n)
        else:
            cf_open_gates_d(g + n, width - n)
            for k in range(count):
                cf_add_kept_d(g + (3 + k) * n, children[k] + row * n, c, n)
            cf_add_input_d(g, g + n, c, n)
        _tanh(c, h, n)
        _multiply(g + 2 * n, h, n)
        g += width
        c += n
        h += n


cdef void _tree_grad(
        real *g, real *c, real *gc, real *gh, real **children, real **g_children,
        int count, real *gx, real *tanh_c, npy_intp rows,
        npy_intp n) noexcept nogil:
    # One row of `tanh_c`, one of zeros, and one for the gradient of the cell.
    cdef real *zeros = tanh_c + n
    cdef real *gc_step = tanh_c + 2 * n
    cdef npy_intp row, width = (3 + count) * n
    cdef int k
    memset(zeros, 0, n * sizeof(real))
    for row in range(rows):
        _tanh(c + row * n, tanh_c, n)
        if real is float:
            cf_output_grad_f(
                g + 2 * n, tanh_c, zeros if gc is NULL else gc + row * n,
                zeros if gh is NULL else gh + row * n, gc_step, gx + 2 * n, n)
            cf_input_grad_f(gc_step, g, g + n, gx, gx + n, n)
            for k in range(count):
                cf_kept_grad_f(
                    gc_step, g + (3 + k) * n, children[k] + row * n,
                    g_children[k] + row * n, gx + (3 + k) * n, n)
        else:
            cf_output_grad_d(
                g + 2 * n, tanh_c, zeros if gc is NULL else gc + row * n,
                zeros if gh is NULL else gh + row * n, gc_step, gx + 2 * n, n)
            cf_input_grad_d(gc_step, g, g + n, gx, gx + n, n)
            for k in range(count):
                cf_kept_grad_d(
                    gc_step, g + (3 + k) * n, children[k] + row * n,
                    g_children[k] + row * n, gx + (3 + k) * n, n)
        g += width
        gx += width


cdef int _children(char kind, object like, tuple cs, void **p) except -1:
    """Fill in the data of the children's cells; return 0 if they do not fit."""
    cdef int k = 0
    if len(cs) > MAX_CHILDREN:
        return 0
    for child in cs:
        if kind_of(child) != kind or PyArray_NDIM(child) != 2 or (
                not PyArray_SAMESHAPE(<np.ndarray>child, <np.ndarray>like)):
            return 0
        p[k] = _data(child)
        k += 1
    return 1


def tree_lstm(x, *cs):
    cdef char kind = kind_of(x)
    cdef void *p[MAX_CHILDREN]
    cdef int count = len(cs)
    cdef npy_intp rows, n
    cdef void *p_x
    cdef void *p_g
    cdef void *p_c
    cdef void *p_h
    if kind == 0 or PyArray_NDIM(x) != 2 or not _children(kind, cs[0], cs, p):
        return NotImplemented
    rows, n = PyArray_DIM(<np.ndarray>cs[0], 0), PyArray_DIM(<np.ndarray>cs[0], 1)
    if PyArray_DIM(<np.ndarray>x, 0) != rows or (
            PyArray_DIM(<np.ndarray>x, 1) != (3 + count) * n):
        return NotImplemented
    gates, c, h = empty_like(x), empty_like(cs[0]), empty_like(cs[0])
    p_x, p_g, p_c, p_h = _data(x), _data(gates), _data(c), _data(h)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            _tree[float](<float *>p_x, <float **>p, count, <float *>p_g,
                         <float *>p_c, <float *>p_h, rows, n)
        else:
            _tree[double](<double *>p_x, <double **>p, count, <double *>p_g,
                          <double *>p_c, <double *>p_h, rows, n)
    return NotImplemented if float_errors() else (gates, c, h)


def tree_lstm_grad(gates, c, gc, gh, *cs):
    cdef char kind = kind_of(gates)
    cdef void *p[MAX_CHILDREN]
    cdef void *p_g[MAX_CHILDREN]
    cdef void *q[6]
    cdef int k, count = len(cs)
    cdef npy_intp rows, n, three
    if kind == 0 or kind_of(c) != kind or not _children(kind, c, cs, p):
        return NotImplemented
    given = []
    for g in (gc, gh):
        if g is not None:
            g = _plain(g, kind, c)
            if g is None:
                return NotImplemented
        given.append(g)
    rows, n = PyArray_DIM(<np.ndarray>c, 0), PyArray_DIM(<np.ndarray>c, 1)
    three = 3 * n
    scratch = np.PyArray_EMPTY(1, &three, np.PyArray_TYPE(<np.ndarray>c), 0)
    gx = empty_like(gates)
    results = tuple([empty_like(c) for _ in range(count)]) + (gx,)
    for k in range(count):
        p_g[k] = _data(results[k])
    q[0], q[1], q[2] = _data(gates), _data(c), _data(given[0])
    q[3], q[4], q[5] = _data(given[1]), _data(gx), _data(scratch)
    clear_float_errors()
    with nogil:
        if kind == b'f':
            _tree_grad[float](
                <float *>q[0], <float *>q[1], <float *>q[2], <float *>q[3],
                <float **>p, <float **>p_g, count, <float *>q[4], <float *>q[5],
                rows, n)
        else:
            _tree_grad[double](
                <double *>q[0], <double *>q[1], <double *>q[2], <double *>q[3],
                <double **>p, <double **>p_g, count, <double *>q[4],
                <double *>q[5], rows, n)
    return NotImplemented if float_errors() else results
