/* Updates of the rows of a matrix that are in a gradient. */
#ifndef CHAINER_FAST_CORE_UPDATES_ROWS_HPP
#define CHAINER_FAST_CORE_UPDATES_ROWS_HPP

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>

#include "chainer_fast/_cpu/parallel.hpp"

namespace chainer_fast {
namespace {

/* Loops as in `update.pxd`, over parameter, gradient and states. */

constexpr int MAX_ARRAYS = 5;
typedef void (*UpdateLoop)(void **, ptrdiff_t, const double *);

/* The effect of an update on a row whose gradient is zero. */
enum Unused {
    MOVES,
    STAYS,      /* no change of any bit */
    IS_LEFT     /* no update: the rule is lazy */
};

inline bool is_zero(const char *bytes, ptrdiff_t n) {
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0;
}

struct RowUpdate {
    UpdateLoop loop;
    const double *coefficients;
    void *const *arrays;        /* of whole matrices; omitted ones are null */
    const ptrdiff_t *ids;       /* of the rows that have a gradient */
    ptrdiff_t n;
    const char *values;         /* their gradients */
    ptrdiff_t rows, row_bytes, columns;
    Unused unused;

    void run(ptrdiff_t row, void *gradient, ptrdiff_t size) const {
        void *at[MAX_ARRAYS];
        for (int i = 0; i < MAX_ARRAYS; ++i)
            at[i] = arrays[i] ? (char *)arrays[i] + row * row_bytes : nullptr;
        at[1] = gradient;
        loop(at, size, coefficients);
    }

    void prefetch(ptrdiff_t row) const {
#if defined(__GNUC__)
        for (int i = 0; i < MAX_ARRAYS; ++i)
            if (i != 1 && arrays[i])
                for (ptrdiff_t byte = 0; byte < row_bytes; byte += 64)
                    __builtin_prefetch((char *)arrays[i] + row * row_bytes + byte, 1);
#endif
    }
};

/* Updates the rows that have a gradient, and no others. */
inline void update_used_rows(const RowUpdate &u) {
    constexpr ptrdiff_t AHEAD = 4;
    /* About ten thousand short rows: fewer are finished before another thread wakes
     * up. */
    constexpr ptrdiff_t PART = 2 << 20;
    const ptrdiff_t grain = 1 + PART / (u.row_bytes + 1);
    parallel(u.n, grain, [&u](ptrdiff_t begin, ptrdiff_t end) {
        for (ptrdiff_t k = begin; k < end; ++k) {
            if (k + AHEAD < end)
                u.prefetch(u.ids[k + AHEAD]);
            /* No element of the gradient is minus zero. */
            const char *gradient = u.values + k * u.row_bytes;
            if (u.unused != IS_LEFT || !is_zero(gradient, u.row_bytes))
                u.run(u.ids[k], (char *)gradient, u.columns);
        }
    });
}

/* Updates all rows. The gradient of some rows at a time is in a piece of memory that
 * stays in the cache. `order` has space for as many numbers as there are ids; `pieces`
 * is filled with zeros, and has `rows_at_once` rows for each thread. */
inline void update_all_rows(
        const RowUpdate &u, ptrdiff_t *order, char *pieces, ptrdiff_t rows_at_once) {
    for (ptrdiff_t k = 0; k < u.n; ++k)
        order[k] = k;
    std::sort(order, order + u.n,
              [&u](ptrdiff_t a, ptrdiff_t b) { return u.ids[a] < u.ids[b]; });
    const ptrdiff_t n_pieces = (u.rows + rows_at_once - 1) / rows_at_once;
    parallel(n_pieces, 1, [=](ptrdiff_t begin, ptrdiff_t end, int thread) {
        char *piece = pieces + thread * rows_at_once * u.row_bytes;
        ptrdiff_t first = begin * rows_at_once;
        const ptrdiff_t *k = std::lower_bound(
            order, order + u.n, first,
            [&u](ptrdiff_t number, ptrdiff_t row) { return u.ids[number] < row; });
        for (ptrdiff_t i = begin; i < end; ++i, first += rows_at_once) {
            const ptrdiff_t last = std::min(first + rows_at_once, u.rows);
            const ptrdiff_t *const from = k;
            for (; k < order + u.n && u.ids[*k] < last; ++k)
                memcpy(piece + (u.ids[*k] - first) * u.row_bytes,
                       u.values + *k * u.row_bytes, u.row_bytes);
            u.run(first, piece, (last - first) * u.columns);
            for (const ptrdiff_t *used = from; used < k; ++used)
                memset(piece + (u.ids[*used] - first) * u.row_bytes, 0, u.row_bytes);
        }
    });
}

}  // namespace
}  // namespace chainer_fast

#endif
