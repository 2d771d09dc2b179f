"""Regions of interest on a GPU; see :mod:`chainer_fast.backends.kernels.roi`.

The kernels run once for each channel of each bin, with the arithmetic of
``elements.hpp``. Gradients need a separate kernel for the GPU: the threads of a block
share a plane of an image, set it to zero, wait for each other, and add the gradients
of bins to it, so that one launch is enough. Halves are summed in single precision.
The order of the additions, and so the last digits, may differ between runs.
"""
from __future__ import annotations

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import UNFUSED, header
from chainer_fast.backends.kernels.roi.boxes import Boxes
from chainer_fast.types import NdArray

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

_BOX = '''
    const auto box = [&](ptrdiff_t k) { return (double)boxes[k] * scale; };
'''

# Its pixels.
_CELL = _BIN + _BOX + '''
    const chainer_fast::roi::Span ys = chainer_fast::roi::cell_at(
        box(4 * r), box(4 * r + 2), extra, i, rows, height);
    const chainer_fast::roi::Span xs = chainer_fast::roi::cell_at(
        box(4 * r + 1), box(4 * r + 3), extra, j, columns, width);
'''

# Its samples: `points` of them, of which some rows and columns are in use.
_GRID = _BIN + _BOX + '''
    const double step_y = chainer_fast::roi::bin_step(box(4 * r), box(4 * r + 2), rows);
    const double step_x = chainer_fast::roi::bin_step(
        box(4 * r + 1), box(4 * r + 3), columns);
    const ptrdiff_t points_y = chainer_fast::roi::points_in_bin(step_y, ratio_y);
    const ptrdiff_t points_x = chainer_fast::roi::points_in_bin(step_x, ratio_x);
    const auto ys = [&](ptrdiff_t s) {
        return chainer_fast::roi::sample_at(box(4 * r), step_y, i, s, points_y, height);
    };
    const auto xs = [&](ptrdiff_t s) {
        return chainer_fast::roi::sample_at(
            box(4 * r + 1), step_x, j, s, points_x, width);
    };
    const double points = (double)points_y * (double)points_x;
    const chainer_fast::roi::Span in_y = chainer_fast::roi::samples_in_use(
        box(4 * r), step_y, i, points_y, height);
    const chainer_fast::roi::Span in_x = chainer_fast::roi::samples_in_use(
        box(4 * r + 1), step_x, j, points_x, width);
'''

_ADD = '[&](ptrdiff_t at, double value) { atomicAdd(&gx[plane + at], (T)value); }'

_SHAPE = 'int32 images, int32 channels, int32 height, int32 width, int32 rows, ' \
    'int32 columns, raw int32 numbers'
_BOXES = _SHAPE + ', raw B boxes, float64 scale'
_RATIO = ', int32 ratio_y, int32 ratio_x'


def _with_index(code):
    # `i` is the row of bins; the index of the kernel has another name.
    return 'const ptrdiff_t n_bin = i;\n{%s;}' % code


def _corners(boxes):
    """Boxes of any floating dtype, in a row of four each, and their scale."""
    if not isinstance(boxes, Boxes):
        boxes = Boxes(boxes, 1.)
    return cuda.cupy.ascontiguousarray(boxes.corners), boxes.scale


def _geometry(shape, size, numbers):
    if 0 in size:
        raise ZeroDivisionError('regions cannot be divided into no bins')
    return (*[int(n) for n in (*shape, *size)],
            cuda.cupy.ascontiguousarray(numbers, 'i'))


def _kernel(in_params, out_params, code, name):
    return cuda.elementwise(
        in_params, out_params, _with_index(code), name,
        preamble=header('chainer_fast/backends/kernels/roi/elements.hpp'),
        options=(UNFUSED,))


def cell_max(
        x: NdArray, numbers: NdArray, boxes: NdArray, size: tuple[int, int], extra: int,
        empty: float) -> tuple[NdArray, NdArray]:
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    found = cuda.cupy.empty(y.shape, 'i')
    _kernel(
        'raw T x, ' + _BOXES + ', int32 extra, float64 empty', 'T y, int32 found',
        _CELL + '''
            y = chainer_fast::roi::cell_max(
                &x[plane], width, ys, xs, T(empty), &found)''',
        'roi_cell_max')(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers),
            *_corners(boxes), extra, empty, y, found)
    return y, found


def cell_mean(
        x: NdArray, numbers: NdArray, boxes: NdArray, size: tuple[int, int],
        extra: int) -> NdArray:
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    _kernel(
        'raw T x, ' + _BOXES + ', int32 extra', 'T y',
        _CELL + 'y = chainer_fast::roi::cell_mean(&x[plane], width, ys, xs)',
        'roi_cell_mean')(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers),
            *_corners(boxes), extra, y)
    return y


def sample_max(
        x: NdArray, numbers: NdArray, boxes: NdArray, size: tuple[int, int],
        ratio: tuple[int, int]) -> tuple[NdArray, NdArray]:
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    found = cuda.cupy.empty(y.shape, 'i')
    _kernel(
        'raw T x, ' + _BOXES + _RATIO, 'T y, int32 found',
        _GRID + '''
            y = chainer_fast::roi::sample_max(
                &x[plane], width, in_y, in_x, ys, xs, &found)''',
        'roi_sample_max')(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers),
            *_corners(boxes), *ratio, y, found)
    return y, found


