/* Bilinear interpolation between the pixels of images. */
#pragma once

#include <string.h>

#include <type_traits>

#include "chainer_fast/_cpu/buffer.hpp"
#include "chainer_fast/_cpu/half.hpp"
#include "chainer_fast/backends/kernels/bilinear/elements.hpp"
#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::bilinear {
namespace {

/* -- at the crossings of lines
 *
 * Lines between two rows are blended as a whole first, which is done in vectors, and
 * the columns are then picked from the line. Threads share the images. */

/* Lines along an axis: each is between two pixels, at a weight towards the second. */
struct Lines {
    const int *at, *next;
    const void *weight; /* in the type of the images */
    ptrdiff_t count;
};

template <typename T>
CF_CLONES void blend(const T *a, const T *b, T w, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = blended(a[i], b[i], w);
}

template <typename T>
CF_CLONES void pick(const T *line, const int *at, const int *next, const T *w, T *out,
                    ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = blended(line[at[i]], line[next[i]], w[i]);
}

template <typename T>
void unpick(const T *CF_RESTRICT g, const int *at, const int *next, const T *w,
            T *CF_RESTRICT line, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        line[at[i]] += g[i] * ((T)1 - w[i]);
        line[next[i]] += g[i] * w[i];
    }
}

template <typename T>
void resize(const T *x, const Lines &rows, const Lines &columns, T *y, ptrdiff_t images,
            ptrdiff_t height, ptrdiff_t width) {
    const T *v = (const T *)rows.weight, *u = (const T *)columns.weight;
    parallel_with_memory(images, GRAIN / (rows.count * (columns.count + width) + 1) + 1,
                         [&](ptrdiff_t n, ptrdiff_t end) {
        const auto line = buffer<T>(width);
        T *to = y + n * rows.count * columns.count;
        for (const T *in = x + n * height * width; n < end; ++n, in += height * width)
            for (ptrdiff_t i = 0; i < rows.count; ++i, to += columns.count) {
                blend(in + rows.at[i] * width, in + rows.next[i] * width, v[i],
                      line.get(), width);
                pick(line.get(), columns.at, columns.next, u, to, columns.count);
            }
    });
}

template <typename T>
void resize_adjoint(const T *gy, const Lines &rows, const Lines &columns, T *gx,
                    ptrdiff_t images, ptrdiff_t height, ptrdiff_t width) {
    const T *v = (const T *)rows.weight, *u = (const T *)columns.weight;
    parallel_with_memory(images, GRAIN / (rows.count * (columns.count + width)) + 1,
                         [&](ptrdiff_t n, ptrdiff_t end) {
        const auto line = buffer<T>(width);
        const T *from = gy + n * rows.count * columns.count;
        for (T *image = gx + n * height * width; n < end; ++n, image += height * width)
            for (ptrdiff_t i = 0; i < rows.count; ++i, from += columns.count) {
                memset(line.get(), 0, width * sizeof(T));
                unpick(from, columns.at, columns.next, u, line.get(), columns.count);
                add_times(line.get(), (T)1 - v[i], image + rows.at[i] * width, width);
                add_times(line.get(), v[i], image + rows.next[i] * width, width);
            }
    });
}

/* -- at points */

struct Point {
    ptrdiff_t at[4];
    double u, v;
};

/* Returns whether all coordinates are numbers. */
template <typename Stored, typename T>
bool locate_all(const T *column, const T *row, ptrdiff_t height, ptrdiff_t width,
                Point *points, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        if (!locate<Stored>(column[i], row[i], height, width, points[i]))
            return false;
    return true;
}

template <typename T>
void sample_one(const T *x, const Point *points, T *y, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const Point &p = points[i];
        T w[4], q[4];
        corner_weights((T)p.u, (T)p.v, w);
        for (int k = 0; k < 4; ++k)
            q[k] = p.at[k] < 0 ? (T)0 : x[p.at[k]];
        y[i] = weighted(w, q);
    }
}

template <typename T>
void sample_adjoint_of_one(const T *x, const Point *points, const T *gy, T *gx,
                           T *g_column, T *g_row, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const Point &p = points[i];
        const T u = (T)p.u, v = (T)p.v, g = gy[i];
        T w[4], q[4];
        corner_weights(u, v, w);
        for (int k = 0; k < 4; ++k) {
            q[k] = (T)0;
            if (p.at[k] >= 0) {
                q[k] = x[p.at[k]];
                gx[p.at[k]] += g * w[k];
            }
        }
        g_column[i] += g * blended(q[1] - q[0], q[3] - q[2], v);
        g_row[i] += g * blended(q[2] - q[0], q[3] - q[1], u);
    }
}

/* Images and the n points that each is sampled at. */
struct Samples {
    ptrdiff_t batch, channels, height, width, n;
    bool halves; /* what the coordinates of floats were */
};

template <typename T>
bool locate_all(const T *grid, const Samples &s, Point *points) {
    if constexpr (std::is_same_v<T, float>)
        if (s.halves)
            return locate_all<Half>(grid, grid + s.n, s.height, s.width, points, s.n);
    return locate_all<T>(grid, grid + s.n, s.height, s.width, points, s.n);
}

/* Calls f(image, points) for each of the images, which threads share, as long as all
 * coordinates are numbers; returns whether they are. */
template <typename T, typename F>
bool each_image(const T *grid, const Samples &s, const F &f) {
    std::atomic<bool> good(true);
    parallel_with_memory(s.batch, GRAIN / (4 * s.n * s.channels) + 1,
                         [&](ptrdiff_t i, ptrdiff_t end) {
        const auto points = buffer<Point>(s.n);
        for (; i < end && good; ++i)
            if (locate_all(grid + i * 2 * s.n, s, points.get()))
                f(i, points.get());
            else
                good = false;
    });
    return good;
}

template <typename T>
bool sample(const T *x, const T *grid, T *y, Samples s) {
    return each_image(grid, s, [&](ptrdiff_t i, const Point *points) {
        for (ptrdiff_t c = i * s.channels; c < (i + 1) * s.channels; ++c)
            sample_one(x + c * s.height * s.width, points, y + c * s.n, s.n);
    });
}

template <typename T>
bool sample_adjoint(const T *x, const T *grid, const T *gy, T *gx, T *ggrid,
                    Samples s) {
    const ptrdiff_t plane = s.height * s.width, n = s.n;
    return each_image(grid, s, [&](ptrdiff_t i, const Point *points) {
        T *g_column = ggrid + i * 2 * n, *g_row = g_column + n;
        for (ptrdiff_t c = i * s.channels; c < (i + 1) * s.channels; ++c)
            sample_adjoint_of_one(x + c * plane, points, gy + c * n, gx + c * plane,
                                  g_column, g_row, n);
        for (ptrdiff_t j = 0; j < n; ++j) {
            g_column[j] = g_column[j] * (T)(s.width - 1) / (T)2;
            g_row[j] = g_row[j] * (T)(s.height - 1) / (T)2;
        }
    });
}

constexpr Loop resize_loop = {resize<float>, resize<double>};
constexpr Loop resize_adjoint_loop = {resize_adjoint<float>, resize_adjoint<double>};
constexpr Loop sample_loop = {sample<float>, sample<double>};
constexpr Loop sample_adjoint_loop = {sample_adjoint<float>, sample_adjoint<double>};

}  // namespace
}  // namespace chainer_fast::bilinear
