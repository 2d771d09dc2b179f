/* Loops over halves, and over the bits of numbers. */
#ifndef CHAINER_FAST_HALF_LOOPS_HPP
#define CHAINER_FAST_HALF_LOOPS_HPP

#include "chainer_fast/_cpu/half.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {
namespace {

/* -- conversions, by instructions of the processor if available. They raise the same
 * flags as the portable loops. */

inline void floats_from_halves_portably(const uint16_t *x, float *y, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        y[i] = float_from_half(x[i]);
}

inline void halves_from_floats_portably(const float *x, uint16_t *y, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        y[i] = half_from_rounded(rounded_to_half(x[i]));
}

/* The elements after the last whole vector, which `convert` reads from a copy. */
template <ptrdiff_t LANES, typename From, typename To, typename Convert>
CF_ELEMENT void convert_rest(const From *x, To *y, ptrdiff_t n, const Convert &convert) {
    From from[LANES] = {};
    To to[LANES];
    if (n == 0)
        return;
    memcpy(from, x, n * sizeof(From));
    convert(from, to);
    memcpy(y, to, n * sizeof(To));
}

#if defined(CF_X86_VECTORS)
#define CF_F16C __attribute__((target("avx,f16c")))

CF_F16C inline void floats_from_eight(const uint16_t *x, float *y) {
    _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)x)));
}

CF_F16C inline void halves_from_eight(const float *x, uint16_t *y) {
    _mm_storeu_si128((__m128i *)y, _mm256_cvtps_ph(_mm256_loadu_ps(x), 0));
}

CF_F16C inline void floats_by_f16c(const uint16_t *x, float *y, ptrdiff_t n) {
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        floats_from_eight(x + i, y + i);
    convert_rest<8>(x + i, y + i, n - i, floats_from_eight);
}

CF_F16C inline void halves_by_f16c(const float *x, uint16_t *y, ptrdiff_t n) {
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        halves_from_eight(x + i, y + i);
    convert_rest<8>(x + i, y + i, n - i, halves_from_eight);
}
#endif

#if defined(CF_NEON)
inline void floats_from_four(const uint16_t *x, float *y) {
    vst1q_f32(y, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x))));
}

inline void halves_from_four(const float *x, uint16_t *y) {
    vst1_u16(y, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(x))));
}
#endif

inline void floats_from_halves(const uint16_t *x, float *y, ptrdiff_t n) {
#if defined(CF_X86_VECTORS)
    if (has_avx2())     /* all processors with it have F16C */
        return floats_by_f16c(x, y, n);
#elif defined(CF_NEON)
    if (has_neon()) {
        ptrdiff_t i = 0;
        for (; i + 4 <= n; i += 4)
            floats_from_four(x + i, y + i);
        return convert_rest<4>(x + i, y + i, n - i, floats_from_four);
    }
#endif
    floats_from_halves_portably(x, y, n);
}

inline void halves_from_floats(const float *x, uint16_t *y, ptrdiff_t n) {
#if defined(CF_X86_VECTORS)
    if (has_avx2())
        return halves_by_f16c(x, y, n);
#elif defined(CF_NEON)
    if (has_neon()) {
        ptrdiff_t i = 0;
        for (; i + 4 <= n; i += 4)
            halves_from_four(x + i, y + i);
        return convert_rest<4>(x + i, y + i, n - i, halves_from_four);
    }
#endif
    halves_from_floats_portably(x, y, n);
}

/* Conversion of whole arrays, by several threads if that is faster: an element
 * takes 0.05 to 0.1 nanoseconds. */
inline void all_floats_from_halves(const uint16_t *x, float *y, ptrdiff_t n) {
    parallel(n, 2 * GRAIN, [=](ptrdiff_t begin, ptrdiff_t end) {
        floats_from_halves(x + begin, y + begin, end - begin);
    });
}

inline void all_halves_from_floats(const float *x, uint16_t *y, ptrdiff_t n) {
    parallel(n, 2 * GRAIN, [=](ptrdiff_t begin, ptrdiff_t end) {
        halves_from_floats(x + begin, y + begin, end - begin);
    });
}

/* Doubles as floats that round to the same halves: rounded towards zero, and to an odd
 * number if that is not exact. */
CF_CLONES void odd_floats(const double *x, float *y, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const float near = (float)x[i];
        /* Bits of numbers of one sign are ordered as their magnitudes are. */
        const uint64_t rounded = bits_of((double)near), exact = bits_of(x[i]);
        const uint32_t away = rounded > exact, inexact = rounded != exact;
        y[i] = from_bits((bits_of(near) - away) | inexact);
    }
}

inline void halves_from_doubles(const double *x, uint16_t *y, ptrdiff_t n) {
    parallel(n, GRAIN, [=](ptrdiff_t begin, ptrdiff_t end) {
        float some[256];
        for (ptrdiff_t i = begin; i < end; i += 256) {
            const ptrdiff_t m = end - i < 256 ? end - i : 256;
            odd_floats(x + i, some, m);
            halves_from_floats(some, y + i, m);
        }
    });
}

/* Number of elements that are converted at a time for a loop over floats, so that they
 * are still in the cache when it reads them. */
constexpr ptrdiff_t HALVES_AT_ONCE = 1024;

/* target += source */
inline void add_halves(uint16_t *target, const uint16_t *source, ptrdiff_t n) {
    float a[HALVES_AT_ONCE], b[HALVES_AT_ONCE];
    for (ptrdiff_t i = 0; i < n; i += HALVES_AT_ONCE) {
        const ptrdiff_t m = n - i < HALVES_AT_ONCE ? n - i : HALVES_AT_ONCE;
        floats_from_halves(target + i, a, m);
        floats_from_halves(source + i, b, m);
        add_times(b, 1.0f, a, m);
        halves_from_floats(a, target + i, m);
    }
}

/* The sum of the squares of halves. Floats would lose precision for many large ones. */
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
