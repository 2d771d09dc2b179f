/* Half precision in the integer arithmetic that every compiler can vectorize.
 *
 * NumPy computes each operation on float16 in float and rounds the result, so the loops
 * do: numbers are floats between operations, and cf_round_half follows each of them.
 */
#ifndef CF_HALF_H
#define CF_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define CF_INLINE static inline __attribute__((always_inline))
#else
#define CF_INLINE static __inline
#endif

#define CF_HALF_MAX 65504.0
/* Bits of floats: the exponents of infinity, 2^16 and 2^-14, and the float 0.5. */
#define CF_INFINITE 0x7f800000u
#define CF_BEYOND_HALF 0x47800000u
#define CF_NORMAL_HALF 0x38800000u
#define CF_ONE_HALF 0x3f000000u

/* One or the other without a branch, which would keep a loop from being vectorized. */
CF_INLINE uint32_t cf_pick(uint32_t condition, uint32_t yes, uint32_t no) {
    return no ^ ((yes ^ no) & (0u - condition));
}

CF_INLINE uint32_t cf_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

CF_INLINE float cf_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

CF_INLINE float cf_from_half(uint16_t half) {
    uint32_t magnitude = half & 0x7fffu;
    uint32_t shifted = magnitude << 13;
    /* The exponent is 112 larger in a float, and once more for infinities and NaN. */
    uint32_t bits = shifted + cf_pick(magnitude < 0x7c00u, 112u << 23, 224u << 23);
    uint32_t subnormal = cf_bits((float)(int32_t)magnitude * (1.0f / 16777216.0f));
    bits = cf_pick(magnitude < 0x400u, subnormal, bits);
    return cf_from_bits(bits | (uint32_t)(half & 0x8000u) << 16);
}

/* Bits of |x| rounded to half precision, to even in the middle; overflow is noted. */
CF_INLINE uint32_t cf_rounded_bits(uint32_t magnitude, uint32_t *overflow) {
    uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u)) & ~0x1fffu;
    /* The floats of [0.5, 1) are as far apart as subnormal halves are. */
    uint32_t subnormal = cf_bits((cf_from_bits(magnitude) + 0.5f) - 0.5f);
    uint32_t too_large = normal >= CF_BEYOND_HALF;
    uint32_t finite = magnitude < CF_INFINITE;
    *overflow |= too_large & finite;
    normal = cf_pick(too_large, CF_INFINITE, normal);
    normal = cf_pick(magnitude < CF_NORMAL_HALF, subnormal, normal);
    return cf_pick(magnitude > CF_INFINITE, magnitude | 0x400000u, normal);
}

CF_INLINE float cf_round_half(float x, uint32_t *overflow) {
    uint32_t bits = cf_bits(x), sign = bits & 0x80000000u;
    return cf_from_bits(cf_rounded_bits(bits ^ sign, overflow) | sign);
}

CF_INLINE uint16_t cf_to_half(float x, uint32_t *overflow) {
    uint32_t bits = cf_bits(x), sign = bits & 0x80000000u;
    uint32_t rounded = cf_rounded_bits(bits ^ sign, overflow);
    uint32_t normal = (rounded - (112u << 23)) >> 13;
    uint32_t subnormal = cf_bits(cf_from_bits(rounded) + 0.5f) - CF_ONE_HALF;
    uint32_t special = (rounded - (224u << 23)) >> 13;
    uint32_t half = cf_pick(rounded < CF_NORMAL_HALF, subnormal, normal);
    half = cf_pick(rounded >= CF_INFINITE, special, half);
    return (uint16_t)(half | sign >> 16);
}

/* A number that is rounded once, not by way of a float. */
static float cf_double_to_half(double x) {
    double scale = 1.0, size = fabs(x);
    if (!(size < 65536.0))
        return (float)x;
    /* A sum with 1.5 * 2^52 units is rounded to units: here 2^-24 or larger. */
    while (size < 65536.0 && scale * size >= 1.0 / 8192.0)
        scale *= 0.5;
    scale = 6755399441055744.0 / 16777216.0 / scale;
    return (float)(x < 0 ? -((size + scale) - scale) : (size + scale) - scale);
}

/* Raise the flag that a conversion to float16 raises in NumPy. */
static void cf_raise_overflow(uint32_t overflow) {
    volatile float largest = 3e38f;
    if (overflow)
        largest *= largest;
}

#endif
