"""Regions of interest in host memory: compiled forms of
:mod:`chainer_fast.backends.kernels.roi`.

Floats and doubles are computed as they are, halves in single precision.
"""
import numpy

cimport numpy as np
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_NDIM, \
    PyArray_TYPE

from chainer_fast._core.plain cimport kind_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/roi/roi.h" nogil:
    ctypedef struct Cell "cf_cell":
        pass
    ctypedef struct Sample "cf_sample":
        pass
    ctypedef struct Grid "cf_grid":
        ptrdiff_t channels, height, width
        ptrdiff_t rows, columns
        ptrdiff_t points_y, points_x
    void cf_cells(double low, double high, int extra, ptrdiff_t count, ptrdiff_t size,
                  Cell *cell)
    ptrdiff_t cf_points(double low, double high, ptrdiff_t count, ptrdiff_t ratio)
    void cf_samples(double low, double high, ptrdiff_t count, ptrdiff_t points,
                    ptrdiff_t size, Sample *sample)
    void cf_cell_max_f(const Grid *g, const Cell *ys, const Cell *xs, float empty,
                       const float *x, float *y, int32_t *found)
    void cf_cell_max_d(const Grid *g, const Cell *ys, const Cell *xs, double empty,
                       const double *x, double *y, int32_t *found)
    int cf_cell_put_f(const Grid *g, const float *gy, const int32_t *found, float *gx)
    int cf_cell_put_d(const Grid *g, const double *gy, const int32_t *found, double *gx)
    void cf_cell_mean_f(const Grid *g, const Cell *ys, const Cell *xs, const float *x,
                        float *y)
    void cf_cell_mean_d(const Grid *g, const Cell *ys, const Cell *xs, const double *x,
                        double *y)
    void cf_cell_spread_f(const Grid *g, const Cell *ys, const Cell *xs,
                          const float *gy, float *gx)
    void cf_cell_spread_d(const Grid *g, const Cell *ys, const Cell *xs,
                          const double *gy, double *gx)
    void cf_sample_max_f(const Grid *g, const Sample *ys, const Sample *xs,
                         const float *x, float *y, int32_t *found)
    void cf_sample_max_d(const Grid *g, const Sample *ys, const Sample *xs,
                         const double *x, double *y, int32_t *found)
    int cf_sample_put_f(const Grid *g, const Sample *ys, const Sample *xs,
                        const float *gy, const int32_t *found, float *gx)
    int cf_sample_put_d(const Grid *g, const Sample *ys, const Sample *xs,
                        const double *gy, const int32_t *found, double *gx)
    void cf_sample_mean_f(const Grid *g, const Sample *ys, const Sample *xs,
                          const float *x, float *y)
    void cf_sample_mean_d(const Grid *g, const Sample *ys, const Sample *xs,
                          const double *x, double *y)
    void cf_sample_spread_f(const Grid *g, const Sample *ys, const Sample *xs,
                            const float *gy, float *gx)
    void cf_sample_spread_d(const Grid *g, const Sample *ys, const Sample *xs,
                            const double *gy, double *gx)

# What there is to do with the bins of a region.
cdef enum:
    MAX, PUT, MEAN, SPREAD

# Boxes far away, or not of finite size, are left to the reference, and so are bins of
# a great many samples.
cdef double FAR = 1e9
cdef double MANY = 1e7

ctypedef fused real:
    float
    double


cdef object _plain(object x):
    """Return a plain array of the values of ``x``, halves as floats, or None."""
    if kind_of(x):
        return x
    if not PyArray_CheckExact(x) or np.PyArray_SIZE(x) == 0:
        return None
    if PyArray_TYPE(<np.ndarray>x) not in (
            np.NPY_FLOAT16, np.NPY_FLOAT, np.NPY_DOUBLE):
        return None
    typenum = (np.NPY_DOUBLE if PyArray_TYPE(<np.ndarray>x) == np.NPY_DOUBLE
               else np.NPY_FLOAT)
    return numpy.ascontiguousarray(x, np.PyArray_DescrFromType(typenum))


cdef inline object _like(object y, object x):
    """Return ``y`` in the precision of ``x``."""
    if PyArray_TYPE(<np.ndarray>y) == PyArray_TYPE(<np.ndarray>x):
        return y
    return y.astype(x.dtype)


