"""Regions of interest in host memory: compiled forms of
:mod:`chainer_fast.backends.kernels.roi`.

Floats and doubles are computed as they are, halves in single precision.
"""
import numpy

cimport numpy as np
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_NDIM, \
    PyArray_TYPE

from chainer_fast._core.plain cimport kind_of
from chainer_fast.backends.kernels.common.contiguous cimport contiguous
from chainer_fast.backends.kernels.common.halves cimport in_type_of, plain_floats

np.import_array()

cdef extern from "chainer_fast/backends/kernels/roi/loops.hpp" nogil:
    enum Task "chainer_fast::Task":
        MAX "chainer_fast::MAX"
        PUT "chainer_fast::PUT"
        MEAN "chainer_fast::MEAN"
        SPREAD "chainer_fast::SPREAD"
    enum Done "chainer_fast::Done":
        DONE "chainer_fast::DONE"
        NO_MEMORY "chainer_fast::NO_MEMORY"
    ctypedef struct Grid "chainer_fast::Grid":
        ptrdiff_t channels, height, width
        ptrdiff_t rows, columns
    Done all_cells "chainer_fast::all_cells"[T](
        Task task, const Grid &g, ptrdiff_t regions, const int64_t *numbers,
        const double *box, int extra, double empty, T *images, T *bins,
        int32_t *found) noexcept
    Done c_cell_put "chainer_fast::cell_put"[T](
        const Grid &g, ptrdiff_t regions, const int64_t *numbers, T *images,
        const T *bins, const int32_t *found) noexcept
    Done all_samples "chainer_fast::all_samples"[T](
        Task task, const Grid &g, ptrdiff_t regions, const int64_t *numbers,
        const double *box, ptrdiff_t ratio_y, ptrdiff_t ratio_x, T *images, T *bins,
        int32_t *found) noexcept

# Boxes far away, or not of finite size, are left to the reference.
cdef double FAR = 1e9


cdef object _plain_numbers(object numbers, ptrdiff_t regions, ptrdiff_t images):
    """Return the images' numbers, counted from the first, or None if some are out of
    range."""
    cdef int64_t *data
    cdef ptrdiff_t i
    if not PyArray_CheckExact(numbers) or PyArray_NDIM(numbers) != 1 or (
            PyArray_DIM(<np.ndarray>numbers, 0) != regions
            or not np.PyArray_ISINTEGER(<np.ndarray>numbers)):
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
    """Tell whether boxes are plain, finite and not far away."""
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


ctypedef fused real:
    float
    double


cdef inline Done _run(
        Task task, const Grid &g, ptrdiff_t regions, const int64_t *numbers,
        const double *boxes, int extra, double empty, bint samples, ptrdiff_t ratio_y,
        ptrdiff_t ratio_x, real *images, real *bins, int32_t *found) noexcept nogil:
    if samples:
        return all_samples(task, g, regions, numbers, boxes, ratio_y, ratio_x, images,
                           bins, found)
    if task == PUT:
        return c_cell_put(g, regions, numbers, images, bins, found)
    return all_cells(task, g, regions, numbers, boxes, extra, empty, images, bins,
                     found)


