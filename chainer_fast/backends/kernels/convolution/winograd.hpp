/* Convolutions with windows of 3 x 3 by Winograd's algorithm.
 *
 * A square of 4 x 4 pixels of the result is a product of polynomials, which 36 products
 * determine instead of 144: images and filters are evaluated at six points along both
 * axes, multiplied there, and the result is interpolated. See A. Lavin and S. Gray,
 * Fast algorithms for convolutional neural networks, CVPR 2016; the points are others,
 * with which the error is two to four times that of the direct way.
 *
 * An infinite number would spread over the whole square, so it is reported to the
 * caller. */
#ifndef CHAINER_FAST_CONVOLUTION_WINOGRAD_HPP
#define CHAINER_FAST_CONVOLUTION_WINOGRAD_HPP

#include "chainer_fast/backends/kernels/convolution/direct.hpp"
#include "chainer_fast/backends/kernels/convolution/tiles.hpp"

namespace chainer_fast::convolution {
namespace {

constexpr ptrdiff_t WINOGRAD_SIDE = 4, WINOGRAD_POINTS = 36;

/* Pixels of a square at some row and column; `outside` for those outside the image. */
template <typename T>
void find_square(T *image, const Steps &steps, const ptrdiff_t *length, ptrdiff_t top,
                 ptrdiff_t left, ptrdiff_t side, T *outside, T **pixels) {
    for (ptrdiff_t y = top; y < top + side; ++y)
        for (ptrdiff_t x = left; x < left + side; ++x) {
            const bool inside = y >= 0 && y < length[0] && x >= 0 && x < length[1];
            *pixels++ = !inside ? outside
                : image + y * steps.axis[0] + x * steps.axis[1];
        }
}

/* The squares of 4 x 4 pixels into which images are divided. */
struct Squares {
    ptrdiff_t count, rows, columns;

    Squares(ptrdiff_t images, const ptrdiff_t *length)
            : rows((length[0] + WINOGRAD_SIDE - 1) / WINOGRAD_SIDE),
              columns((length[1] + WINOGRAD_SIDE - 1) / WINOGRAD_SIDE) {
        count = images * rows * columns;
    }
    ptrdiff_t image(ptrdiff_t i) const { return i / (rows * columns); }
    ptrdiff_t top(ptrdiff_t i) const { return i / columns % rows * WINOGRAD_SIDE; }
    ptrdiff_t left(ptrdiff_t i) const { return i % columns * WINOGRAD_SIDE; }
};

/* Whether fewer products outweigh the transformations. */
inline bool winograd_pays(const Convolution &c, const ptrdiff_t *outs) {
    const Window &w = c.w;
    if (w.nd != 2 || c.groups != 1)
        return false;
    for (int j = 0; j < 2; ++j)
        if (w.ksize[j] != 3 || w.stride[j] != 1 || w.dilate[j] != 1 || w.pad[j] > 2)
            return false;
    const Squares squares(c.images, outs);
    /* Squares that extend beyond the image have costs, too, as do filters, which
     * need four times their memory. */
    return std::min(c.channels, c.filters) >= 16 && c.channels * c.filters <= 131072
        && c.images * outs[0] * outs[1] >= 10 * squares.count
        && 4 * squares.count >= std::max(c.channels, c.filters);
}

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

    /* Returns whether all numbers are finite. */
    bool run() const {
        const ptrdiff_t lanes = micro.lanes;
        const Squares squares(images, outs);
        const std::vector<Panel> panels = panels_of(1, filters, lanes, depth);
        const Panel &last = panels.back();
        const ptrdiff_t width = last.first + last.vectors * lanes;
        Buffer<T> zeros(depth), weights(WINOGRAD_POINTS * depth * width);
        memset(zeros.get(), 0, depth * sizeof(T));
        std::atomic<bool> finite(true);
        parallel_with_memory(
                (ptrdiff_t)panels.size(),
                GRAIN_COPIES / (WINOGRAD_POINTS * depth * MOST_VECTORS * lanes) + 1,
                [&](ptrdiff_t begin, ptrdiff_t end) {
            const Buffer<T> packed(9 * depth * MOST_VECTORS * lanes);
            for (; begin < end; ++begin) {
                const Panel &panel = panels[begin];
                if (transposed)
                    packing.by_channel(panel, packed.get());
                else
                    packing.by_filter(panel, packed.get());
                micro.winograd_filters(packed.get(), depth * panel.vectors * lanes,
                                       weights.get() + WINOGRAD_POINTS * panel.offset,
                                       transposed);
            }
        });
        /* Many filters are read again for each block. */
        const ptrdiff_t block = (depth * filters > 32768 ? 4 : 2) * micro.pixels;
        const ptrdiff_t depth_step = (depth + lanes - 1) / lanes * lanes;
        parallel_with_memory(
                (squares.count + block - 1) / block,
                GRAIN_PRODUCTS / (block * WINOGRAD_POINTS * depth * filters) + 1,
                [&](ptrdiff_t begin, ptrdiff_t end) {
            const Buffer<T> values(WINOGRAD_POINTS * block * depth_step);
            const Buffer<T> products(WINOGRAD_POINTS * block * width);
            const ptrdiff_t stop = std::min(end * block, squares.count);
            for (ptrdiff_t first = begin * block; first < stop; first += block) {
                const ptrdiff_t count = std::min(block, squares.count - first);
                for (ptrdiff_t i = 0; i < count; ++i)
                    read(squares, first + i, zeros.get(),
                         values.get() + i * depth_step, block * depth_step);
                multiply(count, panels, weights.get(), values.get(), depth_step,
                         products.get(), width, block);
                for (ptrdiff_t i = 0; i < count; ++i)
                    if (!write(squares, first + i, products.get() + i * width,
                               block * width))
                        finite = false;
            }
        });
        return finite;
    }

    void read(const Squares &squares, ptrdiff_t i, const T *zeros, T *to,
              ptrdiff_t step) const {
        const T *pixels[WINOGRAD_POINTS];
        find_square(in + squares.image(i) * in_steps.image, in_steps, length,
                    squares.top(i) - pad[0], squares.left(i) - pad[1],
                    WINOGRAD_SIDE + 2, zeros, pixels);
        micro.winograd_in(pixels, 0, depth, to, step);
    }

    bool write(const Squares &squares, ptrdiff_t i, const T *from, ptrdiff_t step) const {
        T *pixels[WINOGRAD_SIDE * WINOGRAD_SIDE];
        find_square(out + squares.image(i) * out_steps.image, out_steps, outs,
                    squares.top(i), squares.left(i), WINOGRAD_SIDE, (T *)nullptr, pixels);
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
        for (ptrdiff_t point = 0; point < WINOGRAD_POINTS; ++point) {
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
                    tile.weights = weights + WINOGRAD_POINTS * panel.offset;
                    tile.out_offset = panel.first;
                    tile.filters = panel.vectors * micro.lanes;
                    micro.tile[panel.vectors - 1][m - 1](tile);
                }
        }
    }
};

}  // namespace
}  // namespace chainer_fast::convolution

#endif
