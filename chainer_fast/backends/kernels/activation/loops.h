/* Activations and their gradients, elementwise.
 *
 * Where a loop of NumPy takes part, the work goes block by block, so that what it leaves
 * is still in the cache. The arithmetic is that of the functions' own methods, operation
 * by operation.
 */
#ifndef CF_ACTIVATION_LOOPS_H
#define CF_ACTIVATION_LOOPS_H

#include <math.h>
#include <string.h>
#include "chainer_fast/backends/kernels/common/loops.h"
#include "chainer_fast/backends/kernels/common/unary.h"

#define CF_PART 1024

#define CF_ABS_f fabsf
#define CF_ABS_d fabs

/* out = expression of x, of g (where there is one), and of the parameters p and q. */
#define CF_MAP(name, T, expression)                                           \
    CF_CLONES static void name(const T *x, const T *g, T *out, ptrdiff_t n,   \
                               T p, T q, const cf_unary *u) {                 \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            out[i] = (expression);                                            \
        (void)g, (void)p, (void)q, (void)u;                                   \
    }

/* The same in three steps: ``before``, the ufunc, and ``after``. */
#define CF_MAP_BY(name, T, before, second, after)                             \
    CF_MAP(name##_before, T, before)                                          \
    CF_MAP(name##_after, T, after)                                            \
    static void name(const T *x, const T *g, T *out, ptrdiff_t n, T p, T q,   \
                     const cf_unary *u) {                                     \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; i += CF_PART) {                                    \
            ptrdiff_t m = n - i < CF_PART ? n - i : CF_PART;                  \
            const T *gi = g ? g + i : g;                                      \
            name##_before(x + i, gi, out + i, m, p, q, u);                    \
            cf_in_place(u[0], out + i, m, sizeof(T));                         \
            if (second)                                                       \
                cf_in_place(u[1], out + i, m, sizeof(T));                     \
            name##_after(x + i, gi, out + i, m, p, q, u);                     \
        }                                                                     \
    }

#define CF_POSITIVE_PART(z, T) (((z) > (T)0 || (z) != (z)) ? (z) : (T)0)

/* Parameters w that belong to runs of elements: those of w[c] are ``run`` long, and after
 * the last w the first comes again. They are spread over a part of the elements. */
#define CF_SPREAD(S, T)                                                       \
    static void cf_spread_##S(const T *w, T *out, ptrdiff_t at, ptrdiff_t n,  \
                              ptrdiff_t count, ptrdiff_t run) {               \
        ptrdiff_t i = 0, c = at / run % count, left = run - at % run;         \
        if (run == 1) {                                                       \
            for (; i < n; c = 0) {                                            \
                ptrdiff_t m = n - i < count - c ? n - i : count - c;          \
                memcpy(out + i, w + c, m * sizeof(T));                        \
                i += m;                                                       \
            }                                                                 \
            return;                                                           \
        }                                                                     \
        while (i < n) {                                                       \
            ptrdiff_t end = i + left < n ? i + left : n;                      \
            for (; i < end; ++i)                                              \
                out[i] = w[c];                                                \
            c = c + 1 == count ? 0 : c + 1;                                   \
            left = run;                                                       \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_gather_##S(                                      \
            const T *part, double *out, ptrdiff_t at, ptrdiff_t n,            \
            ptrdiff_t count, ptrdiff_t run) {                                 \
        ptrdiff_t i = 0, j, c = at / run % count, left = run - at % run;      \
        if (run == 1) {                                                       \
            for (; i < n; c = 0) {                                            \
                ptrdiff_t m = n - i < count - c ? n - i : count - c;          \
                for (j = 0; j < m; ++j)                                       \
                    out[c + j] += part[i + j];                                \
                i += m;                                                       \
            }                                                                 \
            return;                                                           \
        }                                                                     \
        while (i < n) {                                                       \
            ptrdiff_t end = i + left < n ? i + left : n;                      \
            double t[8] = {0, 0, 0, 0, 0, 0, 0, 0}, total = 0;                \
            for (; i + 8 <= end; i += 8)                                      \
                for (j = 0; j < 8; ++j)                                       \
                    t[j] += part[i + j];                                      \
            for (; i < end; ++i)                                              \
                total += part[i];                                             \
            for (j = 0; j < 8; ++j)                                           \
                total += t[j];                                                \
            out[c] += total;                                                  \
            c = c + 1 == count ? 0 : c + 1;                                   \
            left = run;                                                       \
        }                                                                     \
    }

#define CF_PARAMETRIC(S, T)                                                   \
    CF_SPREAD(S, T)                                                           \
    CF_CLONES static void cf_prelu_part_##S(                                  \
            const T *x, const T *w, T *y, ptrdiff_t n) {                      \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            y[i] = x[i] >= (T)0 ? x[i] : w[i] * x[i];                         \
    }                                                                         \
    CF_CLONES static void cf_prelu_grad_part_##S(                             \
            const T *cond, const T *x, const T *w, const T *g, T *gx, T *gw,  \
            ptrdiff_t n) {                                                    \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            gx[i] = cond[i] >= (T)0 ? g[i] : w[i] * g[i];                     \
            gw[i] = cond[i] >= (T)0 ? (T)0 : x[i] * g[i];                     \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_scores_##S(                                      \
            const T *x, const T *w, T *s, ptrdiff_t n) {                      \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            s[i] = w[i] * x[i] * (T)0.5;                                      \
    }                                                                         \
    CF_CLONES static void cf_gated_##S(const T *x, T *s, ptrdiff_t n) {       \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            s[i] = x[i] * (s[i] * (T)0.5 + (T)0.5);                           \
    }                                                                         \
    CF_CLONES static void cf_swish_grad_part_##S(                             \
            const T *x, const T *w, const T *g, T *s, T *gw, ptrdiff_t n) {   \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            T gate = s[i] * (T)0.5 + (T)0.5;                                  \
            T slope = x[i] * gate * ((T)1 - gate);                            \
            s[i] = g[i] * (gate + w[i] * slope);                              \
            gw[i] = g[i] * x[i] * slope;                                      \
        }                                                                     \
    }                                                                         \
    /* With ``tanh`` a swish, without it a parametric ReLU. */                \
    static void cf_parametric_##S(                                            \
            const T *x, const T *w, T *y, ptrdiff_t n, ptrdiff_t count,       \
            ptrdiff_t run, const cf_unary *tanh) {                            \
        T wide[CF_PART];                                                      \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; i += CF_PART) {                                    \
            ptrdiff_t m = n - i < CF_PART ? n - i : CF_PART;                  \
            cf_spread_##S(w, wide, i, m, count, run);                         \
            if (!tanh) {                                                      \
                cf_prelu_part_##S(x + i, wide, y + i, m);                     \
                continue;                                                     \
            }                                                                 \
            cf_scores_##S(x + i, wide, y + i, m);                             \
            cf_in_place(*tanh, y + i, m, sizeof(T));                          \
            cf_gated_##S(x + i, y + i, m);                                    \
        }                                                                     \
    }                                                                         \
    static void cf_parametric_grad_##S(                                       \
            const T *cond, const T *x, const T *w, const T *g, T *gx,         \
            double *gw, ptrdiff_t n, ptrdiff_t count, ptrdiff_t run,          \
            const cf_unary *tanh) {                                           \
        T wide[CF_PART], part[CF_PART];                                       \
        ptrdiff_t i;                                                          \
        for (i = 0; i < count; ++i)                                           \
            gw[i] = 0;                                                        \
        for (i = 0; i < n; i += CF_PART) {                                    \
            ptrdiff_t m = n - i < CF_PART ? n - i : CF_PART;                  \
            cf_spread_##S(w, wide, i, m, count, run);                         \
            if (tanh) {                                                       \
                cf_scores_##S(x + i, wide, gx + i, m);                        \
                cf_in_place(*tanh, gx + i, m, sizeof(T));                     \
                cf_swish_grad_part_##S(x + i, wide, g + i, gx + i, part, m);  \
            } else                                                            \
                cf_prelu_grad_part_##S(                                       \
                    cond + i, x + i, wide, g + i, gx + i, part, m);           \
            cf_gather_##S(part, gw, i, m, count, run);                        \
        }                                                                     \
    }

