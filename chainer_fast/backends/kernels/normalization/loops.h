/* Loops of normalization for the type T; included once for each type.
 *
 * Sums are doubles. Moments are taken around one of the elements, in one pass: the
 * variance then loses no more digits to cancellation than a sum of as many terms does,
 * as no element is further from the mean than the deviation times the root of the
 * number of elements. Where all elements are the same, it is exactly zero.
 *
 * A batch is an array of the shape (outer, channels, inner). Where inner is large, a
 * channel is worked on run by run, and is still in the cache when it is gone over
 * again; otherwise some channels at once, as columns of a matrix.
 */

CF_INLINE SOME N(load)(const T *p) {
    SOME v;
    memcpy(&v, p, sizeof v);
    return v;
}

CF_INLINE void N(add_some_moments)(const T *x, double shift, cf_wide *a, cf_wide *b) {
    cf_wide d = CF_WIDEN(N(load)(x)) - shift;
    *a += d;
    *b += d * d;
}

/* a += x - shift, b += (x - shift)^2 */
CF_INLINE void N(add_moments)(const T *x, ptrdiff_t n, double shift, cf_sums *s) {
    cf_wide a = s->a[0], b = s->b[0], more_a = s->a[1], more_b = s->b[1];
    ptrdiff_t i = 0;
    for (; i + 2 * CF_WIDTH <= n; i += 2 * CF_WIDTH) {
        N(add_some_moments)(x + i, shift, &a, &b);
        N(add_some_moments)(x + i + CF_WIDTH, shift, &more_a, &more_b);
    }
    for (; i + CF_WIDTH <= n; i += CF_WIDTH)
        N(add_some_moments)(x + i, shift, &a, &b);
    s->a[0] = a, s->a[1] = more_a;
    s->b[0] = b, s->b[1] = more_b;
    for (; i < n; ++i) {
        double d = (double)x[i] - shift;
        s->rest_a += d;
        s->rest_b += d * d;
    }
}

CF_INLINE void N(add_some_products)(const T *x, const T *g, double mean, cf_wide *a,
                                    cf_wide *b) {
    cf_wide d = CF_WIDEN(N(load)(g));
    *a += d;
    *b += d * (CF_WIDEN(N(load)(x)) - mean);
}

/* a += g, b += g (x - mean) */
CF_INLINE void N(add_products)(const T *x, const T *g, ptrdiff_t n, double mean,
                               cf_sums *s) {
    cf_wide a = s->a[0], b = s->b[0], more_a = s->a[1], more_b = s->b[1];
    ptrdiff_t i = 0;
    for (; i + 2 * CF_WIDTH <= n; i += 2 * CF_WIDTH) {
        N(add_some_products)(x + i, g + i, mean, &a, &b);
        N(add_some_products)(x + i + CF_WIDTH, g + i + CF_WIDTH, mean, &more_a,
                             &more_b);
    }
    for (; i + CF_WIDTH <= n; i += CF_WIDTH)
        N(add_some_products)(x + i, g + i, mean, &a, &b);
    s->a[0] = a, s->a[1] = more_a;
    s->b[0] = b, s->b[1] = more_b;
    for (; i < n; ++i) {
        s->rest_a += (double)g[i];
        s->rest_b += (double)g[i] * ((double)x[i] - mean);
    }
}

/* y = (x - mean) factor + summand */
CF_INLINE void N(apply_run)(const T *x, T *y, ptrdiff_t n, T mean, T factor,
                            T summand) {
    ptrdiff_t i;
    for (i = 0; i < n; ++i)
        y[i] = (x[i] - mean) * factor + summand;
}

/* gx = (g - g_mean) factor + (x - mean) slope */
CF_INLINE void N(grad_run)(const T *x, const T *g, T *gx, ptrdiff_t n, T mean, T g_mean,
                           T factor, T slope) {
    ptrdiff_t i;
    for (i = 0; i < n; ++i)
        gx[i] = (g[i] - g_mean) * factor + (x[i] - mean) * slope;
}

CF_INLINE void N(finish_moments)(double sum, double squares, double count, double shift,
                                 double *mean, double *var) {
    double by_shift = sum / count, v = squares / count - by_shift * by_shift;
    *mean = shift + by_shift;
    *var = v > 0 || v != v ? v : 0;
}

