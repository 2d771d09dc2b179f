"""Regions of interest on a GPU; see :mod:`chainer_fast.backends.kernels.roi`.

The kernels run once for each channel of each bin. Gradients add up with atomic
operations, into single precision if they are halves: their last digits may differ from
one run to the next.
"""
from chainer_fast.backends import cuda

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

# Its pixels: rows from `top` to before `bottom`, columns from `left` to before `right`.
_CELL = _BIN + '''
    int top, bottom, left, right;
    cells(boxes[4 * r], boxes[4 * r + 2], extra, i, rows, height, top, bottom);
    cells(boxes[4 * r + 1], boxes[4 * r + 3], extra, j, columns, width, left, right);
'''

_CELLS = '''
__device__ void cells(double low, double high, int extra, int i, int count, int size,
                      int& first, int& end) {
    const int begin = (int)rint(low);
    const double step = max((int)rint(high) - begin + extra, 1) / (double)count;
    first = min(max(begin + (int)floor(i * step), 0), size);
    end = min(max(begin + (int)ceil((i + 1) * step), 0), size);
}
'''

# Its samples: `points_y` by `points_x` of them.
_GRID = _BIN + '''
    const double step_y = fmax(boxes[4 * r + 2] - boxes[4 * r], 1.) / rows;
    const double step_x = fmax(boxes[4 * r + 3] - boxes[4 * r + 1], 1.) / columns;
    const int points_y = ratio_y ? ratio_y : (int)ceil(step_y);
    const int points_x = ratio_x ? ratio_x : (int)ceil(step_x);
'''

# A sample: where its neighbours are in the plane, and their weights. `COUNTS` is
# whether it counts.
_SAMPLE = '''
    int row, next_row, column, next_column;
    double below, right;
    const bool counts =
        neighbours(boxes[4 * r] + i * step_y + (a + .5) * step_y / points_y,
                   height, row, next_row, below)
        && neighbours(boxes[4 * r + 1] + j * step_x + (b + .5) * step_x / points_x,
                      width, column, next_column, right);
'''

# Without a neighbour behind it, `next` is -1 and `beyond` 0.
_NEIGHBOURS = '''
__device__ bool neighbours(double p, int size, int& pixel, int& next, double& beyond) {
    if (!(p >= -1 && p <= size)) return false;
    beyond = 0;
    next = -1;
    pixel = p < 0 ? 0 : size - 1;
    if (p >= 0 && p < size - 1) {
        pixel = (int)p;
        next = pixel + 1;
        beyond = p - pixel;
    }
    return true;
}
'''

_VALUE = '''
    double value = (1 - below) * (1 - right)
        * (double)x[plane + row * width + column];
    if (next_column >= 0)
        value += (1 - below) * right * (double)x[plane + row * width + next_column];
    if (next_row >= 0) {
        value += below * (1 - right) * (double)x[plane + next_row * width + column];
        if (next_column >= 0)
            value += below * right
                * (double)x[plane + next_row * width + next_column];
    }
'''

_ADD = '''
    atomicAdd(&gx[plane + row * width + column],
              (S)(given * ((1 - below) * (1 - right))));
    if (next_column >= 0)
        atomicAdd(&gx[plane + row * width + next_column],
                  (S)(given * ((1 - below) * right)));
    if (next_row >= 0) {
        atomicAdd(&gx[plane + next_row * width + column],
                  (S)(given * (below * (1 - right))));
        if (next_column >= 0)
            atomicAdd(&gx[plane + next_row * width + next_column],
                      (S)(given * (below * right)));
    }
'''

_SHAPE = 'int32 images, int32 channels, int32 height, int32 width, int32 rows, ' \
    'int32 columns, raw int32 numbers'
_BOXES = _SHAPE + ', raw float64 boxes'


def _with_index(code):
    # `i` is the row of bins; the kernel's own index comes by another name.
    return 'const ptrdiff_t n_bin = i;\n{%s}' % code


def _geometry(shape, size, numbers):
    return (*[int(n) for n in (*shape, *size)],
            cuda.cupy.ascontiguousarray(numbers, 'i'))


def cell_max(x, numbers, boxes, size, extra, empty):
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    found = cuda.cupy.empty(y.shape, 'i')
    cuda.elementwise(
        'raw T x, ' + _BOXES + ', int32 extra, float64 empty', 'T y, int32 found',
        _with_index(_CELL + '''
            T best = T(empty);
            int at = -1;
            for (int row = top; row < bottom; ++row)
                for (int column = left; column < right; ++column) {
                    const T seen = x[plane + row * width + column];
                    if (at < 0 || (!(seen <= best) && best == best)) {
                        best = seen;
                        at = row * width + column;
                    }
                }
            y = best;
            found = at;
        '''), 'roi_cell_max', preamble=_CELLS)(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers), boxes,
            extra, empty, y, found)
    return y, found


