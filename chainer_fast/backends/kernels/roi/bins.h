/* The bins of one region, in all channels of its image; included by `roi.h` for each
 * float type `T`. */

static void NAME(cf_cell_max)(
        const cf_grid *g, const cf_cell *ys, const cf_cell *xs, T empty, const T *x,
        T *y, int32_t *found) {
    ptrdiff_t c, i, j, row, column;
    for (c = 0; c < g->channels; ++c, x += g->height * g->width)
        for (i = 0; i < g->rows; ++i)
            for (j = 0; j < g->columns; ++j) {
                T best = empty;
                ptrdiff_t at = -1;
                if (ys[i].first < ys[i].end && xs[j].first < xs[j].end) {
                    at = ys[i].first * g->width + xs[j].first;
                    best = x[at];
                }
                for (row = ys[i].first; row < ys[i].end; ++row)
                    for (column = xs[j].first; column < xs[j].end; ++column) {
                        const T seen = x[row * g->width + column];
                        if (!(seen <= best) && best == best) {
                            best = seen;
                            at = row * g->width + column;
                        }
                    }
                *y++ = best;
                *found++ = (int32_t)at;
            }
}

/* Returns 0 if a place is not in the image. */
static int NAME(cf_cell_put)(
        const cf_grid *g, const T *gy, const int32_t *found, T *gx) {
    const ptrdiff_t bins = g->rows * g->columns, size = g->height * g->width;
    ptrdiff_t c, i;
    for (c = 0; c < g->channels; ++c, gx += size)
        for (i = 0; i < bins; ++i, ++gy, ++found) {
            if (*found >= size)
                return 0;
            if (*found >= 0)
                gx[*found] += *gy;
        }
    return 1;
}

static void NAME(cf_cell_mean)(
        const cf_grid *g, const cf_cell *ys, const cf_cell *xs, const T *x, T *y) {
    ptrdiff_t c, i, j, row, column;
    for (c = 0; c < g->channels; ++c, x += g->height * g->width)
        for (i = 0; i < g->rows; ++i)
            for (j = 0; j < g->columns; ++j) {
                const ptrdiff_t h = ys[i].end - ys[i].first, w = xs[j].end - xs[j].first;
                double sum = 0;
                for (row = ys[i].first; row < ys[i].end; ++row)
                    for (column = xs[j].first; column < xs[j].end; ++column)
                        sum += x[row * g->width + column];
                *y++ = h > 0 && w > 0 ? (T)(sum / (double)(h * w)) : 0;
            }
}

static void NAME(cf_cell_spread)(
        const cf_grid *g, const cf_cell *ys, const cf_cell *xs, const T *gy, T *gx) {
    ptrdiff_t c, i, j, row, column;
    for (c = 0; c < g->channels; ++c, gx += g->height * g->width)
        for (i = 0; i < g->rows; ++i)
            for (j = 0; j < g->columns; ++j) {
                const T given = *gy++;
                const T count = (T)((ys[i].end - ys[i].first)
                                    * (xs[j].end - xs[j].first));
                if (ys[i].first >= ys[i].end || xs[j].first >= xs[j].end)
                    continue;
                for (row = ys[i].first; row < ys[i].end; ++row)
                    for (column = xs[j].first; column < xs[j].end; ++column)
                        gx[row * g->width + column] += given / count;
            }
}

static inline double NAME(value)(
        const T *x, ptrdiff_t width, const cf_sample *v, const cf_sample *u) {
    double value = v->here * u->here * (double)x[v->pixel * width + u->pixel];
    if (u->next >= 0)
        value += v->here * u->beyond * (double)x[v->pixel * width + u->next];
    if (v->next >= 0) {
        value += v->beyond * u->here * (double)x[v->next * width + u->pixel];
        if (u->next >= 0)
            value += v->beyond * u->beyond * (double)x[v->next * width + u->next];
    }
    return value;
}

