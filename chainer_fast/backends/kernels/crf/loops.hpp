/* Conditional random fields of chains, in double precision.
 *
 * A step along the chain is a product of a vector with the matrix of exponentials of the
 * costs, both relative to their largest elements. Where that underflows, or nothing is
 * possible, the step is done once more, term by term with logarithms. Matrices have one
 * row for each label that comes first and one column for each that comes next.
 */
#pragma once

#include <algorithm>
#include <cmath>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/common/logspace.hpp"
#include "chainer_fast/_cpu/buffer.hpp"

namespace chainer_fast::crf {
namespace {

/* Sums outside of these bounds may have lost significant terms, or are not finite. */
CF_ELEMENT bool safe(double x) {
    return x > 1e-250 && x < 1e250;
}

/* The logarithm of a positive normal number. */
CF_ELEMENT double log_of_normal(double x) {
    const uint64_t mantissa = bits_of(x) & 0x000fffffffffffff;
    /* 2**52 and a fraction */
    const double exponent = from_bits(bits_of(x) >> 52 | 0x4330000000000000);
    return log_1_to_3(from_bits(mantissa | 0x3ff0000000000000))
        + (exponent - 4503599627371519.0) * 0.69314718055994530942;
}

/* out = exp(x - its largest element), which is returned */
CF_CLONES double exponentials(const double *x, double *out, ptrdiff_t n) {
    double top = row_max(x, n);
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = exp_below_zero(x[i] - top);
    return top;
}

/* out = log(u A) + add; returns false if a sum is not within the safe bounds. */
CF_CLONES bool step(const double *u, const double *matrix, double add, double *out,
                    ptrdiff_t n) {
    ptrdiff_t i, j;
    ptrdiff_t unsafe = 0;
    for (j = 0; j < n; ++j)
        out[j] = u[0] * matrix[j];
    for (i = 1; i < n; ++i)
        for (j = 0; j < n; ++j)
            out[j] += u[i] * matrix[i * n + j];
    for (j = 0; j < n; ++j)
        unsafe += safe(out[j]) ? 0 : 1;
    if (unsafe)
        return false;
    for (j = 0; j < n; ++j)
        out[j] = log_of_normal(out[j]) + add;
    return true;
}

/* out += factor u v^T */
CF_CLONES void add_outer(const double *u, const double *v, double factor, double *out,
                         ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        double c = factor * u[i];
        for (ptrdiff_t j = 0; j < n; ++j)
            out[i * n + j] += c * v[j];
    }
}

/* Whether a score takes the place of the best before it; NaN is the best, as in NumPy. */
template <typename T>
inline bool is_better(T score, T best) {
    return !(score <= best) & (best == best);
}

/* The best label to come from, for each label that comes next. */
template <typename T>
CF_CLONES void find_best(const T *from, const T *cost, T *best, int32_t *which,
                         ptrdiff_t n) {
    ptrdiff_t i, j;
    for (j = 0; j < n; ++j) {
        best[j] = from[0] + cost[j];
        which[j] = 0;
    }
    for (i = 1; i < n; ++i)
        for (j = 0; j < n; ++j) {
            T here = from[i] + cost[i * n + j];
            const bool better = is_better(here, best[j]);
            which[j] = better ? (int32_t)i : which[j];
            best[j] = better ? here : best[j];
        }
}

/* log(sum(exp(row + add))) */
inline double join(const double *row, const double *add, ptrdiff_t n) {
    double top = row[0] + add[0], total = 0;
    for (ptrdiff_t i = 1; i < n; ++i)
        top = std::max(top, row[i] + add[i]);
    /* Where nothing is possible, zero is as good a reference. */
    if (top == -INFINITY)
        top = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        total += std::exp(row[i] + add[i] - top);
    return top + std::log(total);
}

/* The costs of n labels, and room for two rows. */
struct Chain {
    ptrdiff_t n;
    double top = -INFINITY;             /* the largest cost */
    std::unique_ptr<double[]> memory;
    double *cost, *transposed;              /* row by row, and column by column */
    double *weights, *turned_weights;   /* exponentials, less the largest; or zeros */
    double *u, *v;

    template <typename T>
    Chain(const T *costs, ptrdiff_t n)
        : n(n), memory(buffer<double>(4 * n + 2, n)) {
        cost = memory.get(), transposed = cost + n * n, weights = transposed + n * n;
        turned_weights = weights + n * n, u = turned_weights + n * n, v = u + n;
        for (ptrdiff_t i = 0; i < n * n; ++i) {
            cost[i] = costs[i];
            top = std::max(top, cost[i]);
        }
        for (ptrdiff_t i = 0, k = 0; i < n; ++i)
            for (ptrdiff_t j = 0; j < n; ++j, ++k) {
                transposed[j * n + i] = cost[k];
                weights[k] = top == -INFINITY ? 0 : std::exp(cost[k] - top);
                turned_weights[j * n + i] = weights[k];
            }
    }

    /* Fills `out` with a step forth or back from `row`; `factors` become the exponentials
     * of `row`, relative to the element returned. */
    double go(const double *row, bool back, double *factors, double *out) const {
        const double most = exponentials(row, factors, n);
        /* The lines of this matrix end where those of the other begin. */
        const double *lines = back ? cost : transposed;
        if (!step(factors, back ? turned_weights : weights, most + top, out, n))
            for (ptrdiff_t j = 0; j < n; ++j)
                out[j] = join(row, lines + j * n, n);
        return most;
    }

