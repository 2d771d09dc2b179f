/* Products of vectors, vectorized: sums are kept in lanes. */
#ifndef CF_CANDIDATES_H
#define CF_CANDIDATES_H

#include "chainer_fast/backends/kernels/common/loops.h"

#define CF_CANDIDATES(S, T)                                                   \
    CF_CLONES static T cf_dot_##S(const T *a, const T *b, ptrdiff_t n) {      \
        T lanes[16] = {0};                                                    \
        T total = 0;                                                          \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i + 16 <= n; i += 16)                                     \
            for (j = 0; j < 16; ++j)                                          \
                lanes[j] += a[i + j] * b[i + j];                              \
        for (; i < n; ++i)                                                    \
            total += a[i] * b[i];                                             \
        for (j = 8; j > 0; j /= 2)                                            \
            for (i = 0; i < j; ++i)                                           \
                lanes[i] += lanes[i + j];                                     \
        return total + lanes[0];                                              \
    }                                                                         \
    CF_CLONES static int cf_add_times_##S(const T *a, T c, T *out, ptrdiff_t n) { \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            out[i] += c * a[i];                                               \
        return 0;                                                             \
    }

CF_CANDIDATES(f, float)
CF_CANDIDATES(d, double)

#endif
