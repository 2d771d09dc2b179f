/* Loops of normalization over images that lie channels last.
 *
 * Such images are a matrix with a row for each pixel and a column for each channel. Its
 * rows are cut into blocks, whose sums several threads find; then the sums of the blocks
 * are added up from the first to the last. Blocks depend on the shape alone, so results
 * do not depend on the number of threads.
 */
#ifndef CHAINER_FAST_NORMALIZATION_PIXEL_LOOPS_HPP
#define CHAINER_FAST_NORMALIZATION_PIXEL_LOOPS_HPP

#include <algorithm>

#include "chainer_fast/_core/parallel.hpp"
#include "chainer_fast/backends/kernels/normalization/batch_loops.hpp"
#include "chainer_fast/backends/kernels/normalization/vector_loops.hpp"

namespace chainer_fast {
namespace {

/* Elements of a block, about, and its fewest rows. */
constexpr ptrdiff_t BLOCK = 16384;
constexpr ptrdiff_t BLOCK_ROWS = 32;
/* Rows that are worked on at once. */
constexpr int SOME_ROWS = 4;

/* Rows of pixels, cut into blocks, and memory for what belongs to the channels. */
struct Pixels {
    ptrdiff_t rows, channels, block, blocks;
    double *scratch;

    Pixels(Extent e, double *scratch)
        : rows(e.outer), channels(e.channels),
          block(std::max(BLOCK / e.channels, BLOCK_ROWS)),
          blocks((rows + block - 1) / block), scratch(scratch) {}

    /* Blocks that are worth a thread: some 20 microseconds. */
    ptrdiff_t grain() const { return 2; }

