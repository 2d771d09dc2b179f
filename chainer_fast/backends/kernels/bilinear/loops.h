/* Bilinear interpolation in single images.
 *
 * Lines between two rows are blended as a whole first, which is done in vectors, and
 * the columns are then picked from the line.
 */
#ifndef CF_SAMPLING_H
#define CF_SAMPLING_H

#include <math.h>
#include "chainer_fast/backends/kernels/common/loops.h"

/* Where a point is: the offsets of the four pixels around it, -1 for one outside of the
 * image, and how far it is from the first of them. */
typedef struct {
    ptrdiff_t at[4];
    double u, v;
} cf_point;

#define CF_SAMPLING(S, T)                                                     \
    CF_CLONES static void cf_blend_##S(const T *a, const T *b, T w, T *out,   \
                                       ptrdiff_t n) {                         \
        ptrdiff_t i;                                                          \
        const T r = (T)1 - w;                                                 \
        for (i = 0; i < n; ++i)                                               \
            out[i] = a[i] * r + b[i] * w;                                     \
    }                                                                         \
    CF_CLONES static void cf_unblend_##S(const T *g, T w, T *out,             \
                                         ptrdiff_t n) {                       \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            out[i] += g[i] * w;                                               \
    }                                                                         \
    CF_CLONES static void cf_pick_##S(const T *line, const int *at,           \
                                      const int *next, const T *w, T *out,    \
                                      ptrdiff_t n) {                          \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i)                                               \
            out[i] = line[at[i]] * ((T)1 - w[i]) + line[next[i]] * w[i];      \
    }                                                                         \
    static void cf_unpick_##S(const T *g, const int *at, const int *next,     \
                              const T *w, T *line, ptrdiff_t n) {             \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            line[at[i]] += g[i] * ((T)1 - w[i]);                              \
            line[next[i]] += g[i] * w[i];                                     \
        }                                                                     \
    }                                                                         \
    /* Returns whether all coordinates are numbers. */                        \
    static int cf_locate_##S(const T *column, const T *row, ptrdiff_t height, \
                             ptrdiff_t width, cf_point *points,               \
                             ptrdiff_t n) {                                   \
        ptrdiff_t i, k;                                                       \
        for (i = 0; i < n; ++i) {                                             \
            T u = (column[i] + (T)1) * (T)(width - 1) / (T)2;                 \
            T v = (row[i] + (T)1) * (T)(height - 1) / (T)2;                   \
            T first_u, first_v;                                               \
            ptrdiff_t c, r;                                                   \
            if (u != u || v != v)                                             \
                return 0;                                                     \
            u = u <= (T)-1 ? (T)-2 : u > (T)width ? (T)width : u;              \
            v = v <= (T)-1 ? (T)-2 : v > (T)height ? (T)height : v;            \
            first_u = (T)floor((double)u);                                    \
            first_v = (T)floor((double)v);                                    \
            points[i].u = u - first_u;                                        \
            points[i].v = v - first_v;                                        \
            c = (ptrdiff_t)first_u;                                           \
            r = (ptrdiff_t)first_v;                                           \
            for (k = 0; k < 4; ++k) {                                         \
                const ptrdiff_t x = c + (k & 1), y = r + (k >> 1);            \
                points[i].at[k] = 0 <= x && x < width && 0 <= y && y < height \
                                  ? y * width + x : -1;                       \
            }                                                                 \
        }                                                                     \
        return 1;                                                             \
    }                                                                         \
    static void cf_sample_##S(const T *x, const cf_point *points, T *y,       \
                              ptrdiff_t n) {                                  \
        ptrdiff_t i, k;                                                       \
        for (i = 0; i < n; ++i) {                                             \
            const cf_point *p = points + i;                                   \
            const T u = (T)p->u, v = (T)p->v;                                 \
            T q[4];                                                           \
            for (k = 0; k < 4; ++k)                                           \
                q[k] = p->at[k] < 0 ? (T)0 : x[p->at[k]];                     \
            y[i] = (q[0] * ((T)1 - u) + q[1] * u) * ((T)1 - v)                \
                   + (q[2] * ((T)1 - u) + q[3] * u) * v;                      \
        }                                                                     \
    }                                                                         \
    static void cf_unsample_##S(const T *x, const cf_point *points,           \
                                const T *gy, T *gx, T *g_column, T *g_row,    \
                                ptrdiff_t n) {                                \
        ptrdiff_t i, k;                                                       \
        for (i = 0; i < n; ++i) {                                             \
            const cf_point *p = points + i;                                   \
            const T u = (T)p->u, v = (T)p->v, g = gy[i];                      \
            const T ru = (T)1 - u, rv = (T)1 - v;                             \
            const T w[4] = {rv * ru, rv * u, v * ru, v * u};                  \
            T q[4];                                                           \
            for (k = 0; k < 4; ++k) {                                         \
                q[k] = (T)0;                                                  \
                if (p->at[k] >= 0) {                                          \
                    q[k] = x[p->at[k]];                                       \
                    gx[p->at[k]] += g * w[k];                                 \
                }                                                             \
            }                                                                 \
            g_column[i] += g * ((q[1] - q[0]) * rv + (q[3] - q[2]) * v);      \
            g_row[i] += g * ((q[2] - q[0]) * ru + (q[3] - q[1]) * u);         \
        }                                                                     \
    }

CF_SAMPLING(f, float)
CF_SAMPLING(d, double)

#endif