cdef object _plain_numbers(object numbers, ptrdiff_t regions, ptrdiff_t images):
    """Return the images' numbers, counted from the first, or None if some are out of
    range."""
    cdef int64_t *data
    cdef ptrdiff_t i
    if not PyArray_CheckExact(numbers) or PyArray_NDIM(numbers) != 1 or (
            PyArray_DIM(<np.ndarray>numbers, 0) != regions):
        return None
    own = numbers.astype(numpy.int64)
    data = <int64_t *>PyArray_DATA(<np.ndarray>own)
    for i in range(regions):
        if data[i] < 0:
            data[i] += images
        if not 0 <= data[i] < images:
            return None
    return own


cdef bint _near(object boxes, ptrdiff_t regions) except -1:
    """Whether boxes are plain, finite and not far away."""
    cdef double *data
    cdef ptrdiff_t i
    if kind_of(boxes) != b'd' or PyArray_NDIM(boxes) != 2 or (
            PyArray_DIM(<np.ndarray>boxes, 0) != regions
            or PyArray_DIM(<np.ndarray>boxes, 1) != 4):
        return False
    data = <double *>PyArray_DATA(<np.ndarray>boxes)
    for i in range(4 * regions):
        if not fabs(data[i]) < FAR:
            return False
    return True


cdef bint _few_samples(
        object boxes, ptrdiff_t regions, const Grid *g, ptrdiff_t ratio_y,
        ptrdiff_t ratio_x) noexcept:
    cdef double *box = <double *>PyArray_DATA(<np.ndarray>boxes)
    cdef ptrdiff_t _i
    for _i in range(regions):
        if g.rows * cf_points(box[0], box[2], g.rows, ratio_y) > MANY:
            return False
        if g.columns * cf_points(box[1], box[3], g.columns, ratio_x) > MANY:
            return False
        box += 4
    return True


cdef bint _all_cells(
        int task, const Grid *g, ptrdiff_t regions, const int64_t *numbers,
        const double *box, int extra, double empty, real *image, real *bins,
        int32_t *found) noexcept nogil:
    """Return whether there was memory."""
    cdef ptrdiff_t i, size = g.channels * g.height * g.width
    cdef ptrdiff_t count = g.channels * g.rows * g.columns
    cdef Cell *ys = <Cell *>malloc((g.rows + g.columns) * sizeof(Cell))
    cdef Cell *xs = ys + g.rows
    cdef real *x
    if ys is NULL:
        return False
    for i in range(regions):
        cf_cells(box[0], box[2], extra, g.rows, g.height, ys)
        cf_cells(box[1], box[3], extra, g.columns, g.width, xs)
        x = image + numbers[i] * size
        if real is float:
            if task == MAX:
                cf_cell_max_f(g, ys, xs, <float>empty, x, bins, found)
            elif task == MEAN:
                cf_cell_mean_f(g, ys, xs, x, bins)
            else:
                cf_cell_spread_f(g, ys, xs, bins, x)
        else:
            if task == MAX:
                cf_cell_max_d(g, ys, xs, empty, x, bins, found)
            elif task == MEAN:
                cf_cell_mean_d(g, ys, xs, x, bins)
            else:
                cf_cell_spread_d(g, ys, xs, bins, x)
        box += 4
        bins += count
        found += count if found is not NULL else 0
    free(ys)
    return True


cdef int _all_samples(
        int task, Grid *g, ptrdiff_t regions, const int64_t *numbers, const double *box,
        ptrdiff_t ratio_y, ptrdiff_t ratio_x, real *image, real *bins,
        int32_t *found) noexcept nogil:
    """Return 1; 0 if a sample does not exist, and -1 without memory."""
    cdef ptrdiff_t i, size = g.channels * g.height * g.width
    cdef ptrdiff_t count = g.channels * g.rows * g.columns
    cdef Sample *ys
    cdef Sample *xs
    cdef real *x
    cdef int good = 1
    for i in range(regions):
        g.points_y = cf_points(box[0], box[2], g.rows, ratio_y)
        g.points_x = cf_points(box[1], box[3], g.columns, ratio_x)
        ys = <Sample *>malloc(
            (g.rows * g.points_y + g.columns * g.points_x) * sizeof(Sample))
        if ys is NULL:
            return -1
        xs = ys + g.rows * g.points_y
        cf_samples(box[0], box[2], g.rows, g.points_y, g.height, ys)
        cf_samples(box[1], box[3], g.columns, g.points_x, g.width, xs)
        x = image + numbers[i] * size
        if real is float:
            if task == MAX:
                cf_sample_max_f(g, ys, xs, x, bins, found)
            elif task == PUT:
                good &= cf_sample_put_f(g, ys, xs, bins, found, x)
            elif task == MEAN:
                cf_sample_mean_f(g, ys, xs, x, bins)
            else:
                cf_sample_spread_f(g, ys, xs, bins, x)
        else:
            if task == MAX:
                cf_sample_max_d(g, ys, xs, x, bins, found)
            elif task == PUT:
                good &= cf_sample_put_d(g, ys, xs, bins, found, x)
            elif task == MEAN:
                cf_sample_mean_d(g, ys, xs, x, bins)
            else:
                cf_sample_spread_d(g, ys, xs, bins, x)
        free(ys)
        box += 4
        bins += count
        found += count if found is not NULL else 0
    return good


