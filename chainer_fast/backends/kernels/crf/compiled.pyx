"""Conditional random fields of chains, in double precision.

A step along the chain is a product of a vector with the matrix of exponentials of the
costs, both relative to their largest elements. Where that underflows, or nothing is
possible, the step is done once more, term by term with logarithms.
"""
import numpy

cimport numpy as np
from libc.math cimport INFINITY, exp, log
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_NDIM, PyArray_SAMESHAPE, \
    npy_intp

from chainer_fast._core.plain cimport is_matrix, is_vector, kind_of
from chainer_fast.backends.kernels.common.contiguous cimport contiguous

np.import_array()

cdef extern from "chainer_fast/backends/kernels/crf/loops.hpp" \
        namespace "chainer_fast" nogil:
    double weights(const double *x, double *out, ptrdiff_t n) noexcept
    bint step(const double *u, const double *matrix, double add, double *out,
              ptrdiff_t n) noexcept
    void add_outer(const double *u, const double *v, double factor, double *out,
                   ptrdiff_t n) noexcept
    void fill_shares(const double *a, const double *b, double total, double *out,
                     ptrdiff_t n) noexcept
    void find_best[T](const T *origin, const T *cost, T *best, int32_t *which,
                      ptrdiff_t n) noexcept

ctypedef fused real:
    float
    double

# Above this, the exponential of a factor may be infinite.
cdef double LARGE = 500


cdef struct Chain:
    ptrdiff_t n             # labels
    ptrdiff_t times
    const npy_intp *sizes   # samples at each time
    double *cost            # row by row
    double *turned          # column by column
    double *weights         # exponentials of the costs, less the largest; or zeros
    double *turned_weights
    double top
    double *u
    double *v


cdef double _join(const double *row, const double *add, ptrdiff_t n) noexcept nogil:
    """Return ``log(sum(exp(row + add)))``."""
    cdef double top = row[0] + add[0]
    cdef double total = 0
    cdef ptrdiff_t i
    for i in range(1, n):
        top = max(top, row[i] + add[i])
    if top == -INFINITY:
        # Nothing is possible, and zero is as good a reference.
        top = 0
    for i in range(n):
        total += exp(row[i] + add[i] - top)
    return top + log(total)


cdef double _go(Chain *chain, const double *row, bint back, double *u,
                double *out) noexcept nogil:
    """Fill ``out`` with a step forth or back from ``row``.

    ``u`` becomes the exponentials of ``row``, relative to the element returned.
    """
    cdef double top = weights(row, u, chain.n)
    cdef double *matrix = chain.turned_weights if back else chain.weights
    # The lines of this matrix end where those of the other begin.
    cdef double *lines = chain.cost if back else chain.turned
    cdef ptrdiff_t j
    if not step(u, matrix, top + chain.top, out, chain.n):
        for j in range(chain.n):
            out[j] = _join(row, lines + j * chain.n, chain.n)
    return top


cdef int _open(Chain *chain, const real *cost, ptrdiff_t n,
               const npy_intp *sizes, ptrdiff_t times) noexcept nogil:
    cdef ptrdiff_t i, j
    cdef double value
    cdef double *room = <double *>malloc((4 * n * n + 2 * n) * sizeof(double))
    if room is NULL:
        return -1
    chain.n = n
    chain.times = times
    chain.sizes = sizes
    chain.cost = room
    chain.turned = room + n * n
    chain.weights = room + 2 * n * n
    chain.turned_weights = room + 3 * n * n
    chain.u = room + 4 * n * n
    chain.v = chain.u + n
    chain.top = -INFINITY
    for i in range(n * n):
        chain.cost[i] = cost[i]
        chain.top = max(chain.top, chain.cost[i])
    for i in range(n):
        for j in range(n):
            value = chain.cost[i * n + j]
            chain.turned[j * n + i] = value
            chain.weights[i * n + j] = (
                0 if chain.top == -INFINITY else exp(value - chain.top))
            chain.turned_weights[j * n + i] = chain.weights[i * n + j]
    return 0


cdef void _forth(Chain *chain, const real *x, double *before,
                 double *totals) noexcept nogil:
    """Fill the probabilities of all ways to each label, and of all ways at all."""
    cdef ptrdiff_t t, b, j
    cdef ptrdiff_t n = chain.n
    cdef ptrdiff_t last = 0
    cdef ptrdiff_t start = 0
    cdef double *row
    for t in range(chain.times):
        for b in range(chain.sizes[t]):
            row = before + (start + b) * n
            if t > 0:
                _go(chain, before + (last + b) * n, False, chain.u, row)
            else:
                for j in range(n):
                    row[j] = 0
            for j in range(n):
                row[j] += x[(start + b) * n + j]
            if t == chain.times - 1 or b >= chain.sizes[t + 1]:
                for j in range(n):
                    chain.v[j] = 0
                totals[b] = _join(row, chain.v, n)
        last = start
        start += chain.sizes[t]


