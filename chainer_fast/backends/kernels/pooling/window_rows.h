/* Rows of one float type; included by `pooling.h` for each type `T`.
 *
 * INDEX is an integer of the size of `T`, so that vectors of both have equal length.
 */

/* -- maxima */

CF_CLONES static int NAME(any_nan)(const T *x, ptrdiff_t n) {
    INDEX found = 0;
    ptrdiff_t i;
    for (i = 0; i < n; ++i)
        found |= x[i] != x[i];
    return found != 0;
}

/* There is no NaN in what this sees: one comparison will do, and makes a vector. */
CF_INLINE void NAME(max_loop)(
        const T *CF_RESTRICT x, T *CF_RESTRICT y, INDEX *CF_RESTRICT index,
        INDEX first, ptrdiff_t n, const ptrdiff_t k, const ptrdiff_t s) {
    ptrdiff_t t, i;
    for (t = 0; t < n; ++t) {
        T best = y[t];
        INDEX at = index[t];
        for (i = 0; i < k; ++i) {
            const T seen = x[t * s + i];
            at = seen > best ? first + (INDEX)i : at;
            best = seen > best ? seen : best;
        }
        y[t] = best;
        index[t] = at;
    }
}

CF_VERSIONS(max, (
        const T *CF_RESTRICT x, T *CF_RESTRICT y, INDEX *CF_RESTRICT index,
        INDEX first, ptrdiff_t n,
        ptrdiff_t window_k, ptrdiff_t window_s), x, y, index, first, n)

static void NAME(max_rim)(
        const T *x, T *y, INDEX *index, INDEX first, ptrdiff_t low, ptrdiff_t high,
        const cf_window *w) {
    const int j = w->nd - 1;
    ptrdiff_t t, i;
    for (t = low; t < high; ++t)
        for (i = 0; i < w->k[j]; ++i) {
            const ptrdiff_t at = t * w->s[j] + i - w->p[j];
            /* Not below or equal: above, or one of the two is NaN. */
            if (at >= 0 && at < w->n[j] && !(x[at] <= y[t]) && y[t] == y[t]) {
                y[t] = x[at];
                index[t] = first + (INDEX)i;
            }
        }
}

CF_CLONES static void NAME(cf_max)(
        const cf_window *w, const cf_plan *plan, ptrdiff_t images, const T *x, T *y,
        int64_t *indexes, INDEX *index) {
    const int j = w->nd - 1;
    const ptrdiff_t size = cf_product(w->n, w->nd), out = w->out[j];
    const ptrdiff_t k = w->k[j], s = w->s[j], p = w->p[j];
    const NAME(max_function) max_span = NAME(max_for)(w);
    ptrdiff_t low, high, image, row, i, t;
    for (image = 0; image < images; ++image, x += size) {
        cf_inner_places(w, &low, &high);
        if (NAME(any_nan)(x, size))
            low = high = 0;
        for (row = 0; row < plan->rows; ++row, y += out, indexes += out) {
            for (t = 0; t < out; ++t) {
                y[t] = -(T)INFINITY;
                index[t] = 0;
            }
            for (i = plan->begin[row]; i < plan->begin[row + 1]; ++i) {
                const T *seen = x + plan->partner[i].offset;
                const INDEX first = (INDEX)plan->partner[i].first;
                max_span(seen + low * s - p, y + low, index + low, first, high - low,
                         k, s);
                if (low > 0)
                    NAME(max_rim)(seen, y, index, first, 0, low, w);
                if (high < out)
                    NAME(max_rim)(seen, y, index, first, high, out, w);
            }
            for (t = 0; t < out; ++t)
                indexes[t] = index[t];
        }
    }
}

/* -- sums */

CF_INLINE void NAME(sum_loop)(
        const T *CF_RESTRICT x, T *CF_RESTRICT y, ptrdiff_t n, const ptrdiff_t k,
        const ptrdiff_t s) {
    ptrdiff_t t, i;
    for (t = 0; t < n; ++t) {
        T sum = y[t];
        for (i = 0; i < k; ++i)
            sum += x[t * s + i];
        y[t] = sum;
    }
}

CF_VERSIONS(sum, (
        const T *CF_RESTRICT x, T *CF_RESTRICT y, ptrdiff_t n,
        ptrdiff_t window_k, ptrdiff_t window_s), x, y, n)