/* How many channels are worked on at once. */
CF_INLINE ptrdiff_t N(block)(ptrdiff_t channels, ptrdiff_t inner) {
    ptrdiff_t n = inner < CF_SHORT ? CF_COLUMNS / inner : CF_RUNS / inner;
    n = n > 1 ? n : 1;
    return n < channels ? n : channels;
}

/* Repeat each number of a parameter as often as its channel has columns. */
CF_INLINE void N(repeat)(const T *v, T *out, ptrdiff_t channels, ptrdiff_t inner) {
    ptrdiff_t c, i;
    for (c = 0; c < channels; ++c)
        for (i = 0; i < inner; ++i)
            out[c * inner + i] = v[c];
}

/* Moments of a few channels as columns. */
CF_INLINE void N(column_moments)(const T *x, ptrdiff_t outer, ptrdiff_t stride,
                                 ptrdiff_t channels, ptrdiff_t inner, T *mean, T *var) {
    double sum[CF_COLUMNS], squares[CF_COLUMNS];
    T shift[CF_COLUMNS];
    ptrdiff_t width = channels * inner, n, c, i, j;
    for (c = 0; c < channels; ++c)
        for (i = 0; i < inner; ++i)
            shift[c * inner + i] = x[c * inner];
    for (j = 0; j < width; ++j)
        sum[j] = squares[j] = 0;
    for (n = 0; n + 4 <= outer; n += 4) {
        const T *p = x + n * stride, *q = p + stride, *r = q + stride, *s = r + stride;
        for (j = 0; j < width; ++j) {
            double h = (double)shift[j], d0 = (double)p[j] - h, d1 = (double)q[j] - h;
            double d2 = (double)r[j] - h, d3 = (double)s[j] - h;
            sum[j] += (d0 + d1) + (d2 + d3);
            squares[j] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3);
        }
    }
    for (; n < outer; ++n)
        for (j = 0; j < width; ++j) {
            double d = (double)x[n * stride + j] - (double)shift[j];
            sum[j] += d;
            squares[j] += d * d;
        }
    for (c = 0; c < channels; ++c) {
        double a = 0, b = 0, m, v;
        for (i = 0; i < inner; ++i) {
            a += sum[c * inner + i];
            b += squares[c * inner + i];
        }
        N(finish_moments)(a, b, (double)(outer * inner), (double)shift[c * inner], &m,
                          &v);
        mean[c] = (T)m;
        var[c] = (T)v;
    }
}

/* Moments of some channels of long runs. */
CF_INLINE void N(run_moments)(const T *x, ptrdiff_t outer, ptrdiff_t stride,
                              ptrdiff_t channels, ptrdiff_t inner, T *mean, T *var) {
    cf_sums s[CF_RUNS / CF_SHORT];
    double m, v;
    ptrdiff_t n, c;
    for (c = 0; c < channels; ++c)
        cf_start(s + c);
    for (n = 0; n < outer; ++n)
        for (c = 0; c < channels; ++c)
            N(add_moments)(x + n * stride + c * inner, inner, (double)x[c * inner],
                           s + c);
    for (c = 0; c < channels; ++c) {
        N(finish_moments)(cf_total(s[c].a, s[c].rest_a), cf_total(s[c].b, s[c].rest_b),
                          (double)(outer * inner), (double)x[c * inner], &m, &v);
        mean[c] = (T)m;
        var[c] = (T)v;
    }
}

CF_CLONES static void N(moments)(const T *x, ptrdiff_t outer, ptrdiff_t channels,
                                 ptrdiff_t inner, T *mean, T *var) {
    ptrdiff_t stride = channels * inner, c, n;
    for (c = 0; c < channels; c += n) {
        n = N(block)(channels - c, inner);
        if (inner < CF_SHORT)
            N(column_moments)(x + c * inner, outer, stride, n, inner, mean + c,
                              var + c);
        else
            N(run_moments)(x + c * inner, outer, stride, n, inner, mean + c, var + c);
    }
}

/* Apply statistics to some channels. */
CF_INLINE void N(apply_columns)(const T *x, T *y, ptrdiff_t outer, ptrdiff_t stride,
                                ptrdiff_t channels, ptrdiff_t inner, const T *mean,
                                const T *inv_std, const T *gamma, const T *beta) {
    T m[CF_COLUMNS], a[CF_COLUMNS], b[CF_COLUMNS], factor[CF_COLUMNS];
    ptrdiff_t width = channels * inner, n, j;
    for (j = 0; j < channels; ++j)
        factor[j] = gamma[j] * inv_std[j];
    N(repeat)(factor, a, channels, inner);
    N(repeat)(mean, m, channels, inner);
    N(repeat)(beta, b, channels, inner);
    for (n = 0; n < outer; ++n) {
        const T *p = x + n * stride;
        T *q = y + n * stride;
        for (j = 0; j < width; ++j)
            q[j] = (p[j] - m[j]) * a[j] + b[j];
    }
}

