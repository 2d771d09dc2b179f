/* Steps along a chain of labels, in double precision. Matrices have one row for each
 * label that comes first and one column for each that comes next. */
#ifndef CF_CHAIN_H
#define CF_CHAIN_H

#include "chainer_fast/backends/kernels/common/logspace.h"

/* Sums outside of these bounds may have lost terms that count, or are not finite. */
#define CF_SAFE(x) ((x) > 1e-250 && (x) < 1e250)

/* The logarithm of a positive normal number. */
static inline double cf_log(double x) {
    union { double f; uint64_t i; } mantissa, exponent;
    mantissa.f = x;
    exponent.i = (mantissa.i >> 52) | 0x4330000000000000ULL; /* 2**52 and a fraction */
    mantissa.i = (mantissa.i & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
    return cf_log_1_to_3(mantissa.f)
        + (exponent.f - 4503599627371519.0) * 0.69314718055994530942;
}

/* out = exp(x - its largest element), which is returned */
CF_CLONES static double cf_weights(const double *x, double *out, ptrdiff_t n) {
    ptrdiff_t i;
    double top = x[0];
    for (i = 1; i < n; ++i)
        top = x[i] > top ? x[i] : top;
    for (i = 0; i < n; ++i)
        out[i] = cf_exp(x[i] - top);
    return top;
}

/* out = log(u A) + add; which of the sums are safe to use is told by the result. */
CF_CLONES static int cf_step(const double *u, const double *matrix, double add,
                             double *out, ptrdiff_t n) {
    ptrdiff_t i, j;
    ptrdiff_t unsafe = 0;
    for (j = 0; j < n; ++j)
        out[j] = u[0] * matrix[j];
    for (i = 1; i < n; ++i)
        for (j = 0; j < n; ++j)
            out[j] += u[i] * matrix[i * n + j];
    for (j = 0; j < n; ++j)
        unsafe += CF_SAFE(out[j]) ? 0 : 1;
    if (unsafe)
        return 0;
    for (j = 0; j < n; ++j)
        out[j] = cf_log(out[j]) + add;
    return 1;
}

/* out += factor u v^T */
CF_CLONES static void cf_add_outer(const double *u, const double *v, double factor,
                                   double *out, ptrdiff_t n) {
    ptrdiff_t i, j;
    for (i = 0; i < n; ++i) {
        double c = factor * u[i];
        for (j = 0; j < n; ++j)
            out[i * n + j] += c * v[j];
    }
}

#define CF_BEST(S, T)                                                         \
    /* the best label to come from, for each label that comes next */         \
    CF_CLONES static void cf_best_##S(const T *from, const T *cost, T *best,  \
                                      int32_t *which, ptrdiff_t n) {          \
        ptrdiff_t i, j;                                                       \
        for (j = 0; j < n; ++j) {                                             \
            best[j] = from[0] + cost[j];                                      \
            which[j] = 0;                                                     \
        }                                                                     \
        for (i = 1; i < n; ++i)                                               \
            for (j = 0; j < n; ++j) {                                         \
                T here = from[i] + cost[i * n + j];                           \
                which[j] = here > best[j] ? (int32_t)i : which[j];            \
                best[j] = here > best[j] ? here : best[j];                    \
            }                                                                 \
    }

CF_BEST(f, float)
CF_BEST(d, double)

#endif
