"""Bilinear interpolation on a GPU; see :mod:`chainer_fast.backends.kernels.bilinear`.

Gradients of pixels are summed in any order, so that their last digits may differ
between runs; sums for float16 are in single precision.
"""
from __future__ import annotations

import math

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import UNFUSED, header
from chainer_fast.types import NdArray


def _kernel(in_params, out_params, operation, name):
    return cuda.elementwise(
        in_params, out_params, operation, name,
        preamble=header('chainer_fast/backends/kernels/bilinear/elements.hpp'),
        options=(UNFUSED,))


def _sums(shape, dtype):
    """Zeros, to add to."""
    return cuda.cupy.zeros(shape, numpy.promote_types(dtype, numpy.float32))


def lines(
        x: NdArray, out_size: tuple[int, ...], in_size: tuple[int, ...], nearest: bool,
        align_corners: bool) -> tuple[NdArray, NdArray, NdArray, NdArray]:
    rows, columns = [max(math.ceil(count), 0) for count in out_size]
    # Aligned corners need no scales, so the number of lines may be zero.
    is_scaled = nearest or not align_corners
    scales = [
        length / count if is_scaled else 1.
        for count, length in zip(out_size, in_size, strict=True)]
    places = cuda.cupy.empty(rows + columns, 'i')
    weights = cuda.cupy.empty(rows + columns, 'd')
    _kernel(
        'int64 rows, int64 columns, int64 height, int64 width, float64 scale_y, '
        'float64 scale_x, bool nearest, bool align_corners',
        'int32 place, float64 weight', '''
            const double exact = i < rows
                ? chainer_fast::bilinear::line_at(
                    i, rows, height, scale_y, nearest, align_corners)
                : chainer_fast::bilinear::line_at(
                    i - rows, columns, width, scale_x, nearest, align_corners);
            place = (int)exact;
            weight = exact - place;
        ''', 'lines_of_images')(
            rows, columns, *in_size, *scales, nearest, align_corners, places, weights)
    return places[:rows], weights[:rows], places[rows:], weights[rows:]


def lattice(x: NdArray, height: int, width: int) -> NdArray:
    points = cuda.cupy.empty((3, height * width), x.dtype)
    _kernel(
        'int64 height, int64 width', 'T point', '''
            const ptrdiff_t axis = i / width / height;
            point = axis == 0 ? chainer_fast::bilinear::evenly(-1, 1, i % width, width)
                : axis == 2 ? 1.
                : chainer_fast::bilinear::evenly(-1, 1, i / width % height, height);
        ''', 'lattice')(height, width, points)
    return points.astype(numpy.promote_types(x.dtype, numpy.float32), copy=False)


_LINES = 'raw I rows, raw V row_weights, raw J columns, raw W column_weights, ' \
    'int64 n_rows, int64 n_columns, int64 height, int64 width'

# Of a crossing: its pixels, between two rows and two columns, and its weights.
_CROSSING = '''
    using R = decltype(T() + T());
    const ptrdiff_t row = i / n_columns % n_rows, column = i % n_columns;
    const R v = R(row_weights[row]), u = R(column_weights[column]);
    const ptrdiff_t top = (i / n_columns / n_rows * height + rows[row]) * width;
    const ptrdiff_t bottom = top + (rows[row] < height - 1 ? width : 0);
    const ptrdiff_t left = columns[column];
    const ptrdiff_t right = left + (left < width - 1);
'''


def resize(
        x: NdArray, rows: NdArray, row_weights: NdArray, columns: NdArray,
        column_weights: NdArray) -> NdArray:
    if x.dtype.kind != 'f':
        return NotImplemented
    size = len(rows), len(columns)
    y = cuda.cupy.empty((*x.shape[:2], *size), x.dtype)
    _kernel('raw T x, ' + _LINES, 'T y', _CROSSING + '''
        const auto at_column = [&](ptrdiff_t k) {
            return chainer_fast::bilinear::blended(R(x[top + k]), R(x[bottom + k]), v);
        };
        y = chainer_fast::bilinear::blended(at_column(left), at_column(right), u);
        ''', 'resize_images')(
            x, rows, row_weights, columns, column_weights, *size, *x.shape[2:], y)
    return y


