/* Rows made of sums, by several threads if that pays. */
#pragma once

#include <string.h>

#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::reduction {
namespace {

template <typename T>
CF_CLONES void fill(T value, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = value;
}

/* Writes each of n numbers several times. */
template <typename T>
void repeat_each(const T *x, T *out, ptrdiff_t n, ptrdiff_t times) {
    if (n == 1) {
        const T value = *x;
        parallel(times, GRAIN, [=](ptrdiff_t j, ptrdiff_t end) {
            fill(value, out + j, end - j);
        });
        return;
    }
    parallel(n, GRAIN / times + 1, [=](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i)
            fill(x[i], out + i * times, times);
    });
}

/* Writes each of n rows several times. */
template <typename T>
void repeat(const T *x, T *out, ptrdiff_t n, ptrdiff_t times, ptrdiff_t columns) {
    if (columns == 1) {
        repeat_each(x, out, n, times);
        return;
    }
    const ptrdiff_t bytes = columns * sizeof(T);
    parallel(n * times, GRAIN * sizeof(float) / bytes + 1,
             [=](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i)
            memcpy(out + i * columns, x + i / times * columns, bytes);
    });
}

constexpr Loop repeat_loop = {repeat<float>, repeat<double>};

}  // namespace
}  // namespace chainer_fast::reduction
