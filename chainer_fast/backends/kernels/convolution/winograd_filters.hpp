/* Gradients of filters of 3 x 3 by Winograd's algorithm; see `winograd.hpp`.
 *
 * The gradient is a convolution of a square of 6 x 6 pixels with one of 4 x 4 gradients,
 * which takes 36 products as well, and is summed over all squares before it is
 * interpolated.
 */
#ifndef CHAINER_FAST_CONVOLUTION_WINOGRAD_FILTERS_HPP
#define CHAINER_FAST_CONVOLUTION_WINOGRAD_FILTERS_HPP

#include "chainer_fast/backends/kernels/convolution/filters.hpp"
#include "chainer_fast/backends/kernels/convolution/winograd.hpp"

namespace chainer_fast::convolution {
namespace {

template <typename T>
struct WinogradFilters {
    const Micro<T> &micro;
    const Convolution &c;
    const T *in;
    Steps in_steps;
    const T *places;
    Steps places_steps;
    T *out;

    /* Returns whether all numbers are finite. */
    bool run() const {
        const ptrdiff_t lanes = micro.lanes, depth = c.channels, block = BLOCK_PLACES;
        const Squares squares(c.images, c.w.outs);
        const std::vector<Panel> panels = panels_of(1, c.filters, lanes, 1);
        const ptrdiff_t width = panels.back().first + panels.back().vectors * lanes;
        const ptrdiff_t depth_step = (depth + lanes - 1) / lanes * lanes;
        const ptrdiff_t size = std::min(block, squares.count);
        Buffer<T> zeros(std::max(depth, c.filters));
        Buffer<T> values(WINOGRAD_POINTS * size * depth_step);
        Buffer<T> gradients(WINOGRAD_POINTS * size * width);
        Buffer<T> sums(WINOGRAD_POINTS * depth * width);
        Buffer<Meeting<T>> met(WINOGRAD_POINTS * size);
        memset(zeros.get(), 0, std::max(depth, c.filters) * sizeof(T));
        for (ptrdiff_t i = 0; i < WINOGRAD_POINTS * size; ++i)
            met.get()[i] = {values.get() + i * depth_step, i % size};
        for (ptrdiff_t first = 0; first < squares.count; first += block) {
            const ptrdiff_t count = std::min(block, squares.count - first);
            parallel(count, GRAIN_COPIES / (WINOGRAD_POINTS * depth) + 1,
                     [&](ptrdiff_t i, ptrdiff_t end) {
                for (; i < end; ++i)
                    read(squares, first + i, zeros.get(), panels,
                         values.get() + i * depth_step, size * depth_step,
                         gradients.get(), i, size);
            });
            const ptrdiff_t tasks = WINOGRAD_POINTS * (ptrdiff_t)panels.size();
            const ptrdiff_t tiles = (depth + micro.channels - 1) / micro.channels;
            parallel(tasks, GRAIN_PRODUCTS / (count * depth * MOST_VECTORS * lanes) + 1,
                     [&](ptrdiff_t i, ptrdiff_t end) {
                for (; i < end; ++i) {
                    const ptrdiff_t point = i % WINOGRAD_POINTS;
                    const Panel &panel = panels[i / WINOGRAD_POINTS];
                    correlate<T>(micro, {met.get() + point * size, count, 0,
                                         gradients.get() + part(panel, point, size),
                                         sums.get() + part(panel, point, depth),
                                         first > 0}, panel.vectors, depth, tiles, 0, tiles);
                }
            });
        }
        std::atomic<bool> finite(true);
        parallel_with_memory((ptrdiff_t)panels.size(),
                             GRAIN_COPIES / (WINOGRAD_POINTS * depth) + 1,
                             [&](ptrdiff_t i, ptrdiff_t end) {
            const Buffer<T> filters(9 * depth * MOST_VECTORS * lanes);
            for (; i < end; ++i) {
                const Panel &panel = panels[i];
                const ptrdiff_t n = depth * panel.vectors * lanes;
                if (!micro.winograd_sums(sums.get() + part(panel, 0, depth), n, n,
                                         filters.get()))
                    finite = false;
                copy_filters(micro, panel, c.filters, depth, (ptrdiff_t)9, (ptrdiff_t)0,
                             depth, out, filters.get(), true);
            }
        });
        return finite;
    }

    /* Offset of rows of a panel in an array of shape (panels, points, rows,
     * vectors). */
    ptrdiff_t part(const Panel &panel, ptrdiff_t point, ptrdiff_t rows) const {
        const ptrdiff_t width = panel.vectors * micro.lanes;
        return (WINOGRAD_POINTS * panel.first + point * width) * rows;
    }

    void read(const Squares &squares, ptrdiff_t i, const T *zeros,
              const std::vector<Panel> &panels, T *values, ptrdiff_t step, T *gradients,
              ptrdiff_t row, ptrdiff_t rows) const {
        const ptrdiff_t n = squares.image(i);
        const ptrdiff_t top = squares.top(i), left = squares.left(i);
        const T *pixels[WINOGRAD_POINTS];
        find_square(in + n * in_steps.image, in_steps, c.w.length, top - c.w.pad[0],
                    left - c.w.pad[1], WINOGRAD_SIDE + 2, zeros, pixels);
        micro.winograd_in(pixels, 0, c.channels, values, step);
        find_square(places + n * places_steps.image, places_steps, c.w.outs, top, left,
                    WINOGRAD_SIDE, zeros, pixels);
        for (const Panel &panel : panels) {
            const ptrdiff_t width = panel.vectors * micro.lanes;
            micro.winograd_gradients(
                pixels, panel.first, panel.count,
                gradients + part(panel, 0, rows) + row * width, rows * width);
        }
    }
};

}  // namespace
}  // namespace chainer_fast::convolution

#endif
