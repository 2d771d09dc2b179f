/* Loops of normalization, for floats and for doubles. */
#ifndef CF_NORMALIZATION_H
#define CF_NORMALIZATION_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "chainer_fast/backends/kernels/common/loops.h"

#if defined(__GNUC__)
#define CF_INLINE static inline __attribute__((always_inline))
#else
#define CF_INLINE static inline
#endif

/* Several numbers at once: vectors of the compiler, or else one number. The compiler
 * would not make vectors of sums by itself, whose order it must keep. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic ignored "-Wpsabi"
#define CF_WIDTH 8
typedef double cf_wide __attribute__((vector_size(8 * sizeof(double))));
typedef float cf_some_f __attribute__((vector_size(8 * sizeof(float))));
typedef cf_wide cf_some_d;
#define CF_WIDEN(v) __builtin_convertvector(v, cf_wide)
#else
#define CF_WIDTH 1
typedef double cf_wide;
typedef float cf_some_f;
typedef double cf_some_d;
#define CF_WIDEN(v) ((double)(v))
#endif

/* Two sums: what vectors have added up, and the rest. */
typedef struct {
    cf_wide a[2], b[2];
    double rest_a, rest_b;
} cf_sums;

CF_INLINE void cf_start(cf_sums *s) { memset(s, 0, sizeof *s); }

CF_INLINE double cf_total(const cf_wide *v, double rest) {
    double each[2 * CF_WIDTH];
    int i;
    memcpy(each, v, sizeof each);
    for (i = 0; i < 2 * CF_WIDTH; ++i)
        rest += each[i];
    return rest;
}

/* The longest row of columns that is worked on at once. */
#define CF_COLUMNS 1024
/* Shorter runs of elements of one channel are treated as columns. */
#define CF_SHORT 32
/* Elements of the runs that are worked on at once. */
#define CF_RUNS 4096
/* Rows whose gradients are added in their own type before they go to a double. */
#define CF_FEW_ROWS 16
/* Positions of a strip of local response normalization. */
#define CF_STRIP 128

#define T float
#define N(name) cf_##name##_f
#define SOME cf_some_f
#define SQRT(x) sqrtf(x)
#include "chainer_fast/backends/kernels/normalization/loops.h"
#undef T
#undef N
#undef SQRT
#undef SOME

#define T double
#define N(name) cf_##name##_d
#define SOME cf_some_d
#define SQRT(x) sqrt(x)
#include "chainer_fast/backends/kernels/normalization/loops.h"
#undef T
#undef N
#undef SQRT
#undef SOME

#endif
