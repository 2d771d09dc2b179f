/* Choice without jumps, which are slow when the condition changes often. */
#ifndef CF_CHOOSING_H
#define CF_CHOOSING_H

#include "chainer_fast/backends/kernels/common/loops.h"

#define CF_CHOOSING(S, T)                                                     \
    CF_CLONES static void cf_where_##S(const unsigned char *c, const T *x,    \
                                       const T *y, T *out, ptrdiff_t n) {     \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            const T a = x[i], b = y[i];                                       \
            out[i] = c[i] ? a : b;                                            \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_where_x_##S(const unsigned char *c, const T *x,  \
                                         T b, T *out, ptrdiff_t n) {          \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            const T a = x[i];                                                 \
            out[i] = c[i] ? a : b;                                            \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_where_y_##S(const unsigned char *c, T a,         \
                                         const T *y, T *out, ptrdiff_t n) {   \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            const T b = y[i];                                                 \
            out[i] = c[i] ? a : b;                                            \
        }                                                                     \
    }

CF_CHOOSING(f, float)
CF_CHOOSING(d, double)

#endif
