/* Sines and cosines of doubles, which NumPy computes one at a time.
 *
 * A multiple of pi / 2, in three parts, is subtracted from the angle; what is left is the
 * sum of two doubles, and the largest error 0.8 units in the last place. The bits do not
 * depend on the place of an element. Large angles are left to NumPy, and so are all if
 * fused multiply-adds are not instructions. */
#pragma once

#include <algorithm>

#include "chainer_fast/backends/kernels/common/double_loops.hpp"
#include "chainer_fast/backends/kernels/common/exponential_loops.hpp"

namespace chainer_fast {
namespace {

using UfuncLoop = void (*)(char **, const npy_intp *, const npy_intp *, void *);

#if defined(CF_FUSED)
/* Quarters of a turn are added to the angle: none for a sine, one for a cosine. */
CF_ELEMENT double sine_of(double x, uint64_t quarters) {
    using namespace in_double;
    const double shifted = fused(x, 2 / PI, SHIFT), n = shifted - SHIFT;
    const uint64_t quadrant = bits_of(shifted) + quarters;
    /* The first difference is exact, the second one is the sum of two doubles. */
    const double r = fused(-n, 0x1.921fb54442d18p+0, x), part = 0x1.1a62633145c07p-54;
    const double t = n * part, t_rest = fused(n, part, -t);
    const double h = r - t, moved = h - r;
    const double h_rest = (r - (h - moved)) - (t + moved) - t_rest;
    const double low = fused(-n, -0x1.f1976b7ed8fbcp-110, h_rest);
    const double z = h * h, z_rest = fused(h, h, -z);
    const double w = 1 - z / 2, w_rest = (1 - w) - z / 2;
    const double s = polynomial(
        z, -0.16666666666666666, 0.008333333333333331, -0.00019841269841265017,
        2.7557319219301936e-06, -2.5052106219528367e-08, 1.6058529573291737e-10,
        -7.586576648405261e-13);
    const double c = polynomial(
        z, 0.041666666666666664, -0.0013888888888888887, 2.4801587301584618e-05,
        -2.7557319221382125e-07, 2.0876755783897636e-09, -1.1470459750244853e-11,
        4.74580492324984e-14);
    const double sine = h + fused(z * h, s, low * w);
    const double cosine = w + fused(z * z, c, w_rest - fused(h, low, z_rest / 2));
    const double size = choose(0 - (quadrant & 1), cosine, sine);
    const double y = from_bits(bits_of(size) ^ (quadrant >> 1 << 63));
    /* Small angles, with the sign of zero, are their sines. */
    return choose(when(bits_of(fabs(x)) < bits_of(0x1p-27)) & (quarters - 1), x, y);
}

/* Of 2^30 or more: multiples of the third part would not be exact enough. */
CF_ELEMENT bool is_large_angle(double x) {
    constexpr uint64_t least = 0x41d0000000000000, infinite = 0x7ff0000000000000;
    return bits_of(std::fabs(x)) - least <= infinite - least;
}

/* Return whether there are large angles; their sines are not set. */
template <uint64_t quarters>
CF_CLONES bool fill_sines(const double *x, double *y, ptrdiff_t n) {
    uint64_t large = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        const uint64_t is_large = in_double::when(is_large_angle(x[i]));
        large |= is_large;
        y[i] = sine_of(in_double::choose(is_large, 0, x[i]), quarters);
    }
    return large != 0;
}

/* The data point to NumPy's loop. */
template <uint64_t quarters>
void sine_loop(char **args, const npy_intp *dims, const npy_intp *steps, void *data) {
    double x[DOUBLES], y[DOUBLES];
    for (npy_intp i = 0; i < dims[0]; i += DOUBLES) {
        const npy_intp n = std::min(DOUBLES, dims[0] - i);
        widen<double>(args[0] + i * steps[0], steps[0], x, n);
        if (fill_sines<quarters>(x, y, n))
            for (npy_intp k = 0; k < n; ++k)
                if (is_large_angle(x[k]))
                    ((const UnaryLoop *)data)->run(x + k, y + k, 1, sizeof(double));
        narrow<double>(y, args[1] + i * steps[1], steps[1], n);
    }
    forget_underflow();
}

UfuncLoop SINES = sine_loop<0>, COSINES = sine_loop<1>;
#else
UfuncLoop SINES = nullptr, COSINES = nullptr;
#endif

}  // namespace
}  // namespace chainer_fast