static void NAME(sum_rim)(
        const T *x, T *y, ptrdiff_t low, ptrdiff_t high, const cf_window *w) {
    const int j = w->nd - 1;
    ptrdiff_t t, i;
    for (t = low; t < high; ++t)
        for (i = 0; i < w->k[j]; ++i) {
            const ptrdiff_t at = t * w->s[j] + i - w->p[j];
            if (at >= 0 && at < w->n[j])
                y[t] += x[at];
        }
}

CF_CLONES static void NAME(cf_sum)(
        const cf_window *w, const cf_plan *plan, ptrdiff_t images, const T *x, T *y,
        T divisor) {
    const int j = w->nd - 1;
    const ptrdiff_t size = cf_product(w->n, w->nd), out = w->out[j];
    const ptrdiff_t k = w->k[j], s = w->s[j], p = w->p[j];
    const NAME(sum_function) sum_span = NAME(sum_for)(w);
    ptrdiff_t low, high, image, row, i, t;
    cf_inner_places(w, &low, &high);
    for (image = 0; image < images; ++image, x += size)
        for (row = 0; row < plan->rows; ++row, y += out) {
            for (t = 0; t < out; ++t)
                y[t] = 0;
            for (i = plan->begin[row]; i < plan->begin[row + 1]; ++i) {
                const T *seen = x + plan->partner[i].offset;
                sum_span(seen + low * s - p, y + low, high - low, k, s);
                if (low > 0)
                    NAME(sum_rim)(seen, y, 0, low, w);
                if (high < out)
                    NAME(sum_rim)(seen, y, high, out, w);
            }
            if (divisor != 1)
                for (t = 0; t < out; ++t)
                    y[t] /= divisor;
        }
}

/* -- from windows to images, each element of which gathers what it gets */

CF_INLINE void NAME(spread_loop)(
        const T *CF_RESTRICT gy, T *CF_RESTRICT gx, ptrdiff_t n, const ptrdiff_t k,
        const ptrdiff_t s) {
    ptrdiff_t t, part, i;
    for (t = 0; t < n; ++t)
        CF_UNROLL for (part = 0; part < s; ++part) {
            T sum = gx[t * s + part];
            CF_UNROLL for (i = 0; part + i * s < k; ++i)
                sum += gy[t - i];
            gx[t * s + part] = sum;
        }
}

CF_VERSIONS(spread, (
        const T *CF_RESTRICT gy, T *CF_RESTRICT gx, ptrdiff_t n,
        ptrdiff_t window_k, ptrdiff_t window_s), gy, gx, n)

