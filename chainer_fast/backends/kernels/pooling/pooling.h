/* Windows that pass over images: loops over rows of floats and doubles.
 *
 * A plan says which rows work together. It is the same for all images, so the loops
 * over the axes but the last are done once. Along the last axis there is an inner part
 * of places whose windows lie in the row as a whole, which is done in vectors, and a
 * rim. The loops of the usual windows are written out, with their size and stride as
 * constants; see `window_rows.h`.
 *
 * Every element visits the window's elements in C order, so that sums round the same
 * way in all forms.
 */
#ifndef CF_POOLING_H
#define CF_POOLING_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "chainer_fast/backends/kernels/common/loops.h"

#if defined(__GNUC__)
#define CF_INLINE static inline __attribute__((always_inline))
#define CF_RESTRICT __restrict__
#define CF_UNROLL _Pragma("GCC unroll 4")
#else
#define CF_INLINE static inline
#define CF_RESTRICT
#define CF_UNROLL
#endif

#define CF_AXES 8

typedef struct {
    int nd;
    ptrdiff_t n[CF_AXES];     /* lengths of the images */
    ptrdiff_t out[CF_AXES];   /* places of the window */
    ptrdiff_t k[CF_AXES];     /* lengths of the window */
    ptrdiff_t s[CF_AXES];     /* strides */
    ptrdiff_t p[CF_AXES];     /* padding */
} cf_window;

typedef struct {
    ptrdiff_t offset;         /* where the other row begins in its image */
    ptrdiff_t first;          /* index in the window of its first element there */
} cf_partner;

typedef struct {
    ptrdiff_t rows;
    ptrdiff_t *begin;         /* partners of a row: from begin[row] to begin[row + 1] */
    cf_partner *partner;
} cf_plan;

static void cf_free_plan(cf_plan *plan) {
    free(plan->begin);
    free(plan->partner);
}

/* The next combination of coordinates in C order; 0 after the last. */
CF_INLINE int cf_next(ptrdiff_t *at, const ptrdiff_t *length, int nd) {
    int j;
    for (j = nd - 1; j >= 0; --j) {
        if (++at[j] < length[j])
            return 1;
        at[j] = 0;
    }
    return 0;
}

CF_INLINE ptrdiff_t cf_product(const ptrdiff_t *numbers, int n) {
    ptrdiff_t product = 1;
    int j;
    for (j = 0; j < n; ++j)
        product *= numbers[j];
    return product;
}

/* Partners of each row of results in the images, or, with `of_images`, of each row of
 * the images in the results. Returns 0 without memory. */
static int cf_make_plan(const cf_window *w, int of_images, cf_plan *plan) {
    const int nd = w->nd - 1;
    const ptrdiff_t *own = of_images ? w->n : w->out;
    const ptrdiff_t *other = of_images ? w->out : w->n;
    ptrdiff_t row[CF_AXES] = {0}, count = 0, i = 0;
    plan->rows = cf_product(own, nd);
    plan->begin = (ptrdiff_t *)malloc((plan->rows + 1) * sizeof *plan->begin);
    plan->partner = (cf_partner *)malloc(
        (plan->rows * cf_product(w->k, nd) + 1) * sizeof *plan->partner);
    if (!plan->begin || !plan->partner) {
        cf_free_plan(plan);
        return 0;
    }
    do {
        ptrdiff_t at[CF_AXES] = {0}, first = 0;
        plan->begin[i++] = count;
        do {
            ptrdiff_t offset = 0;
            int j, inside = 1;
            for (j = 0; j < nd; ++j) {
                ptrdiff_t x;
                if (of_images) {
                    x = row[j] + w->p[j] - at[j];
                    inside &= x >= 0 && x % w->s[j] == 0;
                    x /= w->s[j];
                }
                else {
                    x = row[j] * w->s[j] + at[j] - w->p[j];
                    inside &= x >= 0;
                }
                inside &= x < other[j];
                offset = offset * other[j] + x;
            }
            if (inside) {
                plan->partner[count].offset = offset * other[nd];
                plan->partner[count].first = first;
                ++count;
            }
            first += w->k[nd];
        } while (cf_next(at, w->k, nd));
    } while (cf_next(row, own, nd));
    plan->begin[i] = count;
    return 1;
}

