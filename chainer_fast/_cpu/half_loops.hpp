/* Loops over halves, and over the bits of numbers. */
#ifndef CHAINER_FAST_HALF_LOOPS_HPP
#define CHAINER_FAST_HALF_LOOPS_HPP

#include "chainer_fast/_cpu/half.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {
namespace {

CF_CLONES void floats_from_halves(const uint16_t *x, float *y, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        y[i] = float_from_half(x[i]);
}

CF_CLONES void halves_from_floats(const float *x, uint16_t *y, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        y[i] = half_from_rounded(rounded_to_half(x[i]));
}

/* The sum of the squares of halves. Floats would not hold those of many large ones to the
   last digit. */
CF_CLONES double squares_of_halves(const uint16_t *x, ptrdiff_t n) {
    constexpr int LANES = 16;
    double sums[LANES] = {};
    ptrdiff_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; ++k) {
            const double number = float_from_half(x[i + k]);
            sums[k] += number * number;
        }
    for (; i < n; ++i) {
        const double number = float_from_half(x[i]);
        sums[0] += number * number;
    }
    double total = 0;
    for (int k = 0; k < LANES; ++k)
        total += sums[k];
    return total;
}

/* Whether all numbers are finite, given their bits and those of infinity. */
template <typename Bits>
CF_CLONES bool all_finite(const void *array, ptrdiff_t n, Bits infinity) {
    const Bits *x = (const Bits *)array;
    Bits found = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        found |= (Bits)((x[i] & infinity) == infinity);
    return !found;
}

}  // namespace
}  // namespace chainer_fast

#endif