def cell_put(gy, found, numbers, shape):
    gx = _zeros(shape, gy)
    cuda.elementwise(
        'T gy, int32 found, ' + _SHAPE, 'raw S gx',
        _with_index(_BIN + '''
            if (found >= 0) atomicAdd(&gx[plane + found], (S)gy);
        '''), 'roi_cell_put')(
            gy, found, *_geometry(shape, gy.shape[2:], numbers), gx)
    return gx.astype(gy.dtype, copy=False)


def cell_mean(x, numbers, boxes, size, extra):
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    cuda.elementwise(
        'raw T x, ' + _BOXES + ', int32 extra', 'T y',
        _with_index(_CELL + '''
            double sum = 0;
            for (int row = top; row < bottom; ++row)
                for (int column = left; column < right; ++column)
                    sum += (double)x[plane + row * width + column];
            const int count = (bottom - top) * (right - left);
            y = T(top < bottom && left < right ? sum / count : 0.);
        '''), 'roi_cell_mean', preamble=_CELLS)(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers), boxes,
            extra, y)
    return y


def cell_spread(gy, numbers, boxes, extra, shape):
    gx = _zeros(shape, gy)
    cuda.elementwise(
        'T gy, ' + _BOXES + ', int32 extra', 'raw S gx',
        _with_index(_CELL + '''
            const S share = (S)gy / (S)((bottom - top) * (right - left));
            for (int row = top; row < bottom; ++row)
                for (int column = left; column < right; ++column)
                    atomicAdd(&gx[plane + row * width + column], share);
        '''), 'roi_cell_spread', preamble=_CELLS)(
            gy, *_geometry(shape, gy.shape[2:], numbers), boxes, extra, gx)
    return gx.astype(gy.dtype, copy=False)


def sample_max(x, numbers, boxes, size, ratio):
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    found = cuda.cupy.empty(y.shape, 'i')
    cuda.elementwise(
        'raw T x, ' + _BOXES + ', int32 ratio_y, int32 ratio_x', 'T y, int32 found',
        _with_index(_GRID + '''
            T best = T(-INFINITY);
            int at = -1;
            for (int a = 0; a < points_y; ++a)
                for (int b = 0; b < points_x; ++b) {
        ''' + _SAMPLE + 'if (!counts) continue;' + _VALUE + '''
                    if (T(value) > best) {
                        best = T(value);
                        at = a * points_x + b;
                    }
                }
            y = best;
            found = at;
        '''), 'roi_sample_max', preamble=_NEIGHBOURS)(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers), boxes,
            *ratio, y, found)
    return y, found


def sample_put(gy, found, numbers, boxes, ratio, shape):
    gx = _zeros(shape, gy)
    cuda.elementwise(
        'T gy, int32 found, ' + _BOXES + ', int32 ratio_y, int32 ratio_x', 'raw S gx',
        _with_index(_GRID + '''
            const int a = found / points_x;
            const int b = found % points_x;
            const double given = (double)gy;
        ''' + _SAMPLE + 'if (found >= 0 && counts) {' + _ADD + '}'),
        'roi_sample_put', preamble=_NEIGHBOURS)(
            gy, found, *_geometry(shape, gy.shape[2:], numbers), boxes, *ratio, gx)
    return gx.astype(gy.dtype, copy=False)


def sample_mean(x, numbers, boxes, size, ratio):
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    cuda.elementwise(
        'raw T x, ' + _BOXES + ', int32 ratio_y, int32 ratio_x', 'T y',
        _with_index(_GRID + '''
            double sum = 0;
            for (int a = 0; a < points_y; ++a)
                for (int b = 0; b < points_x; ++b) {
        ''' + _SAMPLE + 'if (!counts) continue;' + _VALUE + '''
                    sum += value;
                }
            y = T(sum / (points_y * points_x));
        '''), 'roi_sample_mean', preamble=_NEIGHBOURS)(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers), boxes,
            *ratio, y)
    return y


def sample_spread(gy, numbers, boxes, ratio, shape):
    gx = _zeros(shape, gy)
    cuda.elementwise(
        'T gy, ' + _BOXES + ', int32 ratio_y, int32 ratio_x', 'raw S gx',
        _with_index(_GRID + '''
            const double given = (double)gy / (points_y * points_x);
            for (int a = 0; a < points_y; ++a)
                for (int b = 0; b < points_x; ++b) {
        ''' + _SAMPLE + 'if (!counts) continue;' + _ADD + '''
                }
        '''), 'roi_sample_spread', preamble=_NEIGHBOURS)(
            gy, *_geometry(shape, gy.shape[2:], numbers), boxes, *ratio, gx)
    return gx.astype(gy.dtype, copy=False)


def _zeros(shape, gy):
    """Images to add gradients up in."""
    return cuda.cupy.zeros(shape, 'f' if gy.dtype == 'e' else gy.dtype)
