/* Products of vectors, vectorized: sums are kept in lanes. */
#ifndef CHAINER_FAST_NEGATIVE_SAMPLING_LOOPS_HPP
#define CHAINER_FAST_NEGATIVE_SAMPLING_LOOPS_HPP

#include "chainer_fast/backends/kernels/common/loops.hpp"

namespace chainer_fast {
namespace {

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

}  // namespace
}  // namespace chainer_fast

#endif
