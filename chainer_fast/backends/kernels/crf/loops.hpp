/* Steps along a chain of labels, in double precision. Matrices have one row for each
 * label that comes first and one column for each that comes next. */
#ifndef CHAINER_FAST_CRF_LOOPS_HPP
#define CHAINER_FAST_CRF_LOOPS_HPP

#include "chainer_fast/backends/kernels/common/logspace.hpp"

namespace chainer_fast {
namespace {

/* Sums outside of these bounds may have lost significant terms, or are not finite. */
CF_ELEMENT bool safe(double x) {
    return x > 1e-250 && x < 1e250;
}

/* The logarithm of a positive normal number. */
CF_ELEMENT double log_of_normal(double x) {
    union { double f; uint64_t i; } mantissa, exponent;
    mantissa.f = x;
    exponent.i = (mantissa.i >> 52) | 0x4330000000000000ULL; /* 2**52 and a fraction */
    mantissa.i = (mantissa.i & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
    return log_1_to_3(mantissa.f)
        + (exponent.f - 4503599627371519.0) * 0.69314718055994530942;
}

/* out = exp(x - its largest element), which is returned */
CF_CLONES double weights(const double *x, double *out, ptrdiff_t n) {
    double top = row_max(x, n);
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = exp_below_zero(x[i] - top);
    return top;
}

/* out = log(u A) + add; returns false if a sum is not within the safe bounds. */
CF_CLONES bool step(const double *u, const double *matrix, double add, double *out,
                    ptrdiff_t n) {
    ptrdiff_t i, j;
    ptrdiff_t unsafe = 0;
    for (j = 0; j < n; ++j)
        out[j] = u[0] * matrix[j];
    for (i = 1; i < n; ++i)
        for (j = 0; j < n; ++j)
            out[j] += u[i] * matrix[i * n + j];
    for (j = 0; j < n; ++j)
        unsafe += safe(out[j]) ? 0 : 1;
    if (unsafe)
        return false;
    for (j = 0; j < n; ++j)
        out[j] = log_of_normal(out[j]) + add;
    return true;
}

/* out += factor u v^T */
CF_CLONES void add_outer(const double *u, const double *v, double factor, double *out,
                         ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        double c = factor * u[i];
        for (ptrdiff_t j = 0; j < n; ++j)
            out[i * n + j] += c * v[j];
    }
}

/* The best label to come from, for each label that comes next. */
template <typename T>
CF_CLONES void find_best(const T *from, const T *cost, T *best, int32_t *which,
                         ptrdiff_t n) {
    ptrdiff_t i, j;
    for (j = 0; j < n; ++j) {
        best[j] = from[0] + cost[j];
        which[j] = 0;
    }
    for (i = 1; i < n; ++i)
        for (j = 0; j < n; ++j) {
            T here = from[i] + cost[i * n + j];
            which[j] = here > best[j] ? (int32_t)i : which[j];
            best[j] = here > best[j] ? here : best[j];
        }
}

}  // namespace
}  // namespace chainer_fast

#endif
