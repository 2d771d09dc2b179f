/* Bilinear interpolation between the pixels of images: lines, points and weights. */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace bilinear {

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

/* Place of a coordinate along an axis, in pixels from one before the first. Each step is
 * rounded to the type that holds the coordinates: at a pixel it is this which decides the
 * side, and with it the gradient. A multiplication and an addition in one would make no
 * difference, since the product by a half is exact. */
template <typename Stored, typename T>
CF_ELEMENT T place_of(T coordinate, ptrdiff_t length) {
    T place = T(Stored(coordinate + T(1)));
    place = T(Stored(place * T(Stored(T(length - 1)))));
    place = T(Stored(place / T(2)));
    return T(Stored(place + T(1)));
}

/* Finds the four pixels around a point, -1 for one outside of the image, and how far the
 * point is from the first of them. Returns whether its coordinates are numbers. */
template <typename Stored, typename T, typename Point>
CF_ELEMENT bool locate(T column, T row, ptrdiff_t height, ptrdiff_t width, Point &point) {
    T u = place_of<Stored>(column, width), v = place_of<Stored>(row, height);
    const bool numbers = u == u && v == v;
    /* Points far outside are moved nearer; they are still outside. */
    u = u <= T(0) ? T(-1) : u > T(width + 1) ? T(width + 1) : u;
    v = v <= T(0) ? T(-1) : v > T(height + 1) ? T(height + 1) : v;
    const T first_u = floor(u), first_v = floor(v);
    point.u = u - first_u;
    point.v = v - first_v;
    for (ptrdiff_t k = 0; k < 4; ++k) {
        const ptrdiff_t x = numbers ? (ptrdiff_t)first_u - 1 + (k & 1) : -1;
        const ptrdiff_t y = numbers ? (ptrdiff_t)first_v - 1 + (k >> 1) : -1;
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

/* Sum of the four pixels with their weights. */
template <typename T>
CF_ELEMENT T weighted(const T *w, const T *q) {
    return w[0] * q[0] + w[1] * q[1] + w[2] * q[2] + w[3] * q[3];
}

}  // namespace bilinear
}  // namespace chainer_fast
