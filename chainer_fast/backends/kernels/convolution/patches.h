/* Patches of images: copied out of images, and added up into images.
 *
 * The rows of a matrix of patches are the elements of the window in every channel, its
 * columns are the places of the window: `rows` times `width` of them, as the last axis
 * is run through row by row. A function here does some of the rows of places, so that
 * what a matrix product needs next can stay in the cache.
 */
#ifndef CF_PATCHES_H
#define CF_PATCHES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "chainer_fast/backends/kernels/common/loops.h"

#define CF_MAX_AXES 6

/* What a loop with versions calls has to become part of each of them. */
#if defined(__GNUC__)
#define CF_PART static inline __attribute__((always_inline))
#else
#define CF_PART static
#endif

typedef struct {
    ptrdiff_t nd;    /* axes of an image */
    ptrdiff_t taps;  /* elements of the window */
    ptrdiff_t plane; /* elements of an image in a channel */
    ptrdiff_t rows;  /* places of the window along all axes but the last */
    ptrdiff_t width; /* places along the last axis */
    ptrdiff_t length[CF_MAX_AXES];
    ptrdiff_t ksize[CF_MAX_AXES];
    ptrdiff_t outs[CF_MAX_AXES];
    ptrdiff_t stride[CF_MAX_AXES];
    ptrdiff_t pad[CF_MAX_AXES];
    ptrdiff_t dilate[CF_MAX_AXES];
} cf_window;

/* An element of the window, as it meets the last axis. */
typedef struct {
    ptrdiff_t at[CF_MAX_AXES];
    ptrdiff_t shift; /* where the first place meets the image, maybe outside */
    ptrdiff_t first; /* the places from here ... */
    ptrdiff_t last;  /* ... to before here meet the image inside */
} cf_tap;

static void cf_find_tap(const cf_window *w, ptrdiff_t index, cf_tap *tap) {
    ptrdiff_t j, s, n;
    for (j = w->nd - 1; j >= 0; --j) {
        tap->at[j] = index % w->ksize[j];
        index /= w->ksize[j];
    }
    j = w->nd - 1;
    s = w->stride[j];
    n = w->length[j];
    tap->shift = tap->at[j] * w->dilate[j] - w->pad[j];
    tap->first = tap->shift >= 0 ? 0 : (s - 1 - tap->shift) / s;
    tap->last = tap->shift >= n ? 0 : (n - 1 - tap->shift) / s + 1;
    if (tap->last > w->width)
        tap->last = w->width;
    if (tap->first > tap->last)
        tap->first = tap->last = 0;
}

/* Where a row of places meets the image, before the last axis; -1 if outside. */
static ptrdiff_t cf_row_offset(const cf_window *w, const cf_tap *tap, ptrdiff_t row) {
    ptrdiff_t j, x, offset = 0, step = w->length[w->nd - 1];
    for (j = w->nd - 2; j >= 0; --j) {
        ptrdiff_t place = row;
        if (j > 0) {
            place = row % w->outs[j];
            row /= w->outs[j];
        }
        x = place * w->stride[j] + tap->at[j] * w->dilate[j] - w->pad[j];
        if (x < 0 || x >= w->length[j])
            return -1;
        offset += x * step;
        step *= w->length[j];
    }
    return offset;
}

/* Whether the rows of places follow each other in the image as they do in a row of the
 * matrix: then many of them are one run of elements, but for those of the padding. */
static int cf_rows_follow(const cf_window *w) {
    return w->nd == 2 && w->stride[0] == 1 && w->stride[1] == 1 &&
           w->width == w->length[1];
}

/* The rows of places, out of begin to end, that meet the image inside. */
static void cf_rows_inside(const cf_window *w, const cf_tap *tap, ptrdiff_t begin,
                           ptrdiff_t end, ptrdiff_t *first, ptrdiff_t *last) {
    ptrdiff_t shift = tap->at[0] * w->dilate[0] - w->pad[0];
    *first = begin + shift < 0 ? -shift : begin;
    *last = end + shift > w->length[0] ? w->length[0] - shift : end;
    if (*first > end || *last < begin || *first >= *last || tap->first >= tap->last)
        *first = *last = begin;
}

