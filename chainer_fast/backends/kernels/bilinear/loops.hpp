/* Bilinear interpolation between the pixels of images. */
#ifndef CHAINER_FAST_BILINEAR_LOOPS_HPP
#define CHAINER_FAST_BILINEAR_LOOPS_HPP

#include <string.h>

#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast {
namespace {

/* -- at the crossings of lines
 *
 * Lines between two rows are blended as a whole first, which is done in vectors, and
 * the columns are then picked from the line. */

/* Lines along an axis: each is between two pixels, at a weight towards the second. */
struct Lines {
    const int *at, *next;
    const void *weight; /* in the type of the images */
    ptrdiff_t count;
};

template <typename T>
CF_CLONES void blend(const T *a, const T *b, T w, T *out, ptrdiff_t n) {
    const T r = (T)1 - w;
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = a[i] * r + b[i] * w;
}

template <typename T>
CF_CLONES void unblend(const T *g, T w, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] += g[i] * w;
}

template <typename T>
CF_CLONES void pick(const T *line, const int *at, const int *next, const T *w, T *out,
                    ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = line[at[i]] * ((T)1 - w[i]) + line[next[i]] * w[i];
}

template <typename T>
void unpick(const T *g, const int *at, const int *next, const T *w, T *line,
            ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        line[at[i]] += g[i] * ((T)1 - w[i]);
        line[next[i]] += g[i] * w[i];
    }
}

/* `line` has room for a row of an image, here and below. */
template <typename T>
void resize(const T *x, const Lines &rows, const Lines &columns, T *line, T *y,
            ptrdiff_t images, ptrdiff_t height, ptrdiff_t width) {
    const T *v = (const T *)rows.weight, *u = (const T *)columns.weight;
    for (; images-- > 0; x += height * width)
        for (ptrdiff_t i = 0; i < rows.count; ++i, y += columns.count) {
            blend(x + rows.at[i] * width, x + rows.next[i] * width, v[i], line, width);
            pick(line, columns.at, columns.next, u, y, columns.count);
        }
}

template <typename T>
void resize_adjoint(const T *gy, const Lines &rows, const Lines &columns, T *line,
                    T *gx, ptrdiff_t images, ptrdiff_t height, ptrdiff_t width) {
    const T *v = (const T *)rows.weight, *u = (const T *)columns.weight;
    for (; images-- > 0; gx += height * width)
        for (ptrdiff_t i = 0; i < rows.count; ++i, gy += columns.count) {
            memset(line, 0, width * sizeof(T));
            unpick(gy, columns.at, columns.next, u, line, columns.count);
            unblend(line, (T)1 - v[i], gx + rows.at[i] * width, width);
            unblend(line, v[i], gx + rows.next[i] * width, width);
        }
}

/* -- at points */

/* The four pixels around a point, -1 for one outside of the image, and how far the
 * point is from the first of them. */
struct Point {
    ptrdiff_t at[4];
    double u, v;
};

/* Returns whether all coordinates are numbers. */
template <typename T>
bool locate(const T *column, const T *row, ptrdiff_t height, ptrdiff_t width,
            Point *points, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        T u = (column[i] + (T)1) * (T)(width - 1) / (T)2;
        T v = (row[i] + (T)1) * (T)(height - 1) / (T)2;
        if (u != u || v != v)
            return false;
        /* Points far outside are moved nearer; they are still outside. */
        u = u <= (T)-1 ? (T)-2 : u > (T)width ? (T)width : u;
        v = v <= (T)-1 ? (T)-2 : v > (T)height ? (T)height : v;
        const T first_u = floor(u), first_v = floor(v);
        points[i].u = u - first_u;
        points[i].v = v - first_v;
        for (ptrdiff_t k = 0; k < 4; ++k) {
            const ptrdiff_t x = (ptrdiff_t)first_u + (k & 1);
            const ptrdiff_t y = (ptrdiff_t)first_v + (k >> 1);
            points[i].at[k] = 0 <= x && x < width && 0 <= y && y < height
                ? y * width + x : -1;
        }
    }
    return true;
}

template <typename T>
void sample_one(const T *x, const Point *points, T *y, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const Point &p = points[i];
        const T u = (T)p.u, v = (T)p.v;
        T q[4];
        for (int k = 0; k < 4; ++k)
            q[k] = p.at[k] < 0 ? (T)0 : x[p.at[k]];
        y[i] = (q[0] * ((T)1 - u) + q[1] * u) * ((T)1 - v)
            + (q[2] * ((T)1 - u) + q[3] * u) * v;
    }
}

template <typename T>
void sample_adjoint_of_one(const T *x, const Point *points, const T *gy, T *gx,
                           T *g_column, T *g_row, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const Point &p = points[i];
        const T u = (T)p.u, v = (T)p.v, g = gy[i];
        const T ru = (T)1 - u, rv = (T)1 - v;
        const T w[4] = {rv * ru, rv * u, v * ru, v * u};
        T q[4];
        for (int k = 0; k < 4; ++k) {
            q[k] = (T)0;
            if (p.at[k] >= 0) {
                q[k] = x[p.at[k]];
                gx[p.at[k]] += g * w[k];
            }
        }
        g_column[i] += g * ((q[1] - q[0]) * rv + (q[3] - q[2]) * v);
        g_row[i] += g * ((q[2] - q[0]) * ru + (q[3] - q[1]) * u);
    }
}

/* `points` has room for the n points of an image, here and below; returns whether all
 * coordinates are numbers. */
template <typename T>
bool sample(const T *x, const T *grid, Point *points, T *y, ptrdiff_t batch,
            ptrdiff_t channels, ptrdiff_t height, ptrdiff_t width, ptrdiff_t n) {
    for (; batch-- > 0; grid += 2 * n) {
        if (!locate(grid, grid + n, height, width, points, n))
            return false;
        for (ptrdiff_t c = 0; c < channels; ++c, x += height * width, y += n)
            sample_one(x, points, y, n);
    }
    return true;
}

template <typename T>
bool sample_adjoint(const T *x, const T *grid, Point *points, const T *gy, T *gx,
                    T *ggrid, ptrdiff_t batch, ptrdiff_t channels, ptrdiff_t height,
                    ptrdiff_t width, ptrdiff_t n) {
    const ptrdiff_t plane = height * width;
    for (; batch-- > 0; grid += 2 * n, ggrid += 2 * n) {
        if (!locate(grid, grid + n, height, width, points, n))
            return false;
        for (ptrdiff_t c = 0; c < channels; ++c, x += plane, gx += plane, gy += n)
            sample_adjoint_of_one(x, points, gy, gx, ggrid, ggrid + n, n);
        for (ptrdiff_t j = 0; j < n; ++j) {
            ggrid[j] = ggrid[j] * (T)(width - 1) / (T)2;
            ggrid[n + j] = ggrid[n + j] * (T)(height - 1) / (T)2;
        }
    }
    return true;
}

constexpr Loop resize_loop = {resize<float>, resize<double>};
constexpr Loop resize_adjoint_loop = {resize_adjoint<float>, resize_adjoint<double>};
constexpr Loop sample_loop = {sample<float>, sample<double>};
constexpr Loop sample_adjoint_loop = {sample_adjoint<float>, sample_adjoint<double>};

}  // namespace
}  // namespace chainer_fast

#endif
