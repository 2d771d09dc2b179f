/* Convolutions with windows of 3 x 3 by Winograd's algorithm.
 *
 * A square of 4 x 4 pixels of the result is a product of polynomials, which 36 products
 * determine instead of 144: images and filters are evaluated at six points along both
 * axes, multiplied there, and the result is interpolated. See A. Lavin and S. Gray, Fast
 * algorithms for convolutional neural networks, CVPR 2016; the points are others, with
 * which the error is two to four times that of the direct way.
 *
 * An infinite number would spread over the whole square, so the caller is told of it.
 */
#ifndef CHAINER_FAST_CONVOLUTION_WINOGRAD_HPP
#define CHAINER_FAST_CONVOLUTION_WINOGRAD_HPP

#include "chainer_fast/backends/kernels/convolution/direct.hpp"

namespace chainer_fast {
namespace {

template <typename T>
struct Winograd {
    const Micro<T> &micro;
    const Packing<T> &packing;
    bool transposed;
    ptrdiff_t images, depth, filters;
    ptrdiff_t length[2], outs[2], pad[2];   /* of the convolution that is computed */
    const T *in;
    Steps in_steps;
    T *out;
    Steps out_steps;
    const T *bias;                          /* or NULL */

    static constexpr ptrdiff_t SIDE = 4, POINTS = 36;

    /* Whether fewer products are worth the transformations. */
    static bool pays(const Convolution &c, bool transposed) {
        const Window &w = c.w;
        if (sizeof(T) != 4 || w.nd != 2 || c.groups != 1)
            return false;
        for (int j = 0; j < 2; ++j)
            if (w.ksize[j] != 3 || w.stride[j] != 1 || w.dilate[j] != 1 || w.pad[j] > 2)
                return false;
        const ptrdiff_t *outs = transposed ? w.length : w.outs;
        const ptrdiff_t squares = c.images * ((outs[0] + 3) / 4) * ((outs[1] + 3) / 4);
        const ptrdiff_t pixels = c.images * outs[0] * outs[1];
        /* Squares that stick out of the image, and filters, cost as well. */
        return std::min(c.channels, c.filters) >= 32 && pixels >= 10 * squares
            && 2 * squares >= std::max(c.channels, c.filters);
    }

    /* Returns whether all numbers are finite. */
    bool run() const {
        const ptrdiff_t lanes = micro.lanes;
        const ptrdiff_t rows = (outs[0] + SIDE - 1) / SIDE;
        const ptrdiff_t columns = (outs[1] + SIDE - 1) / SIDE;
        const ptrdiff_t squares = images * rows * columns;
        const std::vector<Panel> panels = panels_of(1, filters, lanes, depth);
        const Panel &last = panels.back();
        const ptrdiff_t width = last.first + last.vectors * lanes;
        Buffer<T> zeros(depth), weights(POINTS * depth * width);
        memset(zeros.get(), 0, depth * sizeof(T));
        std::atomic<bool> failed(false), finite(true);
        parallel((ptrdiff_t)panels.size(),
                 GRAIN_COPIES / (POINTS * depth * MOST_VECTORS * lanes) + 1,
                 [&](ptrdiff_t begin, ptrdiff_t end) {
            Buffer<T> packed;
            if (!packed.allocate(9 * depth * MOST_VECTORS * lanes)) {
                failed = true;
                return;
            }
            for (; begin < end; ++begin) {
                const Panel &panel = panels[begin];
                if (transposed)
                    packing.by_channel(panel, packed.get());
                else
                    packing.by_filter(panel, packed.get());
                micro.winograd_filters(packed.get(), depth * panel.vectors * lanes,
                                       weights.get() + POINTS * panel.offset, transposed);
            }
        });
        const ptrdiff_t block = 2 * micro.pixels;
        const ptrdiff_t depth_step = (depth + lanes - 1) / lanes * lanes;
        parallel((squares + block - 1) / block,
                 GRAIN_PRODUCTS / (block * POINTS * depth * filters) + 1,
                 [&](ptrdiff_t begin, ptrdiff_t end) {
            Buffer<T> values, products;
            if (!values.allocate(POINTS * block * depth_step)
                    || !products.allocate(POINTS * block * width)) {
                failed = true;
                return;
            }
            for (ptrdiff_t first = begin * block; first < std::min(end * block, squares);
                    first += block) {
                const ptrdiff_t count = std::min(block, squares - first);
                for (ptrdiff_t i = 0; i < count; ++i)
                    read(first + i, rows, columns, zeros.get(),
                         values.get() + i * depth_step, block * depth_step);
                multiply(count, panels, weights.get(), values.get(), depth_step,
                         products.get(), width, block);
                for (ptrdiff_t i = 0; i < count; ++i)
                    if (!write(first + i, rows, columns, products.get() + i * width,
                               block * width))
                        finite = false;
            }
        });
        if (failed)
            throw std::bad_alloc();
        return finite;
    }