    /* Adds shares of pairs of labels one by one. */
    void add_pairs(const double *before, const double *after, double total, double g,
                   double *pairs) const {
        for (ptrdiff_t i = 0, k = 0; i < n; ++i)
            for (ptrdiff_t j = 0; j < n; ++j, ++k)
                pairs[k] += g * std::exp(before[i] + cost[k] + after[j] - total);
    }
};

/* -- The rows of all samples at one time follow those at the time before. There are
 * sizes[t] of them, no more than before. */

/* The probabilities of all ways to each label, and of all ways at all. */
template <typename T>
void forth(const T *x, const T *costs, const npy_intp *sizes, double *before,
           double *totals, ptrdiff_t times, ptrdiff_t n) {
    const Chain chain(costs, n);
    std::fill_n(chain.v, n, 0.);
    double *last = before, *row = before;
    for (ptrdiff_t t = 0; t < times; ++t) {
        double *first = row;
        for (ptrdiff_t b = 0; b < sizes[t]; ++b, row += n, x += n) {
            if (t > 0)
                chain.go(last + b * n, false, chain.u, row);
            else
                std::fill_n(row, n, 0.);
            for (ptrdiff_t j = 0; j < n; ++j)
                row[j] += x[j];
            if (t == times - 1 || b >= sizes[t + 1])
                totals[b] = join(row, chain.v, n);
        }
        last = first;
    }
}

/* The weighted shares of each label, and the sums of those of pairs of labels. There is
 * room for two matrices of the latter; the first one is the result. */
template <typename T>
void back(const T *x, const T *costs, const npy_intp *sizes, const double *before,
          const double *totals, const double *g, double *after, double *pairs, T *gx,
          ptrdiff_t times, ptrdiff_t total, ptrdiff_t n) {
    /* Above this, the exponential of a factor may be infinite. */
    constexpr double LARGE = 500;
    const Chain chain(costs, n);
    double *products = pairs + n * n;
    ptrdiff_t start = total, next_start = total;
    for (ptrdiff_t t = times - 1; t >= 0; --t) {
        start -= sizes[t];
        for (ptrdiff_t b = 0; b < sizes[t]; ++b) {
            const ptrdiff_t at = (start + b) * n;
            const double *here = before + at, *next = after + (next_start + b) * n;
            double *row = after + at;
            if (t < times - 1 && b < sizes[t + 1]) {
                /* The row of the next time already includes its own scores. */
                const double right = chain.go(next, true, chain.v, row);
                const double left = exponentials(here, chain.u, n);
                const double shift = left + right + chain.top - totals[b];
                if (shift < LARGE)
                    add_outer(chain.u, chain.v, g[b] * std::exp(shift), products, n);
                else
                    chain.add_pairs(here, next, totals[b], g[b], pairs);
            } else
                std::fill_n(row, n, 0.);
            fill_shares(here, row, totals[b], chain.u, n);
            for (ptrdiff_t j = 0; j < n; ++j) {
                gx[at + j] = (T)(chain.u[j] * g[b]);
                row[j] += x[at + j];
            }
        }
        next_start = start;
    }
    for (ptrdiff_t i = 0; i < n * n; ++i)
        pairs[i] += products[i] * chain.weights[i];
}

/* The scores of the best paths, and their labels. */
template <typename T>
void best_paths(const T *x, const T *cost, const npy_intp *sizes, T *scores,
                int32_t *path, ptrdiff_t times, ptrdiff_t total, ptrdiff_t n) {
    const auto rows = buffer<T>(total, n);
    const auto origins = buffer<int32_t>(total, n);
    ptrdiff_t start = 0, last = 0;
    for (ptrdiff_t t = 0; t < times; ++t) {
        for (ptrdiff_t b = 0; b < sizes[t]; ++b) {
            const ptrdiff_t at = (start + b) * n;
            T *row = rows.get() + at;
            if (t == 0)
                std::fill_n(row, n, (T)0);
            else
                find_best(rows.get() + (last + b) * n, cost, row, origins.get() + at, n);
            for (ptrdiff_t j = 0; j < n; ++j)
                row[j] += x[at + j];
        }
        last = start;
        start += sizes[t];
    }
    /* Back from the last time of each sample, which is the first one met. */
    for (ptrdiff_t t = times - 1; t >= 0; --t) {
        start -= sizes[t];
        for (ptrdiff_t b = 0; b < sizes[t]; ++b) {
            const ptrdiff_t at = start + b, next = at + sizes[t];
            if (t < times - 1 && b < sizes[t + 1]) {
                path[at] = origins[next * n + path[next]];
                continue;
            }
            const T *row = rows.get() + at * n;
            ptrdiff_t best = 0;
            for (ptrdiff_t i = 1; i < n; ++i)
                if (is_better(row[i], row[best]))
                    best = i;
            path[at] = (int32_t)best;
            scores[b] = row[best];
        }
    }
}

constexpr Loop forth_loop = {forth<float>, forth<double>};
constexpr Loop back_loop = {back<float>, back<double>};
constexpr Loop best_paths_loop = {best_paths<float>, best_paths<double>};

}  // namespace
}  // namespace chainer_fast::crf
