/* Softmax, its logarithm, and their gradients, along the middle axis of three.
 *
 * The work goes block by block, each small enough to stay in the first level of cache
 * between the passes over it. Sums along contiguous rows take the order of NumPy's, and
 * so give its bits: eight running totals, and long rows in halves.
 */
#ifndef CF_SOFTMAX_LOOPS_H
#define CF_SOFTMAX_LOOPS_H

#include "chainer_fast/backends/kernels/common/loops.h"
#include "chainer_fast/backends/kernels/common/unary.h"

#if defined(__GNUC__)
#define CF_INLINE static inline __attribute__((always_inline))
#else
#define CF_INLINE static inline
#endif

#define CF_BLOCK 4096
#define CF_STRIP 512

#define CF_SOFTMAX(S, T)                                                      \
    CF_INLINE T cf_largest_##S(const T *x, ptrdiff_t n) {                     \
        T best[16], one = x[0];                                               \
        ptrdiff_t i, j;                                                       \
        if (n >= 16) {                                                        \
            for (j = 0; j < 16; ++j)                                          \
                best[j] = x[j];                                               \
            for (i = 16; i + 16 <= n; i += 16)                                \
                for (j = 0; j < 16; ++j)                                      \
                    best[j] = x[i + j] > best[j] ? x[i + j] : best[j];        \
            for (j = 0; j < 16; ++j)                                          \
                one = best[j] > one ? best[j] : one;                          \
        } else                                                                \
            i = 1;                                                            \
        for (; i < n; ++i)                                                    \
            one = x[i] > one ? x[i] : one;                                    \
        return one;                                                           \
    }                                                                         \
    CF_INLINE T cf_short_total_##S(const T *x, ptrdiff_t n) {                 \
        T t[8], total = 0;                                                    \
        ptrdiff_t i, j;                                                       \
        if (n < 8) {                                                          \
            for (i = 0; i < n; ++i)                                           \
                total += x[i];                                                \
            return total;                                                     \
        }                                                                     \
        for (j = 0; j < 8; ++j)                                               \
            t[j] = x[j];                                                      \
        for (i = 8; i + 8 <= n; i += 8)                                       \
            for (j = 0; j < 8; ++j)                                           \
                t[j] += x[i + j];                                             \
        total = ((t[0] + t[1]) + (t[2] + t[3]))                               \
            + ((t[4] + t[5]) + (t[6] + t[7]));                                \
        for (; i < n; ++i)                                                    \
            total += x[i];                                                    \
        return total;                                                         \
    }                                                                         \
    CF_CLONES static T cf_chunk_total_##S(const T *x, ptrdiff_t n) {          \
        return cf_short_total_##S(x, n);                                      \
    }                                                                         \
    static T cf_long_total_##S(const T *x, ptrdiff_t n) {                     \
        ptrdiff_t half = n / 2;                                               \
        if (n <= 128)                                                         \
            return cf_chunk_total_##S(x, n);                                  \
        half -= half % 8;                                                     \
        return cf_long_total_##S(x, half)                                     \
            + cf_long_total_##S(x + half, n - half);                          \
    }                                                                         \
    CF_INLINE T cf_total_##S(const T *x, ptrdiff_t n) {                       \
        return n <= 128 ? cf_short_total_##S(x, n) : cf_long_total_##S(x, n); \
    }                                                                         \
                                                                              \
    /* Rows whose elements lie side by side. */                               \
    CF_CLONES static void cf_shift_rows_##S(                                  \
            const T *x, T *out, T *tops, ptrdiff_t rows, ptrdiff_t n) {       \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i, x += n, out += n) {                        \
            T top = tops[i] = cf_largest_##S(x, n);                           \
            for (j = 0; j < n; ++j)                                           \
                out[j] = x[j] - top;                                          \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_divide_rows_##S(                                 \
            T *out, ptrdiff_t rows, ptrdiff_t n) {                            \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i, out += n) {                                \
            T total = cf_total_##S(out, n);                                   \
            for (j = 0; j < n; ++j)                                           \
                out[j] /= total;                                              \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_total_rows_##S(                                  \
            const T *x, T *totals, ptrdiff_t rows, ptrdiff_t n) {             \
        ptrdiff_t i;                                                          \
        for (i = 0; i < rows; ++i)                                            \
            totals[i] = cf_total_##S(x + i * n, n);                           \
    }                                                                         \
    CF_CLONES static void cf_lower_rows_##S(                                  \
            const T *x, T *out, const T *tops, const T *logs, ptrdiff_t rows, \
            ptrdiff_t n) {                                                    \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i, x += n, out += n) {                        \
            T norm = logs[i] + tops[i];                                       \
            for (j = 0; j < n; ++j)                                           \
                out[j] = x[j] - norm;                                         \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_softmax_grad_rows_##S(                           \
            const T *y, const T *g, T *out, ptrdiff_t rows, ptrdiff_t n) {    \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i, y += n, g += n, out += n) {                \
            T total;                                                          \
            for (j = 0; j < n; ++j)                                           \
                out[j] = y[j] * g[j];                                         \
            total = cf_total_##S(out, n);                                     \
            for (j = 0; j < n; ++j)                                           \
                out[j] -= y[j] * total;                                       \
        }                                                                     \
    }                                                                         \
    /* ``out`` holds the exponentials of the output. */                       \
    CF_CLONES static void cf_log_softmax_grad_rows_##S(                       \
            const T *g, T *out, ptrdiff_t rows, ptrdiff_t n) {                \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i, g += n, out += n) {                        \
            T total = cf_total_##S(g, n);                                     \
            for (j = 0; j < n; ++j)                                           \
                out[j] = g[j] - out[j] * total;                               \
        }                                                                     \
    }                                                                         \
                                                                              \
    /* Strips of columns: n rows of w elements, at a distance of d. */        \
    CF_CLONES static void cf_shift_strip_##S(                                 \
            const T *x, T *out, T *tops, ptrdiff_t n, ptrdiff_t w,            \
            ptrdiff_t d) {                                                    \
        ptrdiff_t i, j;                                                       \
        for (j = 0; j < w; ++j)                                               \
            tops[j] = x[j];                                                   \
        for (i = 1; i < n; ++i)                                               \
            for (j = 0; j < w; ++j)                                           \
                tops[j] = x[i * d + j] > tops[j] ? x[i * d + j] : tops[j];    \
        for (i = 0; i < n; ++i)                                               \
            for (j = 0; j < w; ++j)                                           \
                out[i * d + j] = x[i * d + j] - tops[j];                      \
    }                                                                         \
    CF_CLONES static void cf_total_strip_##S(                                 \
            const T *x, T *totals, ptrdiff_t n, ptrdiff_t w, ptrdiff_t d) {   \
        ptrdiff_t i, j;                                                       \
        for (j = 0; j < w; ++j)                                               \
            totals[j] = x[j];                                                 \
        for (i = 1; i < n; ++i)                                               \
            for (j = 0; j < w; ++j)                                           \
                totals[j] += x[i * d + j];                                    \
    }                                                                         \
    CF_CLONES static void cf_divide_strip_##S(                                \
            T *out, const T *totals, ptrdiff_t n, ptrdiff_t w, ptrdiff_t d) { \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < n; ++i)                                               \
            for (j = 0; j < w; ++j)                                           \
                out[i * d + j] /= totals[j];                                  \
    }                                                                         \
    CF_CLONES static void cf_lower_strip_##S(                                 \
            const T *x, T *out, const T *tops, T *logs, ptrdiff_t n,          \
            ptrdiff_t w, ptrdiff_t d) {                                       \
        ptrdiff_t i, j;                                                       \
        for (j = 0; j < w; ++j)                                               \
            logs[j] += tops[j];                                               \
        for (i = 0; i < n; ++i)                                               \
            for (j = 0; j < w; ++j)                                           \
                out[i * d + j] = x[i * d + j] - logs[j];                      \
    }                                                                         \
    CF_CLONES static void cf_softmax_grad_strip_##S(                          \
            const T *y, const T *g, T *out, T *totals, ptrdiff_t n,           \
            ptrdiff_t w, ptrdiff_t d) {                                       \
        ptrdiff_t i, j;                                                       \
        for (j = 0; j < w; ++j)                                               \
            totals[j] = out[j] = y[j] * g[j];                                 \
        for (i = 1; i < n; ++i)                                               \
            for (j = 0; j < w; ++j) {                                         \
                T part = y[i * d + j] * g[i * d + j];                         \
                out[i * d + j] = part;                                        \
                totals[j] += part;                                            \
            }                                                                 \
        for (i = 0; i < n; ++i)                                               \
            for (j = 0; j < w; ++j)                                           \
                out[i * d + j] -= y[i * d + j] * totals[j];                   \
    }                                                                         \
    CF_CLONES static void cf_log_softmax_grad_strip_##S(                      \
            const T *g, T *out, const T *totals, ptrdiff_t n, ptrdiff_t w,    \
            ptrdiff_t d) {                                                    \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < n; ++i)                                               \
            for (j = 0; j < w; ++j)                                           \
                out[i * d + j] = g[i * d + j] - out[i * d + j] * totals[j];   \
    }                                                                         \
    static void cf_exp_strip_##S(                                             \
            T *out, ptrdiff_t n, ptrdiff_t w, ptrdiff_t d, cf_unary exp) {    \
        ptrdiff_t i;                                                          \
        if (w == d)                                                           \
            cf_in_place(exp, out, n * w, sizeof(T));                          \
        else                                                                  \
            for (i = 0; i < n; ++i)                                           \
                cf_in_place(exp, out + i * d, w, sizeof(T));                  \
    }                                                                         \
                                                                              \
    static void cf_softmax_##S(                                               \
            const T *x, T *out, ptrdiff_t outer, ptrdiff_t n,                 \
            ptrdiff_t inner, cf_unary exp, cf_unary log, int logarithm) {     \
        T tops[CF_BLOCK], totals[CF_BLOCK];                                   \
        ptrdiff_t i, s, most = cf_block_length(n, inner);                     \
        if (inner == 1) {                                                     \
            for (i = 0; i < outer; i += most) {                               \
                ptrdiff_t rows = outer - i < most ? outer - i : most;         \
                const T *xi = x + i * n;                                      \
                T *yi = out + i * n;                                          \
                cf_shift_rows_##S(xi, yi, tops, rows, n);                     \
                cf_in_place(exp, yi, rows * n, sizeof(T));                    \
                if (logarithm) {                                              \
                    cf_total_rows_##S(yi, totals, rows, n);                   \
                    cf_in_place(log, totals, rows, sizeof(T));                \
                    cf_lower_rows_##S(xi, yi, tops, totals, rows, n);         \
                } else                                                        \
                    cf_divide_rows_##S(yi, rows, n);                          \
            }                                                                 \
            return;                                                           \
        }                                                                     \
        for (i = 0; i < outer; ++i)                                           \
            for (s = 0; s < inner; s += most) {                               \
                ptrdiff_t w = inner - s < most ? inner - s : most;            \
                const T *xi = x + i * n * inner + s;                          \
                T *yi = out + i * n * inner + s;                              \
                cf_shift_strip_##S(xi, yi, tops, n, w, inner);                \
                cf_exp_strip_##S(yi, n, w, inner, exp);                       \
                cf_total_strip_##S(yi, totals, n, w, inner);                  \
                if (logarithm) {                                              \
                    cf_in_place(log, totals, w, sizeof(T));                   \
                    cf_lower_strip_##S(xi, yi, tops, totals, n, w, inner);    \
                } else                                                        \
                    cf_divide_strip_##S(yi, totals, n, w, inner);             \
            }                                                                 \
    }                                                                         \
    static void cf_softmax_grad_##S(                                          \
            const T *y, const T *g, T *out, ptrdiff_t outer, ptrdiff_t n,     \
            ptrdiff_t inner, cf_unary exp, int logarithm) {                   \
        T totals[CF_BLOCK];                                                   \
        ptrdiff_t i, j, s, most = cf_block_length(n, inner);                  \
        if (inner == 1) {                                                     \
            for (i = 0; i < outer; i += most) {                               \
                ptrdiff_t rows = outer - i < most ? outer - i : most;         \
                const T *yi = y + i * n, *gi = g + i * n;                     \
                T *xi = out + i * n;                                          \
                if (logarithm) {                                              \
                    for (j = 0; j < rows * n; ++j)                            \
                        xi[j] = yi[j];                                        \
                    cf_in_place(exp, xi, rows * n, sizeof(T));                \
                    cf_log_softmax_grad_rows_##S(gi, xi, rows, n);            \
                } else                                                        \
                    cf_softmax_grad_rows_##S(yi, gi, xi, rows, n);            \
            }                                                                 \
            return;                                                           \
        }                                                                     \
        for (i = 0; i < outer; ++i)                                           \
            for (s = 0; s < inner; s += most) {                               \
                ptrdiff_t k, w = inner - s < most ? inner - s : most;         \
                ptrdiff_t at = i * n * inner + s;                             \
                if (!logarithm) {                                             \
                    cf_softmax_grad_strip_##S(                                \
                        y + at, g + at, out + at, totals, n, w, inner);       \
                    continue;                                                 \
                }                                                             \
                for (k = 0; k < n; ++k)                                       \
                    for (j = 0; j < w; ++j)                                   \
                        out[at + k * inner + j] = y[at + k * inner + j];      \
                cf_exp_strip_##S(out + at, n, w, inner, exp);                 \
                cf_total_strip_##S(g + at, totals, n, w, inner);              \
                cf_log_softmax_grad_strip_##S(                                \
                    g + at, out + at, totals, n, w, inner);                   \
            }                                                                 \
    }

/* How many rows, or columns, are worked on at a time. */
static ptrdiff_t cf_block_length(ptrdiff_t n, ptrdiff_t inner) {
    ptrdiff_t length = CF_BLOCK / (n < 1 ? 1 : n);
    if (inner == 1)
        return length < 1 ? 1 : length;
    return length < CF_STRIP ? CF_STRIP : length;
}

CF_SOFTMAX(f, float)
CF_SOFTMAX(d, double)

#endif
