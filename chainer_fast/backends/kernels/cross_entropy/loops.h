/* Cross entropy between a softmax and labels, and its gradient, along the middle axis of
 * three. Works in the blocks of the softmax: rows whose elements lie side by side, or
 * strips of w columns, of n elements each at a distance of d.
 */
#ifndef CF_CROSS_ENTROPY_H
#define CF_CROSS_ENTROPY_H

#include "chainer_fast/backends/kernels/softmax/loops.h"

#define CF_CROSS_ENTROPY(S, T)                                                \
    CF_CLONES static void cf_quotient_rows_##S(                               \
            T *y, const T *totals, ptrdiff_t rows, ptrdiff_t n) {             \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i)                                            \
            for (j = 0; j < n; ++j)                                           \
                y[i * n + j] /= totals[i];                                    \
    }                                                                         \
    /* sums of the elements that soft labels t weigh, and of the labels */    \
    CF_CLONES static void cf_weigh_rows_##S(                                  \
            const T *x, const T *t, T *sums, T *norms, ptrdiff_t rows,        \
            ptrdiff_t n) {                                                    \
        ptrdiff_t i, j, k;                                                    \
        for (i = 0; i < rows; ++i, x += n, t += n) {                          \
            T a[16] = {0}, b[16] = {0}, sum = 0, norm = 0;                    \
            for (j = 0; j + 16 <= n; j += 16)                                 \
                for (k = 0; k < 16; ++k) {                                    \
                    a[k] += x[j + k] * t[j + k];                              \
                    b[k] += t[j + k];                                         \
                }                                                             \
            for (; j < n; ++j) {                                              \
                sum += x[j] * t[j];                                           \
                norm += t[j];                                                 \
            }                                                                 \
            for (k = 0; k < 16; ++k) {                                        \
                sum += a[k];                                                  \
                norm += b[k];                                                 \
            }                                                                 \
            sums[i] = sum;                                                    \
            norms[i] = norm;                                                  \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_weigh_strip_##S(                                 \
            const T *x, const T *t, T *sums, T *norms, ptrdiff_t n,           \
            ptrdiff_t w, ptrdiff_t d) {                                       \
        ptrdiff_t i, j;                                                       \
        for (j = 0; j < w; ++j)                                               \
            sums[j] = norms[j] = 0;                                           \
        for (i = 0; i < n; ++i)                                               \
            for (j = 0; j < w; ++j) {                                         \
                sums[j] += x[i * d + j] * t[i * d + j];                       \
                norms[j] += t[i * d + j];                                     \
            }                                                                 \
    }                                                                         \
    /* the gradient of a block less that at its labels, or with soft ones */  \
    CF_CLONES static void cf_scale_rows_##S(                                  \
            const T *y, const T *scale, T *out, ptrdiff_t rows, ptrdiff_t n) { \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i)                                            \
            for (j = 0; j < n; ++j)                                           \
                out[i * n + j] = y[i * n + j] * scale[i];                     \
    }                                                                         \
    CF_CLONES static void cf_scale_strip_##S(                                 \
            const T *y, const T *scale, T *out, ptrdiff_t n, ptrdiff_t w,     \
            ptrdiff_t d) {                                                    \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < n; ++i)                                               \
            for (j = 0; j < w; ++j)                                           \
                out[i * d + j] = y[i * d + j] * scale[j];                     \
    }                                                                         \
    CF_CLONES static void cf_soft_rows_##S(                                   \
            const T *y, const T *t, const T *scale, T *out, ptrdiff_t rows,   \
            ptrdiff_t n) {                                                    \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < rows; ++i)                                            \
            for (j = 0; j < n; ++j)                                           \
                out[i * n + j] = (y[i * n + j] - t[i * n + j]) * scale[i];    \
    }                                                                         \
    CF_CLONES static void cf_soft_strip_##S(                                  \
            const T *y, const T *t, const T *scale, T *out, ptrdiff_t n,      \
            ptrdiff_t w, ptrdiff_t d) {                                       \
        ptrdiff_t i, j;                                                       \
        for (i = 0; i < n; ++i)                                               \
            for (j = 0; j < w; ++j)                                           \
                out[i * d + j] = (y[i * d + j] - t[i * d + j]) * scale[j];    \
    }                                                                         \
                                                                              \
    /* y = softmax(x); losses of labels, or of soft ones where those are NULL. \
     * Labels below zero do not count. */                                     \
    static void cf_losses_##S(                                                \
            const T *x, T *y, const npy_intp *labels, const T *soft,          \
            const T *weights, T *losses, ptrdiff_t outer, ptrdiff_t n,        \
            ptrdiff_t inner, cf_unary exp, cf_unary log) {                    \
        T tops[CF_BLOCK], totals[CF_BLOCK], sums[CF_BLOCK], norms[CF_BLOCK];  \
        ptrdiff_t i, j, s, most = cf_block_length(n, inner);                  \
        /* Rows are columns of length one; blocks go over the outer axis then. */ \
        ptrdiff_t times = inner == 1 ? 1 : outer;                             \
        ptrdiff_t width = inner == 1 ? outer : inner;                         \
        for (i = 0; i < times; ++i)                                           \
            for (s = 0; s < width; s += most) {                               \
                ptrdiff_t w = width - s < most ? width - s : most;            \
                ptrdiff_t at = inner == 1 ? s * n : i * n * inner + s;        \
                /* distances of the elements of a column, and of columns */   \
                ptrdiff_t d = inner == 1 ? 1 : inner;                         \
                ptrdiff_t c = inner == 1 ? n : 1;                             \
                const npy_intp *label = labels ? labels + i * width + s : NULL; \
                T *loss = losses + i * width + s;                             \
                T *p = y + at;                                                \
                if (inner == 1)                                               \
                    cf_shift_rows_##S(x + at, p, tops, w, n);                 \
                else                                                          \
                    cf_shift_strip_##S(x + at, p, tops, n, w, d);             \
                if (!labels && inner == 1)                                    \
                    cf_weigh_rows_##S(p, soft + at, sums, norms, w, n);       \
                else if (!labels)                                             \
                    cf_weigh_strip_##S(p, soft + at, sums, norms, n, w, d);   \
                else                                                          \
                    for (j = 0; j < w; ++j) {                                 \
                        norms[j] = label[j] < 0 ? (T)0                        \
                            : weights ? weights[label[j]] : (T)1;             \
                        sums[j] = label[j] < 0 ? (T)0                         \
                            : p[label[j] * d + j * c];                        \
                    }                                                         \
                if (inner == 1) {                                             \
                    cf_in_place(exp, p, w * n, sizeof(T));                    \
                    cf_total_rows_##S(p, totals, w, n);                       \
                    cf_quotient_rows_##S(p, totals, w, n);                    \
                } else {                                                      \
                    cf_exp_strip_##S(p, n, w, d, exp);                        \
                    cf_total_strip_##S(p, totals, n, w, d);                   \
                    cf_divide_strip_##S(p, totals, n, w, d);                  \
                }                                                             \
                cf_in_place(log, totals, w, sizeof(T));                       \
                if (labels)                                                   \
                    for (j = 0; j < w; ++j)                                   \
                        loss[j] = label[j] < 0 ? (T)0                         \
                            : (totals[j] - sums[j]) * norms[j];               \
                else                                                          \
                    for (j = 0; j < w; ++j)                                   \
                        loss[j] = totals[j] * norms[j] - sums[j];             \
            }                                                                 \
    }                                                                         \
    static void cf_loss_grad_##S(                                             \
            const T *y, const npy_intp *labels, const T *soft,                \
            const T *scale, T *out, ptrdiff_t outer, ptrdiff_t n,             \
            ptrdiff_t inner) {                                                \
        ptrdiff_t i, j, s, most = cf_block_length(n, inner);                  \
        ptrdiff_t times = inner == 1 ? 1 : outer;                             \
        ptrdiff_t width = inner == 1 ? outer : inner;                         \
        for (i = 0; i < times; ++i)                                           \
            for (s = 0; s < width; s += most) {                               \
                ptrdiff_t w = width - s < most ? width - s : most;            \
                ptrdiff_t at = inner == 1 ? s * n : i * n * inner + s;        \
                ptrdiff_t d = inner == 1 ? 1 : inner;                         \
                ptrdiff_t c = inner == 1 ? n : 1;                             \
                const T *f = scale + i * width + s;                           \
                const npy_intp *label = labels ? labels + i * width + s : NULL; \
                if (!labels && inner == 1)                                    \
                    cf_soft_rows_##S(y + at, soft + at, f, out + at, w, n);   \
                else if (!labels)                                             \
                    cf_soft_strip_##S(y + at, soft + at, f, out + at, n, w, d); \
                else if (inner == 1)                                          \
                    cf_scale_rows_##S(y + at, f, out + at, w, n);             \
                else                                                          \
                    cf_scale_strip_##S(y + at, f, out + at, n, w, d);         \
                if (labels)                                                   \
                    for (j = 0; j < w; ++j)                                   \
                        if (label[j] >= 0) {                                  \
                            ptrdiff_t k = at + label[j] * d + j * c;          \
                            out[k] = (y[k] - (T)1) * f[j];                    \
                        }                                                     \
            }                                                                 \
    }

CF_CROSS_ENTROPY(f, float)
CF_CROSS_ENTROPY(d, double)

#endif