CF_INLINE void N(apply_runs)(const T *x, T *y, ptrdiff_t outer, ptrdiff_t stride,
                             ptrdiff_t channels, ptrdiff_t inner, const T *mean,
                             const T *inv_std, const T *gamma, const T *beta) {
    ptrdiff_t n, c;
    for (n = 0; n < outer; ++n)
        for (c = 0; c < channels; ++c)
            N(apply_run)(x + n * stride + c * inner, y + n * stride + c * inner, inner,
                         mean[c], gamma[c] * inv_std[c], beta[c]);
}

CF_CLONES static void N(batch_apply)(const T *x, const T *gamma, const T *beta,
                                     const T *mean, const T *inv_std, T *y,
                                     ptrdiff_t outer, ptrdiff_t channels,
                                     ptrdiff_t inner) {
    ptrdiff_t stride = channels * inner, c, n;
    if (inner >= CF_SHORT) {
        N(apply_runs)(x, y, outer, stride, channels, inner, mean, inv_std, gamma, beta);
        return;
    }
    for (c = 0; c < channels; c += n) {
        n = N(block)(channels - c, inner);
        N(apply_columns)(x + c * inner, y + c * inner, outer, stride, n, inner,
                         mean + c, inv_std + c, gamma + c, beta + c);
    }
}

CF_CLONES static void N(batch_forward)(const T *x, const T *gamma, const T *beta,
                                       double eps, T *y, T *mean, T *var, T *inv_std,
                                       ptrdiff_t outer, ptrdiff_t channels,
                                       ptrdiff_t inner) {
    ptrdiff_t stride = channels * inner, c, n, i;
    for (c = 0; c < channels; c += n) {
        const T *p = x + c * inner;
        T *q = y + c * inner;
        n = N(block)(channels - c, inner);
        if (inner < CF_SHORT)
            N(column_moments)(p, outer, stride, n, inner, mean + c, var + c);
        else
            N(run_moments)(p, outer, stride, n, inner, mean + c, var + c);
        for (i = c; i < c + n; ++i)
            inv_std[i] = (T)1 / SQRT(var[i] + (T)eps);
        if (inner < CF_SHORT)
            N(apply_columns)(p, q, outer, stride, n, inner, mean + c, inv_std + c,
                             gamma + c, beta + c);
        else
            N(apply_runs)(p, q, outer, stride, n, inner, mean + c, inv_std + c,
                          gamma + c, beta + c);
    }
}

/* Sums of a few channels as columns: of g, and of g (x - mean). */
CF_INLINE void N(column_products)(const T *x, const T *g, ptrdiff_t outer,
                                  ptrdiff_t stride, ptrdiff_t channels, ptrdiff_t inner,
                                  const T *mean, double *sum, double *products) {
    double a[CF_COLUMNS], b[CF_COLUMNS];
    T m[CF_COLUMNS];
    ptrdiff_t width = channels * inner, n, c, i, j;
    N(repeat)(mean, m, channels, inner);
    for (j = 0; j < width; ++j)
        a[j] = b[j] = 0;
    for (n = 0; n + 2 <= outer; n += 2) {
        const T *p = x + n * stride, *q = p + stride;
        const T *r = g + n * stride, *s = r + stride;
        for (j = 0; j < width; ++j) {
            double h = (double)m[j], g0 = (double)r[j], g1 = (double)s[j];
            a[j] += g0 + g1;
            b[j] += g0 * ((double)p[j] - h) + g1 * ((double)q[j] - h);
        }
    }
    for (; n < outer; ++n)
        for (j = 0; j < width; ++j) {
            double d = (double)g[n * stride + j];
            a[j] += d;
            b[j] += d * ((double)x[n * stride + j] - (double)m[j]);
        }
    for (c = 0; c < channels; ++c) {
        sum[c] = products[c] = 0;
        for (i = 0; i < inner; ++i) {
            sum[c] += a[c * inner + i];
            products[c] += b[c * inner + i];
        }
    }
}