def resize_adjoint(
        gy: NdArray, rows: NdArray, row_weights: NdArray, columns: NdArray,
        column_weights: NdArray, height: int, width: int) -> NdArray:
    if gy.dtype.kind != 'f':
        return NotImplemented
    gx = _sums((*gy.shape[:2], height, width), gy.dtype)
    _kernel('T gy, ' + _LINES, 'raw S gx', _CROSSING + '''
        R w[4];
        chainer_fast::bilinear::corner_weights(u, v, w);
        atomicAdd(&gx[top + left], S(gy * w[0]));
        atomicAdd(&gx[top + right], S(gy * w[1]));
        atomicAdd(&gx[bottom + left], S(gy * w[2]));
        atomicAdd(&gx[bottom + right], S(gy * w[3]));
        ''', 'resize_images_grad')(
            gy, rows, row_weights, columns, column_weights, *gy.shape[2:], height,
            width, gx)
    return gx.astype(gy.dtype, copy=False)


_POINT = '''
    using R = decltype(T() + T());
    struct { ptrdiff_t at[4]; R u, v; } p;
    chainer_fast::bilinear::locate<G>(R(column), R(row), height, width, p);
    // The pixels of the image whose first one is at `plane`.
    R q[4];
    const auto look = [&](ptrdiff_t plane) {
        for (int k = 0; k < 4; ++k)
            q[k] = p.at[k] < 0 ? R(0) : R(x[plane + p.at[k]]);
    };
'''


def _have_code(x, grid, *others):
    return x.dtype.kind == 'f' and grid.dtype in (x.dtype, numpy.float16) and all(
        a.dtype == x.dtype for a in others) and x.size > 0


def sample(x: NdArray, grid: NdArray) -> NdArray:
    if not _have_code(x, grid):
        return NotImplemented
    y = cuda.cupy.empty(x.shape[:2] + grid.shape[2:], x.dtype)
    _kernel(
        'G column, G row, raw T x, int64 height, int64 width, int64 points', 'T y',
        _POINT + '''
            look(i / points * height * width);
            R w[4];
            chainer_fast::bilinear::corner_weights(p.u, p.v, w);
            y = chainer_fast::bilinear::weighted(w, q);
        ''', 'sample_images')(
            grid[:, :1], grid[:, 1:], x, *x.shape[2:], grid[0, 0].size, y)
    return y


def sample_adjoint(x: NdArray, grid: NdArray, gy: NdArray) -> tuple[NdArray, NdArray]:
    if not _have_code(x, grid, gy):
        return NotImplemented
    gx, ggrid = _sums(x.shape, x.dtype), cuda.cupy.empty(grid.shape, grid.dtype)
    _kernel(
        'G column, G row, raw T x, raw T gy, int64 channels, int64 height, '
        'int64 width, int64 points', 'G g_column, G g_row, raw S gx', _POINT + '''
            R w[4], by_u(0), by_v(0);
            chainer_fast::bilinear::corner_weights(p.u, p.v, w);
            const ptrdiff_t first = i / points * channels;
            for (ptrdiff_t c = first; c < first + channels; ++c) {
                const R g = R(gy[c * points + i % points]);
                look(c * height * width);
                for (int k = 0; k < 4; ++k)
                    if (p.at[k] >= 0)
                        atomicAdd(&gx[c * height * width + p.at[k]], S(g * w[k]));
                using chainer_fast::bilinear::blended;
                by_u += g * blended(q[1] - q[0], q[3] - q[2], p.v);
                by_v += g * blended(q[2] - q[0], q[3] - q[1], p.u);
            }
            g_column = by_u * R(width - 1) / R(2);
            g_row = by_v * R(height - 1) / R(2);
        ''', 'sample_images_grad')(
            grid[:, 0], grid[:, 1], x, gy, *x.shape[1:], grid[0, 0].size, ggrid[:, 0],
            ggrid[:, 1], gx)
    return gx.astype(x.dtype, copy=False), ggrid
