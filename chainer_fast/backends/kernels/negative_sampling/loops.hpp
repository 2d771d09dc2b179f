/* Products of samples and the rows of their candidates, vectorized. */
#pragma once

#include <stdint.h>

#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::negative_sampling {
namespace {

/* The sum is kept in lanes. */
template <typename T>
CF_CLONES T dot(const T *a, const T *b, ptrdiff_t n) {
    T lanes[16] = {0};
    T total = 0;
    ptrdiff_t i, j;
    for (i = 0; i + 16 <= n; i += 16)
        for (j = 0; j < 16; ++j)
            lanes[j] += a[i + j] * b[i + j];
    for (; i < n; ++i)
        total += a[i] * b[i];
    for (j = 8; j > 0; j /= 2)
        for (i = 0; i < j; ++i)
            lanes[i] += lanes[i + j];
    return total + lanes[0];
}

/* The values at heights above the bottom of the first of n buckets, see the reference;
 * false if there are none. */
inline bool in_buckets(
        const float *threshold, const int32_t *values, ptrdiff_t n, const double *heights,
        int32_t *out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; ++i) {
        if (!(heights[i] >= 0 && heights[i] < (double)n))
            return false;
        const int32_t bucket = (int32_t)heights[i];
        const double inside = (double)(float)heights[i] - bucket;
        out[i] = values[2 * (ptrdiff_t)bucket + (threshold[bucket] < inside)];
    }
    return true;
}

/* Asks for memory ahead of its use. */
template <typename T>
void prefetch(const T *row, ptrdiff_t width) {
#if defined(__GNUC__)
    constexpr ptrdiff_t LINE = 64 / sizeof(T);
    for (ptrdiff_t j = 0; j < width; j += LINE)
        __builtin_prefetch(row + j);
#endif
}

enum Step {
    DOT,    /* g[i, k] = x[i] . W[k-th class of i] */
    SUM,    /* x[i] += g[i, k] W[k-th class of i] */
    SPREAD  /* W[k-th class of i] += g[i, k] x[i] */
};

template <typename T>
void candidates(T *x, T *W, T *g, const ptrdiff_t *ids, const bool *counted, Step step,
                ptrdiff_t rows, ptrdiff_t n, ptrdiff_t width) {
    for (ptrdiff_t i = 0; i < rows; ++i, ids += n, g += n, x += width) {
        /* Rows of a large matrix are nowhere near each other. */
        if (i + 1 < rows && (!counted || counted[i + 1]))
            for (ptrdiff_t k = 0; k < n; ++k)
                prefetch(W + ids[n + k] * width, width);
        if (!counted || counted[i])
            for (ptrdiff_t k = 0; k < n; ++k) {
                T *row = W + ids[k] * width;
                if (step == DOT)
                    g[k] = dot(x, row, width);
                else if (step == SUM)
                    add_times(row, g[k], x, width);
                else
                    add_times(x, g[k], row, width);
            }
    }
}

constexpr Loop candidates_loop = {candidates<float>, candidates<double>};
constexpr Loop in_buckets_loop = {in_buckets, in_buckets};      /* of any kind */

}  // namespace
}  // namespace chainer_fast::negative_sampling
