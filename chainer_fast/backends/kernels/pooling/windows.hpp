/* Windows that pass over images, and the rows of the images that they meet.
 *
 * A plan says which rows work together. It is the same for all images, so the loops
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
        ptrdiff_t row[MAX_AXES] = {0}, count = 0, i = 0;
        rows = product(own, nd);
        begin = buffer<ptrdiff_t>(rows + 1);
        partner = buffer<Partner>(rows + 1, product(w.k, nd));
        do {
            ptrdiff_t at[MAX_AXES] = {0}, first = 0;
            begin[i++] = count;
            do {
                ptrdiff_t offset = 0;
                bool inside = true;
                for (int j = 0; j < nd; ++j) {
                    ptrdiff_t x;
                    if (of_images) {
                        x = row[j] + w.p[j] - at[j];
                        inside &= x >= 0 && x % w.s[j] == 0;
                        x /= w.s[j];
                    }
                    else {
                        x = row[j] * w.s[j] + at[j] - w.p[j];
                        inside &= x >= 0;
                    }
                    inside &= x < other[j];
                    offset = offset * other[j] + x;
                }
                if (inside)
                    partner[count++] = {offset * other[nd], first};
                first += w.k[nd];
            } while (next(at, w.k, nd));
        } while (next(row, own, nd));
        begin[i] = count;
    }
};

/* From `low` to before `high`. */
struct Span {
    ptrdiff_t low, high;
};

inline Span span_within(ptrdiff_t low, ptrdiff_t high, ptrdiff_t most) {
    if (high > most)
        high = most;
    return {low > high ? high : low, high};
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
