/* Means that have decayed below the normal numbers of float, without their slowness.
 *
 * Where the gradient of a weight is zero from some step on, as it is for a dead unit, its
 * running means decay until they are subnormal, and stay so for ever: rounding keeps the
 * last few units. Multiplication, division and roots of such numbers take a processor a
 * hundred times as long. Here the new mean has the very same bits, by integers and doubles,
 * and the caller uses a zero in its place, where that makes no difference.
 */
#ifndef CF_UPDATE_SMALL_H
#define CF_UPDATE_SMALL_H

#include "chainer_fast/_core/half.h"

/* What is smaller than 2^-112, other than zero, is looked at closely: its product with a
   coefficient down to 1e-4 may be subnormal. */
#define CF_SMALL_BITS 0x07800000u

/* Whether there is such a number among the first n. */
CF_INLINE int cf_any_small(const float *x, ptrdiff_t n) {
    uint32_t found = 0;
    ptrdiff_t k;
    for (k = 0; k < n; ++k)
        found |= (cf_bits(x[k]) << 1) - 1u < (CF_SMALL_BITS << 1) - 1u;
    return found != 0;
}

/* One or the other without a branch. */
CF_INLINE double cf_pick_double(uint32_t condition, double yes, double no) {
    uint64_t a, b;
    memcpy(&a, &yes, sizeof a);
    memcpy(&b, &no, sizeof b);
    b ^= (a ^ b) & (0u - (uint64_t)condition);
    memcpy(&no, &b, sizeof b);
    return no;
}

/* The bits of c * x, or of x - c * x if `less`, each operation rounded, where c is between
   0 and 1, c * x subnormal and the result not zero. Returns whether that is so. */
CF_INLINE uint32_t cf_shrunk(float x, float c, int less, uint32_t *bits) {
    uint32_t size = cf_bits(x) & 0x7fffffffu, sign = cf_bits(x) ^ size;
    uint32_t usable = cf_bits(c) <= 0x3f800000u; /* from zero to one */
    uint32_t subnormal, tiny, low, high;
    double units, product, left;
    size = cf_pick(size < CF_SMALL_BITS, size, 0);
    subnormal = size < 0x00800000u;
    /* In units of 2^-149, the smallest number. */
    units = cf_pick_double(
        subnormal, (double)(int32_t)size,
        (double)cf_from_bits(cf_pick(subnormal, 0x3f800000u, size)) * 0x1p149);
    product = units * (double)cf_from_bits(cf_pick(usable, cf_bits(c), 0));
    /* To the next integer, to even in the middle. */
    left = (product + 0x1.8p52) - 0x1.8p52;
    left = less ? units - left : left;
    tiny = left < 0x1p23;
    low = (uint32_t)(int32_t)cf_pick_double(tiny, left, 0.);
    high = cf_bits((float)(cf_pick_double(tiny, 0x1p23, left) * 0x1p-149));
    *bits = cf_pick(tiny, low, high) | sign;
    return usable & (uint32_t)(product < 0x1p23) & (uint32_t)(left > 0.);
}

#endif