/* The same sums of channels of long runs. */
CF_INLINE void N(run_products)(const T *x, const T *g, ptrdiff_t outer,
                               ptrdiff_t stride, ptrdiff_t channels, ptrdiff_t inner,
                               const T *mean, double *sum, double *products) {
    cf_sums s[CF_RUNS / CF_SHORT];
    ptrdiff_t n, c;
    for (c = 0; c < channels; ++c)
        cf_start(s + c);
    for (n = 0; n < outer; ++n)
        for (c = 0; c < channels; ++c)
            N(add_products)(x + n * stride + c * inner, g + n * stride + c * inner,
                            inner, (double)mean[c], s + c);
    for (c = 0; c < channels; ++c) {
        sum[c] = cf_total(s[c].a, s[c].rest_a);
        products[c] = cf_total(s[c].b, s[c].rest_b);
    }
}

CF_CLONES static void N(batch_backward)(const T *x, const T *gamma, const T *g,
                                        const T *mean, const T *inv_std, int fixed,
                                        T *gx, T *ggamma, T *gbeta, ptrdiff_t outer,
                                        ptrdiff_t channels, ptrdiff_t inner) {
    double sum[CF_COLUMNS], products[CF_COLUMNS];
    double count = (double)(outer * inner);
    T factor[CF_COLUMNS], slope[CF_COLUMNS], g_mean[CF_COLUMNS];
    ptrdiff_t stride = channels * inner, c, n, i, j;
    for (c = 0; c < channels; c += n) {
        const T *p = x + c * inner, *q = g + c * inner;
        T *out = gx + c * inner;
        n = N(block)(channels - c, inner);
        if (inner < CF_SHORT)
            N(column_products)(p, q, outer, stride, n, inner, mean + c, sum, products);
        else
            N(run_products)(p, q, outer, stride, n, inner, mean + c, sum, products);
        for (i = 0; i < n; ++i) {
            double s = (double)inv_std[c + i], k = (double)gamma[c + i] * s;
            gbeta[c + i] = (T)sum[i];
            ggamma[c + i] = (T)(products[i] * s);
            factor[i] = (T)k;
            g_mean[i] = fixed ? 0 : (T)(sum[i] / count);
            slope[i] = fixed ? 0 : (T)(-k * s * s * products[i] / count);
        }
        if (inner >= CF_SHORT) {
            for (i = 0; i < outer; ++i)
                for (j = 0; j < n; ++j) {
                    ptrdiff_t at = i * stride + j * inner;
                    N(grad_run)(p + at, q + at, out + at, inner, mean[c + j], g_mean[j],
                                factor[j], slope[j]);
                }
        } else {
            T m[CF_COLUMNS], f[CF_COLUMNS], h[CF_COLUMNS], k[CF_COLUMNS];
            N(repeat)(mean + c, m, n, inner);
            N(repeat)(factor, f, n, inner);
            N(repeat)(slope, k, n, inner);
            N(repeat)(g_mean, h, n, inner);
            for (i = 0; i < outer; ++i) {
                const T *a = p + i * stride, *b = q + i * stride;
                T *o = out + i * stride;
                for (j = 0; j < n * inner; ++j)
                    o[j] = (b[j] - h[j]) * f[j] + (a[j] - m[j]) * k[j];
            }
        }
    }
}

/* Rows: each of size channels with inner elements; the channels of row r are those of
 * group r % groups. */
CF_CLONES static void N(group_forward)(const T *x, const T *gamma, const T *beta,
                                       double eps, T *y, T *mean, T *inv_std,
                                       ptrdiff_t rows, ptrdiff_t groups, ptrdiff_t size,
                                       ptrdiff_t inner) {
    ptrdiff_t length = size * inner, r, c, j;
    for (r = 0; r < rows; ++r) {
        const T *p = x + r * length;
        const T *factors = gamma + r % groups * size;
        const T *summands = beta + r % groups * size;
        T *q = y + r * length, m, s, v;
        N(run_moments)(p, 1, 0, 1, length, &m, &v);
        mean[r] = m;
        inv_std[r] = s = (T)1 / SQRT(v + (T)eps);
        if (inner == 1)
            for (j = 0; j < size; ++j)
                q[j] = (p[j] - m) * s * factors[j] + summands[j];
        else
            for (c = 0; c < size; ++c)
                N(apply_run)(p + c * inner, q + c * inner, inner, m, s * factors[c],
                             summands[c]);
    }
}

