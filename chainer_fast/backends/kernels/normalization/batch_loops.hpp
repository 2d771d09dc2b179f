/* Loops of batch normalization.
 *
 * Sums are floats where NumPy's go from row to row (``column_sums.hpp``), and doubles
 * elsewhere. Moments are then taken around one of the elements, in one pass: the variance
 * loses no more digits to cancellation than a sum of as many terms does, as no element is
 * further from the mean than the deviation times the root of the number of elements. Where
 * all elements are the same, it is exactly zero.
 *
 * A channel with long runs of elements is worked on run by run, so that it is still in
 * the cache when it is gone over again. Channels with short runs are worked on several
 * at once, as columns of a matrix. Threads share the channels.
 */
#ifndef CHAINER_FAST_NORMALIZATION_BATCH_LOOPS_HPP
#define CHAINER_FAST_NORMALIZATION_BATCH_LOOPS_HPP

#include "chainer_fast/_cpu/parallel.hpp"
#include "chainer_fast/backends/kernels/normalization/column_sums.hpp"
#include "chainer_fast/backends/kernels/normalization/elements.hpp"
#include "chainer_fast/backends/kernels/normalization/sums.hpp"

namespace chainer_fast::normalization {
namespace {

/* The longest row of columns that is processed together. */
constexpr ptrdiff_t COLUMNS = 1024;
/* Shorter runs of elements of one channel are treated as columns. */
constexpr ptrdiff_t SHORT = 32;
/* Elements of the runs that are processed together. */
constexpr ptrdiff_t RUNS = 4096;
/* Rows of columns that are processed together. */
constexpr ptrdiff_t SOME_ROWS = 4;

/* An array of the shape (outer, channels, inner). If inner is 1, ``by_rows`` means that
 * sums are row by row, as in NumPy (``column_sums.hpp``). */
struct Extent {
    ptrdiff_t outer, channels, inner;
    int by_rows;
};

/* Some channels of it, from the first one at ``offset``; a step along the outer axis is
 * ``stride`` long. */
struct Block {
    ptrdiff_t outer, channels, inner, stride, offset;

