/* Loops of normalization over images that lie channels last.
 *
 * Such images are a matrix with a row for each pixel and a column for each channel. Each sum
 * goes from the first row to the last (``column_sums.hpp``), so threads share the columns;
 * where the matrix is gone over element by element, they share blocks of rows. Results do
 * not depend on the number of threads.
 */
#ifndef CHAINER_FAST_NORMALIZATION_PIXEL_LOOPS_HPP
#define CHAINER_FAST_NORMALIZATION_PIXEL_LOOPS_HPP

#include <algorithm>
#include <memory>

#include "chainer_fast/_core/parallel.hpp"
#include "chainer_fast/backends/kernels/normalization/batch_loops.hpp"

namespace chainer_fast {
namespace {

/* Elements of a block, about, and its fewest rows. */
constexpr ptrdiff_t BLOCK = 16384;
constexpr ptrdiff_t BLOCK_ROWS = 32;

/* Rows of pixels, cut into blocks. */
struct Pixels {
    ptrdiff_t rows, channels, block, blocks;

    explicit Pixels(Extent e)
        : rows(e.outer), channels(e.channels),
          block(std::max(BLOCK / e.channels, BLOCK_ROWS)),
          blocks((rows + block - 1) / block) {}

    /* Calls f(first row, number of rows, index of the block) on several threads; two
     * blocks are worth one, some 20 microseconds. */
    template <typename F>
    void each(const F &f) const {
        parallel(blocks, 2, [&](ptrdiff_t begin, ptrdiff_t end) {
            for (ptrdiff_t i = begin; i < end; ++i)
                f(i * block, std::min(block, rows - i * block), i);
        });
    }
};

/* Whether there are so many of them that the loops over channels serve worse. */
inline bool has_pixels(Extent e) { return e.inner == 1 && e.outer >= 2 * BLOCK_ROWS; }

/* With one channel, what would be rows is one run. */
inline Extent without_rows_of_one(Extent e) {
    return e.channels == 1 ? Extent{1, 1, e.outer * e.inner} : e;
}

/* Calls f(first column, number of columns) on several threads. */
template <typename F>
void each_strip(const Pixels &p, const F &f) {
    parallel((p.channels + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE,
             GRAIN / (p.rows * SIDE_BY_SIDE) + 1, [&](ptrdiff_t begin, ptrdiff_t end) {
        const ptrdiff_t c = begin * SIDE_BY_SIDE;
        f(c, std::min(end * SIDE_BY_SIDE, p.channels) - c);
    });
}

template <bool GRAD, typename T>
void transform_pixels(const T *x, const T *g, T *y, const Pixels &p, const T *mean,
                      const T *factor, const T *offset, const T *slope) {
    const ptrdiff_t n = p.channels;
    p.each([=](ptrdiff_t row, ptrdiff_t rows, ptrdiff_t) {
        transform_rows<GRAD>(x + row * n, g + row * n, y + row * n, rows, n, mean,
                             factor, offset, slope);
    });
}

/* -- any order */

template <typename T>
void any_forward(const T *x, const T *gamma, const T *beta, T *y, T *mean, T *var,
                 T *inv_std, Extent e, double eps) {
    e = without_rows_of_one(e);
    if (!has_pixels(e))
        return batch_forward(x, gamma, beta, y, mean, var, inv_std, e, eps);
    const Pixels p(e);
    if (var)
        each_strip(p, [=](ptrdiff_t c, ptrdiff_t n) {
            column_moments(x + c, p.rows, p.channels, n, mean + c, var + c);
        });
    if (!y)
        return;
    const std::unique_ptr<T[]> factor(new T[e.channels]);
    set_factors(gamma, var, inv_std, e.channels, (T)eps, factor.get());
    transform_pixels<false>(x, x, y, p, mean, factor.get(), beta, beta);
}

/* ``fixed`` says that the statistics do not depend on x. */
template <typename T>
void any_backward(const T *x, const T *gamma, const T *g, const T *mean,
                  const T *inv_std, T *gx, T *ggamma, T *gbeta, Extent e, int fixed) {
    e = without_rows_of_one(e);
    if (!has_pixels(e))
        return batch_backward(
            x, gamma, g, mean, inv_std, gx, ggamma, gbeta, e, fixed);
    const Pixels p(e);
    each_strip(p, [=](ptrdiff_t c, ptrdiff_t n) {
        column_gradients(x + c, g + c, p.rows, p.channels, n, mean + c, inv_std + c,
                         gbeta + c, ggamma + c);
    });
    const ptrdiff_t n = p.channels;
    const std::unique_ptr<T[]> coefficients(new T[3 * n]);
    T *factor = coefficients.get(), *g_mean = factor + n, *slope = g_mean + n;
    for (ptrdiff_t c = 0; c < n; ++c)
        set_coefficients((double)gbeta[c], (double)ggamma[c], gamma[c], inv_std[c],
                         (double)p.rows, fixed, factor[c], g_mean[c], slope[c]);
    if (fixed)
        transform_pixels<false>(g, g, gx, p, g_mean, factor, slope, slope);
    else
        transform_pixels<true>(x, g, gx, p, mean, factor, g_mean, slope);
}

constexpr Loop batch_forward_loop = {any_forward<float>, any_forward<double>};
constexpr Loop batch_backward_loop = {any_backward<float>, any_backward<double>};

}  // namespace
}  // namespace chainer_fast

#endif
