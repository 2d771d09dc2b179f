/* Bilinear interpolation between the pixels of images: lines, points and weights. */
#pragma once

#include "chainer_fast/backends/kernels/common/element.hpp"

namespace chainer_fast {

/* At a weight from the first to the second. */
template <typename T>
CF_ELEMENT T blended(T a, T b, T weight) {
    return a * (T(1) - weight) + b * weight;
}

/* A number of an evenly spaced sequence from the first to the last. */
CF_ELEMENT double evenly(double first, double last, ptrdiff_t i, ptrdiff_t count) {
    return i == 0 ? first
        : i == count - 1 ? last : first + i * ((last - first) / (count - 1));
}

/* Place of one of so many lines, across an axis of that length; the scale is their
 * ratio. */
CF_ELEMENT double line_at(ptrdiff_t i, ptrdiff_t count, ptrdiff_t length, double scale,
                          bool nearest, bool align_corners) {
    if (nearest)
        return floor(i * scale);
    if (align_corners)
        return evenly(0, length - 1, i, count);
    const double centre = (i + .5) * scale - .5;
    return centre > 0 ? centre : 0;
}

/* Finds the four pixels around a point, -1 for one outside of the image, and how far the
 * point is from the first of them. Returns whether its coordinates are numbers. */
template <typename T, typename Point>
CF_ELEMENT bool locate(T column, T row, ptrdiff_t height, ptrdiff_t width, Point &point) {
    T u = (column + T(1)) * T(width - 1) / T(2);
    T v = (row + T(1)) * T(height - 1) / T(2);
    const bool numbers = u == u && v == v;
    /* Points far outside are moved nearer; they are still outside. */
    u = u <= T(-1) ? T(-2) : u > T(width) ? T(width) : u;
    v = v <= T(-1) ? T(-2) : v > T(height) ? T(height) : v;
    const T first_u = floor(u), first_v = floor(v);
    point.u = u - first_u;
    point.v = v - first_v;
    for (ptrdiff_t k = 0; k < 4; ++k) {
        const ptrdiff_t x = numbers ? (ptrdiff_t)first_u + (k & 1) : -1;
        const ptrdiff_t y = numbers ? (ptrdiff_t)first_v + (k >> 1) : -1;
        point.at[k] = 0 <= x && x < width && 0 <= y && y < height ? y * width + x : -1;
    }
    return numbers;
}

/* Weights of the four pixels. */
template <typename T>
CF_ELEMENT void corner_weights(T u, T v, T *w) {
    w[0] = (T(1) - v) * (T(1) - u);
    w[1] = (T(1) - v) * u;
    w[2] = v * (T(1) - u);
    w[3] = v * u;
}

}  // namespace chainer_fast
