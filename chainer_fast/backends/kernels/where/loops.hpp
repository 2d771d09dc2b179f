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
void where_each(const unsigned char *condition, const T *x, bool x_single, const T *y,
                bool y_single, T *out, ptrdiff_t n) {
    parallel(n, GRAIN, [=](ptrdiff_t i, ptrdiff_t end) {
        if (x_single)
            choose<true, false>(condition + i, x, y + i, out + i, end - i);
        else if (y_single)
            choose<false, true>(condition + i, x + i, y, out + i, end - i);
        else
            choose<false, false>(condition + i, x + i, y + i, out + i, end - i);
    });
}

constexpr Loop where_loop = {where_each<float>, where_each<double>};
/* Halves are chosen by their bits. */
constexpr Loop where_of_halves = {where_each<uint16_t>, where_each<uint16_t>};

}  // namespace
}  // namespace chainer_fast::where