/* The inner part of the places along the last axis. */
static void cf_inner_places(const cf_window *w, ptrdiff_t *low, ptrdiff_t *high) {
    const int j = w->nd - 1;
    const ptrdiff_t room = w->n[j] + w->p[j] - w->k[j];
    *low = (w->p[j] + w->s[j] - 1) / w->s[j];
    *high = room < 0 ? 0 : room / w->s[j] + 1;
    if (*high > w->out[j])
        *high = w->out[j];
    if (*low > *high)
        *low = *high;
}

/* The inner part of a row of the images, in steps of a stride: those steps whose
 * elements are all in the row, and all of whose windows exist. Step `t` begins at
 * `t * s - p`. */
static void cf_inner_steps(const cf_window *w, ptrdiff_t *low, ptrdiff_t *high) {
    const int j = w->nd - 1;
    const ptrdiff_t by_window = (w->k[j] - 1) / w->s[j];
    *low = (w->p[j] + w->s[j] - 1) / w->s[j];
    if (*low < by_window)
        *low = by_window;
    *high = (w->n[j] + w->p[j]) / w->s[j];
    if (*high > w->out[j])
        *high = w->out[j];
    if (*low > *high)
        *low = *high;
}

/* Versions of a loop with size and stride of the usual windows as constants, and the
 * choice among them. Each is a function of its own: so the compiler knows that its
 * arguments do not overlap, and makes vectors. */
#define CF_VERSION(name, version, k, s, parameters, ...)       \
    CF_CLONES static void NAME(name##version) parameters {     \
        (void)window_k, (void)window_s;                        \
        NAME(name##_loop)(__VA_ARGS__, k, s);                  \
    }

#define CF_VERSIONS(name, parameters, ...)                                    \
    CF_VERSION(name, _2_2, 2, 2, parameters, __VA_ARGS__)                     \
    CF_VERSION(name, _3_2, 3, 2, parameters, __VA_ARGS__)                     \
    CF_VERSION(name, _3_1, 3, 1, parameters, __VA_ARGS__)                     \
    CF_VERSION(name, _3_3, 3, 3, parameters, __VA_ARGS__)                     \
    CF_VERSION(name, _2_1, 2, 1, parameters, __VA_ARGS__)                     \
    CF_VERSION(name, _k_1, window_k, 1, parameters, __VA_ARGS__)              \
    CF_VERSION(name, _k_2, window_k, 2, parameters, __VA_ARGS__)              \
    CF_VERSION(name, _k_s, window_k, window_s, parameters, __VA_ARGS__)       \
    typedef void (*NAME(name##_function)) parameters;                         \
    static NAME(name##_function) NAME(name##_for)(const cf_window *w) {       \
        const ptrdiff_t k = w->k[w->nd - 1], s = w->s[w->nd - 1];             \
        if (k == 2 && s == 2) return NAME(name##_2_2);                        \
        if (k == 3 && s == 2) return NAME(name##_3_2);                        \
        if (k == 3 && s == 1) return NAME(name##_3_1);                        \
        if (k == 3 && s == 3) return NAME(name##_3_3);                        \
        if (k == 2 && s == 1) return NAME(name##_2_1);                        \
        return s == 1 ? NAME(name##_k_1)                                      \
            : s == 2 ? NAME(name##_k_2) : NAME(name##_k_s);                   \
    }

#define T float
#define INDEX int32_t
#define NAME(name) name##_f
#include "chainer_fast/backends/kernels/pooling/window_rows.h"
#undef T
#undef INDEX
#undef NAME

#define T double
#define INDEX int64_t
#define NAME(name) name##_d
#include "chainer_fast/backends/kernels/pooling/window_rows.h"
#undef T
#undef INDEX
#undef NAME

/* Copies indexes to the type that the loops take; returns whether all are indexes of
 * `count` elements. */
#define CF_TAKE_INDEXES(name, FROM, TO)                                       \
    CF_CLONES static int name(                                                \
            const FROM *from, TO *to, ptrdiff_t n, ptrdiff_t count) {         \
        FROM bad = 0;                                                         \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            to[i] = (TO)from[i];                                              \
            bad |= (FROM)((from[i] < 0) | (from[i] >= (FROM)count));          \
        }                                                                     \
        return bad == 0;                                                      \
    }

CF_TAKE_INDEXES(cf_take_l_f, int64_t, int32_t)
CF_TAKE_INDEXES(cf_take_l_d, int64_t, int64_t)
CF_TAKE_INDEXES(cf_take_i_f, int32_t, int32_t)
CF_TAKE_INDEXES(cf_take_i_d, int32_t, int64_t)

#endif
