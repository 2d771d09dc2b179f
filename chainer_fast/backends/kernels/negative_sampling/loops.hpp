/* Products of samples and the rows of their candidates, vectorized. */
#ifndef CHAINER_FAST_NEGATIVE_SAMPLING_LOOPS_HPP
#define CHAINER_FAST_NEGATIVE_SAMPLING_LOOPS_HPP

#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast {
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

/* out += c a */
template <typename T>
CF_CLONES void add_times(const T *a, T c, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] += c * a[i];
}

enum Step {
    DOT,    /* g[i, k] = x[i] . W[k-th class of i] */
    SUM,    /* x[i] += g[i, k] W[k-th class of i] */
    SPREAD  /* W[k-th class of i] += g[i, k] x[i] */
};

template <typename T>
void candidates(T *x, T *W, T *g, const ptrdiff_t *ids, const bool *counted, Step step,
                ptrdiff_t rows, ptrdiff_t n, ptrdiff_t width) {
    for (ptrdiff_t i = 0; i < rows; ++i, ids += n, g += n, x += width)
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

constexpr Loop candidates_loop = {candidates<float>, candidates<double>};

}  // namespace
}  // namespace chainer_fast

#endif