cdef void _back(Chain *chain, const real *x, const double *before,
                const double *totals, const double *g, double *after, double *products,
                double *pairs, real *gx) noexcept nogil:
    """Fill the weighted shares of each label, and add up those of pairs of labels.

    The latter are ``products`` times the weights of the costs, plus ``pairs``.
    """
    cdef ptrdiff_t t, b, j
    cdef ptrdiff_t n = chain.n
    cdef ptrdiff_t start = 0
    cdef ptrdiff_t next_start
    cdef double left, right, shift
    cdef double *row
    cdef const double *here
    for t in range(chain.times):
        start += chain.sizes[t]
    next_start = start
    for t in range(chain.times - 1, -1, -1):
        start -= chain.sizes[t]
        for b in range(chain.sizes[t]):
            row = after + (start + b) * n
            here = before + (start + b) * n
            if t < chain.times - 1 and b < chain.sizes[t + 1]:
                # The row of the next time already includes its own scores.
                right = _go(chain, after + (next_start + b) * n, True, chain.v, row)
                left = weights(here, chain.u, n)
                shift = left + right + chain.top - totals[b]
                if shift < LARGE:
                    add_outer(chain.u, chain.v, g[b] * exp(shift), products, n)
                else:
                    _add_pairs(chain, here, after + (next_start + b) * n, totals[b],
                               g[b], pairs)
            else:
                for j in range(n):
                    row[j] = 0
            fill_shares(here, row, totals[b], chain.u, n)
            for j in range(n):
                gx[(start + b) * n + j] = <real>(chain.u[j] * g[b])
                row[j] += x[(start + b) * n + j]
        next_start = start


cdef void _add_pairs(Chain *chain, const double *before, const double *after,
                     double total, double g, double *pairs) noexcept nogil:
    """Add shares of pairs one by one."""
    cdef ptrdiff_t i, j
    cdef double *cost = chain.cost
    for i in range(chain.n):
        for j in range(chain.n):
            pairs[j] += g * exp(before[i] + cost[j] + after[j] - total)
        cost += chain.n
        pairs += chain.n


cdef object _sizes(object x, object cost, object sizes):
    """Return the sizes of the chains as an array, or None if they do not fit.

    There are as many scores as they tell, for the labels that costs have, and a size is
    no larger than the one before.
    """
    cdef char kind = kind_of(x)
    cdef npy_intp i, n
    cdef npy_intp *size
    if not kind or PyArray_NDIM(x) != 2:
        return None
    n = PyArray_DIM(<np.ndarray>x, 1)
    if not is_matrix(cost, kind, n, n):
        return None
    sizes = contiguous(sizes, np.NPY_INTP)
    if PyArray_NDIM(sizes) != 1 or PyArray_DIM(<np.ndarray>sizes, 0) == 0:
        return None
    size = <npy_intp *>PyArray_DATA(<np.ndarray>sizes)
    n = PyArray_DIM(<np.ndarray>x, 0)
    for i in range(PyArray_DIM(<np.ndarray>sizes, 0)):
        if size[i] < 0 or size[i] > n or (i > 0 and size[i] > size[i - 1]):
            return None
        n -= size[i]
    return sizes if n == 0 else None


def forth(x, cost, sizes):
    """Compiled form of the kernel of this name."""
    cdef char kind = kind_of(x)
    cdef Chain chain
    cdef int rc
    sizes = _sizes(x, cost, sizes)
    if sizes is None:
        return NotImplemented
    before = numpy.empty(x.shape)
    totals = numpy.empty(sizes[0])
    cdef void *x_data = PyArray_DATA(<np.ndarray>x)
    cdef void *cost_data = PyArray_DATA(<np.ndarray>cost)
    cdef npy_intp *sizes_data = <npy_intp *>PyArray_DATA(<np.ndarray>sizes)
    cdef double *before_data = <double *>PyArray_DATA(<np.ndarray>before)
    cdef double *totals_data = <double *>PyArray_DATA(<np.ndarray>totals)
    cdef ptrdiff_t n = PyArray_DIM(<np.ndarray>cost, 0)
    cdef ptrdiff_t times = PyArray_DIM(<np.ndarray>sizes, 0)
    with nogil:
        if kind == b'f':
            rc = _open(&chain, <float *>cost_data, n, sizes_data, times)
            if not rc:
                _forth(&chain, <float *>x_data, before_data, totals_data)
        else:
            rc = _open(&chain, <double *>cost_data, n, sizes_data, times)
            if not rc:
                _forth(&chain, <double *>x_data, before_data, totals_data)
        if not rc:
            free(chain.cost)
    if rc:
        raise MemoryError
    return before, totals