#define CF_PATCHES(S, T)                                                           \
    CF_PART void cf_fill_##S(T *out, T value, ptrdiff_t n) {                       \
        ptrdiff_t i;                                                               \
        for (i = 0; i < n; ++i)                                                    \
            out[i] = value;                                                        \
    }                                                                              \
    /* Rows of places begin to end of one channel and one element of the window */ \
    CF_PART void cf_gather_tap_##S(const T *img, T *out, const cf_window *w,       \
                                  const cf_tap *tap, ptrdiff_t begin,              \
                                  ptrdiff_t end, T pval) {                         \
        const ptrdiff_t s = w->stride[w->nd - 1], width = w->width;                \
        const ptrdiff_t first = tap->first, last = tap->last;                      \
        ptrdiff_t row, i;                                                          \
        if (cf_rows_follow(w)) {                                                   \
            ptrdiff_t inner, outer, from, n;                                       \
            cf_rows_inside(w, tap, begin, end, &inner, &outer);                    \
            cf_fill_##S(out, pval, (inner - begin) * width);                       \
            cf_fill_##S(out + (outer - begin) * width, pval,                       \
                        (end - outer) * width);                                    \
            if (inner == outer)                                                    \
                return;                                                            \
            out += (inner - begin) * width;                                        \
            from = (inner + tap->at[0] * w->dilate[0] - w->pad[0]) * width +       \
                   tap->shift;                                                     \
            n = (outer - inner) * width - first - (width - last);                  \
            memcpy(out + first, img + from + first, n * sizeof(T));                \
            if (first > 0 || last < width)                                         \
                for (row = inner; row < outer; ++row, out += width) {              \
                    for (i = 0; i < first; ++i)                                    \
                        out[i] = pval;                                             \
                    for (i = last; i < width; ++i)                                 \
                        out[i] = pval;                                             \
                }                                                                  \
            return;                                                                \
        }                                                                          \
        for (row = begin; row < end; ++row, out += width) {                        \
            const ptrdiff_t offset = cf_row_offset(w, tap, row);                   \
            const T *source = img + offset + tap->shift;                           \
            if (offset < 0 || first >= last) {                                     \
                cf_fill_##S(out, pval, width);                                     \
                continue;                                                          \
            }                                                                      \
            for (i = 0; i < first; ++i)                                            \
                out[i] = pval;                                                     \
            if (s == 1)                                                            \
                memcpy(out + first, source + first, (last - first) * sizeof(T));   \
            else if (s == 2)                                                       \
                for (i = first; i < last; ++i)                                     \
                    out[i] = source[2 * i];                                        \
            else                                                                   \
                for (i = first; i < last; ++i)                                     \
                    out[i] = source[s * i];                                        \
            for (i = last; i < width; ++i)                                         \
                out[i] = pval;                                                     \
        }                                                                          \
    }                                                                              \
    /* A matrix whose rows are ld elements apart */                                \
    CF_CLONES static void cf_gather_##S(                                           \
            const T *img, T *col, const cf_window *w, ptrdiff_t channels,          \
            ptrdiff_t begin, ptrdiff_t end, ptrdiff_t ld, T pval) {                \
        ptrdiff_t c, index;                                                        \
        cf_tap tap;                                                                \
        for (index = 0; index < w->taps; ++index) {                                \
            cf_find_tap(w, index, &tap);                                           \
            for (c = 0; c < channels; ++c)                                         \
                cf_gather_tap_##S(img + c * w->plane,                              \
                                  col + (c * w->taps + index) * ld, w, &tap,       \
                                  begin, end, pval);                               \
        }                                                                          \
    }

