"""Regions of interest on a GPU; see :mod:`chainer_fast.backends.kernels.roi`.

The kernels run once for each channel of each bin, with the arithmetic of
``elements.hpp``. Gradients add up with atomic operations, into single precision if they
are halves: their last digits may differ from one run to the next.
"""
from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header

# A bin: its region `r`, its channel `c`, and its row `i` and column `j` of bins.
_BIN = '''
    const int j = n_bin % columns;
    const int i = n_bin / columns % rows;
    const int c = n_bin / columns / rows % channels;
    const ptrdiff_t r = n_bin / columns / rows / channels;
    int number = numbers[r];
    if (number < 0) number += images;
    const ptrdiff_t plane = ((ptrdiff_t)number * channels + c) * height * width;
'''

# Its pixels.
_CELL = _BIN + '''
    const chainer_fast::Cell ys = chainer_fast::cell_at(
        boxes[4 * r], boxes[4 * r + 2], extra, i, rows, height);
    const chainer_fast::Cell xs = chainer_fast::cell_at(
        boxes[4 * r + 1], boxes[4 * r + 3], extra, j, columns, width);
'''

# Its samples: `points_y` by `points_x` of them.
_GRID = _BIN + '''
    const double step_y = chainer_fast::bin_step(boxes[4 * r], boxes[4 * r + 2], rows);
    const double step_x = chainer_fast::bin_step(
        boxes[4 * r + 1], boxes[4 * r + 3], columns);
    const ptrdiff_t points_y = chainer_fast::points_in_bin(step_y, ratio_y);
    const ptrdiff_t points_x = chainer_fast::points_in_bin(step_x, ratio_x);
    const auto ys = [&](ptrdiff_t s) {
        return chainer_fast::sample_at(boxes[4 * r], step_y, i, s, points_y, height);
    };
    const auto xs = [&](ptrdiff_t s) {
        return chainer_fast::sample_at(boxes[4 * r + 1], step_x, j, s, points_x, width);
    };
'''

_ADD = '[&](ptrdiff_t at, double value) { atomicAdd(&gx[plane + at], (S)value); }'

_SHAPE = 'int32 images, int32 channels, int32 height, int32 width, int32 rows, ' \
    'int32 columns, raw int32 numbers'
_BOXES = _SHAPE + ', raw float64 boxes'
_RATIO = ', int32 ratio_y, int32 ratio_x'


def _with_index(code):
    # `i` is the row of bins; the kernel's own index comes by another name.
    return 'const ptrdiff_t n_bin = i;\n{%s;}' % code


def _geometry(shape, size, numbers):
    return (*[int(n) for n in (*shape, *size)],
            cuda.cupy.ascontiguousarray(numbers, 'i'))


def _kernel(in_params, out_params, code, name):
    return cuda.elementwise(
        in_params, out_params, _with_index(code), name,
        preamble=header('chainer_fast/backends/kernels/roi/elements.hpp'))


def cell_max(x, numbers, boxes, size, extra, empty):
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    found = cuda.cupy.empty(y.shape, 'i')
    _kernel(
        'raw T x, ' + _BOXES + ', int32 extra, float64 empty', 'T y, int32 found',
        _CELL + '''
            y = chainer_fast::cell_max(
                &x[plane], width, ys, xs, T(empty), &found)''',
        'roi_cell_max')(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers), boxes,
            extra, empty, y, found)
    return y, found


def cell_put(gy, found, numbers, shape):
    gx = _zeros(shape, gy)
    _kernel(
        'T gy, int32 found, ' + _SHAPE, 'raw S gx',
        _BIN + 'if (found >= 0) atomicAdd(&gx[plane + found], (S)gy)',
        'roi_cell_put')(
            gy, found, *_geometry(shape, gy.shape[2:], numbers), gx)
    return gx.astype(gy.dtype, copy=False)


def cell_mean(x, numbers, boxes, size, extra):
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    _kernel(
        'raw T x, ' + _BOXES + ', int32 extra', 'T y',
        _CELL + 'y = chainer_fast::cell_mean(&x[plane], width, ys, xs)',
        'roi_cell_mean')(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers), boxes,
            extra, y)
    return y


def cell_spread(gy, numbers, boxes, extra, shape):
    gx = _zeros(shape, gy)
    _kernel(
        'T gy, ' + _BOXES + ', int32 extra', 'raw S gx',
        _CELL + 'chainer_fast::cell_spread((S)gy, width, ys, xs, %s)' % _ADD,
        'roi_cell_spread')(
            gy, *_geometry(shape, gy.shape[2:], numbers), boxes, extra, gx)
    return gx.astype(gy.dtype, copy=False)


def sample_max(x, numbers, boxes, size, ratio):
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    found = cuda.cupy.empty(y.shape, 'i')
    _kernel(
        'raw T x, ' + _BOXES + _RATIO, 'T y, int32 found',
        _GRID + '''
            y = chainer_fast::sample_max(
                &x[plane], width, points_y, points_x, ys, xs, &found)''',
        'roi_sample_max')(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers), boxes,
            *ratio, y, found)
    return y, found


def sample_put(gy, found, numbers, boxes, ratio, shape):
    gx = _zeros(shape, gy)
    _kernel(
        'T gy, int32 found, ' + _BOXES + _RATIO, 'raw S gx',
        _GRID + '''
            if (found >= 0)
                chainer_fast::sample_put(
                    (double)gy, width, ys(found / points_x), xs(found %% points_x), %s)
        ''' % _ADD, 'roi_sample_put')(
            gy, found, *_geometry(shape, gy.shape[2:], numbers), boxes, *ratio, gx)
    return gx.astype(gy.dtype, copy=False)


def sample_mean(x, numbers, boxes, size, ratio):
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    _kernel(
        'raw T x, ' + _BOXES + _RATIO, 'T y',
        _GRID + '''
            y = chainer_fast::sample_mean(
                &x[plane], width, points_y, points_x, ys, xs)''',
        'roi_sample_mean')(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers), boxes,
            *ratio, y)
    return y


def sample_spread(gy, numbers, boxes, ratio, shape):
    gx = _zeros(shape, gy)
    _kernel(
        'T gy, ' + _BOXES + _RATIO, 'raw S gx',
        _GRID + '''
            chainer_fast::sample_spread(
                (double)gy, width, points_y, points_x, ys, xs, %s)
        ''' % _ADD, 'roi_sample_spread')(
            gy, *_geometry(shape, gy.shape[2:], numbers), boxes, *ratio, gx)
    return gx.astype(gy.dtype, copy=False)


def _zeros(shape, gy):
    """Images to add gradients up in."""
    return cuda.cupy.zeros(shape, 'f' if gy.dtype == 'e' else gy.dtype)
