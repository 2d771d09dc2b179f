/* Loops of what is computed in double precision, as NumPy calls those of its functions. */
#pragma once

#include <fenv.h>

#include <algorithm>

#include "numpy/npy_common.h"

#include "chainer_fast/backends/kernels/common/gather.hpp"
#include "chainer_fast/backends/kernels/common/in_double.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast {
namespace {

/* -- special functions */

/* Elements of a part. Compilers would narrow comparisons of what was a float just before,
 * and then do not vectorize them: doubles are kept in between. */
constexpr npy_intp DOUBLES = 256;

template <typename T>
CF_CLONES void widen(const char *from, npy_intp step, double *to, npy_intp n) {
    if (step == sizeof(T))
        for (npy_intp i = 0; i < n; ++i)
            to[i] = ((const T *)from)[i];
    else
        for (npy_intp i = 0; i < n; ++i)
            to[i] = *(const T *)(from + i * step);
}

template <typename T>
CF_CLONES void narrow(const double *from, char *to, npy_intp step, npy_intp n) {
    if (step == sizeof(T))
        for (npy_intp i = 0; i < n; ++i)
            ((T *)to)[i] = (T)from[i];
    else
        for (npy_intp i = 0; i < n; ++i)
            *(T *)(to + i * step) = (T)from[i];
}

template <double (*function)(double)>
CF_CLONES void replace(double *x, npy_intp n) {
    for (npy_intp i = 0; i < n; ++i)
        x[i] = function(x[i]);
}

/* As SciPy's, these warn of nothing. */
template <typename T, double (*function)(double)>
void special_loop(char **args, const npy_intp *dims, const npy_intp *steps, void *) {
    const Flags flags;      /* earlier ones are kept */
    double part[DOUBLES];
    for (npy_intp i = 0; i < dims[0]; i += DOUBLES) {
        const npy_intp n = std::min(DOUBLES, dims[0] - i);
        widen<T>(args[0] + i * steps[0], steps[0], part, n);
        replace<function>(part, n);
        narrow<T>(part, args[1] + i * steps[1], steps[1], n);
    }
    feclearexcept(FE_ALL_EXCEPT);
}

/* -- powers */

template <typename T, typename F>
CF_ELEMENT bool each(const T *x, T *out, npy_intp n, F f) {
    for (npy_intp i = 0; i < n; ++i)
        out[i] = T(f(x[i]));
    return true;
}

/* Of exponents for which products are as good, and cost less; false for others. NumPy does
 * the same for the first five. */
template <typename T>
CF_CLONES bool small_powers(const T *x, double exponent, T *out, npy_intp n) {
    if (exponent == 2) return each(x, out, n, [](T x) { return x * x; });
    if (exponent == 0.5) return each(x, out, n, [](T x) { return std::sqrt(x); });
    /* The power of -0 is infinite, that of minus infinity is zero. */
    if (exponent == -0.5) return each(x, out, n, [](double x) {
        return 1 / std::sqrt(x == -in_double::ENDLESS ? -x : x + 0.);
    });
    if (exponent == -1) return each(x, out, n, [](T x) { return 1 / x; });
    if (exponent == 1) return each(x, out, n, [](T x) { return x; });
    if (exponent == 0) return each(x, out, n, [](T) { return 1; });
    if (exponent == 3) return each(x, out, n, [](double x) { return x * x * x; });
    if (exponent == 4) return each(x, out, n, [](double x) { return x * x * (x * x); });
    if (exponent == -2) return each(x, out, n, [](double x) { return 1 / x * (1 / x); });
    return false;
}

template <typename T>
bool are_small_powers(char **args, const npy_intp *dims, const npy_intp *steps) {
    constexpr npy_intp size = sizeof(T);
    if (steps[1] != 0)
        return false;
    const T exponent = *(const T *)args[1];
    if (steps[0] == size && steps[2] == size)
        return small_powers((const T *)args[0], exponent, (T *)args[2], dims[0]);
    for (npy_intp i = 0; i < dims[0]; ++i)
        if (!small_powers((const T *)(args[0] + i * steps[0]), exponent,
                          (T *)(args[2] + i * steps[2]), 1))
            return false;
    return true;
}

/* What is to be made of the powers of sizes, for negative numbers. */
enum class Power { EVEN, ODD, UNKNOWN, NONE };

template <typename T>
Power kind_of_power(T exponent) {
    if (exponent != exponent)
        return Power::UNKNOWN;
    if (std::fabs(exponent) == std::numeric_limits<T>::infinity())
        return Power::EVEN;
    const T rest = std::fabs(std::fmod(exponent, T(2)));
    return rest == 0 ? Power::EVEN : rest == 1 ? Power::ODD : Power::NONE;
}

/* Sets sizes; returns whether a number has a sign. */
template <typename T>
CF_CLONES bool sizes_of(const T *x, T *sizes, npy_intp n) {
    decltype(bits_of(T(0))) bits = 0;
    for (npy_intp i = 0; i < n; ++i) {
        sizes[i] = std::fabs(x[i]);
        bits |= bits_of(x[i]);
    }
    return std::signbit(from_bits(bits));
}

/* Return whether some number has no power. */
template <typename T>
CF_CLONES bool set_signs(Power kind, const T *x, T *powers, npy_intp n) {
    using Bits = decltype(bits_of(T(0)));
    const Bits sign = bits_of(T(-0.0));
    const Bits infinite = bits_of(std::numeric_limits<T>::infinity());
    Bits none = 0;
    if (kind == Power::ODD)
        for (npy_intp i = 0; i < n; ++i)
            powers[i] = from_bits((bits_of(x[i]) & sign) | bits_of(powers[i]));
    if (kind >= Power::UNKNOWN)
        for (npy_intp i = 0; i < n; ++i) {
            /* Negative numbers; comparisons of floats would object to NaN. */
            const Bits those = 0 - (Bits)((bits_of(x[i]) ^ sign) - 1 < infinite - 1);
            none |= those;
            powers[i] = from_bits(those | bits_of(powers[i]));
        }
    return none != 0 && kind == Power::NONE;
}

/* By NumPy's loop, which the data point to. Powers of negative numbers take it a hundred
 * times as long as those of positive ones, so it gets sizes. */
template <typename T>
void power_loop(char **args, const npy_intp *dims, const npy_intp *steps, void *data) {
    if (are_small_powers<T>(args, dims, steps))
        return;
    const UnaryLoop &numpy = *(const UnaryLoop *)data;
    T x[DOUBLES], y[DOUBLES], powers[DOUBLES];
    const bool one = steps[1] == 0;
    bool none = false;
    for (npy_intp i = 0; i < dims[0]; i += DOUBLES) {
        const npy_intp n = std::min(DOUBLES, dims[0] - i);
        gather_line(args[0] + i * steps[0], steps[0], x, n);
        if (i == 0 || !one)     /* NumPy is slower with one exponent. */
            gather_line(args[1] + i * steps[1], steps[1], y, n);
        char *out = args[2] + i * steps[2];
        T *to = steps[2] == sizeof(T) ? (T *)out : powers;
        const bool has_signs = sizes_of(x, to, n);
        numpy.run_with(to, y, sizeof(T), to, n, sizeof(T));
        for (npy_intp k = 0; has_signs && k < n; k += one ? n : 1)
            if (one || std::signbit(x[k]))
                none |= set_signs(kind_of_power(y[k]), x + k, to + k, one ? n : 1);
        for (npy_intp k = 0; to == powers && k < n; ++k)
            *(T *)(out + k * steps[2]) = powers[k];
    }
    if (none)
        feraiseexcept(FE_INVALID);
}

/* -- remainders */

/* The remainder is exact if the quotient is small; the others are counted. */
CF_CLONES uint64_t replace_by_remainders(double *x, const double *y, npy_intp n) {
    uint64_t others = 0;
    for (npy_intp i = 0; i < n; ++i) {
        using namespace in_double;
        const double q = fabs(x[i] / y[i]), whole = rounded(q);
        const double below = whole - choose(when(whole > q), 1, 0);
        others |= ~(when(q < 0x1p28) & when(fabs(y[i]) < ENDLESS));
        x[i] = std::copysign(fabs(x[i]) - below * fabs(y[i]), x[i]);
    }
    return others;
}

void float_remainders(char **args, const npy_intp *dims, const npy_intp *steps, void *) {
    double x[DOUBLES], y[DOUBLES];
    Flags flags;
    for (npy_intp i = 0; i < dims[0]; i += DOUBLES) {
        const npy_intp n = std::min(DOUBLES, dims[0] - i);
        widen<float>(args[0] + i * steps[0], steps[0], x, n);
        widen<float>(args[1] + i * steps[1], steps[1], y, n);
        if (replace_by_remainders(x, y, n)) {
            flags.begin();
            for (npy_intp k = 0; k < n; ++k)
                x[k] = std::fmod(*(const float *)(args[0] + (i + k) * steps[0]),
                                 *(const float *)(args[1] + (i + k) * steps[1]));
            flags.end();
        }
        narrow<float>(x, args[2] + i * steps[2], steps[2], n);
    }
    feclearexcept(FE_ALL_EXCEPT);
}

}  // namespace
}  // namespace chainer_fast
