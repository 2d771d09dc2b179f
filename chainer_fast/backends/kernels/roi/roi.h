/* Regions of interest: bins of pixels and of samples, along one axis at a time. */
#ifndef CF_ROI_H
#define CF_ROI_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    ptrdiff_t first, end;     /* pixels of a bin */
} cf_cell;

typedef struct {
    ptrdiff_t pixel;          /* -1: the sample does not count */
    ptrdiff_t next;           /* -1: there is no neighbour behind */
    double here, beyond;      /* their weights */
} cf_sample;

static ptrdiff_t cf_clip(double p, ptrdiff_t size) {
    return p < 0 ? 0 : p > (double)size ? size : (ptrdiff_t)p;
}

static void cf_cells(
        double low, double high, int extra, ptrdiff_t count, ptrdiff_t size,
        cf_cell *cell) {
    const double begin = rint(low), length = rint(high) - begin + extra;
    const double step = (length < 1 ? 1 : length) / (double)count;
    ptrdiff_t i;
    for (i = 0; i < count; ++i) {
        cell[i].first = cf_clip(begin + floor((double)i * step), size);
        cell[i].end = cf_clip(begin + ceil((double)(i + 1) * step), size);
    }
}

/* Samples in each bin. */
static ptrdiff_t cf_points(double low, double high, ptrdiff_t count, ptrdiff_t ratio) {
    return ratio ? ratio : (ptrdiff_t)ceil(fmax(high - low, 1) / (double)count);
}

static void cf_samples(
        double low, double high, ptrdiff_t count, ptrdiff_t points, ptrdiff_t size,
        cf_sample *sample) {
    const double step = fmax(high - low, 1) / (double)count;
    ptrdiff_t i, s;
    for (i = 0; i < count; ++i)
        for (s = 0; s < points; ++s, ++sample) {
            const double p = low + (double)i * step
                + ((double)s + .5) * step / (double)points;
            sample->here = 1;
            sample->beyond = 0;
            sample->next = -1;
            if (!(p >= -1 && p <= (double)size))
                sample->pixel = -1;
            else if (p < 0)
                sample->pixel = 0;
            else if (p >= (double)(size - 1))
                sample->pixel = size - 1;
            else {
                sample->pixel = (ptrdiff_t)p;
                sample->next = sample->pixel + 1;
                sample->beyond = p - (double)sample->pixel;
                sample->here = 1 - sample->beyond;
            }
        }
}

typedef struct {
    ptrdiff_t channels, height, width;
    ptrdiff_t rows, columns;              /* bins */
    ptrdiff_t points_y, points_x;         /* samples in each of them */
} cf_grid;

#define T float
#define NAME(name) name##_f
#include "chainer_fast/backends/kernels/roi/bins.h"
#undef T
#undef NAME

#define T double
#define NAME(name) name##_d
#include "chainer_fast/backends/kernels/roi/bins.h"
#undef T
#undef NAME

#endif