def back(x, cost, sizes, before, totals, g):
    """Compiled form of the kernel of this name."""
    cdef char kind = kind_of(x)
    cdef Chain chain
    cdef int rc
    cdef ptrdiff_t i
    sizes = _sizes(x, cost, sizes)
    if sizes is None or kind_of(before) != b'd' or not PyArray_SAMESHAPE(
            <np.ndarray>before, <np.ndarray>x):
        return NotImplemented
    g = contiguous(g, np.NPY_DOUBLE)
    if not is_vector(totals, b'd', sizes[0]) or not is_vector(g, b'd', sizes[0]):
        return NotImplemented
    after = numpy.empty(x.shape)
    pairs = numpy.zeros((2, *cost.shape))
    gx = numpy.empty_like(x)
    cdef void *x_data = PyArray_DATA(<np.ndarray>x)
    cdef void *gx_data = PyArray_DATA(<np.ndarray>gx)
    cdef void *cost_data = PyArray_DATA(<np.ndarray>cost)
    cdef npy_intp *sizes_data = <npy_intp *>PyArray_DATA(<np.ndarray>sizes)
    cdef double *before_data = <double *>PyArray_DATA(<np.ndarray>before)
    cdef double *after_data = <double *>PyArray_DATA(<np.ndarray>after)
    cdef double *totals_data = <double *>PyArray_DATA(<np.ndarray>totals)
    cdef double *pairs_data = <double *>PyArray_DATA(<np.ndarray>pairs)
    cdef double *g_data = <double *>PyArray_DATA(<np.ndarray>g)
    cdef ptrdiff_t n = PyArray_DIM(<np.ndarray>cost, 0)
    cdef ptrdiff_t times = PyArray_DIM(<np.ndarray>sizes, 0)
    cdef double *products_data = pairs_data + n * n
    with nogil:
        if kind == b'f':
            rc = _open(&chain, <float *>cost_data, n, sizes_data, times)
            if not rc:
                _back(&chain, <float *>x_data, before_data, totals_data, g_data,
                      after_data, products_data, pairs_data, <float *>gx_data)
        else:
            rc = _open(&chain, <double *>cost_data, n, sizes_data, times)
            if not rc:
                _back(&chain, <double *>x_data, before_data, totals_data, g_data,
                      after_data, products_data, pairs_data, <double *>gx_data)
        if not rc:
            for i in range(n * n):
                pairs_data[i] += products_data[i] * chain.weights[i]
            free(chain.cost)
    if rc:
        raise MemoryError
    return gx, pairs[0].astype(cost.dtype)


cdef int _best_paths(const real *x, const real *cost, const npy_intp *sizes,
                     ptrdiff_t times, ptrdiff_t total, ptrdiff_t n, real *scores,
                     int32_t *path) noexcept nogil:
    cdef ptrdiff_t t, b, j, start, last, best
    cdef real *rows = <real *>malloc(
        total * n * (sizeof(real) + sizeof(int32_t)))
    cdef int32_t *origins = <int32_t *>(rows + total * n)
    cdef real *row
    if rows is NULL:
        return -1
    start = last = 0
    for t in range(times):
        for b in range(sizes[t]):
            row = rows + (start + b) * n
            if t == 0:
                for j in range(n):
                    row[j] = 0
            else:
                find_best(rows + (last + b) * n, cost, row,
                          origins + (start + b) * n, n)
            for j in range(n):
                row[j] += x[(start + b) * n + j]
        last = start
        start += sizes[t]
    # Back from the last time of each sample, which is the first one met.
    for t in range(times - 1, -1, -1):
        start -= sizes[t]
        for b in range(sizes[t]):
            if t == times - 1 or b >= sizes[t + 1]:
                row = rows + (start + b) * n
                best = 0
                for j in range(1, n):
                    if row[j] > row[best]:
                        best = j
                scores[b] = row[best]
                path[start + b] = <int32_t>best
            else:
                best = path[start + sizes[t] + b]
                path[start + b] = origins[(start + sizes[t] + b) * n + best]
    free(rows)
    return 0


def best_paths(x, cost, sizes):
    """Compiled form of the kernel of this name."""
    cdef char kind = kind_of(x)
    cdef int rc
    sizes = _sizes(x, cost, sizes)
    if sizes is None:
        return NotImplemented
    scores = numpy.empty(sizes[0], x.dtype)
    path = numpy.empty(len(x), numpy.int32)
    cdef void *x_data = PyArray_DATA(<np.ndarray>x)
    cdef void *cost_data = PyArray_DATA(<np.ndarray>cost)
    cdef npy_intp *sizes_data = <npy_intp *>PyArray_DATA(<np.ndarray>sizes)
    cdef void *scores_data = PyArray_DATA(<np.ndarray>scores)
    cdef int32_t *path_data = <int32_t *>PyArray_DATA(<np.ndarray>path)
    cdef ptrdiff_t n = PyArray_DIM(<np.ndarray>cost, 0)
    cdef ptrdiff_t times = PyArray_DIM(<np.ndarray>sizes, 0)
    cdef ptrdiff_t total = PyArray_DIM(<np.ndarray>x, 0)
    with nogil:
        if kind == b'f':
            rc = _best_paths(<float *>x_data, <float *>cost_data, sizes_data, times,
                             total, n, <float *>scores_data, path_data)
        else:
            rc = _best_paths(<double *>x_data, <double *>cost_data, sizes_data, times,
                             total, n, <double *>scores_data, path_data)
    if rc:
        raise MemoryError
    return scores, path
