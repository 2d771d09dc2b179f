/* Loops of recurrent cells, over the units of a block or of a row.
 *
 * Gates arrive as hyperbolic tangents; a gate between zero and one has the tangent t of
 * half its input, and is t / 2 + 1 / 2. Arithmetic follows the reference, operation by
 * operation.
 */
#ifndef CF_RECURRENT_H
#define CF_RECURRENT_H

#include "chainer_fast/backends/kernels/common/loops.h"

#define CF_LOOP(declaration, body)                                            \
    CF_CLONES static void declaration {                                       \
        ptrdiff_t j;                                                          \
        for (j = 0; j < n; ++j) {                                             \
            body                                                              \
        }                                                                     \
    }

#define CF_GATE(t) ((t) * (T)0.5 + (T)0.5)

/* Alternating gates a, i, f, o of one block: s holds them one after the other. */
#define CF_BLOCKS(S)                                                          \
    CF_LOOP(cf_take_gates_##S(const T *__restrict x, T *__restrict s, ptrdiff_t n), \
        s[j] = x[4 * j];                                                      \
        s[n + j] = x[4 * j + 1] * (T)0.5;                                     \
        s[2 * n + j] = x[4 * j + 2] * (T)0.5;                                 \
        s[3 * n + j] = x[4 * j + 3] * (T)0.5;)                                \
    CF_LOOP(cf_open_gates_##S(T *s, ptrdiff_t n),                             \
        s[j] = CF_GATE(s[j]);)                                                \
    /* c = a i + f c_prev */                                                  \
    CF_LOOP(cf_cell_##S(const T *__restrict s, const T *__restrict c_prev,        \
                        T *__restrict c, ptrdiff_t n),                          \
        c[j] = s[j] * s[n + j] + s[2 * n + j] * c_prev[j];)                   \
    CF_LOOP(cf_cell2_##S(const T *__restrict s1, const T *__restrict s2,          \
                         const T *__restrict c_prev1,                           \
                         const T *__restrict c_prev2, T *__restrict c, ptrdiff_t n), \
        c[j] = s1[n + j] * s1[j] + s2[n + j] * s2[j]                          \
            + s1[2 * n + j] * c_prev1[j] + s2[2 * n + j] * c_prev2[j];)       \
    CF_LOOP(cf_output_grad_##S(const T *__restrict o, const T *__restrict tanh_c, \
                               const T *__restrict gc, const T *__restrict gh,    \
                               T *__restrict gc_step, T *__restrict go, ptrdiff_t n), \
        T gh_o = gh[j] * o[j];                                                \
        gc_step[j] = gc[j] + gh_o * ((T)1 - tanh_c[j] * tanh_c[j]);           \
        go[j] = gh_o * tanh_c[j] * ((T)1 - o[j]);)                            \
    CF_LOOP(cf_cell_grad_##S(const T *__restrict s, const T *__restrict c_prev,   \
                             const T *__restrict gc_step, const T *__restrict go, \
                             T *__restrict gc_prev, T *__restrict gx, ptrdiff_t n), \
        T gc = gc_step[j];                                                    \
        T a = s[j];                                                           \
        T i = s[n + j];                                                       \
        T f = s[2 * n + j];                                                   \
        gc_prev[j] = gc * f;                                                  \
        gx[4 * j] = gc * i * ((T)1 - a * a);                                  \
        gx[4 * j + 1] = gc * a * i * ((T)1 - i);                              \
        gx[4 * j + 2] = gc * c_prev[j] * f * ((T)1 - f);                      \
        gx[4 * j + 3] = go[j];)

/* A row of a tree's gates a, i, o, f ...: one f at a time. */
#define CF_TREES(S)                                                           \
    CF_LOOP(cf_add_kept_##S(const T *__restrict f, const T *__restrict child,     \
                            T *__restrict c, ptrdiff_t n),                      \
        c[j] += f[j] * child[j];)                                             \
    CF_LOOP(cf_add_input_##S(const T *__restrict a, const T *__restrict i,        \
                             T *__restrict c, ptrdiff_t n),                     \
        c[j] = a[j] * i[j] + c[j];)                                           \
    CF_LOOP(cf_input_grad_##S(const T *__restrict gc, const T *__restrict a,      \
                              const T *__restrict i, T *__restrict ga,            \
                              T *__restrict gi, ptrdiff_t n),                   \
        ga[j] = gc[j] * i[j] * ((T)1 - a[j] * a[j]);                          \
        gi[j] = gc[j] * a[j] * i[j] * ((T)1 - i[j]);)                         \
    CF_LOOP(cf_kept_grad_##S(const T *__restrict gc, const T *__restrict f,       \
                             const T *__restrict child, T *__restrict g_child,    \
                             T *__restrict gf, ptrdiff_t n),                    \
        g_child[j] = gc[j] * f[j];                                            \
        gf[j] = gc[j] * child[j] * f[j] * ((T)1 - f[j]);)