#define CF_ACTIVATIONS(S, T)                                                  \
    CF_MAP(cf_leaky_##S, T, x[i] <= (T)0 ? x[i] * p : x[i])                   \
    CF_MAP(cf_leaky_grad_##S, T, x[i] <= (T)0 ? g[i] * p : g[i])              \
    CF_MAP(cf_clipped_##S, T, x[i] < (T)0 ? (T)0 : x[i] > p ? p : x[i])       \
    CF_MAP(cf_clipped_grad_##S, T,                                            \
           g[i] * ((x[i] > (T)0) & (x[i] < p) ? (T)1 : (T)0))                 \
    CF_MAP(cf_hard_sigmoid_##S, T,                                            \
           x[i] * (T)0.2 + (T)0.5 < (T)0 ? (T)0                               \
           : x[i] * (T)0.2 + (T)0.5 > (T)1 ? (T)1                             \
           : x[i] * (T)0.2 + (T)0.5)                                          \
    CF_MAP(cf_hard_sigmoid_grad_##S, T,                                       \
           (T)0.2 * ((CF_ABS_##S(x[i]) < (T)2.5 ? (T)1 : (T)0) * g[i]))       \
    CF_MAP_BY(cf_elu_##S, T, x[i] < (T)0 ? x[i] : (T)0, 0,                    \
              x[i] < (T)0 ? p * out[i] : x[i])                                \
    CF_MAP(cf_elu_grad_##S, T, (x[i] > (T)0 ? (T)1 : x[i] + p) * g[i])        \
    CF_MAP_BY(cf_softplus_##S, T, -CF_ABS_##S(p * x[i]), 1,                   \
              (CF_POSITIVE_PART(p * x[i], T) + out[i]) * q)                   \
    CF_MAP_BY(cf_softplus_grad_##S, T, -CF_ABS_##S(p * x[i]), 0,              \
              (p * x[i] >= (T)0 ? (T)1 : out[i]) / ((T)1 + out[i]) * g[i])    \
    CF_CLONES static void cf_bend_##S(                                        \
            const T *x, const T *signs, const T *r, T *out, ptrdiff_t n) {    \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            out[i] = signs[i] >= (T)0 ? x[i] : x[i] * r[i];                   \
    }                                                                         \
    /* Elements of a where the flag is set, of b where it is not. */          \
    CF_CLONES static void cf_mix_##S(                                         \
            const T *a, const T *b, const unsigned char *flags, T *out,       \
            ptrdiff_t n) {                                                    \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            T f = flags[i] ? (T)1 : (T)0;                                     \
            out[i] = a[i] * f + b[i] * ((T)1 - f);                            \
        }                                                                     \
    }                                                                         \
    /* Largest of each group; the axis of groups, that within, and those behind. */ \
    CF_CLONES static void cf_maxout_##S(                                      \
            const T *x, T *y, ptrdiff_t groups, ptrdiff_t size,               \
            ptrdiff_t inner) {                                                \
        ptrdiff_t i, j, k;                                                    \
        if (inner == 1 && size == 2) {                                        \
            for (i = 0; i < groups; ++i)                                      \
                y[i] = x[2 * i + 1] > x[2 * i] ? x[2 * i + 1] : x[2 * i];     \
            return;                                                           \
        }                                                                     \
        if (inner == 1) {                                                     \
            for (i = 0; i < groups; ++i, x += size) {                         \
                T best = x[0];                                                \
                for (k = 1; k < size; ++k)                                    \
                    best = x[k] > best ? x[k] : best;                         \
                y[i] = best;                                                  \
            }                                                                 \
            return;                                                           \
        }                                                                     \
        for (i = 0; i < groups; ++i, x += size * inner, y += inner) {         \
            for (j = 0; j < inner; ++j)                                       \
                y[j] = x[j];                                                  \
            for (k = 1; k < size; ++k)                                        \
                for (j = 0; j < inner; ++j)                                   \
                    y[j] = x[k * inner + j] > y[j] ? x[k * inner + j] : y[j]; \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_maxout_grad_##S(                                 \
            const T *x, const T *y, const T *g, T *out, ptrdiff_t groups,     \
            ptrdiff_t size, ptrdiff_t inner) {                                \
        ptrdiff_t i, j, k;                                                    \
        if (inner == 1) {                                                     \
            for (i = 0; i < groups; ++i, x += size, out += size)              \
                for (k = 0; k < size; ++k)                                    \
                    out[k] = x[k] == y[i] ? g[i] : (T)0;                      \
            return;                                                           \
        }                                                                     \
        for (i = 0; i < groups; ++i, y += inner, g += inner)                  \
            for (k = 0; k < size; ++k, x += inner, out += inner)              \
                for (j = 0; j < inner; ++j)                                   \
                    out[j] = x[j] == y[j] ? g[j] : (T)0;                      \
    }                                                                         \
    CF_PARAMETRIC(S, T)

#define CF_MAP_TYPE(S, T)                                                     \
    typedef void (*cf_map_##S)(const T *x, const T *g, T *out, ptrdiff_t n,   \
                               T p, T q, const cf_unary *u);

CF_MAP_TYPE(f, float)
CF_MAP_TYPE(d, double)
CF_ACTIVATIONS(f, float)
CF_ACTIVATIONS(d, double)

typedef struct {
    cf_map_f f, grad_f;
    cf_map_d d, grad_d;
} cf_activation;

#define CF_ENTRY(name)                                                        \
    {cf_##name##_f, cf_##name##_grad_f, cf_##name##_d, cf_##name##_grad_d}

static const cf_activation cf_leaky = CF_ENTRY(leaky);
static const cf_activation cf_clipped = CF_ENTRY(clipped);
static const cf_activation cf_hard_sigmoid = CF_ENTRY(hard_sigmoid);
static const cf_activation cf_elu = CF_ENTRY(elu);
static const cf_activation cf_softplus = CF_ENTRY(softplus);

#endif
