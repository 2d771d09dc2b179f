/* Sums of probabilities that are given by their logarithms, in double precision.
 *
 * A logarithm of zero is a large negative number rather than minus infinity: the
 * difference of two infinities would be NaN.
 */
#pragma once

#include <float.h>

#include "chainer_fast/_cpu/half.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {
namespace {

constexpr double LOG_ZERO = -1e30;

/* The exponential of a number that is not positive; zero below the range of normal
 * numbers. The argument is split into a multiple of log 2, which goes into the exponent
 * of the result, and a rest below log 2 / 2 for Taylor's series, which leaves an error
 * of 1e-14. */
CF_ELEMENT double exp_below_zero(double x) {
    const double shift = 6755399441055744.0; /* 1.5 * 2**52: integers are its last bits */
    double c = x < -708.0 ? -708.0 : x;
    double shifted = c * 1.4426950408889634074 + shift;
    double n = shifted - shift;
    double r = (c - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    double p = 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    return x < -708.0 ? 0.0 : p * from_bits((bits_of(shifted) + 1023) << 52);
}

/* The logarithm of a number from 1 to 3: twice the inverse hyperbolic tangent of
 * (m - 1) / (m + 1), with m from 3/4 to 3/2. */
CF_ELEMENT double log_1_to_3(double x) {
    double halved = x >= 1.5 ? 1.0 : 0.0;
    double m = x - 0.5 * halved * x;
    double f = (m - 1.0) / (m + 1.0);
    double z = f * f;
    double p = 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z + 1.0 / 3.0;
    p = p * z + 1.0;
    return 2.0 * f * p + 0.69314718055994530942 * halved;
}

/* out = log(exp(a) + exp(b) + exp(c + bar)) + add */
CF_CLONES void join3(const double *a, const double *b, const double *c,
                     const double *bar, const double *add, double *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        double x = a[i], y = b[i], z = c[i] + bar[i];
        /* The largest of the three has the exponential one. */
        double high = x > y ? x : y, low = x > y ? y : x;
        double top = z > high ? z : high, middle = z > high ? high : z;
        double rest = exp_below_zero(middle - top) + exp_below_zero(low - top);
        out[i] = top + log_1_to_3(1.0 + rest) + add[i];
    }
}

/* out = exp(a + b - total) */
CF_CLONES void fill_shares(const double *a, const double *b, double total, double *out,
                           ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = exp_below_zero(a[i] + b[i] - total);
}

/* out = exp(x - its largest element), which is returned; zeros, and zero, of minus
 * infinities */
template <typename T>
CF_CLONES double exp_row(const T *x, double *out, ptrdiff_t n) {
    double top = row_max(x, n);
    if (top < -DBL_MAX)
        top = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = exp_below_zero((double)x[i] - top);
    return top;
}

/* out = x / total, in the type of the result */
template <typename T>
CF_CLONES void divide_row(const double *x, double total, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = (T)(x[i] / total);
}

/* The sum of a row, in lanes. */
CF_CLONES double sum_lanes(const double *x, ptrdiff_t n) {
    double lanes[8] = {0};
    double total = 0;
    ptrdiff_t i, j;
    for (i = 0; i + 8 <= n; i += 8)
        for (j = 0; j < 8; ++j)
            lanes[j] += x[i + j];
    for (j = 0; j < 8; ++j)
        total += lanes[j];
    for (; i < n; ++i)
        total += x[i];
    return total;
}

}  // namespace
}  // namespace chainer_fast