cdef class _Task:
    """Images and regions, ready for the loops."""
    cdef Grid g
    cdef ptrdiff_t regions
    cdef object numbers, boxes, like
    cdef object image, bins, found      # plain arrays

    cdef bint start(self, object numbers, object boxes, tuple shape) except -1:
        """Take over numbers and, unless None, boxes; return whether that worked."""
        cdef ptrdiff_t images
        images, self.g.channels, self.g.height, self.g.width = shape
        if self.g.height * self.g.width >= 0x7fffffff:
            return False
        if boxes is not None and not _near(boxes, self.regions):
            return False
        self.boxes = boxes
        self.numbers = _plain_numbers(numbers, self.regions, images)
        return self.numbers is not None

    cdef bint read(
            self, object x, object numbers, object boxes, object size,
            bint with_index) except -1:
        """Prepare for a forward pass."""
        cdef Py_ssize_t rows, columns      # which, unlike others, take no float
        self.image = _plain(x)
        if self.image is None or PyArray_NDIM(self.image) != 4:
            return False
        if not PyArray_CheckExact(boxes) or PyArray_NDIM(boxes) != 2:
            return False
        self.like = x
        self.regions = PyArray_DIM(<np.ndarray>boxes, 0)
        rows, columns = size
        self.g.rows, self.g.columns = rows, columns
        if self.g.rows <= 0 or self.g.columns <= 0 or self.regions == 0:
            return False
        shape = x.shape
        if not self.start(numbers, boxes, shape):
            return False
        made = (self.regions, shape[1], self.g.rows, self.g.columns)
        self.bins = numpy.empty(made, self.image.dtype)
        self.found = numpy.empty(made, numpy.int32) if with_index else None
        return True

    cdef bint write(
            self, object gy, object found, object numbers, object boxes,
            tuple shape) except -1:
        """Prepare for a gradient; ``found`` may be None."""
        self.bins = _plain(gy)
        if self.bins is None or PyArray_NDIM(self.bins) != 4 or len(shape) != 4:
            return False
        self.like = gy
        self.regions = PyArray_DIM(<np.ndarray>gy, 0)
        self.g.rows = PyArray_DIM(<np.ndarray>gy, 2)
        self.g.columns = PyArray_DIM(<np.ndarray>gy, 3)
        if PyArray_DIM(<np.ndarray>gy, 1) != shape[1]:
            return False
        self.found = None
        if found is not None:
            if not PyArray_CheckExact(found) or found.shape != gy.shape:
                return False
            self.found = numpy.ascontiguousarray(found, numpy.int32)
        if not self.start(numbers, boxes, shape):
            return False
        self.image = numpy.zeros(shape, self.bins.dtype)
        return True

    cdef int32_t *places(self) noexcept:
        if self.found is None:
            return NULL
        return <int32_t *>PyArray_DATA(<np.ndarray>self.found)

    cdef int on_cells(self, int task, int extra, double empty) except -1:
        cdef const int64_t *numbers = <int64_t *>PyArray_DATA(<np.ndarray>self.numbers)
        cdef const double *boxes = <double *>PyArray_DATA(<np.ndarray>self.boxes)
        cdef void *image = PyArray_DATA(<np.ndarray>self.image)
        cdef void *bins = PyArray_DATA(<np.ndarray>self.bins)
        cdef int32_t *found = self.places()
        cdef bint single = PyArray_TYPE(<np.ndarray>self.image) == np.NPY_FLOAT
        cdef bint good
        with nogil:
            if single:
                good = _all_cells(task, &self.g, self.regions, numbers, boxes, extra,
                                  empty, <float *>image, <float *>bins, found)
            else:
                good = _all_cells(task, &self.g, self.regions, numbers, boxes, extra,
                                  empty, <double *>image, <double *>bins, found)
        if not good:
            raise MemoryError()
        return 1

    cdef bint on_samples(self, int task, object ratio) except -1:
        """Return whether all samples existed, and there were not too many."""
        cdef const int64_t *numbers = <int64_t *>PyArray_DATA(<np.ndarray>self.numbers)
        cdef const double *boxes = <double *>PyArray_DATA(<np.ndarray>self.boxes)
        cdef void *image = PyArray_DATA(<np.ndarray>self.image)
        cdef void *bins = PyArray_DATA(<np.ndarray>self.bins)
        cdef int32_t *found = self.places()
        cdef bint single = PyArray_TYPE(<np.ndarray>self.image) == np.NPY_FLOAT
        cdef ptrdiff_t ratio_y, ratio_x
        cdef int good
        ratio_y, ratio_x = ratio
        if not _few_samples(self.boxes, self.regions, &self.g, ratio_y, ratio_x):
            return False
        with nogil:
            if single:
                good = _all_samples(task, &self.g, self.regions, numbers, boxes,
                                    ratio_y, ratio_x, <float *>image, <float *>bins,
                                    found)
            else:
                good = _all_samples(task, &self.g, self.regions, numbers, boxes,
                                    ratio_y, ratio_x, <double *>image, <double *>bins,
                                    found)
        if good < 0:
            raise MemoryError()
        return good

    cdef object y(self):
        return _like(self.bins, self.like)

    cdef object gx(self):
        return _like(self.image, self.like)