/* The other way. `spoil` allows it to write to the patches, which is faster. */
#define CF_SCATTER(S, T)                                                           \
    CF_PART void cf_scatter_tap_##S(T *col, T *img, const cf_window *w,            \
                                   const cf_tap *tap, ptrdiff_t begin,             \
                                   ptrdiff_t end, int spoil) {                     \
        const ptrdiff_t s = w->stride[w->nd - 1], width = w->width;                \
        const ptrdiff_t first = tap->first, last = tap->last;                      \
        ptrdiff_t row, i;                                                          \
        if (spoil && cf_rows_follow(w)) {                                          \
            ptrdiff_t inner, outer, n;                                             \
            T *target;                                                             \
            cf_rows_inside(w, tap, begin, end, &inner, &outer);                    \
            if (inner == outer)                                                    \
                return;                                                            \
            col += (inner - begin) * width;                                        \
            if (first > 0 || last < width)                                         \
                for (row = 0; row < outer - inner; ++row) {                        \
                    for (i = 0; i < first; ++i)                                    \
                        col[row * width + i] = 0;                                  \
                    for (i = last; i < width; ++i)                                 \
                        col[row * width + i] = 0;                                  \
                }                                                                  \
            target = img + tap->shift +                                            \
                     (inner + tap->at[0] * w->dilate[0] - w->pad[0]) * width;      \
            n = (outer - inner) * width - (width - last);                          \
            for (i = first; i < n; ++i)                                            \
                target[i] += col[i];                                               \
            return;                                                                \
        }                                                                          \
        for (row = begin; row < end; ++row, col += width) {                        \
            const ptrdiff_t offset = cf_row_offset(w, tap, row);                   \
            T *target = img + offset + tap->shift;                                 \
            if (offset < 0)                                                        \
                continue;                                                          \
            if (s == 1)                                                            \
                for (i = first; i < last; ++i)                                     \
                    target[i] += col[i];                                           \
            else if (s == 2)                                                       \
                for (i = first; i < last; ++i)                                     \
                    target[2 * i] += col[i];                                       \
            else                                                                   \
                for (i = first; i < last; ++i)                                     \
                    target[s * i] += col[i];                                       \
        }                                                                          \
    }                                                                              \
    CF_CLONES static void cf_scatter_##S(                                          \
            T *col, T *img, const cf_window *w, ptrdiff_t channels,                \
            ptrdiff_t begin, ptrdiff_t end, ptrdiff_t ld, int spoil) {             \
        ptrdiff_t c, index;                                                        \
        cf_tap tap;                                                                \
        for (index = 0; index < w->taps; ++index) {                                \
            cf_find_tap(w, index, &tap);                                           \
            for (c = 0; c < channels; ++c)                                         \
                cf_scatter_tap_##S(col + (c * w->taps + index) * ld,               \
                                   img + c * w->plane, w, &tap, begin, end,        \
                                   spoil);                                         \
        }                                                                          \
    }

/* Sums of each channel over all images, added up in double precision. */
#define CF_CHANNEL_SUMS(S, T)                                                      \
    CF_CLONES static void cf_channel_sums_##S(const T *y, double *sums,            \
                                              ptrdiff_t images, ptrdiff_t channels, \
                                              ptrdiff_t plane) {                   \
        ptrdiff_t n, c, i, j;                                                      \
        for (n = 0; n < images; ++n)                                               \
            for (c = 0; c < channels; ++c, y += plane) {                           \
                double part[16] = {0}, rest = 0;                                   \
                for (i = 0; i + 16 <= plane; i += 16)                              \
                    for (j = 0; j < 16; ++j)                                       \
                        part[j] += y[i + j];                                       \
                for (; i < plane; ++i)                                             \
                    rest += y[i];                                                  \
                for (j = 0; j < 16; ++j)                                           \
                    rest += part[j];                                               \
                sums[c] += rest;                                                   \
            }                                                                      \
    }

CF_CHANNEL_SUMS(f, float)
CF_CHANNEL_SUMS(d, double)
CF_PATCHES(b, uint8_t)
CF_PATCHES(h, uint16_t)
CF_PATCHES(f, float)
CF_PATCHES(d, double)
CF_SCATTER(f, float)
CF_SCATTER(d, double)

#endif
