"""Points between pixels, for functions of programs that pool regions themselves.

Chainer has these names next to its functions, and packages such as ChainerCV import
them. The functions of this package have loops instead.
"""
from __future__ import annotations

import math


def get_bounds(
        p: float,
        limit: int) -> tuple[float, int, int] | tuple[None, None, None]:
    """Return a coordinate within an axis, and the pixels on both sides of it.

    Parameters
    ----------
    p : float
        Coordinate. Up to a pixel outside, it is treated as that of the border.
    limit : int
        Length of the axis.

    Returns
    -------
    tuple
        The coordinate and the numbers of the pixels, of which one may be outside; None
        three times if the coordinate is further outside.

    Examples
    --------
    >>> from chainer_fast.backends.kernels.roi import points
    >>> points.get_bounds(1.5, 4)
    (1.5, 1, 2)
    >>> points.get_bounds(-0.5, 4)
    (0, -1, 0)
    """
    if not -1 <= p <= limit:
        return None, None, None
    low = min(math.floor(p), limit - 1)
    return (limit - 1 if low == limit - 1 else max(p, 0)), low, low + 1


def get_bilinear_interp_params(
        y: float, x: float, y_low: int, x_low: int, y_high: int,
        x_high: int) -> tuple[float, float, float, float]:
    """Return the weights of the four pixels around a point, row by row.

    Examples
    --------
    >>> from chainer_fast.backends.kernels.roi import points
    >>> points.get_bilinear_interp_params(0.5, 0.25, 0, 0, 1, 1)
    (0.375, 0.125, 0.375, 0.125)
    """
    upper, lower, left, right = y_high - y, y - y_low, x_high - x, x - x_low
    return upper * left, upper * right, lower * left, lower * right


def roi_pooling_slice(
        size: int, stride: float, max_size: int, roi_offset: int) -> tuple[slice, int]:
    """Return the pixels of a cell of a region along an axis, and their number.

    Parameters
    ----------
    size : int
        Number of the cell.
    stride : float
        Length of a cell.
    max_size : int
        Length of the axis.
    roi_offset : int
        The first pixel of the region.

    Examples
    --------
    >>> from chainer_fast.backends.kernels.roi import points
    >>> points.roi_pooling_slice(1, 1.5, 8, 2)
    (slice(3, 5, None), 2)
    """
    start, end = [
        min(max(edge + roi_offset, 0), max_size)
        for edge in (math.floor(size * stride), math.ceil((size + 1) * stride))]
    return slice(start, end), end - start


# The first two of these for the kernels of programs.
CUDA_POINTS: str = '''
template <typename T>
__device__ bool get_bounds(T &p, const int limit, int &low, int &high) {
    if (!(p >= T(-1) && p <= T(limit))) {
        return false;
    }
    low = static_cast<int>(floor(p));
    if (low >= limit - 1) {
        low = limit - 1;
        p = T(low);
    } else if (p < T(0)) {
        p = T(0);
    }
    high = low + 1;
    return true;
}

template <typename T>
__device__ void get_bilinear_interp_params(
        T y, T x, int y_low, int x_low, int y_high, int x_high,
        T &w1, T &w2, T &w3, T &w4) {
    const T upper = y_high - y, lower = y - y_low;
    const T left = x_high - x, right = x - x_low;
    w1 = upper * left;
    w2 = upper * right;
    w3 = lower * left;
    w4 = lower * right;
}
'''
