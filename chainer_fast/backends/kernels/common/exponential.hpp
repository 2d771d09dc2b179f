/* Exponentials of floats, and functions made of them, within one unit in the last
 * place.
 *
 * A loop over an array of any length computes each element by the same operations,
 * without a jump: the compiler vectorizes it (see CF_CLONES), and the bits depend
 * neither on the width of the vector nor on the place of the element. NaN gives NaN. No
 * error flag is raised but that of overflow, and those of underflow and inexact
 * results, which no warning reports: hence comparisons of bits as integers, since those
 * of floats raise a flag for NaN.
 *
 * The largest errors, over all floats: 0.90 units for exp, 0.98 for expm1, 0.93 for the
 * sigmoid, 0.92 for tanh, 0.93 for erf, and 0.94 for the logarithm of 1 + exp.
 *
 * Where a result may be left unused, compilers move its computation behind a jump, and
 * do not vectorize it: choose among bits then, as the exponential linear unit does. */
#pragma once

#include <stdint.h>

#include <cmath>

#include "chainer_fast/_cpu/half.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {
namespace one_ulp {

CF_ELEMENT int32_t bits_of(float x) { return (int32_t)chainer_fast::bits_of(x); }

CF_ELEMENT float from_bits(uint32_t bits) { return chainer_fast::from_bits(bits); }

/* a b + c, rounded once. */
CF_ELEMENT float fused(float a, float b, float c) {
#if defined(CF_FUSED)
    return std::fma(a, b, c);
#else
    /* The product is exact in double precision. So that the sum is not rounded twice, its
       last bit is set where it is not exact. */
    const double product = (double)a * b, sum = product + c, c_part = sum - product;
    const double rest = (product - (sum - c_part)) + (c - c_part);
    const uint64_t bits = chainer_fast::bits_of(sum);
    const int64_t outward = (int64_t)(bits ^ chainer_fast::bits_of(rest)) >= 0 ? 1 : -1;
    return (float)chainer_fast::from_bits(
        bits + (uint64_t)(((rest != 0) & !(bits & 1)) ? outward : 0));
#endif
}

CF_ELEMENT float polynomial(float, float constant) { return constant; }

/* With the coefficients from the constant one on. */
template <typename... Coefficients>
CF_ELEMENT float polynomial(float x, float constant, Coefficients... others) {
    return fused(polynomial(x, others...), x, constant);
}

/* `a` if that is so, or else `b`. For aarch64, g++ would compute what may be left unused
 * behind a jump; it has an instruction for a choice among bits. */
CF_ELEMENT float choose(bool first, float a, float b) {
#if defined(__aarch64__)
    const uint32_t mask = -(uint32_t)first;
    return from_bits(((uint32_t)bits_of(a) & mask) | ((uint32_t)bits_of(b) & ~mask));
#else
    return first ? a : b;
#endif
}

constexpr uint32_t SIGN = 0x80000000, INFINITE = 0x7f800000;

CF_ELEMENT bool is_nan(int32_t bits) { return (bits & ~SIGN) > INFINITE; }

/* An exponential is 2^n (1 + high + low), where n are the last bits of `n`. */
struct Split {
    uint32_t n;
    float high, low;
};

/* Of a number from -127 to 127. */
CF_ELEMENT Split split(float x) {
    /* Adding it leaves an integer in the last bits, and 1.5 2^23 in the others. */
    const float shift = 12582912.0f;
    const float shifted = fused(x, 1.442695041f, shift);
    const float n = shifted - shift;
    /* log 2 in two parts, so that the product by the first is exact. */
    const float high = fused(n, -0.693115234375f, x);
    const float below = n * 3.1946183e-05f;
    const float r = high - below;
    /* exp(r) - 1 - r is r^2 p(r), with an error of 3e-9. */
    const float p = polynomial(r, 0.5f, 0.166665196f, 0.0416663885f, 0.00836875848f,
        0.001394202f);
    return {(uint32_t)bits_of(shifted), high, fused(r * r, p, -below)};
}

/* x 2^(n + bias), for a normal number x whose result is one, too. */
CF_ELEMENT float scaled(float x, uint32_t n, uint32_t bias) {
    return from_bits((uint32_t)bits_of(x) + ((n + bias) << 23));
}

/* 2^(n + bias) */
CF_ELEMENT float power(uint32_t n, uint32_t bias) { return from_bits((n + bias + 127) << 23); }

/* The number with these bits, but -`least` for what is less; NaN becomes any number. */
CF_ELEMENT float at_least_minus(float least, int32_t bits) {
    const uint32_t limit = (uint32_t)bits_of(-least), u = (uint32_t)bits;
    return from_bits(u < limit ? u : limit);
}

/* Its largest finite value stands in for what is more. */
CF_ELEMENT int32_t at_most(float most, int32_t bits) {
    const int32_t limit = bits_of(most);
    return bits < limit ? bits : limit;
}

CF_ELEMENT float exp(float x) {
    const int32_t bits = bits_of(x);
    const bool finite = (bits & ~SIGN) < INFINITE;
    const Split e = split(at_least_minus(105, at_most(90, finite ? bits : 0)));
    /* The power of two in two factors, as it may not be a normal number. */
    const int32_t n = (int32_t)(e.n << 9) >> 9, half = n >> 1;
    const float y = (1.0f + (e.high + e.low)) * power(half, 0) * power(n - half, 0);
    const float limit = (uint32_t)bits == (INFINITE | SIGN) ? 0.0f : x;
    return choose(finite, y, limit);
}

/* -- of arguments that are not positive: the sign is not looked at */

/* -|x|, or -`least` for what is less. */
CF_ELEMENT float minus_size(float least, int32_t bits) {
    return at_least_minus(least, bits | SIGN);
}

CF_ELEMENT float exp_of_negative(float x) {
    const int32_t bits = bits_of(x);
    const Split e = split(minus_size(105, bits));
    const float y = scaled(1.0f + (e.high + e.low), e.n, 30) * 0x1p-30f;
    return choose(is_nan(bits), x, y);
}

CF_ELEMENT float expm1_of_negative(float x) {
    const int32_t bits = bits_of(x);
    const Split e = split(minus_size(18, bits));
    const float two_n = power(e.n, 0);
    const float y = fused(two_n, e.high + e.low, two_n - 1.0f);
    /* Minus zero stays what it is. */
    return choose(is_nan(bits) | ((uint32_t)bits == SIGN), x, y);
}

/* log(1 + exp(x)) = 2 atanh(q), where q = exp(x) / (2 + exp(x)) is from 0 to 1/3. */
CF_ELEMENT float log1p_exp_of_negative(float x) {
    const int32_t bits = bits_of(x);
    const Split e = split(minus_size(105, bits));
    /* Exponentials may be less than a normal number: they are 2^40 times as large. */
    const float less = 0x1p-40f;
    const float t = e.high + e.low, sum = 1.0f + t;
    const float large = scaled(sum, e.n, 40);
    const float rest = (t - (sum - 1.0f)) * power(e.n, 40);
    const float d = 2.0f + large * less;
    const float d_rest = large * less - (d - 2.0f) + rest * less;
    const float r = 1.0f / d, q = large * r;
    const float q_rest = fused(-q, d_rest, fused(-q, d, large) + rest) * r;
    const float z = (q * less) * (q * less);
    const float p = polynomial(z, 0.666666746f, 0.399988741f, 0.286169589f,
        0.214267552f, 0.243046269f);
    const float y = (2.0f * q + fused(z * q, p, 2.0f * q_rest)) * less;
    return choose(is_nan(bits), x, y);
}

/* -- of any argument */

/* 1 / (1 + exp(-x)), where the sum is one of two floats and the quotient is corrected. */
CF_ELEMENT float sigmoid(float x) {
    const int32_t bits = bits_of(x);
    const Split e = split(at_least_minus(30, at_most(105, bits ^ SIGN)));
    const float t = e.high + e.low;
    /* The sum is 2^64 times as small, lest it overflow. */
    const float one = 0x1p-64f, two_n = power(e.n, -64);
    const float whole = one + two_n, whole_rest = one - (whole - two_n);
    const float d = fused(two_n, t, whole);
    const float d_rest = fused(two_n, t, whole - d) + whole_rest;
    const float q = 1.0f / d;
    const float left = fused(-q, d_rest, fused(-q, d, 1.0f));
    const float y = fused(left, q, q) * one;
    return choose(is_nan(bits), x, y);
}

/* For a = |x|, it is -m / (2 + m) where m = exp(-2 a) - 1 is a sum of two floats. */
CF_ELEMENT float tanh(float x) {
    const int32_t bits = bits_of(x);
    const Split e = split(-2.0f * from_bits(at_most(9.5f, bits & ~SIGN)));
    const float t = e.high + e.low, t_rest = e.low - (t - e.high);
    const float two_n = power(e.n, 0);
    const float whole = two_n - 1.0f, whole_rest = two_n - (whole + 1.0f);
    const float m = fused(two_n, t, whole);
    const float m_rest = fused(two_n, t_rest, fused(two_n, t, whole - m) + whole_rest);
    const float d = 2.0f + m, d_rest = m - (d - 2.0f) + m_rest;
    const float r = 1.0f / d, q = m * r;
    const float left = fused(-q, d_rest, fused(-q, d, m) + m_rest);
    const float y = fused(left, r, q);
    const float with_sign = from_bits((bits_of(y) & ~SIGN) | (bits & SIGN));
    return choose(is_nan(bits), x, with_sign);
}

/* By a polynomial, or of large numbers by that of -log(1 - erf(x)). */
CF_ELEMENT float erf(float x) {
    const int32_t bits = bits_of(x);
    const float a = from_bits(at_most(4, bits & ~SIGN)), z = a * a;
    const float p = polynomial(z, 0.128379167f, -0.376126384f, 0.112837814f,
        -0.0268653598f, 0.00522081172f, -0.000848060328f, 0.000112388961f,
        -9.5847555e-06f);
    const float q = fused(a, polynomial(a, 0.128524644f, 0.635807258f, 0.104749446f,
        -0.0218774108f, 0.00218161924f, 0.000390170484f, -0.000206019685f, 3.95239398e-05f,
        -3.88580849e-06f, 1.612919e-07f), a);
    const float y = choose(a < 0.9f, fused(a, p, a), -expm1_of_negative(-q));
    const float with_sign = from_bits((bits_of(y) & ~SIGN) | (bits & SIGN));
    return choose(is_nan(bits), x, with_sign);
}

}  // namespace one_ulp
}  // namespace chainer_fast