    CF_ELEMENT bool has_columns() const { return inner < SHORT; }
    CF_ELEMENT ptrdiff_t width() const { return channels * inner; }
};

/* Channels from c to before end, as many as are processed together, with a number of
 * elements in runs. */
CF_ELEMENT Block block_from(ptrdiff_t c, ptrdiff_t end, Extent e, ptrdiff_t runs = RUNS) {
    ptrdiff_t n = (e.inner < SHORT ? COLUMNS : runs) / e.inner;
    n = n > 1 ? n : 1;
    n = n < end - c ? n : end - c;
    return {e.outer, n, e.inner, e.channels * e.inner, c * e.inner};
}

/* Repeat each number of a parameter as often as its channel has columns. */
template <typename T>
CF_ELEMENT void repeat(const T *v, T *out, Block b) {
    for (ptrdiff_t c = 0; c < b.channels; ++c)
        for (ptrdiff_t i = 0; i < b.inner; ++i)
            out[c * b.inner + i] = v[c];
}

template <typename Terms, typename T>
CF_ELEMENT void sums_of_columns(const T *x, const T *g, Block b, const T *centre,
                                Pair<double> *sums) {
    double first[COLUMNS], second[COLUMNS];
    T centres[COLUMNS];
    repeat(centre, centres, b);
    for (ptrdiff_t j = 0; j < b.width(); ++j)
        first[j] = second[j] = 0;
    add_columns<Terms>(x, g, b.outer, b.stride, b.width(), centres, first, second);
    for (ptrdiff_t c = 0; c < b.channels; ++c) {
        sums[c] = {0, 0};
        for (ptrdiff_t i = c * b.inner; i < (c + 1) * b.inner; ++i)
            sums[c] = sums[c] + Pair<double>{first[i], second[i]};
    }
}

template <typename Terms, typename T>
CF_ELEMENT void sums_of_runs(const T *x, const T *g, Block b, const T *centre,
                             Pair<double> *sums) {
    Sums s[RUNS / SHORT];
    for (ptrdiff_t c = 0; c < b.channels; ++c)
        s[c] = Sums();
    for (ptrdiff_t n = 0; n < b.outer; ++n)
        for (ptrdiff_t c = 0; c < b.channels; ++c) {
            const ptrdiff_t at = n * b.stride + c * b.inner;
            add_run<Terms>(x + at, g + at, b.inner, (double)centre[c], s[c]);
        }
    for (ptrdiff_t c = 0; c < b.channels; ++c)
        sums[c] = s[c].total();
}

/* Sums over each channel of a block. */
template <typename Terms, typename T>
CF_CLONES void channel_sums(const T *x, const T *g, Block b, const T *centre,
                             Pair<double> *sums) {
    if (b.has_columns())
        sums_of_columns<Terms>(x + b.offset, g + b.offset, b, centre, sums);
    else
        sums_of_runs<Terms>(x + b.offset, g + b.offset, b, centre, sums);
}

template <typename T>
void block_moments(const T *x, Block b, int by_rows, T *mean, T *var) {
    if (b.inner == 1 && by_rows)
        return column_moments(x + b.offset, b.outer, b.stride, b.channels, mean, var);
    Pair<double> sums[COLUMNS];
    T centre[COLUMNS];
    ptrdiff_t c = 0;
    do
        centre[c] = x[b.offset + c * b.inner];
    while (++c < b.channels);
    channel_sums<Moments>(x, x, b, centre, sums);
    for (c = 0; c < b.channels; ++c)
        set_moments(sums[c], (double)(b.outer * b.inner), (double)centre[c], mean[c],
                    var[c]);
}

/* Calls f(channel, block) for each block and its first channel, on several threads if
 * there is enough work. */
template <typename F>
void each_block(Extent e, const F &f, ptrdiff_t runs = RUNS) {
    const ptrdiff_t step = block_from(0, e.channels, e).channels;
    const ptrdiff_t size = e.outer * e.inner * step;
    parallel((e.channels + step - 1) / step, GRAIN / size + 1,
             [=](ptrdiff_t begin, ptrdiff_t end) {
        end = end * step < e.channels ? end * step : e.channels;
        for (ptrdiff_t c = begin * step; c < end;) {
            const Block b = block_from(c, end, e, runs);
            f(c, b);
            c += b.channels;
        }
    });
}

/* ``normalized`` of an element or, with GRAD, its gradient; ``offset`` is then the mean of
 * the gradients, and there is a slope. */
template <bool GRAD, typename T>
CF_ELEMENT T transformed(T x, T g, T mean, T factor, T offset, T slope) {
    return GRAD ? normalized_grad(x, g, mean, offset, factor, slope)
                : normalized(x, mean, factor, offset);
}

template <bool GRAD, typename T>
CF_ELEMENT void transform_run(const T *x, const T *g, T *y, ptrdiff_t n, T mean,
                              T factor, T offset, T slope) {
    for (ptrdiff_t i = 0; i < n; ++i)
        y[i] = transformed<GRAD>(x[i], g[i], mean, factor, offset, slope);
}

template <bool GRAD, typename T>
CF_CLONES void transform_runs(const T *x, const T *g, T *y, Block b, const T *mean,
                              const T *factor, const T *offset, const T *slope) {
    for (ptrdiff_t n = 0; n < b.outer; ++n)
        for (ptrdiff_t c = 0; c < b.channels; ++c) {
            const ptrdiff_t at = b.offset + n * b.stride + c * b.inner;
            transform_run<GRAD>(x + at, g + at, y + at, b.inner, mean[c], factor[c],
                                offset[c], GRAD ? slope[c] : T());
        }
}

/* Several adjacent rows at once, which share loaded coefficients. (Long rows are worked on
 * one after the other: the processor would not load as many ahead.) */
template <bool GRAD, int ROWS, typename T>
CF_ELEMENT void transform_some(const T *x, const T *g, T *CF_RESTRICT y, ptrdiff_t width,
                               const T *mean, const T *factor, const T *offset,
                               const T *slope) {
    for (ptrdiff_t j = 0; j < width; ++j) {
        CF_UNROLL(8)
        for (int i = 0; i < ROWS; ++i) {
            const ptrdiff_t at = i * width + j;
            y[at] = transformed<GRAD>(x[at], g[at], mean[j], factor[j], offset[j],
                                      GRAD ? slope[j] : T());
        }
    }
}

template <bool GRAD, typename T>
CF_CLONES void transform_rows(const T *x, const T *g, T *y, ptrdiff_t rows,
                              ptrdiff_t width, const T *mean, const T *factor,
                              const T *offset, const T *slope) {
    const ptrdiff_t step = SOME_ROWS * width;
    const bool long_rows = width * sizeof(T) >= LONG_ROW;
    for (; rows >= SOME_ROWS && !long_rows;
         rows -= SOME_ROWS, x += step, g += step, y += step)
        transform_some<GRAD, SOME_ROWS>(x, g, y, width, mean, factor, offset, slope);
    for (; rows-- > 0; x += width, g += width, y += width)
        transform_some<GRAD, 1>(x, g, y, width, mean, factor, offset, slope);
}

template <bool GRAD, typename T>
CF_CLONES void transform_columns(const T *x, const T *g, T *y, Block b, const T *mean,
                                 const T *factor, const T *offset, const T *slope) {
    T means[COLUMNS], factors[COLUMNS], offsets[COLUMNS], slopes[COLUMNS];
    repeat(mean, means, b);
    repeat(factor, factors, b);
    repeat(offset, offsets, b);
    if (GRAD)
        repeat(slope, slopes, b);
    for (ptrdiff_t n = 0, at = b.offset; n < b.outer; ++n, at += b.stride)
        transform_some<GRAD, 1>(x + at, g + at, y + at, b.width(), means, factors,
                                offsets, slopes);
}

template <bool GRAD, typename T>
void transform(const T *x, const T *g, T *y, Block b, const T *mean, const T *factor,
               const T *offset, const T *slope) {
    (b.has_columns() ? transform_columns<GRAD, T> : transform_runs<GRAD, T>)(
        x, g, y, b, mean, factor, offset, slope);
}

/* The factors of a number of channels; without ``var``, ``inv_std`` is given. */
template <typename T>
void set_factors(const T *gamma, const T *var, T *inv_std, ptrdiff_t n, T eps,
                 T *factor) {
    for (ptrdiff_t c = 0; var && c < n; ++c)
        inv_std[c] = inverse_std(var[c], eps);
    for (ptrdiff_t c = 0; c < n; ++c)
        factor[c] = gamma[c] * inv_std[c];
}

/* Computes the statistics, unless ``var`` is null, and the result, unless ``y`` is. */
template <typename T>
void batch_forward(const T *x, const T *gamma, const T *beta, T *y, T *mean, T *var,
                   T *inv_std, Extent e, double eps) {
    each_block(e, [=](ptrdiff_t c, const Block &b) {
        T factor[COLUMNS];
        if (var)
            block_moments(x, b, e.by_rows, mean + c, var + c);
        if (!y)
            return;
        set_factors(gamma + c, var ? var + c : var, inv_std + c, b.channels, (T)eps,
                    factor);
        transform<false>(x, x, y, b, mean + c, factor, beta + c, beta + c);
    }, var ? RUNS : SHORT * COLUMNS);   /* arrays that are read once do not stay in a
                                         * cache anyway */
}

/* The gradients of the parameters of a channel from its sums of ``Products``. */
template <typename T>
CF_ELEMENT void set_gradients(Pair<double> sums, T inv_std, T &gbeta, T &ggamma) {
    gbeta = (T)sums.first;
    ggamma = (T)(sums.second * (double)inv_std);
}

/* Computes the coefficients of the gradients of some channels, of ``count`` elements
 * each, from the gradients of the parameters. */
template <typename T>
CF_CLONES void set_coefficients(const T *gbeta, const T *ggamma, const T *gamma,
                                const T *inv_std, ptrdiff_t channels, double count,
                                int fixed, T *CF_RESTRICT factor,
                                T *CF_RESTRICT g_mean, T *CF_RESTRICT slope) {
    const double share = 1 / count;
    for (ptrdiff_t c = 0; c < channels; ++c) {
        const double s = (double)inv_std[c], wide = (double)gamma[c] * s;
        factor[c] = (T)wide;
        g_mean[c] = fixed ? (T)0 : (T)((double)gbeta[c] * share);
        slope[c] = fixed ? (T)0 : (T)(-wide * s * (double)ggamma[c] * share);
    }
}

/* ``fixed`` means that the statistics do not depend on x. */
template <typename T>
void batch_backward(const T *x, const T *gamma, const T *g, const T *mean,
                    const T *inv_std, T *gx, T *ggamma, T *gbeta, Extent e, int fixed) {
    each_block(e, [=](ptrdiff_t c, const Block &b) {
        T factor[COLUMNS], g_mean[COLUMNS], slope[COLUMNS];
        if (b.inner == 1 && e.by_rows)
            column_gradients(x + b.offset, g + b.offset, b.outer, b.stride, b.channels,
                             mean + c, inv_std + c, gbeta + c, ggamma + c);
        else {
            Pair<double> sums[COLUMNS];
            channel_sums<Products>(x, g, b, mean + c, sums);
            for (ptrdiff_t i = 0; i < b.channels; ++i)
                set_gradients(sums[i], inv_std[c + i], gbeta[c + i], ggamma[c + i]);
        }
        set_coefficients(gbeta + c, ggamma + c, gamma + c, inv_std + c, b.channels,
                         (double)(e.outer * e.inner), fixed, factor, g_mean, slope);
        if (fixed)      // without x, which may be NaN
            transform<false>(g, g, gx, b, g_mean, factor, slope, slope);
        else
            transform<true>(x, g, gx, b, mean + c, factor, g_mean, slope);
    });
}

/* Reciprocals of var + eps, and of its root. */
template <typename T>
CF_CLONES void inverses(const T *var, T *inv_std, T *inv_var, ptrdiff_t n, T eps) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        inv_var[i] = T(1) / (var[i] + eps);
        inv_std[i] = inverse_std(var[i], eps);
    }
}

/* Gradients of given statistics from those of the parameters. */
template <typename T>
CF_CLONES void statistics_backward(const T *gamma, const T *inv_std, const T *inv_var,
                                   const T *ggamma, const T *gbeta, T *gmean, T *gvar,
                                   ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        gmean[i] = -gamma[i] * inv_std[i] * gbeta[i];
        gvar[i] = ggamma[i] * gamma[i] * inv_var[i] * T(-0.5);
    }
}

template <typename T>
CF_CLONES void move_towards(T *running, const T *value, ptrdiff_t n, T decay,
                            T weight) {
    for (ptrdiff_t i = 0; i < n; ++i)
        running[i] = moved_towards(running[i], value[i], decay, weight);
}

}  // namespace
}  // namespace chainer_fast::normalization

#endif
