/* Cross entropy between a softmax and labels, and its gradient, along the middle axis of
 * three, in the blocks of the softmax. Labels below zero do not count; where there are
 * none, soft labels take their place. */
#pragma once

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/cross_entropy/elements.hpp"
#include "chainer_fast/backends/kernels/softmax/loops.hpp"

namespace chainer_fast::cross_entropy {
namespace {

using softmax::BLOCK;
using softmax::Block;
using softmax::Extent;
using softmax::add_up;
using softmax::exponentiate;
using softmax::for_each_block;
using softmax::shift;

/* Labels as numbers of classes, -1 for those that are ignored. Returns how many are
 * not, or -1 if one of them is no class. */
template <typename Label>
CF_CLONES ptrdiff_t read_classes(const Label *t, ptrdiff_t n, ptrdiff_t classes,
                                 bool ignores, ptrdiff_t ignored, npy_intp *out) {
    ptrdiff_t counted = 0, wrong = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        const ptrdiff_t label = t[i], counts = !(ignores & (label == ignored));
        out[i] = counts ? label : -1;
        counted += counts;
        wrong |= counts & ((label < 0) | (label >= classes));
    }
    return wrong ? -1 : counted;
}

/* Sums of each column's elements, weighted by soft labels t, and of these labels. */
template <typename T>
CF_CLONES void weigh(Block b, const T *x, const T *t, T *sums, T *norms) {
    constexpr ptrdiff_t LANES = 16;
    ptrdiff_t i, j, k;
    if (b.stride == 1) {
        for (j = 0; j < b.columns; ++j, x += b.n, t += b.n) {
            T sum_lanes[LANES] = {0}, norm_lanes[LANES] = {0}, sum = 0, norm = 0;
            for (i = 0; i + LANES <= b.n; i += LANES)
                for (k = 0; k < LANES; ++k) {
                    sum_lanes[k] += x[i + k] * t[i + k];
                    norm_lanes[k] += t[i + k];
                }
            for (; i < b.n; ++i) {
                sum += x[i] * t[i];
                norm += t[i];
            }
            for (k = 0; k < LANES; ++k) {
                sum += sum_lanes[k];
                norm += norm_lanes[k];
            }
            sums[j] = sum;
            norms[j] = norm;
        }
        return;
    }
    for (j = 0; j < b.columns; ++j)
        sums[j] = norms[j] = 0;
    for (i = 0; i < b.n; ++i)
        for (j = 0; j < b.columns; ++j) {
            sums[j] += x[i * b.stride + j] * t[i * b.stride + j];
            norms[j] += t[i * b.stride + j];
        }
}

/* Makes the logarithms of the totals relative to no score, as they are subtracted from the
 * scores, and each total the factor that turns the exponentials of its column into the
 * softmax. A float keeps the logarithm of large scores to few digits behind the point, and
 * the softmax of Chainer, an exponential of that difference, shows what is lost. */
template <typename T>
CF_CLONES void make_factors(const T *tops, T *logs, T *totals, ptrdiff_t n) {
    for (ptrdiff_t j = 0; j < n; ++j) {
        const T rounded = tops[j] + logs[j];
        const double lost = (double)rounded - (double)tops[j] - (double)logs[j];
        totals[j] = (T)((1 - lost) / (double)totals[j]);
        logs[j] = rounded;
    }
}

/* Also fills y with the softmax of the scores. */
template <typename T>
void fill_losses(const T *x, T *y, const npy_intp *labels, const T *soft,
                 const T *weights, T *losses, Extent e, const Unary &exp,
                 const Unary &log) {
    for_each_block<T>(e, [&](Block b) {
        T tops[BLOCK], totals[BLOCK], logs[BLOCK], sums[BLOCK], norms[BLOCK];
        const T *scores = x + b.at;
        T *p = y + b.at;
        T *loss = losses + b.first;
        const npy_intp *label = labels ? labels + b.first : NULL;
        ptrdiff_t j;
        if (label)
            exponentiate(b, scores, tops, p, exp);
        else {
            shift(b, scores, tops, p);
            weigh(b, p, soft + b.at, sums, norms);
            exponentiate(b, p, exp);
        }
        add_up(b, p, totals);
        log.run(totals, logs, b.columns);
        make_factors(tops, logs, totals, b.columns);
        for_each_element(b, totals, [=](ptrdiff_t k, T factor) { p[k] *= factor; });
        for (j = 0; j < b.columns; ++j)
            loss[j] = !label ? (logs[j] - tops[j]) * norms[j] - sums[j]
                : label[j] < 0 ? (T)0
                : label_loss(scores[b.place(label[j], j)], logs[j],
                             weights ? weights[label[j]] : (T)1);
    });
}

/* From the softmax y and the gradients of the losses, which become those of the weighted
 * ones. */
template <typename T>
void fill_score_gradients(const T *y, const npy_intp *labels, const T *soft,
                          const T *weights, T *scales, T *out, Extent e) {
    for_each_block<T>(e, [&](Block b) {
        const T *p = y + b.at;
        T *g = out + b.at;
        T *scale = scales + b.first;
        if (!labels) {
            const T *t = soft + b.at;
            for_each_element(b, scale, [=](ptrdiff_t k, T by) {
                g[k] = score_gradient(p[k], t[k], by);
            });
            return;
        }
        const npy_intp *label = labels + b.first;
        ptrdiff_t j;
        for (j = 0; j < b.columns; ++j)
            if (label[j] < 0)
                scale[j] = 0;
            else if (weights)
                scale[j] *= weights[label[j]];
        for_each_element(b, scale, [=](ptrdiff_t k, T by) {
            g[k] = score_gradient(p[k], (T)0, by);
        });
        for (j = 0; j < b.columns; ++j)
            if (label[j] >= 0) {
                ptrdiff_t k = b.place(label[j], j);
                g[k] = score_gradient(p[k], (T)1, scale[j]);
            }
    });
}

/* The mean of losses whose coefficient is one over their number. */
template <typename T>
void fill_mean(const T *losses, T *mean, ptrdiff_t n, double coeff) {
    *mean = row_sum(losses, n) * (T)coeff;
}

/* The gradients of n losses from that of their mean. */
template <typename T>
void fill_loss_gradients(const T *gy, T *scales, ptrdiff_t n, double coeff) {
    std::fill_n(scales, n, *gy * (T)coeff);
}

constexpr Loop losses_loop = {fill_losses<float>, fill_losses<double>};
constexpr Loop score_gradients_loop = {
    fill_score_gradients<float>, fill_score_gradients<double>};
constexpr Loop mean_loop = {fill_mean<float>, fill_mean<double>};
constexpr Loop loss_gradients_loop = {
    fill_loss_gradients<float>, fill_loss_gradients<double>};

}  // namespace
}  // namespace chainer_fast::cross_entropy
