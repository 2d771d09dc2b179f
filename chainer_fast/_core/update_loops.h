/* Update rules, and hooks that change gradients, in one pass over memory.
 *
 * A loop gets the parameter, its gradient and the states of the rule, n elements each,
 * and its coefficients. update_formulas.h has the formulas, once for all types: it is
 * included for float16, which is computed in float and rounded after each operation as
 * NumPy does it, for float and for double.
 */
#ifndef CF_UPDATE_LOOPS_H
#define CF_UPDATE_LOOPS_H

#include <fenv.h>

#include "chainer_fast/_core/half.h"
#include "chainer_fast/backends/kernels/common/loops.h"
#include "chainer_fast/_core/update_small.h"

#define CF_COEFFICIENTS 9

typedef void (*cf_update_loop)(void **, ptrdiff_t, const double *);

/* The same element of all arrays may be in one place, but not of two arrays. */
#if defined(__clang__)
#define CF_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CF_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define CF_INDEPENDENT __pragma(loop(ivdep))
#else
#define CF_INDEPENDENT
#endif

/* Long arrays do not fit in the cache. Their memory is asked for ahead of its use, a few
   lines of all arrays at a time: the processor's own prefetching does not keep up with
   as many arrays. */
#define CF_LONG 65536
#define CF_BLOCK 64
#define CF_AHEAD 1024
#if defined(__GNUC__)
#define CF_PREFETCH(address) __builtin_prefetch((address), 1)
#else
#define CF_PREFETCH(address) ((void)0)
#endif

/* A loop over the elements, given the name of the function for one element. In rules
   whose first one or two states decay, blocks with small numbers have a loop and a
   function of their own. */
