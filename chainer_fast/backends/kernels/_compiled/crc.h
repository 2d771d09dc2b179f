/* Sums of bytes as zip archives have them (CRC-32), by products without carries.
 *
 * Read from the lowest bit of its first byte on, a message is a polynomial over the
 * field of two elements, and its sum the remainder of a division by another of degree
 * 32. Bytes that stand n bits before others may be multiplied by x ** n modulo the
 * divisor and added to those: so 64 bytes at a time are folded onto the next 64, until
 * 16 are left whose remainder is that of all.
 */
#ifndef CF_CRC_H
#define CF_CRC_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

static int cf_can_fold(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse2");
}

#define CF_FOLDING __attribute__((target("pclmul,sse2")))

/* What takes the place of 16 bytes further on; the halves have factors of their own. */
CF_FOLDING static inline __m128i cf_moved(__m128i bytes, __m128i factors) {
    return _mm_xor_si128(
        _mm_clmulepi64_si128(bytes, factors, 0x00),
        _mm_clmulepi64_si128(bytes, factors, 0x11));
}

/* Fold a multiple of 64 bytes to 16. The first four are combined with ``start``;
 * ``far`` has the factors for 64 bytes, ``near`` those for 16. */
CF_FOLDING static void cf_fold(
        const unsigned char *data, ptrdiff_t n, uint32_t start, const uint64_t *far,
        const uint64_t *near, unsigned char *rest) {
    const __m128i *block = (const __m128i *)data, *end = block + n / 16;
    const __m128i by_64 = _mm_loadu_si128((const __m128i *)far);
    const __m128i by_16 = _mm_loadu_si128((const __m128i *)near);
    __m128i lane[4];
    int i;
    for (i = 0; i < 4; i++)
        lane[i] = _mm_loadu_si128(block + i);
    lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int)start));
    for (block += 4; block < end; block += 4)
        for (i = 0; i < 4; i++)
            lane[i] = _mm_xor_si128(
                cf_moved(lane[i], by_64), _mm_loadu_si128(block + i));
    for (i = 1; i < 4; i++)
        lane[i] = _mm_xor_si128(cf_moved(lane[i - 1], by_16), lane[i]);
    _mm_storeu_si128((__m128i *)rest, lane[3]);
}

#else

static int cf_can_fold(void) {
    return 0;
}

static void cf_fold(
        const unsigned char *data, ptrdiff_t n, uint32_t start, const uint64_t *far,
        const uint64_t *near, unsigned char *rest) {
}

#endif
#endif
