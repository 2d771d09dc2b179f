/* Loops of batch normalization.
 *
 * Sums are doubles. Moments are taken around one of the elements, in one pass: the
 * variance then loses no more digits to cancellation than a sum of as many terms does,
 * as no element is further from the mean than the deviation times the root of the
 * number of elements. Where all elements are the same, it is exactly zero.
 *
 * A channel with long runs of elements is worked on run by run, so that it is still in
 * the cache when it is gone over again. Channels with short runs are worked on several
 * at once, as columns of a matrix. Threads share the channels.
 */
#ifndef CHAINER_FAST_NORMALIZATION_BATCH_LOOPS_HPP
#define CHAINER_FAST_NORMALIZATION_BATCH_LOOPS_HPP

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/_core/parallel.hpp"
#include "chainer_fast/backends/kernels/normalization/elements.hpp"
#include "chainer_fast/backends/kernels/normalization/sums.hpp"

namespace chainer_fast {
namespace {

/* The longest row of columns that is worked on at once. */
constexpr ptrdiff_t COLUMNS = 1024;
/* Shorter runs of elements of one channel are treated as columns. */
constexpr ptrdiff_t SHORT = 32;
/* Elements of the runs that are worked on at once. */
constexpr ptrdiff_t RUNS = 4096;

/* An array of the shape (outer, channels, inner). */
struct Extent {
    ptrdiff_t outer, channels, inner;
};

/* Some channels of it, from the first one at ``offset``; a step along the outer axis is
 * ``stride`` long. */
struct Block {
    ptrdiff_t outer, channels, inner, stride, offset;