#define CF_UPDATE(name, states) CF_UPDATE_BUT(name, states, name, 0)
#define CF_DECAYING_UPDATE(name, states)                                      \
    CF_UPDATE(name##_small, states)                                           \
    CF_UPDATE_BUT(name, states, name##_small, states)
#define CF_UPDATE_BUT(name, states, small, decaying)                          \
    CF_CLONES static void CF_NAME(name)(                                      \
            void **a, ptrdiff_t n, const double *given) {                     \
        T *const p = (T *)a[0], *const g = (T *)a[1];                         \
        T *const s = (T *)a[2], *const s2 = (T *)a[3], *const s3 = (T *)a[4]; \
        A c[CF_COEFFICIENTS], w[CF_COEFFICIENTS];                             \
        uint32_t overflow = 0;                                                \
        ptrdiff_t i, k, last;                                                 \
        for (k = 0; k < CF_COEFFICIENTS; ++k) {                               \
            c[k] = CF_NARROW(given[k]);                                       \
            w[k] = (A)given[k];                                               \
        }                                                                     \
        last = n < CF_LONG ? -1 : n - CF_AHEAD - CF_BLOCK;                    \
        for (i = 0; n - i >= CF_BLOCK; i += CF_BLOCK) {                       \
            for (k = i + CF_AHEAD; i <= last && k < i + CF_AHEAD + CF_BLOCK;  \
                 k += 64 / (ptrdiff_t)sizeof(T)) {                            \
                CF_PREFETCH(p + k);                                           \
                CF_PREFETCH(g + k);                                           \
                if (states > 0)                                               \
                    CF_PREFETCH(s + k);                                       \
                if (states > 1)                                               \
                    CF_PREFETCH(s2 + k);                                      \
                if (states > 2)                                               \
                    CF_PREFETCH(s3 + k);                                      \
            }                                                                 \
            if ((decaying > 0 && CF_ANY_SMALL(s + i))                         \
                    || (decaying > 1 && CF_ANY_SMALL(s2 + i))) {              \
                void *block[5] = {p + i, g + i, s + i, s2 + i, s3 + i};       \
                CF_NAME(small)(block, CF_BLOCK, given);                       \
                continue;                                                     \
            }                                                                 \
            CF_INDEPENDENT                                                    \
            for (k = i; k < i + CF_BLOCK; ++k)                                \
                CF_NAME(name##_step)(c, w, p, g, s, s2, s3, k, &overflow);    \
        }                                                                     \
        CF_INDEPENDENT                                                        \
        for (k = i; k < n; ++k)                                               \
            CF_NAME(name##_step)(c, w, p, g, s, s2, s3, k, &overflow);        \
        cf_raise_overflow(overflow);                                          \
    }

/* The function for one element. In it, R rounds as an operation in the type of the
   arrays does, C(i) and W(i) are coefficients in that type and in the wider one. */
#define CF_STEP(name)                                                         \
    CF_INLINE void CF_NAME(name##_step)(                                      \
        const A *c, const A *w, T *p, T *g, T *s, T *s2, T *s3, ptrdiff_t k,  \
        uint32_t *overflow)
#define CF_UNUSED ((void)c, (void)w, (void)p, (void)g, (void)s, (void)s2,     \
                   (void)s3, (void)overflow)
#define C(i) (c[i])
#define W(i) (w[i])

#define CF_JOIN_(name, suffix) cf_##name##_##suffix
#define CF_JOIN(name, suffix) CF_JOIN_(name, suffix)
#define CF_NAME(name) CF_JOIN(name, CF_SUFFIX)

/* The number, or zero for NaN. Compilers see through a floating-point comparison that
   does this, and then compare NaN. */
CF_INLINE float cf_number_f(float x) {
    uint32_t bits = cf_bits(x);
    return cf_from_bits(cf_pick((bits & 0x7fffffffu) <= CF_INFINITE, bits, 0));
}

CF_INLINE double cf_number_d(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0u - (uint64_t)((bits & 0x7fffffffffffffffull) <= 0x7ff0000000000000ull);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Only in float are small numbers slow: halves are computed as floats, where they are
   normal, and doubles do not get there within any usual training. */
#define CF_ANY_SMALL(x) 0
#define CF_SHRINK(x, c, less, bits) (*(bits) = 0)
#define CF_REPLACE(x, condition, value) ((void)(condition), (void)(value), (x))

#define T uint16_t
#define A float
#define NUMBER(x) cf_number_f(x)
#define CF_SUFFIX h
#define CF_NARROW(x) cf_double_to_half(x)
#define GET(x) cf_from_half(x)
#define PUT(x, value) ((x) = cf_to_half((value), overflow))
#define R(x) cf_round_half((x), overflow)
#define ROOT(x) sqrtf(x)
#include "chainer_fast/_core/update_formulas.h"
#undef T
#undef A
#undef CF_SUFFIX
#undef CF_NARROW
#undef GET
#undef PUT
#undef R
#undef ROOT
#undef NUMBER

#define CF_NARROW(x) ((A)(x))
#define GET(x) (x)
#define PUT(x, value) ((x) = (value))
#define R(x) (x)

#define T double
#define A double
#define CF_SUFFIX d
#define ROOT(x) sqrt(x)
#define NUMBER(x) cf_number_d(x)
#include "chainer_fast/_core/update_formulas.h"
#undef T
#undef A
#undef CF_SUFFIX
#undef ROOT
#undef NUMBER

#undef CF_ANY_SMALL
#undef CF_SHRINK
#undef CF_REPLACE
#define CF_ANY_SMALL(x) cf_any_small((x), CF_BLOCK)
#define CF_SHRINK(x, c, less, bits) cf_shrunk((x), (c), (less), (bits))
#define CF_REPLACE(x, condition, value) \
    cf_from_bits(cf_pick((condition), (value), cf_bits(x)))

#define T float
#define A float
#define CF_SUFFIX f
#define ROOT(x) sqrtf(x)
#define NUMBER(x) cf_number_f(x)
#include "chainer_fast/_core/update_formulas.h"
#undef CF_ANY_SMALL
#undef CF_SHRINK
#undef CF_REPLACE
#undef T
#undef A
#undef CF_SUFFIX
#undef ROOT
#undef NUMBER

#undef CF_NARROW
#undef GET
#undef PUT
#undef R
#undef C
#undef W

#define CF_LOOPS_OF(name)                                                     \
    static const cf_update_loop cf_##name[3] = {                              \
        cf_##name##_h, cf_##name##_f, cf_##name##_d};

CF_LOOPS_OF(sgd)
CF_LOOPS_OF(momentum_sgd)
CF_LOOPS_OF(corrected_momentum_sgd)
CF_LOOPS_OF(nesterov_ag)
CF_LOOPS_OF(rmsprop)
CF_LOOPS_OF(rmsprop_inside)
CF_LOOPS_OF(rmsprop_graves)
CF_LOOPS_OF(ada_grad)
CF_LOOPS_OF(ada_delta)
CF_LOOPS_OF(smorms3)
CF_LOOPS_OF(msvag)
CF_LOOPS_OF(adam)
CF_LOOPS_OF(amsgrad)
CF_LOOPS_OF(adabound)
CF_LOOPS_OF(amsbound)
CF_LOOPS_OF(weight_decay)
CF_LOOPS_OF(lasso)
CF_LOOPS_OF(hard_clipping)
CF_LOOPS_OF(scale)
CF_LOOPS_OF(unscale)

/* A float32 gradient from a float16 one, and float16 from float32. */
CF_CLONES static void cf_widen(const uint16_t *x, float *y, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; ++i)
        y[i] = cf_from_half(x[i]);
}

CF_CLONES static void cf_narrow(const float *x, uint16_t *y, ptrdiff_t n) {
    uint32_t overflow = 0;
    ptrdiff_t i;
    for (i = 0; i < n; ++i)
        y[i] = cf_to_half(x[i], &overflow);
    cf_raise_overflow(overflow);
}

/* Whether all numbers are finite, by their exponents. */
#define CF_FINITE(name, T, exponent)                                          \
    CF_CLONES static int name(const void *array, ptrdiff_t n) {               \
        const T *x = (const T *)array;                                        \
        T found = 0;                                                          \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            found |= (T)((x[i] & (exponent)) == (exponent));                  \
        return !found;                                                        \
    }

CF_FINITE(cf_finite_h, uint16_t, 0x7c00u)
CF_FINITE(cf_finite_f, uint32_t, 0x7f800000u)
CF_FINITE(cf_finite_d, uint64_t, 0x7ff0000000000000ull)

#endif
