# Conditional random fields of chains, in double precision.
#
# Part of cross_entropy/compiled.pyx.

cdef extern from "chainer_fast/backends/kernels/crf/loops.hpp" \
        namespace "chainer_fast::crf":
    void forth_loop(
        char kind, object x, object cost, object sizes, object before, object totals,
        npy_intp times, npy_intp n) except +
    void back_loop(
        char kind, object x, object cost, object sizes, object before, object totals,
        object g, object after, object pairs, object gx, npy_intp times, npy_intp total,
        npy_intp n) except +
    void best_paths_loop(
        char kind, object x, object cost, object sizes, object scores, object path,
        npy_intp times, npy_intp total, npy_intp n) except +


cdef object _sizes(object x, object cost, object sizes):
    """Return the sizes of the chains as an array, or None if they do not fit.

    The number of scores must be their sum, with a score for each label of the costs,
    and no size may be larger than the previous one.
    """
    cdef char kind = kind_of(x)
    cdef npy_intp i, n
    cdef npy_intp *size
    if not kind or PyArray_NDIM(x) != 2:
        return None
    n = PyArray_DIM(<np.ndarray>x, 1)
    if not is_matrix(cost, kind, n, n):
        return None
    if PyArray_NDIM(sizes) != 1 or PyArray_DIM(<np.ndarray>sizes, 0) == 0:
        return None
    size = <npy_intp *>PyArray_DATA(<np.ndarray>sizes)
    n = PyArray_DIM(<np.ndarray>x, 0)
    for i in range(PyArray_DIM(<np.ndarray>sizes, 0)):
        if size[i] < 0 or size[i] > n or (i > 0 and size[i] > size[i - 1]):
            return None
        n -= size[i]
    return sizes if n == 0 else None


def crf_forth(x, cost, sizes):
    """Compiled form of the kernel of this name."""
    sizes = _sizes(x, cost, contiguous(sizes, np.NPY_INTP))
    if sizes is None:
        return NotImplemented
    before, totals = numpy.empty(x.shape), numpy.empty(sizes[0])
    forth_loop(kind_of(x), x, cost, sizes, before, totals, len(sizes), len(cost))
    return before, totals


def crf_back(x, cost, sizes, before, totals, g):
    """Compiled form of the kernel of this name."""
    g = contiguous(g, np.NPY_DOUBLE)
    sizes = _sizes(x, cost, contiguous(sizes, np.NPY_INTP))
    if sizes is None or kind_of(before) != b'd' or not PyArray_SAMESHAPE(
            <np.ndarray>before, <np.ndarray>x):
        return NotImplemented
    if not is_vector(totals, b'd', sizes[0]) or not is_vector(g, b'd', sizes[0]):
        return NotImplemented
    after, gx = numpy.empty(x.shape), numpy.empty_like(x)
    pairs = numpy.zeros((2, *cost.shape))
    back_loop(
        kind_of(x), x, cost, sizes, before, totals, g, after, pairs, gx, len(sizes),
        len(x), len(cost))
    return gx, pairs[0].astype(cost.dtype)


def crf_best_paths(x, cost, sizes):
    """Compiled form of the kernel of this name."""
    sizes = _sizes(x, cost, contiguous(sizes, np.NPY_INTP))
    if sizes is None:
        return NotImplemented
    scores, path = numpy.empty(sizes[0], x.dtype), numpy.empty(len(x), numpy.int32)
    best_paths_loop(
        kind_of(x), x, cost, sizes, scores, path, len(sizes), len(x), len(cost))
    return scores, path