    CF_ELEMENT bool has_columns() const { return inner < SHORT; }
    CF_ELEMENT ptrdiff_t width() const { return channels * inner; }
};

/* As many channels as are worked on at once, from channel c on. */
CF_ELEMENT Block block_from(ptrdiff_t c, Extent e) {
    ptrdiff_t n = (e.inner < SHORT ? COLUMNS : RUNS) / e.inner;
    n = n > 1 ? n : 1;
    n = n < e.channels - c ? n : e.channels - c;
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
void block_moments(const T *x, Block b, T *mean, T *var) {
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

/* Calls f(first, end) for channels from ``first`` to before ``end``, which begin and end
 * with a block, on several threads if there is work for them. */
template <typename F>
void each_channel(Extent e, const F &f) {
    const ptrdiff_t step = block_from(0, e).channels;
    const ptrdiff_t size = e.outer * e.inner * step;
    parallel((e.channels + step - 1) / step, GRAIN / size + 1,
             [=](ptrdiff_t begin, ptrdiff_t end) {
        end *= step;
        f(begin * step, end < e.channels ? end : e.channels);
    });
}

/* Calls f(channel, block) for each block and its first channel. */
template <typename F>
void each_block(Extent e, const F &f) {
    each_channel(e, [=](ptrdiff_t c, ptrdiff_t end) {
        for (Block b; c < end; c += b.channels) {
            b = block_from(c, e);
            f(c, b);
        }
    });
}

template <typename T>
void moments(const T *x, T *mean, T *var, Extent e) {
    each_block(e, [=](ptrdiff_t c, const Block &b) {
        block_moments(x, b, mean + c, var + c);
    });
}

template <typename T>
CF_ELEMENT void apply_to_run(const T *x, T *y, ptrdiff_t n, T mean, T factor,
                             T offset) {
    for (ptrdiff_t i = 0; i < n; ++i)
        y[i] = normalized(x[i], mean, factor, offset);
}

template <typename T>
CF_ELEMENT void apply_to_runs(const T *x, T *y, Block b, const T *mean,
                              const T *inv_std, const T *gamma, const T *beta) {
    for (ptrdiff_t n = 0; n < b.outer; ++n)
        for (ptrdiff_t c = 0; c < b.channels; ++c) {
            const ptrdiff_t at = b.offset + n * b.stride + c * b.inner;
            apply_to_run(
                x + at, y + at, b.inner, mean[c], gamma[c] * inv_std[c], beta[c]);
        }
}

template <typename T>
CF_ELEMENT void apply_to_columns(const T *x, T *y, Block b, const T *mean,
                                 const T *inv_std, const T *gamma, const T *beta) {
    T factor[COLUMNS], means[COLUMNS], factors[COLUMNS], offsets[COLUMNS];
    const ptrdiff_t width = b.width();
    for (ptrdiff_t c = 0; c < b.channels; ++c)
        factor[c] = gamma[c] * inv_std[c];
    repeat(factor, factors, b);
    repeat(mean, means, b);
    repeat(beta, offsets, b);
    for (ptrdiff_t n = 0; n < b.outer; ++n) {
        const T *p = x + b.offset + n * b.stride;
        T *q = y + b.offset + n * b.stride;
        for (ptrdiff_t j = 0; j < width; ++j)
            q[j] = normalized(p[j], means[j], factors[j], offsets[j]);
    }
}

template <typename T>
CF_CLONES void apply_to_block(const T *x, T *y, Block b, const T *mean,
                              const T *inv_std, const T *gamma, const T *beta) {
    if (b.has_columns())
        apply_to_columns(x, y, b, mean, inv_std, gamma, beta);
    else
        apply_to_runs(x, y, b, mean, inv_std, gamma, beta);
}

template <typename T>
void batch_apply(const T *x, const T *gamma, const T *beta, const T *mean,
                 const T *inv_std, T *y, Extent e) {
    each_channel(e, [=](ptrdiff_t c, ptrdiff_t end) {
        for (Block b; c < end; c += b.channels) {
            b = block_from(c, e);
            if (!b.has_columns())   /* all at once: they stay in no cache anyway */
                b.channels = end - c;
            apply_to_block(x, y, b, mean + c, inv_std + c, gamma + c, beta + c);
        }
    });
}

template <typename T>
void batch_forward(const T *x, const T *gamma, const T *beta, T *y, T *mean, T *var,
                   T *inv_std, Extent e, double eps) {
    each_block(e, [=](ptrdiff_t c, const Block &b) {
        block_moments(x, b, mean + c, var + c);
        for (ptrdiff_t i = c; i < c + b.channels; ++i)
            inv_std[i] = inverse_std(var[i], (T)eps);
        apply_to_block(x, y, b, mean + c, inv_std + c, gamma + c, beta + c);
    });
}

/* Coefficients of ``normalized_grad`` for a channel. */
template <typename T>
struct OfChannel {
    T g_mean, factor, slope;
};

/* Finds them and the gradients of the parameters, from the sums of ``Products`` over
 * ``count`` elements. */
template <typename T>
CF_ELEMENT OfChannel<T> grad_coefficients(
        Pair<double> sums, T gamma, T inv_std, double count, int fixed, T &ggamma,
        T &gbeta) {
    const double s = (double)inv_std, factor = (double)gamma * s;
    gbeta = (T)sums.first;
    ggamma = (T)(sums.second * s);
    if (fixed)
        return {0, (T)factor, 0};
    return {(T)(sums.first / count), (T)factor,
            (T)(-factor * s * s * sums.second / count)};
}

/* Coefficients for each channel of a block. */
template <typename T>
struct GradCoefficients {
    T mean[COLUMNS], g_mean[COLUMNS], factor[COLUMNS], slope[COLUMNS];
};

template <typename T>
CF_ELEMENT void grad_of_runs(const T *x, const T *g, T *gx, Block b,
                             const GradCoefficients<T> &k) {
    for (ptrdiff_t n = 0; n < b.outer; ++n)
        for (ptrdiff_t c = 0; c < b.channels; ++c) {
            const ptrdiff_t at = b.offset + n * b.stride + c * b.inner;
            const T mean = k.mean[c], g_mean = k.g_mean[c];
            const T factor = k.factor[c], slope = k.slope[c];
            for (ptrdiff_t i = at; i < at + b.inner; ++i)
                gx[i] = normalized_grad(x[i], g[i], mean, g_mean, factor, slope);
        }
}

template <typename T>
CF_ELEMENT void grad_of_columns(const T *x, const T *g, T *gx, Block b,
                                const GradCoefficients<T> &of_channels) {
    GradCoefficients<T> k;
    const ptrdiff_t width = b.width();
    repeat(of_channels.mean, k.mean, b);
    repeat(of_channels.g_mean, k.g_mean, b);
    repeat(of_channels.factor, k.factor, b);
    repeat(of_channels.slope, k.slope, b);
    for (ptrdiff_t n = 0; n < b.outer; ++n) {
        const ptrdiff_t at = b.offset + n * b.stride;
        for (ptrdiff_t j = 0; j < width; ++j)
            gx[at + j] = normalized_grad(x[at + j], g[at + j], k.mean[j], k.g_mean[j],
                                         k.factor[j], k.slope[j]);
    }
}

template <typename T>
CF_CLONES void grad_of_block(const T *x, const T *g, T *gx, Block b,
                             const GradCoefficients<T> &k) {
    if (b.has_columns())
        grad_of_columns(x, g, gx, b, k);
    else
        grad_of_runs(x, g, gx, b, k);
}

/* ``fixed`` says that the statistics do not depend on x. */
template <typename T>
void batch_backward(const T *x, const T *gamma, const T *g, const T *mean,
                    const T *inv_std, T *gx, T *ggamma, T *gbeta, Extent e, int fixed) {
    each_block(e, [=](ptrdiff_t c, const Block &b) {
        Pair<double> sums[COLUMNS];
        GradCoefficients<T> k;
        channel_sums<Products>(x, g, b, mean + c, sums);
        for (ptrdiff_t i = 0; i < b.channels; ++i) {
            const OfChannel<T> of = grad_coefficients(
                sums[i], gamma[c + i], inv_std[c + i], (double)(e.outer * e.inner),
                fixed, ggamma[c + i], gbeta[c + i]);
            k.mean[i] = mean[c + i];
            k.g_mean[i] = of.g_mean;
            k.factor[i] = of.factor;
            k.slope[i] = of.slope;
        }
        grad_of_block(x, g, gx, b, k);
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

constexpr Loop inverses_loop = {inverses<float>, inverses<double>};
constexpr Loop statistics_backward_loop = {
    statistics_backward<float>, statistics_backward<double>};
constexpr Loop move_towards_loop = {move_towards<float>, move_towards<double>};

}  // namespace
}  // namespace chainer_fast

#endif
