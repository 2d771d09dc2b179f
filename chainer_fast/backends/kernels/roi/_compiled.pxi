# Regions of interest in host memory: compiled forms of
# :mod:`chainer_fast.backends.kernels.roi`.
#
# Floats and doubles are computed as they are, halves in single precision.
#
# Part of pooling/compiled.pyx.

cdef extern from "chainer_fast/backends/kernels/roi/loops.hpp" \
        namespace "chainer_fast::roi":
    enum Task:
        MAX, PUT, MEAN, SPREAD
    ctypedef struct Grid:
        ptrdiff_t regions, channels, height, width, rows, columns
    bint cells_loop(
        char kind, Task task, Grid g, object numbers, object boxes, int extra,
        double empty, object images, object bins, object found) except +
    bint samples_loop(
        char kind, Task task, Grid g, object numbers, object boxes, ptrdiff_t ratio_y,
        ptrdiff_t ratio_x, object images, object bins, object found) except +

# The reference is used for boxes far away, or not of finite size.
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


cdef bint _are_near(object boxes, ptrdiff_t regions) except -1:
    """Return whether boxes are plain, finite and not far away."""
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


cdef struct Ratio:
    bint some                # whether there are samples, and no pixels are gone through
    ptrdiff_t ratio_y, ratio_x


cdef Ratio _read_ratio(object ratio) except *:
    """Read how many samples a bin has along each axis; None if it has pixels."""
    cdef Ratio samples
    samples.some = ratio is not None
    samples.ratio_y = samples.ratio_x = 0
    if samples.some:
        samples.ratio_y, samples.ratio_x = ratio
    return samples


cdef tuple _integers(object values):
    """Return numbers as integers, which run no code of the user."""
    cdef Py_ssize_t number      # of this type, floats are refused
    cdef list plain = []
    for number in values:
        plain.append(number)
    return tuple(plain)


cdef object _visit(
        Task task, Grid g, object numbers, object boxes, tuple shape, int extra,
        double empty, Ratio samples, object images, object bins, object found):
    """Iterate over all regions: over pixels, or, with a ratio, over samples.

    Images that are None are created. Returns the images, or None if there are
    regions, images or samples that the loops cannot read.
    """
    cdef ptrdiff_t count
    cdef bint done
    count, g.channels, g.height, g.width = shape
    if g.height * g.width >= 0x7fffffff:
        return None
    if (task != PUT or samples.some) and not _are_near(boxes, g.regions):
        return None
    numbers = _plain_numbers(numbers, g.regions, count)
    if numbers is None:
        return None
    if images is None:
        images = numpy.zeros(shape, bins.dtype)
    if not samples.some:
        done = cells_loop(kind_of(bins), task, g, numbers, boxes, extra, empty, images,
                          bins, found)
    elif samples.ratio_y < 0 or samples.ratio_x < 0:
        return None
    else:
        done = samples_loop(kind_of(bins), task, g, numbers, boxes, samples.ratio_y,
                            samples.ratio_x, images, bins, found)
    return images if done else None


cdef object _bins(Task task, object x, object numbers, object boxes, object size,
                  object ratio, int extra=0, double empty=0):
    """Return the bins of images and, for maxima, where these are."""
    cdef Grid g
    # Numbers may be objects of the user, whose methods run code, so they come first.
    cdef Ratio samples = _read_ratio(ratio)
    rows, columns = _integers(size)
    images = plain_floats(x)
    if images is None or PyArray_NDIM(images) != 4 or (
            not PyArray_CheckExact(boxes) or PyArray_NDIM(boxes) != 2):
        return NotImplemented
    g.regions, g.rows, g.columns = PyArray_DIM(<np.ndarray>boxes, 0), rows, columns
    if g.rows <= 0 or g.columns <= 0 or g.regions == 0:
        return NotImplemented
    made = (g.regions, images.shape[1], g.rows, g.columns)
    bins = numpy.empty(made, images.dtype)
    found = numpy.empty(made, numpy.int32) if task == MAX else None
    if _visit(task, g, numbers, boxes, images.shape, extra, empty, samples, images,
              bins, found) is None:
        return NotImplemented
    y = in_type_of(x, bins)
    return y if found is None else (y, found)


cdef object _spread(Task task, object gy, object found, object numbers, object boxes,
                    object ratio, tuple shape, int extra=0):
    """Return the gradient of images by that of their bins."""
    cdef Grid g
    cdef Ratio samples = _read_ratio(ratio)
    shape = _integers(shape)
    bins = plain_floats(gy)
    if bins is None or PyArray_NDIM(bins) != 4 or len(shape) != 4 or (
            PyArray_DIM(<np.ndarray>gy, 1) != shape[1]):
        return NotImplemented
    g.regions = PyArray_DIM(<np.ndarray>gy, 0)
    g.rows, g.columns = PyArray_DIM(<np.ndarray>gy, 2), PyArray_DIM(<np.ndarray>gy, 3)
    if task == PUT:
        if not PyArray_CheckExact(found) or found.shape != gy.shape:
            return NotImplemented
        found = contiguous(found, np.NPY_INT32)
    gx = _visit(task, g, numbers, boxes, shape, extra, 0, samples, None, bins, found)
    return NotImplemented if gx is None else in_type_of(gy, gx)


def cell_max(x, numbers, boxes, size, int extra, double empty):
    return _bins(MAX, x, numbers, boxes, size, None, extra, empty)


def cell_put(gy, found, numbers, tuple shape):
    return _spread(PUT, gy, found, numbers, None, None, shape)


def cell_mean(x, numbers, boxes, size, int extra):
    return _bins(MEAN, x, numbers, boxes, size, None, extra)


def cell_spread(gy, numbers, boxes, int extra, tuple shape):
    return _spread(SPREAD, gy, None, numbers, boxes, None, shape, extra)


def sample_max(x, numbers, boxes, size, ratio):
    return _bins(MAX, x, numbers, boxes, size, ratio)


def sample_put(gy, found, numbers, boxes, ratio, tuple shape):
    return _spread(PUT, gy, found, numbers, boxes, ratio, shape)


def sample_mean(x, numbers, boxes, size, ratio):
    return _bins(MEAN, x, numbers, boxes, size, ratio)


def sample_spread(gy, numbers, boxes, ratio, tuple shape):
    return _spread(SPREAD, gy, None, numbers, boxes, ratio, shape)