def sample_mean(
        x: NdArray, numbers: NdArray, boxes: NdArray, size: tuple[int, int],
        ratio: tuple[int, int]) -> NdArray:
    y = cuda.cupy.empty((len(boxes), x.shape[1], *size), x.dtype)
    _kernel(
        'raw T x, ' + _BOXES + _RATIO, 'T y',
        _GRID + '''
            y = chainer_fast::roi::sample_mean(
                &x[plane], width, points, in_y, in_x, ys, xs)''',
        'roi_sample_mean')(
            cuda.cupy.ascontiguousarray(x), *_geometry(x.shape, size, numbers),
            *_corners(boxes), *ratio, y)
    return y


# ------------------------------------------------------------------------- gradients

_PUT = '''
typedef %(ctype)s T;
extern "C" __global__ void %(name)s(
        const T *all_gy, const int *all_found, const int *numbers, const %(box)s *boxes,
        double scale, long long regions, long long images, long long channels,
        long long height, long long width, long long rows, long long columns, int extra,
        int ratio_y, int ratio_x, T *gx) {
    const ptrdiff_t size = height * width, first = blockIdx.x * size;
    for (ptrdiff_t k = threadIdx.x; k < size; k += blockDim.x)
        gx[first + k] = 0;
    __syncthreads();
    const long long bins = rows * columns, image = blockIdx.x / channels;
    for (long long k = threadIdx.x; k < regions * bins; k += blockDim.x) {
        const int its = numbers[k / bins];
        if ((its < 0 ? its + images : its) != image)
            continue;
        const ptrdiff_t n_bin =
            (k / bins * channels + blockIdx.x %% channels) * bins + k %% bins;
        const T gy = all_gy[n_bin];
        %(found)s
        {%(code)s}
    }
}
'''


def _put(name, code, gy, found, numbers, boxes, shape, extra=0, ratio=(0, 0)):
    """Gradient of images from those of bins.

    ``code`` adds that of one bin. The pointers to arrays that it does not need point
    to other arrays.
    """
    dtype = numpy.dtype('f') if gy.dtype == 'e' else gy.dtype
    plain = cuda.cupy.ascontiguousarray
    gx = cuda.cupy.empty(shape, dtype)
    corners, scale = (gx, 1.) if boxes is None else _corners(boxes)
    if corners.dtype == 'e':
        corners = corners.astype('f')
    if gx.size:
        ctypes = {'f': 'float', 'd': 'double'}
        source = header('chainer_fast/backends/kernels/roi/elements.hpp') + _PUT % {
            'ctype': ctypes[dtype.char], 'box': ctypes[corners.dtype.char],
            'name': name, 'code': code,
            'found': '' if found is None else 'const int found = all_found[n_bin];'}
        cuda.raw(source, name, (UNFUSED,))((shape[0] * shape[1],), (256,), (
            plain(gy, dtype), plain(numbers if found is None else found),
            plain(numbers, 'i'), corners,
            numpy.float64(scale), len(gy), *[int(n) for n in (*shape, *gy.shape[2:])],
            numpy.int32(extra), *map(numpy.int32, ratio), gx))
    return gx.astype(gy.dtype, copy=False)


def cell_put(
        gy: NdArray, found: NdArray, numbers: NdArray,
        shape: tuple[int, ...]) -> NdArray:
    return _put(
        'roi_cell_put',
        _BIN + 'if (found >= 0) atomicAdd(&gx[plane + found], gy);',
        gy, found, numbers, None, shape)


def cell_spread(
        gy: NdArray, numbers: NdArray, boxes: NdArray, extra: int,
        shape: tuple[int, ...]) -> NdArray:
    return _put(
        'roi_cell_spread',
        _CELL + 'chainer_fast::roi::cell_spread(gy, width, ys, xs, %s);' % _ADD,
        gy, None, numbers, boxes, shape, extra)


def sample_put(
        gy: NdArray, found: NdArray, numbers: NdArray, boxes: NdArray,
        ratio: tuple[int, int], shape: tuple[int, ...]) -> NdArray:
    return _put(
        'roi_sample_put', _GRID + '''
            if (found >= 0)
                chainer_fast::roi::sample_put(
                    (double)gy, width, ys(in_y.first + found / in_x.length()),
                    xs(in_x.first + found %% in_x.length()), %s);
        ''' % _ADD, gy, found, numbers, boxes, shape, ratio=ratio)


def sample_spread(
        gy: NdArray, numbers: NdArray, boxes: NdArray, ratio: tuple[int, int],
        shape: tuple[int, ...]) -> NdArray:
    return _put(
        'roi_sample_spread', _GRID + '''
            chainer_fast::roi::sample_spread(
                (double)gy, width, points, in_y, in_x, ys, xs, %s);
        ''' % _ADD, gy, None, numbers, boxes, shape, ratio=ratio)