/* `value`, or zero unless `counts`; without a branch, so that loops make vectors. */
CF_INLINE T NAME(if_counts)(T value, int counts) {
    INDEX bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= -(INDEX)counts;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* The same for windows that each have one element that counts. */
CF_INLINE void NAME(put_loop)(
        const T *CF_RESTRICT gy, const INDEX *CF_RESTRICT index, T *CF_RESTRICT gx,
        INDEX first, ptrdiff_t n, const ptrdiff_t k, const ptrdiff_t s) {
    ptrdiff_t t, part, i;
    for (t = 0; t < n; ++t)
        CF_UNROLL for (part = 0; part < s; ++part) {
            T sum = gx[t * s + part];
            CF_UNROLL for (i = 0; part + i * s < k; ++i)
                sum += NAME(if_counts)(
                    gy[t - i], index[t - i] == first + (INDEX)(part + i * s));
            gx[t * s + part] = sum;
        }
}

CF_VERSIONS(put, (
        const T *CF_RESTRICT gy, const INDEX *CF_RESTRICT index, T *CF_RESTRICT gx,
        INDEX first, ptrdiff_t n,
        ptrdiff_t window_k, ptrdiff_t window_s), gy, index, gx, first, n)

/* `index` may be NULL: then all elements of a window count. */
static void NAME(spread_rim)(
        const T *gy, const INDEX *index, T *gx, INDEX first, ptrdiff_t low,
        ptrdiff_t high, const cf_window *w) {
    const int j = w->nd - 1;
    ptrdiff_t x, i;
    for (x = low; x < high; ++x)
        for (i = 0; i < w->k[j]; ++i) {
            const ptrdiff_t way = x + w->p[j] - i, t = way / w->s[j];
            if (way >= 0 && way % w->s[j] == 0 && t < w->out[j]
                    && (!index || index[t] == first + (INDEX)i))
                gx[x] += gy[t];
        }
}

CF_CLONES static void NAME(cf_spread)(
        const cf_window *w, const cf_plan *plan, ptrdiff_t images, const T *gy, T *gx,
        T divisor) {
    const int j = w->nd - 1;
    const ptrdiff_t size = cf_product(w->out, w->nd), n = w->n[j];
    const ptrdiff_t k = w->k[j], s = w->s[j], p = w->p[j];
    const NAME(spread_function) spread_span = NAME(spread_for)(w);
    ptrdiff_t low, high, image, row, i, x;
    cf_inner_steps(w, &low, &high);
    for (image = 0; image < images; ++image, gy += size)
        for (row = 0; row < plan->rows; ++row, gx += n) {
            for (x = 0; x < n; ++x)
                gx[x] = 0;
            for (i = plan->begin[row]; i < plan->begin[row + 1]; ++i) {
                const T *given = gy + plan->partner[i].offset;
                if (low < high) {
                    spread_span(given + low, gx + low * s - p, high - low, k, s);
                    NAME(spread_rim)(given, NULL, gx, 0, 0, low * s - p, w);
                    NAME(spread_rim)(given, NULL, gx, 0, high * s - p, n, w);
                }
                else
                    NAME(spread_rim)(given, NULL, gx, 0, 0, n, w);
            }
            if (divisor != 1)
                for (x = 0; x < n; ++x)
                    gx[x] /= divisor;
        }
}

/* One image, small windows: each element asks all windows that see it. */
CF_CLONES static void NAME(cf_put_rows)(
        const cf_window *w, const cf_plan *plan, const T *gy, const INDEX *indexes,
        T *gx) {
    const int j = w->nd - 1;
    const ptrdiff_t n = w->n[j], k = w->k[j], s = w->s[j], p = w->p[j];
    const NAME(put_function) put_span = NAME(put_for)(w);
    ptrdiff_t low, high, row, i, x;
    cf_inner_steps(w, &low, &high);
    for (row = 0; row < plan->rows; ++row, gx += n) {
        for (x = 0; x < n; ++x)
            gx[x] = 0;
        for (i = plan->begin[row]; i < plan->begin[row + 1]; ++i) {
            const T *given = gy + plan->partner[i].offset;
            const INDEX *index = indexes + plan->partner[i].offset;
            const INDEX first = (INDEX)plan->partner[i].first;
            if (low < high) {
                put_span(given + low, index + low, gx + low * s - p, first,
                         high - low, k, s);
                NAME(spread_rim)(given, index, gx, first, 0, low * s - p, w);
                NAME(spread_rim)(given, index, gx, first, high * s - p, n, w);
            }
            else
                NAME(spread_rim)(given, index, gx, first, 0, n, w);
        }
    }
}

/* -- one element of each window */

/* Where the element of index `at` lies in the image, or -1 in the padding. */
CF_INLINE ptrdiff_t NAME(find)(
        const cf_window *w, const ptrdiff_t *place, ptrdiff_t at) {
    ptrdiff_t offset = 0, step = 1;
    int j;
    for (j = w->nd - 1; j >= 0; --j) {
        const ptrdiff_t x = place[j] * w->s[j] + at % w->k[j] - w->p[j];
        if (x < 0 || x >= w->n[j])
            return -1;
        at /= w->k[j];
        offset += x * step;
        step *= w->n[j];
    }
    return offset;
}

/* One image: each window finds the element that counts. From the last window to the
 * first, so that an element meets them in the order of its indexes there. */
static void NAME(cf_put)(
        const cf_window *w, const T *gy, const INDEX *indexes, T *gx) {
    ptrdiff_t place[CF_AXES], i;
    int j;
    memset(gx, 0, cf_product(w->n, w->nd) * sizeof(T));
    for (j = 0; j < w->nd; ++j)
        place[j] = w->out[j] - 1;
    for (i = cf_product(w->out, w->nd) - 1; i >= 0; --i) {
        const ptrdiff_t offset = NAME(find)(w, place, (ptrdiff_t)indexes[i]);
        if (offset >= 0)
            gx[offset] += gy[i];
        for (j = w->nd - 1; j >= 0 && --place[j] < 0; --j)
            place[j] = w->out[j] - 1;
    }
}

static void NAME(cf_pick)(
        const cf_window *w, const T *x, const INDEX *indexes, T *y) {
    ptrdiff_t place[CF_AXES] = {0}, i = 0;
    do {
        const ptrdiff_t offset = NAME(find)(w, place, (ptrdiff_t)indexes[i]);
        y[i++] = offset >= 0 ? x[offset] : 0;
    } while (cf_next(place, w->out, w->nd));
}
