/* Loops of group and layer normalization. Threads share the rows.
 *
 * The gradients of the parameters are sums over rows. Each part of the rows writes its
 * terms to memory, and these are added up from the first to the last part: results do not
 * depend on the number of threads. */
#ifndef CHAINER_FAST_NORMALIZATION_GROUP_LOOPS_HPP
#define CHAINER_FAST_NORMALIZATION_GROUP_LOOPS_HPP

#include <algorithm>
#include <memory>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/normalization/batch_loops.hpp"

namespace chainer_fast::normalization {
namespace {

/* Number of samples whose gradients are summed in their own type before they are
 * added to a double. */
constexpr ptrdiff_t FEW_ROWS = 16;

/* Rows, each of ``size`` channels with ``inner`` elements; the channels of row r are
 * those of group r % groups. */
struct Rows {
    ptrdiff_t rows, groups, size, inner;
};

template <typename T>
CF_CLONES void normalize_rows(const T *x, const T *gamma, const T *beta, T *y, T *mean,
                              T *inv_std, Rows r, double eps, ptrdiff_t row,
                              ptrdiff_t end) {
    const ptrdiff_t length = r.size * r.inner;
    for (; row < end; ++row) {
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

/* Rows for which a thread pays. */
inline ptrdiff_t grain_of(const Rows &r) { return GRAIN / (r.size * r.inner) + 1; }

template <typename T>
void group_forward(const T *x, const T *gamma, const T *beta, T *y, T *mean, T *inv_std,
                   Rows r, double eps) {
    parallel(r.rows, grain_of(r), [=](ptrdiff_t begin, ptrdiff_t end) {
        normalize_rows(x, gamma, beta, y, mean, inv_std, r, eps, begin, end);
    });
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

/* The gradient of some rows of single elements; the terms of all channels. */
template <typename T>
CF_CLONES void grad_of_elements(const T *x, const T *gamma, const T *g, const T *mean,
                                const T *inv_std, T *gx, T *gammas, T *betas, Rows r,
                                ptrdiff_t row, ptrdiff_t end) {
    const double count = (double)r.size;
    std::fill_n(gammas, r.groups * r.size, T(0));
    std::fill_n(betas, r.groups * r.size, T(0));
    for (; row < end; ++row) {
        const ptrdiff_t first = row % r.groups * r.size;
        const T *p = x + row * r.size, *q = g + row * r.size, *factors = gamma + first;
        const T m = mean[row], s = inv_std[row];
        T *out = gx + row * r.size;
        const Pair<double> sums = row_sums(
            p, q, factors, r.size, m, s, gammas + first, betas + first);
        const T shift = (T)(sums.first / count), slope = (T)(sums.second / count);
        for (ptrdiff_t j = 0; j < r.size; ++j) {
            const T x_hat = (p[j] - m) * s;
            out[j] = (q[j] * factors[j] - shift - x_hat * slope) * s;
        }
    }
}

/* The gradient of some rows of runs; the terms of their channels. */
template <typename T>
CF_CLONES void grad_of_runs(const T *x, const T *gamma, const T *g, const T *mean,
                            const T *inv_std, T *gx, double *gammas, double *betas,
                            Rows r, ptrdiff_t row, ptrdiff_t end) {
    const ptrdiff_t length = r.size * r.inner;
    const double count = (double)length;
    for (; row < end; ++row, gammas += r.size, betas += r.size) {
        const T *p = x + row * length, *q = g + row * length;
        const T *factors = gamma + row % r.groups * r.size;
        const T m = mean[row], s = inv_std[row];
        T *out = gx + row * length;
        Pair<double> sums = {0, 0};
        for (ptrdiff_t c = 0; c < r.size; ++c) {
            Pair<double> terms = run_sums<Products>(
                p + c * r.inner, q + c * r.inner, r.inner, (double)m);
            terms.second *= (double)s;
            betas[c] = terms.first;
            gammas[c] = terms.second;
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
}

/* The sums of the terms of n channels in all samples, or blocks of samples. */
template <typename Term, typename T>
CF_CLONES void add_terms(const Term *terms, ptrdiff_t samples, ptrdiff_t n, T *out) {
    double sums[COLUMNS];
    for (ptrdiff_t c = 0; c < n; c += COLUMNS) {
        const ptrdiff_t some = n - c < COLUMNS ? n - c : COLUMNS;
        std::fill_n(sums, some, 0.);
        for (ptrdiff_t i = 0; i < samples; ++i)
            for (ptrdiff_t j = 0; j < some; ++j)
                sums[j] += (double)terms[i * n + c + j];
        for (ptrdiff_t j = 0; j < some; ++j)
            out[c + j] = (T)sums[j];
    }
}

/* Calls grad(terms for gamma, terms for beta, first row, end) for parts of so many rows,
 * which have terms of `width` channels. */
template <typename Term, typename T, typename Grad>
void in_parts(Rows r, ptrdiff_t rows, ptrdiff_t width, T *ggamma, T *gbeta,
              const Grad &grad) {
    const ptrdiff_t parts = (r.rows + rows - 1) / rows, channels = r.groups * r.size;
    const std::unique_ptr<Term[]> terms(new Term[2 * parts * width]);
    Term *gammas = terms.get(), *betas = gammas + parts * width;
    parallel(parts, grain_of(r) / rows + 1, [&](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i)
            grad(gammas + i * width, betas + i * width, i * rows,
                 std::min((i + 1) * rows, r.rows));
    });
    add_terms(gammas, parts * width / channels, channels, ggamma);
    add_terms(betas, parts * width / channels, channels, gbeta);
}

template <typename T>
void group_backward(const T *x, const T *gamma, const T *g, const T *mean,
                    const T *inv_std, T *gx, T *ggamma, T *gbeta, Rows r) {
    const auto grad_by = [&](const auto &grad) {
        return [=](auto *gammas, auto *betas, ptrdiff_t row, ptrdiff_t end) {
            grad(x, gamma, g, mean, inv_std, gx, gammas, betas, r, row, end);
        };
    };
    if (r.inner == 1)
        in_parts<T>(r, FEW_ROWS * r.groups, r.groups * r.size, ggamma, gbeta,
                    grad_by(grad_of_elements<T>));
    else
        in_parts<double>(r, 1, r.size, ggamma, gbeta, grad_by(grad_of_runs<T>));
}

constexpr Loop move_towards_loop = {move_towards<float>, move_towards<double>};
constexpr Loop group_forward_loop = {group_forward<float>, group_forward<double>};
constexpr Loop group_backward_loop = {group_backward<float>, group_backward<double>};

}  // namespace
}  // namespace chainer_fast::normalization

#endif
