/* Loops of normalization over images that lie channels last.
 *
 * Such images are a matrix with a row for each pixel and a column for each channel. Where
 * sums go from the first row to the last, threads share the columns; elsewhere, they add up
 * blocks of rows in doubles, and the sums of the blocks are added up from the first to the
 * last. Results do not depend on the number of threads.
 */
#ifndef CHAINER_FAST_NORMALIZATION_PIXEL_LOOPS_HPP
#define CHAINER_FAST_NORMALIZATION_PIXEL_LOOPS_HPP

#include <algorithm>
#include <memory>

#include "chainer_fast/_cpu/parallel.hpp"
#include "chainer_fast/backends/kernels/normalization/batch_loops.hpp"

namespace chainer_fast::normalization {
namespace {

/* Approximate number of elements of a block, and its minimum number of rows. */
constexpr ptrdiff_t BLOCK = 16384;
constexpr ptrdiff_t BLOCK_ROWS = 32;

/* Rows of pixels, divided into blocks. */
struct Pixels {
    ptrdiff_t rows, channels, block, blocks;

    explicit Pixels(Extent e)
        : rows(e.outer), channels(e.channels),
          block(std::max(BLOCK / e.channels, BLOCK_ROWS)),
          blocks((rows + block - 1) / block) {}

    /* Calls f(first row, number of rows, index of the block) on several threads. */
    template <typename F>
    void each(const F &f) const {
        parallel(blocks, 1, [&](ptrdiff_t begin, ptrdiff_t end) {
            for (ptrdiff_t i = begin; i < end; ++i)
                f(i * block, std::min(block, rows - i * block), i);
        });
    }
};

/* Whether there are so many that loops over channels are slower. */
inline bool has_pixels(Extent e) { return e.inner == 1 && e.outer >= 2 * BLOCK_ROWS; }

/* Memory for two sums per channel for each block, followed by three coefficients. */
inline std::unique_ptr<double[]> scratch_of(const Pixels &p) {
    return std::unique_ptr<double[]>(new double[(2 * p.blocks + 3) * p.channels]);
}

template <typename Terms, typename T>
CF_CLONES void block_sums(const T *x, const T *g, const T *centre,
                          double *CF_RESTRICT first, double *CF_RESTRICT second,
                          ptrdiff_t rows, ptrdiff_t channels) {
    for (ptrdiff_t c = 0; c < channels; ++c)
        first[c] = second[c] = 0;
    add_columns<Terms>(x, g, rows, channels, channels, centre, first, second);
}

/* Adds the sums of all blocks to those of the first block. */
CF_CLONES inline void add_blocks(double *sums, ptrdiff_t blocks, ptrdiff_t width) {
    for (ptrdiff_t i = 1; i < blocks; ++i)
        for (ptrdiff_t j = 0; j < width; ++j)
            sums[j] += sums[i * width + j];
}

/* Writes the two sums of each channel to the beginning of the scratch memory. */
template <typename Terms, typename T>
void pixel_sums(const T *x, const T *g, const T *centre, const Pixels &p,
                double *scratch) {
    const ptrdiff_t n = p.channels;
    p.each([=](ptrdiff_t row, ptrdiff_t rows, ptrdiff_t i) {
        double *sums = scratch + 2 * n * i;
        block_sums<Terms>(x + row * n, g + row * n, centre, sums, sums + n, rows, n);
    });
    add_blocks(scratch, p.blocks, 2 * n);
}

/* With one channel, what would be rows is one run. */
inline Extent as_one_run(Extent e) {
    return e.channels == 1 ? Extent{1, 1, e.outer * e.inner, 0} : e;
}

/* Calls f(first column, number of columns) on several threads, for as many columns as make
 * up a line of the cache, or two. */
template <typename F>
void each_strip(const Pixels &p, const F &f) {
    const ptrdiff_t width = p.channels < 64 ? 16 : 32;
    parallel((p.channels + width - 1) / width, GRAIN / (p.rows * width) + 1,
             [&](ptrdiff_t begin, ptrdiff_t end) {
        f(begin * width, std::min(end * width, p.channels) - begin * width);
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
    e = as_one_run(e);
    if (!has_pixels(e) || (var && !e.by_rows))
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

/* ``fixed`` means that the statistics do not depend on x. */
template <typename T>
void any_backward(const T *x, const T *gamma, const T *g, const T *mean,
                  const T *inv_std, T *gx, T *ggamma, T *gbeta, Extent e, int fixed) {
    e = as_one_run(e);
    if (!has_pixels(e))
        return batch_backward(
            x, gamma, g, mean, inv_std, gx, ggamma, gbeta, e, fixed);
    const Pixels p(e);
    const auto scratch = scratch_of(p);
    const ptrdiff_t n = p.channels;
    if (e.by_rows)
        each_strip(p, [=](ptrdiff_t c, ptrdiff_t count) {
            column_gradients(x + c, g + c, p.rows, n, count, mean + c, inv_std + c,
                             gbeta + c, ggamma + c);
        });
    else {
        pixel_sums<Products>(x, g, mean, p, scratch.get());
        for (ptrdiff_t c = 0; c < n; ++c)
            set_gradients({scratch[c], scratch[n + c]}, inv_std[c], gbeta[c], ggamma[c]);
    }
    T *factor = reinterpret_cast<T *>(scratch.get() + 2 * n);
    T *g_mean = factor + n, *slope = g_mean + n;
    set_coefficients(gbeta, ggamma, gamma, inv_std, n, (double)p.rows, fixed, factor,
                     g_mean, slope);
    if (fixed)
        transform_pixels<false>(g, g, gx, p, g_mean, factor, slope, slope);
    else
        transform_pixels<true>(x, g, gx, p, mean, factor, g_mean, slope);
}

}  // namespace
}  // namespace chainer_fast::normalization

#endif
