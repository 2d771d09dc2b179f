/* Bins of regions of interest, on the processor and on the GPU: the pixels or samples
   of a plane that a bin has, and their maxima and means. */
#pragma once

#include "chainer_fast/backends/kernels/pooling/elements.hpp"

namespace chainer_fast {
namespace roi {

using pooling::exceeds;

/* -- along one axis */

/* Pixels or samples of a bin that follow each other. */
struct Span {
    ptrdiff_t first, end;

    CF_ELEMENT ptrdiff_t length() const {
        return end - first;
    }

    CF_ELEMENT bool empty() const {
        return first >= end;
    }
};

CF_ELEMENT ptrdiff_t clip(double p, ptrdiff_t size) {
    return p < 0 ? 0 : p > (double)size ? size : (ptrdiff_t)p;
}

/* The i-th of `count` bins of a box. */
CF_ELEMENT Span cell_at(double low, double high, int extra, ptrdiff_t i,
                        ptrdiff_t count, ptrdiff_t size) {
    const double begin = rint(low), length = rint(high) - begin + extra;
    const double step = (length < 1 ? 1 : length) / (double)count;
    return {clip(begin + floor((double)i * step), size),
            clip(begin + ceil((double)(i + 1) * step), size)};
}

/* How far two bins of samples are apart. */
CF_ELEMENT double bin_step(double low, double high, ptrdiff_t count) {
    return fmax(high - low, 1.) / (double)count;
}

/* No bin has more samples along an axis than this. */
constexpr ptrdiff_t MOST_POINTS = 0x7fffffff;

/* Samples in each bin. */
CF_ELEMENT ptrdiff_t points_in_bin(double step, ptrdiff_t ratio) {
    if (ratio)
        return ratio;
    return step < (double)MOST_POINTS ? (ptrdiff_t)ceil(step) : MOST_POINTS;
}

struct Sample {
    ptrdiff_t pixel;          /* -1: the sample does not count */
    ptrdiff_t next;           /* -1: there is no neighbour behind, or it has no part */
    double here, beyond;      /* their weights */
};

/* Where the s-th sample of the i-th bin is. */
CF_ELEMENT double place_of(double low, double step, ptrdiff_t i, ptrdiff_t s,
                           ptrdiff_t points) {
    return low + (double)i * step + ((double)s + .5) * step / (double)points;
}

/* The s-th sample of the i-th bin. */
CF_ELEMENT Sample sample_at(double low, double step, ptrdiff_t i, ptrdiff_t s,
                            ptrdiff_t points, ptrdiff_t size) {
    const double p = place_of(low, step, i, s, points);
    if (!(p >= -1 && p <= (double)size) || size < 1)
        return {-1, -1, 1, 0};
    if (p < 0)
        return {0, -1, 1, 0};
    if (p >= (double)(size - 1))
        return {size - 1, -1, 1, 0};
    const ptrdiff_t pixel = (ptrdiff_t)p;
    const double beyond = p - (double)pixel;
    /* A neighbour that has no part may be infinite, or NaN. */
    return {pixel, beyond > 0 ? pixel + 1 : -1, 1 - beyond, beyond};
}

/* The samples of a bin that are looked at: all of them, or, if there are more than an
 * image can have use for, those near it. A box may be far larger than any image. */
CF_ELEMENT Span samples_in_use(double low, double step, ptrdiff_t i, ptrdiff_t points,
                               ptrdiff_t size) {
    if (points <= size + 2)
        return {0, points};
    const auto count_before = [=](double limit, bool and_at) {
        ptrdiff_t begin = 0, end = points;
        while (begin < end) {
            const ptrdiff_t middle = begin + (end - begin) / 2;
            const double p = place_of(low, step, i, middle, points);
            if (p < limit || (and_at && p == limit))
                begin = middle + 1;
            else
                end = middle;
        }
        return begin;
    };
    return {count_before(-1, false), count_before((double)size, true)};
}

/* -- bins of pixels of a plane `x` */

template <typename T>
CF_ELEMENT T cell_max(const T *x, ptrdiff_t width, Span ys, Span xs, T empty,
                      int *found) {
    T best = empty;
    ptrdiff_t at = -1;
    if (!ys.empty() && !xs.empty()) {
        at = ys.first * width + xs.first;
        best = x[at];
    }
    for (ptrdiff_t row = ys.first; row < ys.end; ++row)
        for (ptrdiff_t column = xs.first; column < xs.end; ++column) {
            const T seen = x[row * width + column];
            if (exceeds(seen, best)) {
                best = seen;
                at = row * width + column;
            }
        }
    *found = (int)at;
    return best;
}

template <typename T>
CF_ELEMENT T cell_mean(const T *x, ptrdiff_t width, Span ys, Span xs) {
    double sum = 0;
    if (ys.empty() || xs.empty())
        return T(sum);
    for (ptrdiff_t row = ys.first; row < ys.end; ++row)
        for (ptrdiff_t column = xs.first; column < xs.end; ++column)
            sum += (double)x[row * width + column];
    return T(sum / (double)(ys.length() * xs.length()));
}

/* Gives each pixel of a bin its share, by `add(index, value)`. */
template <typename T, typename Add>
CF_ELEMENT void cell_spread(T given, ptrdiff_t width, Span ys, Span xs,
                            Add add) {
    if (ys.empty() || xs.empty())
        return;
    const T share = given / (T)(ys.length() * xs.length());
    for (ptrdiff_t row = ys.first; row < ys.end; ++row)
        for (ptrdiff_t column = xs.first; column < xs.end; ++column)
            add(row * width + column, share);
}

/* -- samples of a plane, from those of its rows and columns */

CF_ELEMENT bool counts(const Sample &v, const Sample &u) {
    return v.pixel >= 0 && u.pixel >= 0;
}

/* Goes through the pixels around a sample, by `visit(index, weight)`. */
template <typename Visit>
CF_ELEMENT void each_neighbour(ptrdiff_t width, const Sample &v, const Sample &u,
                               Visit visit) {
    /* As there is but one call of it, the compiler inlines the visit. */
    for (int k = 0; k < 4; ++k) {
        const ptrdiff_t row = k & 2 ? v.next : v.pixel;
        const ptrdiff_t column = k & 1 ? u.next : u.pixel;
        if (row >= 0 && column >= 0)
            visit(row * width + column,
                  (k & 2 ? v.beyond : v.here) * (k & 1 ? u.beyond : u.here));
    }
}

template <typename T>
CF_ELEMENT double interpolate(const T *x, ptrdiff_t width, const Sample &v,
                              const Sample &u) {
    double value = -0.;   /* which, unlike 0, leaves a negative zero as it is */
    each_neighbour(width, v, u, [&](ptrdiff_t at, double weight) {
        value += weight * (double)x[at];
    });
    return value;
}

/* The samples of a bin that are in use come from `ys(a)` and `xs(b)`, for each of their
 * rows and columns. A sample has the index that it has among these. Without samples in
 * the image the maximum is 0. */
template <typename T, typename Rows, typename Columns>
CF_ELEMENT T sample_max(const T *x, ptrdiff_t width, Span rows, Span columns, Rows ys,
                        Columns xs, int *found) {
    /* Compared before they are rounded, which decides between samples that are about as
     * large. */
    double best = -infinity();
    bool is_inside = false;
    int index = 0;
    *found = -1;
    for (ptrdiff_t a = rows.first; a < rows.end; ++a)
        for (ptrdiff_t b = columns.first; b < columns.end; ++b, ++index) {
            const Sample &v = ys(a), &u = xs(b);
            if (!counts(v, u))
                continue;
            is_inside = true;
            const double seen = interpolate(x, width, v, u);
            if (seen > best) {
                best = seen;
                *found = index;
            }
        }
    return T(is_inside ? best : 0);
}

/* The mean of `points` samples, of which those that are not in use are zero. */
template <typename T, typename Rows, typename Columns>
CF_ELEMENT T sample_mean(const T *x, ptrdiff_t width, double points, Span rows,
                         Span columns, Rows ys, Columns xs) {
    double sum = 0;
    for (ptrdiff_t a = rows.first; a < rows.end; ++a)
        for (ptrdiff_t b = columns.first; b < columns.end; ++b) {
            const Sample &v = ys(a), &u = xs(b);
            if (counts(v, u))
                sum += interpolate(x, width, v, u);
        }
    return T(sum / points);
}

/* Gives the pixels around a sample what they get, by `add(index, value)`. */
template <typename Add>
CF_ELEMENT void sample_put(double given, ptrdiff_t width, const Sample &v,
                           const Sample &u, Add add) {
    if (counts(v, u))
        each_neighbour(width, v, u, [&](ptrdiff_t at, double weight) {
            add(at, given * weight);
        });
}

template <typename Rows, typename Columns, typename Add>
CF_ELEMENT void sample_spread(double given, ptrdiff_t width, double points, Span rows,
                              Span columns, Rows ys, Columns xs, Add add) {
    given /= points;
    for (ptrdiff_t a = rows.first; a < rows.end; ++a)
        for (ptrdiff_t b = columns.first; b < columns.end; ++b)
            sample_put(given, width, ys(a), xs(b), add);
}

}  // namespace roi
}  // namespace chainer_fast
