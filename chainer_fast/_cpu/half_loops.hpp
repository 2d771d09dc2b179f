/* Loops over halves, and over the bits of numbers. */
#ifndef CHAINER_FAST_HALF_LOOPS_HPP
#define CHAINER_FAST_HALF_LOOPS_HPP

#include "chainer_fast/_cpu/half.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {
namespace {

/* -- conversions, by instructions of the processor if available. They raise the same
 * flags as the portable loops. */

#if defined(CF_X86_VECTORS)
#define CF_HALF_VECTORS __attribute__((target("avx2,fma,f16c")))
constexpr ptrdiff_t HALF_LANES = 8;

inline bool has_half_vectors() { return has_avx2(); }   /* which have F16C as well */

CF_HALF_VECTORS inline void floats_from_lanes(const uint16_t *x, float *y) {
    _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)x)));
}

CF_HALF_VECTORS inline void halves_from_lanes(const float *x, uint16_t *y) {
    _mm_storeu_si128((__m128i *)y, _mm256_cvtps_ph(_mm256_loadu_ps(x), 0));
}
#elif defined(CF_NEON)
#define CF_HALF_VECTORS
constexpr ptrdiff_t HALF_LANES = 4;

inline bool has_half_vectors() { return has_neon(); }

inline void floats_from_lanes(const uint16_t *x, float *y) {
    vst1q_f32(y, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x))));
}

inline void halves_from_lanes(const float *x, uint16_t *y) {
    vst1_u16(y, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(x))));
}
#endif

#if defined(CF_HALF_VECTORS)
template <auto convert, typename From, typename To>
CF_HALF_VECTORS void convert_lanes(const From *x, To *y, ptrdiff_t n) {
    From from[HALF_LANES] = {};
    To to[HALF_LANES];
    for (; n >= HALF_LANES; n -= HALF_LANES, x += HALF_LANES, y += HALF_LANES)
        convert(x, y);
    memcpy(from, x, n * sizeof(From));
    convert(from, to);
    memcpy(y, to, n * sizeof(To));
}

/* The results of f, a function of two floats, for two arrays of halves. They stay in
 * registers: to write floats to tiles and read them again took half the time. */
template <typename F>
CF_HALF_VECTORS void fill_halves(const uint16_t *a, const uint16_t *b, uint16_t *out,
                                 ptrdiff_t n, const F &f) {
    constexpr ptrdiff_t LANES = 16;
    for (ptrdiff_t i = 0; i < n; i += LANES) {
        uint16_t last[3][LANES];
        const ptrdiff_t m = n - i;
        for (ptrdiff_t k = 0; m < LANES && k < LANES; ++k) {
            last[0][k] = a[k < m ? i + k : i];      /* which raises no other flag */
            last[1][k] = b[k < m ? i + k : i];
        }
        const uint16_t *first = m < LANES ? last[0] : a + i;
        const uint16_t *second = m < LANES ? last[1] : b + i;
        uint16_t *to = m < LANES ? last[2] : out + i;
        float x[LANES], y[LANES];
        for (ptrdiff_t k = 0; k < LANES; k += HALF_LANES) {
            floats_from_lanes(first + k, x + k);
            floats_from_lanes(second + k, y + k);
        }
        for (ptrdiff_t k = 0; k < LANES; ++k)
            x[k] = f(x[k], y[k]);
        for (ptrdiff_t k = 0; k < LANES; k += HALF_LANES)
            halves_from_lanes(x + k, to + k);
        if (m < LANES)
            memcpy(out + i, to, m * sizeof(uint16_t));
    }
}
#endif

inline void floats_from_halves(const uint16_t *x, float *y, ptrdiff_t n) {
#if defined(CF_HALF_VECTORS)
    if (has_half_vectors())
        return convert_lanes<floats_from_lanes>(x, y, n);
#endif
    for (ptrdiff_t i = 0; i < n; ++i)
        y[i] = float_from_half(x[i]);
}

inline void halves_from_floats(const float *x, uint16_t *y, ptrdiff_t n) {
#if defined(CF_HALF_VECTORS)
    if (has_half_vectors())
        return convert_lanes<halves_from_lanes>(x, y, n);
#endif
    for (ptrdiff_t i = 0; i < n; ++i)
        y[i] = half_from_rounded(rounded_to_half(x[i]));
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
#if defined(CF_HALF_VECTORS)
    if (has_half_vectors())
        return fill_halves(target, source, target, n, [](float x, float y)
            __attribute__((always_inline)) { return x + y; });
#endif
    for (ptrdiff_t i = 0; i < n; ++i)
        target[i] = half_from_rounded(
            rounded_to_half(float_from_half(target[i]) + float_from_half(source[i])));
}

template <typename T>
void add_all(T *target, const T *source, ptrdiff_t n) {
    parallel(n, GRAIN, [=](ptrdiff_t i, ptrdiff_t end) {
        if constexpr (sizeof(T) == sizeof(uint16_t))
            add_halves(target + i, source + i, end - i);
        else
            add_times(source + i, T(1), target + i, end - i);
    });
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
