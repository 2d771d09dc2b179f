/* Loops of normalization, for floats and for doubles. */
#ifndef CF_NORMALIZATION_H
#define CF_NORMALIZATION_H

#include <math.h>
#include <stddef.h>

#include "loops.h"

#if defined(__GNUC__)
#define CF_INLINE static inline __attribute__((always_inline))
#else
#define CF_INLINE static inline
#endif

/* Running totals of a sum; and the longest row of columns that is worked on at once. */
#define CF_LANES 16
#define CF_COLUMNS 1024
/* Shorter runs of elements of one channel are treated as columns. */
#define CF_SHORT 32
/* Rows whose gradients are added in their own type before they go to a double. */
#define CF_FEW_ROWS 16
/* Positions of a strip of local response normalization. */
#define CF_STRIP 128

#define T float
#define N(name) cf_##name##_f
#define SQRT(x) sqrtf(x)
#include "normalization_loops.h"
#undef T
#undef N
#undef SQRT

#define T double
#define N(name) cf_##name##_d
#define SQRT(x) sqrt(x)
#include "normalization_loops.h"
#undef T
#undef N
#undef SQRT

#endif
