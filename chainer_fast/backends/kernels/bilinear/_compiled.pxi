# Bilinear interpolation of images in single and double precision.
#
# All functions return ``NotImplemented`` for images of other dtypes, or without pixels.
# Images that are not in C order are copied.
#
# Part of pooling/compiled.pyx.

cdef extern from "chainer_fast/backends/kernels/bilinear/loops.hpp" \
        namespace "chainer_fast::bilinear":
    ctypedef struct Lines:
        const int *at
        const int *next
        const void *weight
        ptrdiff_t count
    ctypedef struct Samples:
        ptrdiff_t batch, channels, height, width, n
        bint halves
    void resize_loop(
        char kind, object x, Lines rows, Lines columns, object y, ptrdiff_t images,
        ptrdiff_t height, ptrdiff_t width) except +
    void resize_adjoint_loop(
        char kind, object gy, Lines rows, Lines columns, object gx, ptrdiff_t images,
        ptrdiff_t height, ptrdiff_t width) except +
    bint sample_loop(char kind, object x, object grid, object y, Samples s) except +
    bint sample_adjoint_loop(
        char kind, object x, object grid, object gy, object gx, object ggrid,
        Samples s) except +


cdef class _Lines:
    """Lines between the pixels of an axis, with weights in the type of the images."""
    cdef np.ndarray _at, _next, _weight
    cdef Lines lines

    def __cinit__(self, places, weights, length, int typenum):
        self._at = contiguous(places, np.NPY_INT)
        self._next = numpy.empty_like(self._at)
        self._weight = contiguous(weights, typenum)
        cdef int *at = <int *>PyArray_DATA(self._at)
        cdef int *next_ = <int *>PyArray_DATA(self._next)
        cdef ptrdiff_t i, count = PyArray_SIZE(self._at)
        cdef int last = length - 1
        if PyArray_SIZE(self._weight) != count:
            raise ValueError(
                '%d lines between pixels need as many weights, got %d'
                % (count, PyArray_SIZE(self._weight)))
        for i in range(count):
            if not 0 <= at[i] <= last:
                raise IndexError(
                    'lines are outside of the %d pixels of an axis' % length)
            next_[i] = at[i] + (at[i] < last)
        self.lines.at, self.lines.next, self.lines.count = at, next_, count
        self.lines.weight = PyArray_DATA(self._weight)


cdef list _as_arrays(rows, row_weights, columns, column_weights):
    return [contiguous(each, np.NPY_DOUBLE if i % 2 else np.NPY_INT)
            for i, each in enumerate((rows, row_weights, columns, column_weights))]


cdef bint _suits(np.ndarray x):
    return PyArray_NDIM(x) == 4 and PyArray_SIZE(x) > 0 and cf_float_kind(x) != 0


def resize(np.ndarray x not None, rows, row_weights, columns, column_weights):
    cdef _Lines r, c
    cdef ptrdiff_t n, channels, height, width
    # Objects that are converted to arrays may run code, so they come first.
    rows, row_weights, columns, column_weights = _as_arrays(
        rows, row_weights, columns, column_weights)
    if not _suits(x):
        return NotImplemented
    n, channels, height, width = (<object>x).shape
    r = _Lines(rows, row_weights, height, PyArray_TYPE(x))
    c = _Lines(columns, column_weights, width, PyArray_TYPE(x))
    y = numpy.empty((n, channels, r.lines.count, c.lines.count), x.dtype)
    resize_loop(cf_float_kind(x), contiguous(x, PyArray_TYPE(x)), r.lines, c.lines, y,
                n * channels, height, width)
    return y


def resize_adjoint(np.ndarray gy not None, rows, row_weights, columns, column_weights,
                   ptrdiff_t height, ptrdiff_t width):
    cdef _Lines r, c
    cdef ptrdiff_t n, channels, out_height, out_width
    rows, row_weights, columns, column_weights = _as_arrays(
        rows, row_weights, columns, column_weights)
    if not _suits(gy):
        return NotImplemented
    n, channels, out_height, out_width = (<object>gy).shape
    r = _Lines(rows, row_weights, height, PyArray_TYPE(gy))
    c = _Lines(columns, column_weights, width, PyArray_TYPE(gy))
    if out_height != r.lines.count or out_width != c.lines.count:
        raise ValueError('an image of %d x %d has a pixel for each of %d x %d lines' % (
            out_height, out_width, r.lines.count, c.lines.count))
    gx = numpy.zeros((n, channels, height, width), gy.dtype)
    resize_adjoint_loop(cf_float_kind(gy), contiguous(gy, PyArray_TYPE(gy)), r.lines,
                        c.lines, gx, n * channels, height, width)
    return gx


cdef bint _go_together(np.ndarray x, grid, Samples *s) except -1:
    """Fill in the sizes of images and points; return whether they go together."""
    if not _suits(x) or not PyArray_CheckExact(grid) or (
            PyArray_NDIM(<np.ndarray>grid) != 4):
        return False
    s.halves = PyArray_TYPE(<np.ndarray>grid) == np.NPY_FLOAT16
    s.batch, s.channels, s.height, s.width = (<object>x).shape
    s.n = PyArray_DIM(<np.ndarray>grid, 2) * PyArray_DIM(<np.ndarray>grid, 3)
    return ((PyArray_TYPE(x) == np.NPY_FLOAT if s.halves
             else cf_float_kind(x) == cf_float_kind(<np.ndarray>grid))
            and PyArray_SIZE(<np.ndarray>grid) > 0
            and PyArray_DIM(<np.ndarray>grid, 0) == s.batch
            and PyArray_DIM(<np.ndarray>grid, 1) == 2)


def sample(np.ndarray x not None, grid):
    cdef Samples s
    if not _go_together(x, grid, &s):
        return NotImplemented
    y = numpy.empty((<object>x).shape[:2] + grid.shape[2:], x.dtype)
    done = sample_loop(cf_float_kind(x), contiguous(x, PyArray_TYPE(x)),
                       contiguous(grid, PyArray_TYPE(x)), y, s)
    return y if done else NotImplemented


def sample_adjoint(np.ndarray x not None, grid, gy):
    cdef Samples s
    if not _go_together(x, grid, &s) or not PyArray_CheckExact(gy):
        return NotImplemented
    if gy.dtype != x.dtype or gy.shape != (<object>x).shape[:2] + grid.shape[2:]:
        return NotImplemented
    images, places, gradient = [
        contiguous(each, PyArray_TYPE(x)) for each in (x, grid, gy)]
    gx, ggrid = numpy.zeros_like(images), numpy.zeros_like(places)
    done = sample_adjoint_loop(
        cf_float_kind(x), images, places, gradient, gx, ggrid, s)
    return (gx, ggrid.astype(grid.dtype, copy=False)) if done else NotImplemented
