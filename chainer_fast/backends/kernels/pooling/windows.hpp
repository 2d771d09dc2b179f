/* Windows that pass over images, and the rows of the images that they meet.
 *
 * A plan lists which rows work together. It is the same for all images, so the loops
 * over the axes but the last are done once. Along the last axis there is an inner part
 * of places whose windows lie in the row as a whole, which is done in vectors, and a
 * rim.
 */
#ifndef CHAINER_FAST_POOLING_WINDOWS_HPP
#define CHAINER_FAST_POOLING_WINDOWS_HPP

#include <stddef.h>
#include <stdint.h>

#include <memory>

#include "chainer_fast/_cpu/buffer.hpp"

namespace chainer_fast::pooling {
namespace {

constexpr int MAX_AXES = 8;

struct Window {
    ptrdiff_t images, channels;
    int nd;
    bool last;                 /* whether channels lie last in memory */
    ptrdiff_t n[MAX_AXES];     /* lengths of the images */
    ptrdiff_t out[MAX_AXES];   /* places of the window */
    ptrdiff_t k[MAX_AXES];     /* lengths of the window */
    ptrdiff_t s[MAX_AXES];     /* strides */
    ptrdiff_t p[MAX_AXES];     /* padding */
};

/* The next combination of coordinates in C order; false after the last. */
inline bool next(ptrdiff_t *at, const ptrdiff_t *length, int nd) {
    for (int j = nd - 1; j >= 0; --j) {
        if (++at[j] < length[j])
            return true;
        at[j] = 0;
    }
    return false;
}

inline ptrdiff_t product(const ptrdiff_t *numbers, int n) {
    ptrdiff_t result = 1;
    for (int j = 0; j < n; ++j)
        result *= numbers[j];
    return result;
}

struct Partner {
    ptrdiff_t offset;         /* where the other row begins in its image */
    ptrdiff_t first;          /* index in the window of its first element there */
};

/* From `low` to before `high`. */
struct Span {
    ptrdiff_t low, high;
};

/* The elements of a window along an axis that meet coordinate `at`: of a place, in the
 * images, or with `of_images` the other way round; then they lie a stride apart. */
inline Span elements_at(const Window &w, bool of_images, int j, ptrdiff_t at) {
    const ptrdiff_t k = w.k[j], s = w.s[j];
    if (!of_images) {
        const ptrdiff_t start = at * s - w.p[j], low = start < 0 ? -start : 0;
        return {low, start + k > w.n[j] ? w.n[j] - start : k};
    }
    const ptrdiff_t way = at + w.p[j], last = w.out[j] - 1;
    return {way / s > last ? way - last * s : way % s, way < k ? way + 1 : k};
}

/* Partners of each row of results in the images, or, with `of_images`, of each row of
 * the images in the results. */
struct Plan {
    ptrdiff_t rows;
    /* Partners of a row: from begin[row] to begin[row + 1]. */
    std::unique_ptr<ptrdiff_t[]> begin;
    std::unique_ptr<Partner[]> partner;

    Plan(const Window &w, bool of_images) {
        const int nd = w.nd - 1;
        const ptrdiff_t *own = of_images ? w.n : w.out;
        const ptrdiff_t *other = of_images ? w.out : w.n;
        ptrdiff_t row[MAX_AXES] = {0}, count = 0, i = 0, all = 1;
        rows = product(own, nd);
        for (int j = 0; j < nd; ++j) {
            ptrdiff_t along = 0;
            for (ptrdiff_t x = 0; x < own[j]; ++x)
                along += met_along(w, of_images, j, x);
            if (along > 0 && all > PTRDIFF_MAX / 2 / along)
                throw std::bad_alloc();
            all *= along;
        }
        begin = buffer<ptrdiff_t>(rows + 1);
        partner = buffer<Partner>(all + 1);
        do {
            ptrdiff_t met[MAX_AXES], at[MAX_AXES] = {0};
            begin[i++] = count;
            for (int j = 0; j < nd; ++j)
                met[j] = met_along(w, of_images, j, row[j]);
            if (product(met, nd) == 0)
                continue;
            do {
                ptrdiff_t offset = 0, first = 0;
                for (int j = 0; j < nd; ++j) {
                    const ptrdiff_t k = elements_at(w, of_images, j, row[j]).low
                        + at[j] * (of_images ? w.s[j] : 1);
                    const ptrdiff_t x = of_images ? (row[j] + w.p[j] - k) / w.s[j]
                        : row[j] * w.s[j] + k - w.p[j];
                    offset = offset * other[j] + x;
                    first = first * w.k[j] + k;
                }
                partner[count++] = {offset * other[nd], first * w.k[nd]};
            } while (next(at, met, nd));
        } while (next(row, own, nd));
        begin[i] = count;
    }

    /* Whether a row meets what the row before it does. */
    bool repeats(ptrdiff_t row) const {
        if (row == 0 || begin[row + 1] - begin[row] != begin[row] - begin[row - 1])
            return false;
        for (ptrdiff_t i = begin[row], before = begin[row - 1]; i < begin[row + 1]; ++i)
            if (partner[i].offset != partner[before++].offset)
                return false;
        return true;
    }

private:
    static ptrdiff_t met_along(const Window &w, bool of_images, int j, ptrdiff_t x) {
        const Span span = elements_at(w, of_images, j, x);
        const ptrdiff_t step = of_images ? w.s[j] : 1;
        return span.low < span.high ? (span.high - span.low + step - 1) / step : 0;
    }
};

inline Span span_within(ptrdiff_t low, ptrdiff_t high, ptrdiff_t most) {
    if (high > most)
        high = most;
    return {low > high ? high : low, high};
}

/* The places along the last axis whose element `i` is in the row. */
inline Span places_of(const Window &w, ptrdiff_t i) {
    const int j = w.nd - 1;
    const ptrdiff_t before = w.p[j] - i, room = w.n[j] - 1 + before;
    return span_within(before > 0 ? (before + w.s[j] - 1) / w.s[j] : 0,
                       room < 0 ? 0 : room / w.s[j] + 1, w.out[j]);
}

/* The inner part of the places along the last axis. */
inline Span inner_places(const Window &w) {
    const int j = w.nd - 1;
    const ptrdiff_t spare = w.n[j] + w.p[j] - w.k[j];
    return span_within((w.p[j] + w.s[j] - 1) / w.s[j],
                       spare < 0 ? 0 : spare / w.s[j] + 1, w.out[j]);
}

/* The inner part of a row of the images, in steps of a stride: those steps whose
 * elements are all in the row, and all of whose windows exist. Step `t` begins at
 * `t * s - p`. */
inline Span inner_steps(const Window &w) {
    const int j = w.nd - 1;
    const ptrdiff_t by_window = (w.k[j] - 1) / w.s[j];
    const ptrdiff_t by_row = (w.p[j] + w.s[j] - 1) / w.s[j];
    return span_within(by_row < by_window ? by_window : by_row,
                       (w.n[j] + w.p[j]) / w.s[j], w.out[j]);
}

}  // namespace
}  // namespace chainer_fast::pooling

#endif
