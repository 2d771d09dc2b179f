/* Half precision in the arithmetic that every compiler can vectorize.
 *
 * NumPy computes each operation on float16 in float and rounds the result; so does Half.
 */
#ifndef CHAINER_FAST_HALF_HPP
#define CHAINER_FAST_HALF_HPP

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {

/* -- the bits of numbers */

CF_ELEMENT uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

CF_ELEMENT uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

CF_ELEMENT float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

CF_ELEMENT double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* One of two values without a branch, which would prevent vectorization of a loop. */
CF_ELEMENT uint32_t pick(uint32_t condition, uint32_t yes, uint32_t no) {
    return no ^ ((yes ^ no) & (0u - condition));
}

CF_ELEMENT double pick(uint32_t condition, double yes, double no) {
    uint64_t a = bits_of(yes), b = bits_of(no);
    return from_bits(b ^ ((a ^ b) & (0u - (uint64_t)condition)));
}

/* -- conversions */

/* Bits of floats: the exponents of infinity and 2^-14, and the float 0.5. */
constexpr uint32_t INFINITY_BITS = 0x7f800000u;
constexpr uint32_t NORMAL_HALF_BITS = 0x38800000u;
constexpr uint32_t ONE_HALF_BITS = 0x3f000000u;

CF_ELEMENT float float_from_half(uint16_t half) {
    uint32_t magnitude = half & 0x7fffu;
    uint32_t shifted = magnitude << 13;
    /* The exponent is 112 larger in a float, and once more for infinities and NaN. */
    uint32_t bits = shifted + pick(magnitude < 0x7c00u, 112u << 23, 224u << 23);
    uint32_t subnormal = bits_of((float)(int32_t)magnitude * 0x1p-24f);
    bits = pick(magnitude < 0x400u, subnormal, bits);
    return from_bits(bits | (uint32_t)(half & 0x8000u) << 16);
}

/* A float rounded to half precision, with ties to even. */
CF_ELEMENT float rounded_to_half(float x) {
    uint32_t sign = bits_of(x) & 0x80000000u, magnitude = bits_of(x) ^ sign;
    uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u)) & ~0x1fffu;
    /* The floats of [0.5, 1) are spaced like subnormal halves. */
    uint32_t subnormal = bits_of((from_bits(magnitude) + 0.5f) - 0.5f);
    /* A number too large for a half, 2^16, becomes too large for a float, so that
     * the processor returns infinity and raises the same flag as NumPy. */
    normal = bits_of(from_bits(normal) * 0x1p112f * 0x1p-112f);
    normal = pick(magnitude < NORMAL_HALF_BITS, subnormal, normal);
    normal = pick(magnitude > INFINITY_BITS, magnitude | 0x400000u, normal);
    return from_bits(normal | sign);
}

/* The half equal to a float that has been rounded to half precision. */
CF_ELEMENT uint16_t half_from_rounded(float x) {
    uint32_t sign = bits_of(x) & 0x80000000u, rounded = bits_of(x) ^ sign;
    uint32_t normal = (rounded - (112u << 23)) >> 13;
    uint32_t subnormal = bits_of(from_bits(rounded) + 0.5f) - ONE_HALF_BITS;
    uint32_t special = (rounded - (224u << 23)) >> 13;
    uint32_t half = pick(rounded < NORMAL_HALF_BITS, subnormal, normal);
    half = pick(rounded >= INFINITY_BITS, special, half);
    return (uint16_t)(half | sign >> 16);
}

/* A double rounded once, not via a float. */
inline float rounded_to_half(double x) {
    double scale = 1.0, size = fabs(x);
    if (!(size < 65536.0))
        return (float)x;
    /* A sum with 1.5 * 2^52 units is rounded to units: here 2^-24 or larger. */
    while (size < 65536.0 && scale * size >= 1.0 / 8192.0)
        scale *= 0.5;
    scale = 0x1.8p52 / 0x1p24 / scale;
    return (float)copysign((size + scale) - scale, x);
}

/* -- a number of half precision, held as a float and rounded after each operation */

class Half {
public:
    Half() = default;
    explicit CF_ELEMENT Half(float x) : value(rounded_to_half(x)) {}
    explicit CF_ELEMENT Half(double x) : value(rounded_to_half(x)) {}
    /* A number known to be a half is not rounded. */
    explicit CF_ELEMENT Half(int x) : value((float)x) {}
    static CF_ELEMENT Half exactly(float x) {
        Half half;
        half.value = x;
        return half;
    }
    explicit CF_ELEMENT operator float() const { return value; }

private:
    float value;
};

CF_ELEMENT Half operator+(Half a, Half b) { return Half((float)a + (float)b); }
CF_ELEMENT Half operator-(Half a, Half b) { return Half((float)a - (float)b); }
CF_ELEMENT Half operator*(Half a, Half b) { return Half((float)a * (float)b); }
CF_ELEMENT Half operator/(Half a, Half b) { return Half((float)a / (float)b); }
CF_ELEMENT Half sqrt(Half a) { return Half(std::sqrt((float)a)); }
CF_ELEMENT bool operator<(Half a, Half b) { return (float)a < (float)b; }
CF_ELEMENT bool operator>(Half a, Half b) { return (float)a > (float)b; }
CF_ELEMENT bool operator==(Half a, Half b) { return (float)a == (float)b; }

}  // namespace chainer_fast

#endif