CF_INLINE void N(add_some_of_row)(const T *x, const T *g, const T *factors, T mean,
                                  T inv_std, T *ggamma, T *gbeta, cf_wide *a,
                                  cf_wide *b) {
    SOME h = (N(load)(x) - mean) * inv_std, d = N(load)(g), e = d * N(load)(factors);
    *a += CF_WIDEN(e);
    e *= h;
    *b += CF_WIDEN(e);
    h = N(load)(ggamma) + d * h;
    d = N(load)(gbeta) + d;
    memcpy(ggamma, &h, sizeof h);
    memcpy(gbeta, &d, sizeof d);
}

/* For a row of single elements, a += g factors, b += g factors x_hat. The terms of the
 * parameters' gradients are added to theirs. */
CF_INLINE void N(add_row)(const T *x, const T *g, const T *factors, ptrdiff_t n, T mean,
                          T inv_std, T *ggamma, T *gbeta, cf_sums *s) {
    cf_wide a = s->a[0], b = s->b[0], more_a = s->a[1], more_b = s->b[1];
    ptrdiff_t i = 0;
    for (; i + 2 * CF_WIDTH <= n; i += 2 * CF_WIDTH) {
        ptrdiff_t k = i + CF_WIDTH;
        N(add_some_of_row)(x + i, g + i, factors + i, mean, inv_std, ggamma + i,
                           gbeta + i, &a, &b);
        N(add_some_of_row)(x + k, g + k, factors + k, mean, inv_std, ggamma + k,
                           gbeta + k, &more_a, &more_b);
    }
    s->a[0] = a, s->a[1] = more_a;
    s->b[0] = b, s->b[1] = more_b;
    for (; i < n; ++i) {
        T h = (x[i] - mean) * inv_std, d = g[i], e = d * factors[i];
        s->rest_a += (double)e;
        s->rest_b += (double)(e * h);
        gbeta[i] += d;
        ggamma[i] += d * h;
    }
}

/* Add few to total, and clear it. */
CF_INLINE void N(flush)(T *few, double *total, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; ++i) {
        total[i] += (double)few[i];
        few[i] = 0;
    }
}

/* The totals of the parameters' gradients, and for single elements also the few, have
 * been set to zero. */
CF_CLONES static void N(group_backward)(const T *x, const T *gamma, const T *g,
                                        const T *mean, const T *inv_std, T *gx,
                                        T *few_gamma, T *few_beta, double *ggamma,
                                        double *gbeta, ptrdiff_t rows, ptrdiff_t groups,
                                        ptrdiff_t size, ptrdiff_t inner) {
    ptrdiff_t length = size * inner, channels = groups * size, r, c, j;
    double count = (double)length;
    for (r = 0; r < rows; ++r) {
        ptrdiff_t first = r % groups * size;
        const T *p = x + r * length, *q = g + r * length, *factors = gamma + first;
        T *out = gx + r * length, m = mean[r], s = inv_std[r], shift, slope;
        double sum = 0, products = 0;
        cf_sums of_row;
        if (inner == 1) {
            cf_start(&of_row);
            N(add_row)(p, q, factors, size, m, s, few_gamma + first, few_beta + first,
                       &of_row);
            shift = (T)(cf_total(of_row.a, of_row.rest_a) / count);
            slope = (T)(cf_total(of_row.b, of_row.rest_b) / count);
            for (j = 0; j < size; ++j) {
                T h = (p[j] - m) * s;
                out[j] = (q[j] * factors[j] - shift - h * slope) * s;
            }
            if ((r + 1) % (CF_FEW_ROWS * groups) == 0 || r + 1 == rows) {
                N(flush)(few_gamma, ggamma, channels);
                N(flush)(few_beta, gbeta, channels);
            }
            continue;
        }
        for (c = 0; c < size; ++c) {
            double a, b;
            cf_sums of_channel;
            cf_start(&of_channel);
            N(add_products)(p + c * inner, q + c * inner, inner, (double)m,
                            &of_channel);
            a = cf_total(of_channel.a, of_channel.rest_a);
            b = cf_total(of_channel.b, of_channel.rest_b) * (double)s;
            gbeta[first + c] += a;
            ggamma[first + c] += b;
            sum += (double)factors[c] * a;
            products += (double)factors[c] * b;
        }
        shift = (T)(sum / count) * s;
        slope = (T)(products / count) * s * s;
        for (c = 0; c < size; ++c) {
            T factor = factors[c] * s;
            const T *a = p + c * inner, *b = q + c * inner;
            T *o = out + c * inner;
            for (j = 0; j < inner; ++j)
                o[j] = b[j] * factor - shift - (a[j] - m) * slope;
        }
    }
}

