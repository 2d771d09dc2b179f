/* Choice without jumps, which are slow when the condition changes often. */
#pragma once

#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::where {
namespace {

/* An array of one element goes with all others. */
template <bool X_SINGLE, bool Y_SINGLE, typename T>
CF_CLONES void choose(const unsigned char *condition, const T *x, const T *y, T *out,
                      ptrdiff_t n) {
    const T first_x = x[0], first_y = y[0];
    for (ptrdiff_t i = 0; i < n; ++i) {
        const T a = X_SINGLE ? first_x : x[i], b = Y_SINGLE ? first_y : y[i];
        out[i] = condition[i] ? a : b;
    }
}

template <typename T>
void where_each(const unsigned char *condition, const void *x, bool x_single,
                const void *y, bool y_single, void *out, ptrdiff_t n) {
    const auto loop = x_single ? choose<true, false, T>
        : y_single ? choose<false, true, T> : choose<false, false, T>;
    const Release release(n >= LONG_LOOP);
    parallel(n, GRAIN, [=](ptrdiff_t begin, ptrdiff_t end) {
        loop(condition + begin, (const T *)x + (x_single ? 0 : begin),
             (const T *)y + (y_single ? 0 : begin), (T *)out + begin, end - begin);
    });
}

/* Elements of 2, 4 or 8 bytes. */
inline void where_loop(ptrdiff_t itemsize, const void *condition, const void *x,
                       bool x_single, const void *y, bool y_single, void *out,
                       ptrdiff_t n) {
    (itemsize == 2 ? where_each<uint16_t>
     : itemsize == 4 ? where_each<uint32_t> : where_each<uint64_t>)(
        (const unsigned char *)condition, x, x_single, y, y_single, out, n);
}

}  // namespace
}  // namespace chainer_fast::where