cdef class _Task:
    """Images and regions, ready for the loops."""
    cdef Grid g
    cdef ptrdiff_t regions
    cdef object numbers, boxes, like
    cdef object image, bins, found      # plain arrays

    cdef bint start(self, object numbers, object boxes, tuple shape) except -1:
        """Read numbers and, unless None, boxes; return whether that was possible."""
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
        cdef Py_ssize_t rows, columns      # of this type, floats are refused
        self.image = plain_floats(x)
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
        self.bins = plain_floats(gy)
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
            self.found = contiguous(found, np.NPY_INT32)
        if not self.start(numbers, boxes, shape):
            return False
        self.image = numpy.zeros(shape, self.bins.dtype)
        return True

    cdef bint run(self, Task task, int extra, double empty, object ratio) except -1:
        """Go through all regions: through pixels, or, with a ratio, through samples.

        Returns whether all samples existed; there is no negative number of them.
        """
        cdef const int64_t *numbers = <int64_t *>PyArray_DATA(<np.ndarray>self.numbers)
        cdef const double *boxes = NULL
        cdef void *image = PyArray_DATA(<np.ndarray>self.image)
        cdef void *bins = PyArray_DATA(<np.ndarray>self.bins)
        cdef int32_t *found = NULL
        cdef bint single = PyArray_TYPE(<np.ndarray>self.image) == np.NPY_FLOAT
        cdef bint samples = ratio is not None
        cdef ptrdiff_t ratio_y = 0, ratio_x = 0
        cdef Done done
        if self.boxes is not None:
            boxes = <double *>PyArray_DATA(<np.ndarray>self.boxes)
        if self.found is not None:
            found = <int32_t *>PyArray_DATA(<np.ndarray>self.found)
        if samples:
            ratio_y, ratio_x = ratio
            if ratio_y < 0 or ratio_x < 0:
                return False
        with nogil:
            if single:
                done = _run(task, self.g, self.regions, numbers, boxes, extra, empty,
                            samples, ratio_y, ratio_x, <float *>image, <float *>bins,
                            found)
            else:
                done = _run(task, self.g, self.regions, numbers, boxes, extra, empty,
                            samples, ratio_y, ratio_x, <double *>image, <double *>bins,
                            found)
        if done == NO_MEMORY:
            raise MemoryError()
        return done == DONE

    cdef object y(self):
        return in_type_of(self.like, self.bins)

    cdef object gx(self):
        return in_type_of(self.like, self.image)


def cell_max(x, numbers, boxes, size, int extra, double empty):
    cdef _Task task = _Task()
    if not task.read(x, numbers, boxes, size, True):
        return NotImplemented
    task.run(MAX, extra, empty, None)
    return task.y(), task.found


def cell_put(gy, found, numbers, tuple shape):
    cdef _Task task = _Task()
    if found is None or not task.write(gy, found, numbers, None, shape):
        return NotImplemented
    return task.gx() if task.run(PUT, 0, 0, None) else NotImplemented


def cell_mean(x, numbers, boxes, size, int extra):
    cdef _Task task = _Task()
    if not task.read(x, numbers, boxes, size, False):
        return NotImplemented
    task.run(MEAN, extra, 0, None)
    return task.y()


def cell_spread(gy, numbers, boxes, int extra, tuple shape):
    cdef _Task task = _Task()
    if boxes is None or not task.write(gy, None, numbers, boxes, shape):
        return NotImplemented
    task.run(SPREAD, extra, 0, None)
    return task.gx()


def sample_max(x, numbers, boxes, size, ratio):
    cdef _Task task = _Task()
    if not task.read(x, numbers, boxes, size, True) or (
            not task.run(MAX, 0, 0, ratio)):
        return NotImplemented
    return task.y(), task.found


def sample_put(gy, found, numbers, boxes, ratio, tuple shape):
    cdef _Task task = _Task()
    if found is None or boxes is None or (
            not task.write(gy, found, numbers, boxes, shape)):
        return NotImplemented
    return task.gx() if task.run(PUT, 0, 0, ratio) else NotImplemented


def sample_mean(x, numbers, boxes, size, ratio):
    cdef _Task task = _Task()
    if not task.read(x, numbers, boxes, size, False):
        return NotImplemented
    return task.y() if task.run(MEAN, 0, 0, ratio) else NotImplemented


def sample_spread(gy, numbers, boxes, ratio, tuple shape):
    cdef _Task task = _Task()
    if boxes is None or not task.write(gy, None, numbers, boxes, shape):
        return NotImplemented
    return task.gx() if task.run(SPREAD, 0, 0, ratio) else NotImplemented