static inline void NAME(add)(
        T *gx, ptrdiff_t width, const cf_sample *v, const cf_sample *u, double given) {
    T *here = gx + v->pixel * width, *beyond = gx + v->next * width;
    here[u->pixel] = (T)((double)here[u->pixel] + given * (v->here * u->here));
    if (u->next >= 0)
        here[u->next] = (T)((double)here[u->next] + given * (v->here * u->beyond));
    if (v->next >= 0) {
        beyond[u->pixel] = (T)((double)beyond[u->pixel]
                               + given * (v->beyond * u->here));
        if (u->next >= 0)
            beyond[u->next] = (T)((double)beyond[u->next]
                                  + given * (v->beyond * u->beyond));
    }
}

static void NAME(cf_sample_max)(
        const cf_grid *g, const cf_sample *ys, const cf_sample *xs, const T *x, T *y,
        int32_t *found) {
    ptrdiff_t c, i, j, a, b;
    for (c = 0; c < g->channels; ++c, x += g->height * g->width)
        for (i = 0; i < g->rows; ++i)
            for (j = 0; j < g->columns; ++j) {
                T best = -(T)INFINITY;
                int32_t at = -1;
                for (a = 0; a < g->points_y; ++a)
                    for (b = 0; b < g->points_x; ++b) {
                        const cf_sample *v = ys + i * g->points_y + a;
                        const cf_sample *u = xs + j * g->points_x + b;
                        T seen;
                        if (v->pixel < 0 || u->pixel < 0)
                            continue;
                        seen = (T)NAME(value)(x, g->width, v, u);
                        if (seen > best) {
                            best = seen;
                            at = (int32_t)(a * g->points_x + b);
                        }
                    }
                *y++ = best;
                *found++ = at;
            }
}

/* Returns 0 if there is no such sample. */
static int NAME(cf_sample_put)(
        const cf_grid *g, const cf_sample *ys, const cf_sample *xs, const T *gy,
        const int32_t *found, T *gx) {
    ptrdiff_t c, i, j;
    for (c = 0; c < g->channels; ++c, gx += g->height * g->width)
        for (i = 0; i < g->rows; ++i)
            for (j = 0; j < g->columns; ++j, ++gy, ++found) {
                const cf_sample *v = ys + i * g->points_y + *found / g->points_x;
                const cf_sample *u = xs + j * g->points_x + *found % g->points_x;
                if (*found >= g->points_y * g->points_x)
                    return 0;
                if (*found >= 0 && v->pixel >= 0 && u->pixel >= 0)
                    NAME(add)(gx, g->width, v, u, (double)*gy);
            }
    return 1;
}

static void NAME(cf_sample_mean)(
        const cf_grid *g, const cf_sample *ys, const cf_sample *xs, const T *x, T *y) {
    const double count = (double)(g->points_y * g->points_x);
    ptrdiff_t c, i, j, a, b;
    for (c = 0; c < g->channels; ++c, x += g->height * g->width)
        for (i = 0; i < g->rows; ++i)
            for (j = 0; j < g->columns; ++j) {
                double sum = 0;
                for (a = 0; a < g->points_y; ++a)
                    for (b = 0; b < g->points_x; ++b) {
                        const cf_sample *v = ys + i * g->points_y + a;
                        const cf_sample *u = xs + j * g->points_x + b;
                        if (v->pixel >= 0 && u->pixel >= 0)
                            sum += NAME(value)(x, g->width, v, u);
                    }
                *y++ = (T)(sum / count);
            }
}

static void NAME(cf_sample_spread)(
        const cf_grid *g, const cf_sample *ys, const cf_sample *xs, const T *gy, T *gx) {
    const double count = (double)(g->points_y * g->points_x);
    ptrdiff_t c, i, j, a, b;
    for (c = 0; c < g->channels; ++c, gx += g->height * g->width)
        for (i = 0; i < g->rows; ++i)
            for (j = 0; j < g->columns; ++j) {
                const double given = (double)*gy++ / count;
                for (a = 0; a < g->points_y; ++a)
                    for (b = 0; b < g->points_x; ++b) {
                        const cf_sample *v = ys + i * g->points_y + a;
                        const cf_sample *u = xs + j * g->points_x + b;
                        if (v->pixel >= 0 && u->pixel >= 0)
                            NAME(add)(gx, g->width, v, u, given);
                    }
            }
}
