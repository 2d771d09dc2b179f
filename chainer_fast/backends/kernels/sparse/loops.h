/* Rows of matrices, added up and multiplied. */
#ifndef CF_SPARSE_H
#define CF_SPARSE_H

#include "chainer_fast/backends/kernels/common/loops.h"

#define CF_SPARSE_LANES 16

#define CF_SPARSE(S, T)                                                       \
    CF_CLONES static void cf_axpy_##S(T a, const T *x, T *y, ptrdiff_t n) {   \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            y[i] += a * x[i];                                                 \
    }                                                                         \
    CF_CLONES static T cf_dot_##S(const T *x, const T *y, ptrdiff_t n) {      \
        T part[CF_SPARSE_LANES] = {0}, sum = 0;                               \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i + CF_SPARSE_LANES <= n; i += CF_SPARSE_LANES)           \
            for (j = 0; j < CF_SPARSE_LANES; ++j)                             \
                part[j] += x[i + j] * y[i + j];                               \
        for (; i < n; ++i)                                                    \
            sum += x[i] * y[i];                                               \
        for (j = 0; j < CF_SPARSE_LANES; ++j)                                 \
            sum += part[j];                                                   \
        return sum;                                                           \
    }

CF_SPARSE(f, float)
CF_SPARSE(d, double)

#endif