/* Reciprocals of var + eps, and of its root. */
CF_CLONES static void N(inverses)(const T *var, T eps, T *inv_std, T *inv_var,
                                  ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; ++i) {
        inv_var[i] = (T)1 / (var[i] + eps);
        inv_std[i] = (T)1 / SQRT(var[i] + eps);
    }
}

/* Gradients of given statistics from those of the parameters. */
CF_CLONES static void N(statistics_backward)(const T *gamma, const T *inv_std,
                                             const T *inv_var, const T *ggamma,
                                             const T *gbeta, T *gmean, T *gvar,
                                             ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; ++i) {
        gmean[i] = -gamma[i] * inv_std[i] * gbeta[i];
        gvar[i] = ggamma[i] * gamma[i] * inv_var[i] * (T)-0.5;
    }
}

/* Vectors lie along the middle axis of the shape (outer, n, inner). */
CF_INLINE void N(lengths)(const T *x, ptrdiff_t n, ptrdiff_t inner, ptrdiff_t width,
                          double *squares) {
    ptrdiff_t i, j;
    for (j = 0; j < width; ++j)
        squares[j] = 0;
    for (i = 0; i < n; ++i)
        for (j = 0; j < width; ++j)
            squares[j] += (double)x[i * inner + j] * (double)x[i * inner + j];
}

CF_CLONES static void N(length_forward)(const T *x, T *y, ptrdiff_t outer, ptrdiff_t n,
                                        ptrdiff_t inner, T eps) {
    ptrdiff_t k, i, j, at, width;
    for (k = 0; k < outer; ++k) {
        const T *p = x + k * n * inner;
        T *q = y + k * n * inner;
        if (inner == 1) {
            cf_sums s;
            T norm;
            cf_start(&s);
            N(add_moments)(p, n, 0, &s);
            norm = (T)sqrt(cf_total(s.b, s.rest_b)) + eps;
            for (i = 0; i < n; ++i)
                q[i] = p[i] / norm;
            continue;
        }
        for (at = 0; at < inner; at += width) {
            double squares[CF_STRIP];
            T norm[CF_STRIP];
            width = inner - at < CF_STRIP ? inner - at : CF_STRIP;
            N(lengths)(p + at, n, inner, width, squares);
            for (j = 0; j < width; ++j)
                norm[j] = (T)sqrt(squares[j]) + eps;
            for (i = at; i < at + n * inner; i += inner)
                for (j = 0; j < width; ++j)
                    q[i + j] = p[i + j] / norm[j];
        }
    }
}

/* gx = (g - x <g, x> / (r n)) / n with the length r and n = r + eps */
CF_CLONES static void N(length_backward)(const T *x, const T *g, T *gx, ptrdiff_t outer,
                                         ptrdiff_t n, ptrdiff_t inner, T eps) {
    ptrdiff_t k, i, j, at, width;
    for (k = 0; k < outer; ++k) {
        const T *p = x + k * n * inner, *q = g + k * n * inner;
        T *out = gx + k * n * inner;
        if (inner == 1) {
            cf_sums s, t;
            double r;
            T norm, slope;
            cf_start(&s);
            cf_start(&t);
            N(add_moments)(p, n, 0, &s);
            N(add_products)(p, q, n, 0, &t);
            r = sqrt(cf_total(s.b, s.rest_b));
            norm = (T)r + eps;
            slope = r > 0 ? (T)(cf_total(t.b, t.rest_b) / (r * (double)norm)) : 0;
            for (i = 0; i < n; ++i)
                out[i] = (q[i] - p[i] * slope) / norm;
            continue;
        }
        for (at = 0; at < inner; at += width) {
            double squares[CF_STRIP], products[CF_STRIP];
            T norm[CF_STRIP], slope[CF_STRIP];
            width = inner - at < CF_STRIP ? inner - at : CF_STRIP;
            N(lengths)(p + at, n, inner, width, squares);
            for (j = 0; j < width; ++j)
                products[j] = 0;
            for (i = at; i < at + n * inner; i += inner)
                for (j = 0; j < width; ++j)
                    products[j] += (double)q[i + j] * (double)p[i + j];
            for (j = 0; j < width; ++j) {
                double r = sqrt(squares[j]);
                norm[j] = (T)r + eps;
                slope[j] = r > 0 ? (T)(products[j] / (r * (double)norm[j])) : 0;
            }
            for (i = at; i < at + n * inner; i += inner)
                for (j = 0; j < width; ++j)
                    out[i + j] = (q[i + j] - p[i + j] * slope[j]) / norm[j];
        }
    }
}