    void read(ptrdiff_t square, ptrdiff_t rows, ptrdiff_t columns, const T *zeros, T *to,
              ptrdiff_t step) const {
        const T *image = in + square / (rows * columns) * in_steps.image;
        const ptrdiff_t top = square / columns % rows * SIDE - pad[0];
        const ptrdiff_t left = square % columns * SIDE - pad[1];
        const T *pixels[POINTS];
        for (ptrdiff_t i = 0; i < 6; ++i)
            for (ptrdiff_t j = 0; j < 6; ++j) {
                const ptrdiff_t y = top + i, x = left + j;
                const bool inside = y >= 0 && y < length[0] && x >= 0 && x < length[1];
                pixels[6 * i + j] = !inside ? zeros
                    : image + y * in_steps.axis[0] + x * in_steps.axis[1];
            }
        micro.winograd_in(pixels, depth, to, step);
    }

    bool write(ptrdiff_t square, ptrdiff_t rows, ptrdiff_t columns, const T *from,
               ptrdiff_t step) const {
        T *image = out + square / (rows * columns) * out_steps.image;
        const ptrdiff_t top = square / columns % rows * SIDE;
        const ptrdiff_t left = square % columns * SIDE;
        T *pixels[SIDE * SIDE];
        for (ptrdiff_t i = 0; i < SIDE; ++i)
            for (ptrdiff_t j = 0; j < SIDE; ++j) {
                const ptrdiff_t y = top + i, x = left + j;
                pixels[SIDE * i + j] = y < outs[0] && x < outs[1]
                    ? image + y * out_steps.axis[0] + x * out_steps.axis[1] : nullptr;
            }
        return micro.winograd_out(from, step, filters, bias, pixels);
    }

    /* The products at each point, of some squares. */
    void multiply(ptrdiff_t count, const std::vector<Panel> &panels, const T *weights,
                  const T *values, ptrdiff_t depth_step, T *products, ptrdiff_t width,
                  ptrdiff_t block) const {
        const ptrdiff_t tiles = (count + micro.pixels - 1) / micro.pixels;
        const T *met[MOST_PIXELS];
        T *to[MOST_PIXELS];
        Tile<T> tile = {met, nullptr, 1, depth, 0, nullptr, nullptr, to, 0, 0};
        for (ptrdiff_t point = 0; point < POINTS; ++point) {
            tile.tap = &point;
            for (const Panel &panel : panels)
                for (ptrdiff_t k = 0; k < tiles; ++k) {
                    const ptrdiff_t first = count * k / tiles;
                    const ptrdiff_t m = count * (k + 1) / tiles - first;
                    for (ptrdiff_t i = 0; i < m; ++i) {
                        const ptrdiff_t square = point * block + first + i;
                        met[i] = values + square * depth_step;
                        to[i] = products + square * width;
                    }
                    tile.weights = weights + POINTS * panel.offset;
                    tile.out_offset = panel.first;
                    tile.filters = panel.vectors * micro.lanes;
                    micro.tile[panel.vectors - 1][m - 1](tile);
                }
        }
    }
};

}  // namespace
}  // namespace chainer_fast

#endif
