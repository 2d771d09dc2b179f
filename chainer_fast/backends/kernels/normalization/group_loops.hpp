/* Loops of group and layer normalization. */
#ifndef CHAINER_FAST_NORMALIZATION_GROUP_LOOPS_HPP
#define CHAINER_FAST_NORMALIZATION_GROUP_LOOPS_HPP

#include <vector>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/normalization/batch_loops.hpp"

namespace chainer_fast::normalization {
namespace {

/* Number of rows whose gradients are summed in their own type before they are
 * added to a double. */
constexpr ptrdiff_t FEW_ROWS = 16;

/* Rows, each of ``size`` channels with ``inner`` elements; the channels of row r are
 * those of group r % groups. */
struct Rows {
    ptrdiff_t rows, groups, size, inner;
};

template <typename T>
CF_CLONES void group_forward(const T *x, const T *gamma, const T *beta, T *y, T *mean,
                             T *inv_std, Rows r, double eps) {
    const ptrdiff_t length = r.size * r.inner;
    for (ptrdiff_t row = 0; row < r.rows; ++row) {
        const T *p = x + row * length;
        const T *factors = gamma + row % r.groups * r.size;
        const T *offsets = beta + row % r.groups * r.size;
        T *q = y + row * length, m, var;
        const double centre = (double)p[0];
        set_moments(run_sums<Moments>(p, p, length, centre), (double)length, centre, m,
                    var);
        const T s = inverse_std(var, (T)eps);
        mean[row] = m;
        inv_std[row] = s;
        if (r.inner == 1)
            for (ptrdiff_t j = 0; j < r.size; ++j)
                q[j] = (p[j] - m) * s * factors[j] + offsets[j];
        else
            for (ptrdiff_t c = 0; c < r.size; ++c, p += r.inner, q += r.inner)
                transform_run<false>(p, p, q, r.inner, m, s * factors[c], offsets[c],
                                     T());
    }
}

template <typename T>
CF_ELEMENT void add_some_of_row(const T *x, const T *g, const T *factors, T mean,
                                T inv_std, T *ggamma, T *gbeta, Pair<Wide> &sums) {
    auto x_hat = (load(x) - mean) * inv_std, d = load(g), e = d * load(factors);
    sums = sums + Pair<Wide>{converted<Wide>(e), converted<Wide>(e * x_hat)};
    x_hat = load(ggamma) + d * x_hat;
    d = load(gbeta) + d;
    put_lanes(ggamma, x_hat);
    put_lanes(gbeta, d);
}

/* Sums of g factors and g factors x_hat, for a row of single elements. The terms of the
 * parameters' gradients are added to theirs. */
template <typename T>
CF_ELEMENT Pair<double> row_sums(const T *x, const T *g, const T *factors, ptrdiff_t n,
                                 T mean, T inv_std, T *ggamma, T *gbeta) {
    Sums s = Sums();
    ptrdiff_t i = 0;
    for (; i + 2 * WIDTH <= n; i += 2 * WIDTH) {
        const ptrdiff_t k = i + WIDTH;
        add_some_of_row(
            x + i, g + i, factors + i, mean, inv_std, ggamma + i, gbeta + i, s.even);
        add_some_of_row(
            x + k, g + k, factors + k, mean, inv_std, ggamma + k, gbeta + k, s.odd);
    }
    for (; i < n; ++i) {
        const T x_hat = (x[i] - mean) * inv_std, e = g[i] * factors[i];
        s.rest = s.rest + Pair<double>{(double)e, (double)(e * x_hat)};
        gbeta[i] += g[i];
        ggamma[i] += g[i] * x_hat;
    }
    return s.total();
}

/* Add few to total, and clear it. */
template <typename T>
CF_ELEMENT void flush(T *few, double *total, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        total[i] += (double)few[i];
        few[i] = 0;
    }
}

/* The gradients of the parameters must be initialized with zeros. */
template <typename T>
CF_CLONES void grad_of_groups(const T *x, const T *gamma, const T *g, const T *mean,
                              const T *inv_std, T *gx, T *ggamma, T *gbeta,
                              double *total_gamma, double *total_beta, Rows r) {
    const ptrdiff_t length = r.size * r.inner, channels = r.groups * r.size;
    const double count = (double)length;
    for (ptrdiff_t row = 0; row < r.rows; ++row) {
        const ptrdiff_t first = row % r.groups * r.size;
        const T *p = x + row * length, *q = g + row * length, *factors = gamma + first;
        const T m = mean[row], s = inv_std[row];
        T *out = gx + row * length;
        if (r.inner == 1) {
            const Pair<double> sums = row_sums(
                p, q, factors, r.size, m, s, ggamma + first, gbeta + first);
            const T shift = (T)(sums.first / count), slope = (T)(sums.second / count);
            for (ptrdiff_t j = 0; j < r.size; ++j) {
                const T x_hat = (p[j] - m) * s;
                out[j] = (q[j] * factors[j] - shift - x_hat * slope) * s;
            }
            if ((row + 1) % (FEW_ROWS * r.groups) == 0 || row + 1 == r.rows) {
                flush(ggamma, total_gamma, channels);
                flush(gbeta, total_beta, channels);
            }
            continue;
        }
        Pair<double> sums = {0, 0};
        for (ptrdiff_t c = 0; c < r.size; ++c) {
            Pair<double> terms = run_sums<Products>(
                p + c * r.inner, q + c * r.inner, r.inner, (double)m);
            terms.second *= (double)s;
            total_beta[first + c] += terms.first;
            total_gamma[first + c] += terms.second;
            sums.first += (double)factors[c] * terms.first;
            sums.second += (double)factors[c] * terms.second;
        }
        const T shift = (T)(sums.first / count) * s;
        const T slope = (T)(sums.second / count) * s * s;
        for (ptrdiff_t c = 0; c < r.size; ++c) {
            const T factor = factors[c] * s;
            for (ptrdiff_t j = 0; j < r.inner; ++j)
                out[j] = q[j] * factor - shift - (p[j] - m) * slope;
            p += r.inner, q += r.inner, out += r.inner;
        }
    }
    for (ptrdiff_t i = 0; i < channels; ++i) {
        ggamma[i] = (T)total_gamma[i];
        gbeta[i] = (T)total_beta[i];
    }
}

template <typename T>
void group_backward(const T *x, const T *gamma, const T *g, const T *mean,
                    const T *inv_std, T *gx, T *ggamma, T *gbeta, Rows r) {
    std::vector<double> gammas(r.groups * r.size), betas(r.groups * r.size);
    grad_of_groups(x, gamma, g, mean, inv_std, gx, ggamma, gbeta, gammas.data(),
                   betas.data(), r);
}

constexpr Loop move_towards_loop = {move_towards<float>, move_towards<double>};
constexpr Loop group_forward_loop = {group_forward<float>, group_forward<double>};
constexpr Loop group_backward_loop = {group_backward<float>, group_backward<double>};

}  // namespace
}  // namespace chainer_fast::normalization

#endif