    /* Calls f(first row, number of rows, index of the block) on several threads. */
    template <typename F>
    void each(const F &f) const {
        parallel(blocks, grain(), [&](ptrdiff_t begin, ptrdiff_t end) {
            for (ptrdiff_t i = begin; i < end; ++i)
                f(i * block, std::min(block, rows - i * block), i);
        });
    }
};

/* Doubles that the loops need as scratch: two sums a channel for each block, and after
 * them up to four coefficients. */
inline ptrdiff_t scratch_of_pixels(Extent e) {
    return (2 * Pixels(e, nullptr).blocks + 4) * e.channels;
}

template <typename Terms, typename T>
CF_CLONES void block_sums(const T *x, const T *g, const T *centre,
                          double *CF_RESTRICT first, double *CF_RESTRICT second,
                          ptrdiff_t rows, ptrdiff_t channels) {
    for (ptrdiff_t c = 0; c < channels; ++c)
        first[c] = second[c] = 0;
    add_columns<Terms>(x, g, rows, channels, channels, centre, first, second);
}

/* Adds up the sums of all blocks where those of the first block are. */
CF_CLONES inline void add_blocks(double *sums, ptrdiff_t blocks, ptrdiff_t width) {
    for (ptrdiff_t i = 1; i < blocks; ++i)
        for (ptrdiff_t j = 0; j < width; ++j)
            sums[j] += sums[i * width + j];
}

/* Leaves the two sums of each channel at the beginning of the scratch memory. */
template <typename Terms, typename T>
void pixel_sums(const T *x, const T *g, const T *centre, const Pixels &p) {
    const ptrdiff_t n = p.channels;
    p.each([=, &p](ptrdiff_t row, ptrdiff_t rows, ptrdiff_t i) {
        double *sums = p.scratch + 2 * n * i;
        block_sums<Terms>(x + row * n, g + row * n, centre, sums, sums + n, rows, n);
    });
    add_blocks(p.scratch, p.blocks, 2 * n);
}

template <typename T>
void pixel_moments_of(const T *x, T *mean, T *var, const Pixels &p) {
    pixel_sums<Moments>(x, x, x, p);
    for (ptrdiff_t c = 0; c < p.channels; ++c)
        set_moments(Pair<double>{p.scratch[c], p.scratch[p.channels + c]},
                    (double)p.rows, (double)x[c], mean[c], var[c]);
}

/* Some rows at once, which share what is loaded of the channels. */
template <int ROWS, typename T>
CF_ELEMENT void apply_to_some(const T *x, T *CF_RESTRICT y, const T *mean,
                              const T *factor, const T *offset, ptrdiff_t channels) {
    for (ptrdiff_t c = 0; c < channels; ++c)
        for (int i = 0; i < ROWS; ++i)
            y[i * channels + c] = normalized(x[i * channels + c], mean[c], factor[c],
                                             offset[c]);
}

template <typename T>
CF_CLONES void apply_to_rows(const T *x, T *y, const T *mean, const T *factor,
                             const T *offset, ptrdiff_t rows, ptrdiff_t channels) {
    const ptrdiff_t step = SOME_ROWS * channels;
    for (; rows >= SOME_ROWS; rows -= SOME_ROWS, x += step, y += step)
        apply_to_some<SOME_ROWS>(x, y, mean, factor, offset, channels);
    for (; rows-- > 0; x += channels, y += channels)
        apply_to_some<1>(x, y, mean, factor, offset, channels);
}

template <typename T>
void apply_to_pixels(const T *x, const T *gamma, const T *beta, const T *mean,
                     const T *inv_std, T *y, const Pixels &p) {
    const ptrdiff_t n = p.channels;
    T *factor = reinterpret_cast<T *>(p.scratch);
    for (ptrdiff_t c = 0; c < n; ++c)
        factor[c] = gamma[c] * inv_std[c];
    p.each([=](ptrdiff_t row, ptrdiff_t rows, ptrdiff_t) {
        apply_to_rows(x + row * n, y + row * n, mean, factor, beta, rows, n);
    });
}

template <typename T>
void pixel_moments(const T *x, T *mean, T *var, double *scratch, Extent e) {
    pixel_moments_of(x, mean, var, Pixels(e, scratch));
}

template <typename T>
void pixel_apply(const T *x, const T *gamma, const T *beta, const T *mean,
                 const T *inv_std, T *y, double *scratch, Extent e) {
    apply_to_pixels(x, gamma, beta, mean, inv_std, y, Pixels(e, scratch));
}

template <typename T>
void pixel_forward(const T *x, const T *gamma, const T *beta, T *y, T *mean, T *var,
                   T *inv_std, double *scratch, Extent e, double eps) {
    const Pixels p(e, scratch);
    pixel_moments_of(x, mean, var, p);
    for (ptrdiff_t c = 0; c < e.channels; ++c)
        inv_std[c] = inverse_std(var[c], (T)eps);
    apply_to_pixels(x, gamma, beta, mean, inv_std, y, p);
}

template <int ROWS, typename T>
CF_ELEMENT void grad_of_some(const T *x, const T *g, T *CF_RESTRICT gx, const T *mean,
                             const T *g_mean, const T *factor, const T *slope,
                             ptrdiff_t channels) {
    for (ptrdiff_t c = 0; c < channels; ++c)
        for (int i = 0; i < ROWS; ++i) {
            const ptrdiff_t at = i * channels + c;
            gx[at] = normalized_grad(x[at], g[at], mean[c], g_mean[c], factor[c],
                                     slope[c]);
        }
}

template <typename T>
CF_CLONES void grad_of_rows(const T *x, const T *g, T *gx, const T *mean,
                            const T *g_mean, const T *factor, const T *slope,
                            ptrdiff_t rows, ptrdiff_t channels) {
    const ptrdiff_t step = SOME_ROWS * channels;
    for (; rows >= SOME_ROWS; rows -= SOME_ROWS, x += step, g += step, gx += step)
        grad_of_some<SOME_ROWS>(x, g, gx, mean, g_mean, factor, slope, channels);
    for (; rows-- > 0; x += channels, g += channels, gx += channels)
        grad_of_some<1>(x, g, gx, mean, g_mean, factor, slope, channels);
}

/* ``fixed`` says that the statistics do not depend on x. */
template <typename T>
void pixel_backward(const T *x, const T *gamma, const T *g, const T *mean,
                    const T *inv_std, T *gx, T *ggamma, T *gbeta, double *scratch,
                    Extent e, int fixed) {
    const Pixels p(e, scratch);
    const ptrdiff_t n = p.channels;
    pixel_sums<Products>(x, g, mean, p);
    T *g_mean = reinterpret_cast<T *>(scratch + 2 * n);
    T *factors = g_mean + n, *slope = factors + n;
    for (ptrdiff_t c = 0; c < n; ++c) {
        const OfChannel<T> k = grad_coefficients(
            Pair<double>{scratch[c], scratch[n + c]}, gamma[c], inv_std[c],
            (double)p.rows, fixed, ggamma[c], gbeta[c]);
        g_mean[c] = k.g_mean, factors[c] = k.factor, slope[c] = k.slope;
    }
    p.each([=](ptrdiff_t row, ptrdiff_t rows, ptrdiff_t) {
        grad_of_rows(x + row * n, g + row * n, gx + row * n, mean, g_mean, factors,
                     slope, rows, n);
    });
}

/* -- local response normalization: sums over a window of channels
 *
 * Terms of the channels are written to a row with zeros on either side, so that the
 * window is the same everywhere; adding zeros changes no bit. */

template <typename T>
CF_ELEMENT void window_sums(const T *terms, T *sums, ptrdiff_t channels,
                            ptrdiff_t half) {
    for (ptrdiff_t c = 0; c < channels; ++c)
        sums[c] = 0;
    for (ptrdiff_t d = 0; d <= 2 * half; ++d)
        for (ptrdiff_t c = 0; c < channels; ++c)
            sums[c] += terms[c + d];
}

/* ``terms`` has room for the channels and ``half`` elements on either side. */
template <typename T>
CF_CLONES void response_of_rows(const T *x, T *CF_RESTRICT y, T *CF_RESTRICT unit,
                                T *CF_RESTRICT scale, T *CF_RESTRICT terms,
                                ptrdiff_t rows, ptrdiff_t channels, ptrdiff_t half,
                                T k, T alpha, int quarters) {
    for (ptrdiff_t c = 0; c < channels + 2 * half; ++c)
        terms[c] = 0;
    for (; rows-- > 0; x += channels, y += channels, unit += channels,
         scale += channels) {
        for (ptrdiff_t c = 0; c < channels; ++c)
            terms[half + c] = Square::of(x[c]);
        window_sums(terms, unit, channels, half);
        for (ptrdiff_t c = 0; c < channels; ++c)
            unit[c] = unit[c] * alpha + k;
        if (quarters == 3)
            inverse_powers<3>(unit, scale, channels);
        else if (quarters == 2)
            inverse_powers<2>(unit, scale, channels);
        else
            inverse_powers<4>(unit, scale, channels);
        for (ptrdiff_t c = 0; c < channels; ++c)
            y[c] = x[c] * scale[c];
    }
}

template <typename T>
CF_CLONES void response_grad_of_rows(const T *x, const T *g, const T *unit,
                                     const T *scale, T *CF_RESTRICT gx,
                                     T *CF_RESTRICT terms, ptrdiff_t rows,
                                     ptrdiff_t channels, ptrdiff_t half, T factor) {
    for (ptrdiff_t c = 0; c < channels + 2 * half; ++c)
        terms[c] = 0;
    for (; rows-- > 0; x += channels, g += channels, unit += channels,
         scale += channels, gx += channels) {
        for (ptrdiff_t c = 0; c < channels; ++c)
            terms[half + c] = response_term(x[c], g[c], unit[c], scale[c]);
        window_sums(terms, gx, channels, half);
        for (ptrdiff_t c = 0; c < channels; ++c)
            gx[c] = response_grad(x[c], g[c], scale[c], gx[c], factor);
    }
}

/* Blocks of rows on several threads, each of which has a row of ``terms``. */
template <typename T, typename F>
void each_response_block(Extent e, T *terms, ptrdiff_t half, const F &f) {
    const Pixels p(e, nullptr);
    const ptrdiff_t room = e.channels + 2 * half;
    p.each([=](ptrdiff_t row, ptrdiff_t rows, ptrdiff_t i) {
        f(row * e.channels, rows, terms + i * room);
    });
}

template <typename T>
void pixel_response(const T *x, T *y, T *unit, T *scale, T *terms, Extent e,
                    ptrdiff_t half, T k, T alpha, int quarters) {
    each_response_block(e, terms, half, [=](ptrdiff_t at, ptrdiff_t rows, T *terms) {
        response_of_rows(x + at, y + at, unit + at, scale + at, terms, rows,
                         e.channels, half, k, alpha, quarters);
    });
}

template <typename T>
void pixel_response_grad(const T *x, const T *g, const T *unit, const T *scale, T *gx,
                         T *terms, Extent e, ptrdiff_t half, T factor) {
    each_response_block(e, terms, half, [=](ptrdiff_t at, ptrdiff_t rows, T *terms) {
        response_grad_of_rows(x + at, g + at, unit + at, scale + at, gx + at, terms,
                              rows, e.channels, half, factor);
    });
}

/* Elements of ``terms`` that these loops need. */
inline ptrdiff_t terms_of_pixels(Extent e, ptrdiff_t half) {
    return Pixels(e, nullptr).blocks * (e.channels + 2 * half);
}

constexpr Loop pixel_response_loop = {pixel_response<float>, pixel_response<double>};
constexpr Loop pixel_response_grad_loop = {
    pixel_response_grad<float>, pixel_response_grad<double>};
constexpr Loop pixel_moments_loop = {pixel_moments<float>, pixel_moments<double>};
constexpr Loop pixel_apply_loop = {pixel_apply<float>, pixel_apply<double>};
constexpr Loop pixel_forward_loop = {pixel_forward<float>, pixel_forward<double>};
constexpr Loop pixel_backward_loop = {pixel_backward<float>, pixel_backward<double>};

}  // namespace
}  // namespace chainer_fast

#endif