def cell_max(x, numbers, boxes, size, int extra, double empty):
    cdef _Task task = _Task()
    if not task.read(x, numbers, boxes, size, True):
        return NotImplemented
    task.on_cells(MAX, extra, empty)
    return task.y(), task.found


def cell_put(gy, found, numbers, tuple shape):
    cdef _Task task = _Task()
    cdef const int64_t *number
    cdef const int32_t *place
    cdef ptrdiff_t i, size, count
    cdef bint good = True
    cdef char *image
    cdef char *bins
    if not task.write(gy, found, numbers, None, shape):
        return NotImplemented
    number = <int64_t *>PyArray_DATA(<np.ndarray>task.numbers)
    place = task.places()
    size = task.g.channels * task.g.height * task.g.width
    count = task.g.channels * task.g.rows * task.g.columns
    image = <char *>PyArray_DATA(<np.ndarray>task.image)
    bins = <char *>PyArray_DATA(<np.ndarray>task.bins)
    single = PyArray_TYPE(<np.ndarray>task.image) == np.NPY_FLOAT
    for i in range(task.regions):
        if single:
            good &= cf_cell_put_f(&task.g, <float *>bins + i * count, place + i * count,
                                  <float *>image + number[i] * size)
        else:
            good &= cf_cell_put_d(&task.g, <double *>bins + i * count,
                                  place + i * count,
                                  <double *>image + number[i] * size)
    return task.gx() if good else NotImplemented


def cell_mean(x, numbers, boxes, size, int extra):
    cdef _Task task = _Task()
    if not task.read(x, numbers, boxes, size, False):
        return NotImplemented
    task.on_cells(MEAN, extra, 0)
    return task.y()


def cell_spread(gy, numbers, boxes, int extra, tuple shape):
    cdef _Task task = _Task()
    if not task.write(gy, None, numbers, boxes, shape):
        return NotImplemented
    task.on_cells(SPREAD, extra, 0)
    return task.gx()


def sample_max(x, numbers, boxes, size, ratio):
    cdef _Task task = _Task()
    if not task.read(x, numbers, boxes, size, True):
        return NotImplemented
    if not task.on_samples(MAX, ratio):
        return NotImplemented
    return task.y(), task.found


def sample_put(gy, found, numbers, boxes, ratio, tuple shape):
    cdef _Task task = _Task()
    if not task.write(gy, found, numbers, boxes, shape):
        return NotImplemented
    return task.gx() if task.on_samples(PUT, ratio) else NotImplemented


def sample_mean(x, numbers, boxes, size, ratio):
    cdef _Task task = _Task()
    if not task.read(x, numbers, boxes, size, False):
        return NotImplemented
    return task.y() if task.on_samples(MEAN, ratio) else NotImplemented


def sample_spread(gy, numbers, boxes, ratio, tuple shape):
    cdef _Task task = _Task()
    if not task.write(gy, None, numbers, boxes, shape):
        return NotImplemented
    return task.gx() if task.on_samples(SPREAD, ratio) else NotImplemented
