/* Elementwise loops over contiguous floats and doubles.
 *
 * Each follows the arithmetic of the NumPy expression beside it, operation by operation,
 * so that both give the same bits (the build forbids fused multiply-add). The compiler
 * makes a version for each width of vector that the processor may have.
 */
#ifndef CF_LOOPS_H
#define CF_LOOPS_H

#include <stddef.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define CF_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CF_CLONES
#endif

#define CF_LOOP2(name, T, expression)                                         \
    CF_CLONES static void name(const T *a, const T *b, T *out, ptrdiff_t n) { \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            out[i] = (expression);                                            \
    }

#define CF_LOOP1(name, T, expression)                                         \
    CF_CLONES static void name(const T *a, T c, T *out, ptrdiff_t n) {        \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            out[i] = (expression);                                            \
        (void)c;                                                              \
    }

/* Gradients of a slope function of a and b, from that of its output c. */
#define CF_GRADS(name, T, by_a, by_b)                                         \
    CF_CLONES static int name(const T *a, const T *b, const T *c, T *ga,      \
                              T *gb, ptrdiff_t n) {                           \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            ga[i] = (by_a);                                                   \
            gb[i] = (by_b);                                                   \
        }                                                                     \
        return 0;                                                             \
    }

#define CF_LOOPS(S, T)                                                        \
    CF_LOOP2(cf_add_##S, T, a[i] + b[i])                                      \
    CF_LOOP2(cf_sub_##S, T, a[i] - b[i])                                      \
    CF_LOOP2(cf_mul_##S, T, a[i] * b[i])                                      \
    CF_LOOP2(cf_div_##S, T, a[i] / b[i])                                      \
    CF_LOOP2(cf_tanh_grad_##S, T, b[i] * ((T)1 - a[i] * a[i]))                \
    CF_LOOP2(cf_sigmoid_grad_##S, T, b[i] * a[i] * ((T)1 - a[i]))             \
    CF_LOOP2(cf_relu_grad_##S, T, b[i] * (a[i] > (T)0 ? (T)1 : (T)0))         \
    CF_LOOP2(cf_sqrt_grad_##S, T, b[i] / (a[i] * (T)2))                       \
    CF_LOOP2(cf_square_grad_##S, T, (T)2 * a[i] * b[i])                       \
    CF_GRADS(cf_tanh_grad_grads_##S, T, a[i] * c[i] * b[i] * (T)-2,           \
             c[i] - a[i] * c[i] * a[i])                                       \
    CF_GRADS(cf_sigmoid_grad_grads_##S, T, c[i] * b[i] * ((T)1 - (T)2 * a[i]), \
             c[i] * (a[i] * ((T)1 - a[i])))                                   \
    /* by the divisor: a over b is the quotient, c the other gradient */      \
    CF_CLONES static void cf_div_grad_##S(                                    \
            const T *c, const T *a, const T *b, T *out, ptrdiff_t n) {        \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            out[i] = -c[i] * a[i] / b[i];                                     \
    }                                                                         \
    CF_LOOP1(cf_neg_##S, T, -a[i])                                            \
    CF_LOOP1(cf_addc_##S, T, a[i] + c)                                        \
    CF_LOOP1(cf_rsubc_##S, T, c - a[i])                                       \
    CF_LOOP1(cf_mulc_##S, T, a[i] * c)                                        \
    CF_LOOP1(cf_divc_##S, T, a[i] / c)                                        \
    CF_LOOP1(cf_maxc_##S, T, (a[i] > c || a[i] != a[i]) ? a[i] : c)           \
    CF_LOOP1(cf_halves_##S, T, a[i] * c + c)                                  \
    /* out[j] += rows of a, from the first to the last */                     \
    CF_CLONES static void cf_add_rows_##S(                                    \
            const T *a, T *out, ptrdiff_t rows, ptrdiff_t columns) {          \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i)                                            \
            for (j = 0; j < columns; ++j)                                     \
                out[j] += a[i * columns + j];                                 \
    }                                                                         \
    /* each row of out += a */                                                \
    CF_CLONES static void cf_add_to_rows_##S(                                 \
            const T *a, T *out, ptrdiff_t rows, ptrdiff_t columns) {          \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i)                                            \
            for (j = 0; j < columns; ++j)                                     \
                out[i * columns + j] += a[j];                                 \
    }

/* Reductions of one row, in lanes so that they can be vectorized. */
#define CF_LANES 16
#define CF_ROWS(S, T)                                                         \
    /* the largest element; where one is NaN, the flag of invalid operations */ \
    CF_CLONES static T cf_row_max_##S(const T *x, ptrdiff_t n) {              \
        T lanes[CF_LANES];                                                    \
        T largest = x[0];                                                     \
        ptrdiff_t i, j;                                                       \
        for (j = 0; j < CF_LANES; ++j)                                        \
            lanes[j] = largest;                                               \
        for (i = 0; i + CF_LANES <= n; i += CF_LANES)                         \
            for (j = 0; j < CF_LANES; ++j)                                    \
                lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];         \
        for (j = 0; j < CF_LANES; ++j)                                        \
            largest = lanes[j] > largest ? lanes[j] : largest;                \
        for (; i < n; ++i)                                                    \
            largest = x[i] > largest ? x[i] : largest;                        \
        return largest;                                                       \
    }                                                                         \
    /* a block of a pairwise sum, as NumPy adds it up: eight running totals */ \
    CF_CLONES static T cf_block_sum_##S(const T *x, ptrdiff_t n) {            \
        T totals[8];                                                          \
        T total = 0;                                                          \
        ptrdiff_t i = 0, j;                                                   \
        if (n >= 8) {                                                         \
            for (j = 0; j < 8; ++j)                                           \
                totals[j] = x[j];                                             \
            for (i = 8; i + 8 <= n; i += 8)                                   \
                for (j = 0; j < 8; ++j)                                       \
                    totals[j] += x[i + j];                                    \
            total = ((totals[0] + totals[1]) + (totals[2] + totals[3]))       \
                + ((totals[4] + totals[5]) + (totals[6] + totals[7]));        \
        }                                                                     \
        for (; i < n; ++i)                                                    \
            total += x[i];                                                    \
        return total;                                                         \
    }                                                                         \
    /* the sum, long rows in halves */                                        \
    static T cf_row_sum_##S(const T *x, ptrdiff_t n) {                        \
        ptrdiff_t half = n / 2;                                               \
        if (n <= 128)                                                         \
            return cf_block_sum_##S(x, n);                                    \
        half -= half % 8;                                                     \
        return cf_row_sum_##S(x, half) + cf_row_sum_##S(x + half, n - half);  \
    }

CF_LOOPS(f, float)
CF_LOOPS(d, double)
CF_ROWS(f, float)
CF_ROWS(d, double)

#endif