/* u^-beta for a beta of 3/4, 1/2 or 1, the number of quarters. */
CF_INLINE void N(power)(const T *u, T *out, ptrdiff_t n, int quarters) {
    ptrdiff_t i;
    if (quarters == 3)
        for (i = 0; i < n; ++i) {
            T root = SQRT(u[i]);
            out[i] = (T)1 / (root * SQRT(root));
        }
    else if (quarters == 2)
        for (i = 0; i < n; ++i)
            out[i] = (T)1 / SQRT(u[i]);
    else
        for (i = 0; i < n; ++i)
            out[i] = (T)1 / u[i];
}

CF_CLONES static void N(response_forward)(const T *x, T *y, T *unit, T *scale,
                                          ptrdiff_t outer, ptrdiff_t channels,
                                          ptrdiff_t inner, ptrdiff_t half, T k, T alpha,
                                          int quarters) {
    ptrdiff_t n, c, d, i, j, width;
    for (n = 0; n < outer; ++n)
        for (i = 0; i < inner; i += width) {
            width = inner - i < CF_STRIP ? inner - i : CF_STRIP;
            for (c = 0; c < channels; ++c) {
                ptrdiff_t at = (n * channels + c) * inner + i;
                ptrdiff_t low = c - half > 0 ? c - half : 0;
                ptrdiff_t high = c + half < channels ? c + half + 1 : channels;
                T sum[CF_STRIP];
                for (j = 0; j < width; ++j)
                    sum[j] = 0;
                for (d = low - c; d < high - c; ++d) {
                    const T *p = x + at + d * inner;
                    for (j = 0; j < width; ++j)
                        sum[j] += p[j] * p[j];
                }
                for (j = 0; j < width; ++j)
                    unit[at + j] = sum[j] * alpha + k;
                N(power)(unit + at, scale + at, width, quarters);
                for (j = 0; j < width; ++j)
                    y[at + j] = x[at + j] * scale[at + j];
            }
        }
}

/* terms has room for a strip of all channels. */
CF_CLONES static void N(response_backward)(const T *x, const T *g, const T *unit,
                                           const T *scale, T *gx, T *terms,
                                           ptrdiff_t outer, ptrdiff_t channels,
                                           ptrdiff_t inner, ptrdiff_t half, T factor) {
    ptrdiff_t n, c, d, i, j, width;
    for (n = 0; n < outer; ++n)
        for (i = 0; i < inner; i += width) {
            ptrdiff_t at = n * channels * inner + i;
            width = inner - i < CF_STRIP ? inner - i : CF_STRIP;
            for (c = 0; c < channels; ++c)
                for (j = 0; j < width; ++j) {
                    ptrdiff_t e = at + c * inner + j;
                    terms[c * CF_STRIP + j] = g[e] * x[e] * scale[e] / unit[e];
                }
            for (c = 0; c < channels; ++c) {
                ptrdiff_t low = c - half > 0 ? c - half : 0;
                ptrdiff_t high = c + half < channels ? c + half + 1 : channels;
                T sum[CF_STRIP];
                for (j = 0; j < width; ++j)
                    sum[j] = 0;
                for (d = low; d < high; ++d)
                    for (j = 0; j < width; ++j)
                        sum[j] += terms[d * CF_STRIP + j];
                for (j = 0; j < width; ++j) {
                    ptrdiff_t e = at + c * inner + j;
                    gx[e] = g[e] * scale[e] + sum[j] * x[e] * factor;
                }
            }
        }
}

/* running = running decay + value weight, rounded as NumPy does step by step. */
CF_CLONES static void N(move_towards)(T *running, const T *value, T decay, T weight,
                                      ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; ++i)
        running[i] = running[i] * decay + value[i] * weight;
}