/* Scans: one row of gates, which stand one after the other. */
#define CF_SCANS(S)                                                           \
    CF_LOOP(cf_half_##S(T *s, ptrdiff_t n), s[j] *= (T)0.5;)                  \
    CF_LOOP(cf_add_half_##S(T *__restrict g, const T *__restrict part, ptrdiff_t n), \
        g[j] = (g[j] + part[j]) * (T)0.5;)                                    \
    /* Gates i, f, a, o, opened here; the cell before and after. */           \
    CF_LOOP(cf_lstm_row_##S(T *__restrict g, T *__restrict c, T *__restrict c_prev, \
                            ptrdiff_t n),                                     \
        T i = CF_GATE(g[j]);                                                  \
        T f = CF_GATE(g[n + j]);                                              \
        T old = c[j];                                                         \
        g[j] = i;                                                             \
        g[n + j] = f;                                                         \
        g[3 * n + j] = CF_GATE(g[3 * n + j]);                                 \
        c_prev[j] = old;                                                      \
        c[j] = f * old + i * g[2 * n + j];)                                   \
    CF_LOOP(cf_lstm_out_##S(const T *__restrict o, const T *__restrict tanh_c,    \
                            T *__restrict h, T *__restrict y, ptrdiff_t n),       \
        T next = o[j] * tanh_c[j];                                            \
        h[j] = next;                                                          \
        y[j] = next;)                                                         \
    CF_LOOP(cf_lstm_row_grad_##S(                                             \
            const T *__restrict g, const T *__restrict c_prev,                    \
            const T *__restrict tanh_c, const T *__restrict gy,                   \
            const T *__restrict ghy, T *__restrict gcell, T *__restrict gx, ptrdiff_t n), \
        T i = g[j];                                                           \
        T f = g[n + j];                                                       \
        T a = g[2 * n + j];                                                   \
        T o = g[3 * n + j];                                                   \
        T t = tanh_c[j];                                                      \
        T gh_o = (ghy[j] + gy[j]) * o;                                        \
        T gc = gcell[j] + gh_o * ((T)1 - t * t);                              \
        gcell[j] = gc * f;                                                    \
        gx[j] = gc * a * i * ((T)1 - i);                                      \
        gx[n + j] = gc * c_prev[j] * f * ((T)1 - f);                          \
        gx[2 * n + j] = gc * i * ((T)1 - a * a);                              \
        gx[3 * n + j] = gh_o * t * ((T)1 - o);)                               \
    /* Gates r, z, new; after the tangents of the first two, and after that of \
       the third. */                                                          \
    CF_LOOP(cf_gru_new_##S(T *__restrict g, const T *__restrict both,             \
                           const T *__restrict bias, T *__restrict recurrent,     \
                           ptrdiff_t n),                                      \
        T r = CF_GATE(g[j]);                                                  \
        T part = both[2 * n + j] + bias[j];                                   \
        g[j] = r;                                                             \
        g[n + j] = CF_GATE(g[n + j]);                                         \
        recurrent[j] = part;                                                  \
        g[2 * n + j] += r * part;)                                            \
    CF_LOOP(cf_gru_out_##S(const T *__restrict g, T *__restrict h, T *__restrict y, \
                           ptrdiff_t n),                                      \
        T z = g[n + j];                                                       \
        T next = ((T)1 - z) * g[2 * n + j] + z * h[j];                        \
        h[j] = next;                                                          \
        y[j] = next;)                                                         \
    CF_LOOP(cf_gru_row_grad_##S(                                              \
            const T *__restrict g, const T *__restrict h_prev,                    \
            const T *__restrict recurrent, const T *__restrict gy,                \
            T *__restrict ghy, T *__restrict gx, T *__restrict gr, ptrdiff_t n),    \
        T r = g[j];                                                           \
        T z = g[n + j];                                                       \
        T new_h = g[2 * n + j];                                               \
        T gh = ghy[j] + gy[j];                                                \
        T gnew = gh * ((T)1 - z) * ((T)1 - new_h * new_h);                    \
        T gz = gh * (h_prev[j] - new_h) * z * ((T)1 - z);                     \
        T gr_in = gnew * recurrent[j] * r * ((T)1 - r);                       \
        gx[j] = gr_in;                                                        \
        gx[n + j] = gz;                                                       \
        gx[2 * n + j] = gnew;                                                 \
        gr[j] = gr_in;                                                        \
        gr[n + j] = gz;                                                       \
        gr[2 * n + j] = gnew * r;                                             \
        ghy[j] = gh * z;)                                                     \
    CF_LOOP(cf_relu_##S(T *g, ptrdiff_t n),                                   \
        g[j] = (g[j] > (T)0 || g[j] != g[j]) ? g[j] : (T)0;)                  \
    CF_LOOP(cf_tanh_row_grad_##S(const T *__restrict g, const T *__restrict gy,   \
                                 const T *__restrict ghy, T *__restrict gx,       \
                                 ptrdiff_t n),                                \
        gx[j] = (ghy[j] + gy[j]) * ((T)1 - g[j] * g[j]);)                     \
    CF_LOOP(cf_relu_row_grad_##S(const T *__restrict g, const T *__restrict gy,   \
                                 const T *__restrict ghy, T *__restrict gx,       \
                                 ptrdiff_t n),                                \
        gx[j] = (ghy[j] + gy[j]) * (g[j] > (T)0 ? (T)1 : (T)0);)

#define T float
CF_BLOCKS(f)
CF_TREES(f)
CF_SCANS(f)
#undef T
#define T double
CF_BLOCKS(d)
CF_TREES(d)
CF_SCANS(d)
#undef T

#endif
