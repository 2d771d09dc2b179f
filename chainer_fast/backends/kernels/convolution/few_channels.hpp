/* Transposed convolutions to images of few channels.
 *
 * Few channels would fill a part of a vector. Those that the taps of a row meet lie side
 * by side in memory, so that products of a place with all filters are made as vectors,
 * and added to the rows of an image that has its padding in memory.
 */
#ifndef CHAINER_FAST_CONVOLUTION_FEW_CHANNELS_HPP
#define CHAINER_FAST_CONVOLUTION_FEW_CHANNELS_HPP

#include "chainer_fast/backends/kernels/convolution/direct.hpp"

namespace chainer_fast::convolution {
namespace {

constexpr ptrdiff_t FEW_CHANNELS = 8;

template <typename T>
struct ToFewChannels {
    const Micro<T> &micro;
    const Window &w;
    ptrdiff_t images, channels, filters;
    const T *weights;              /* of shape (filters, channels, taps) */
    const T *in;
    Steps in_steps;
    const Images<T> &out;
    const T *bias;                 /* or NULL */
    bool more = false;             /* whether to add to `out` instead */

    /* Packs weights to panels of (filters, vectors of taps and channels). */
    void pack(const std::vector<Panel> &panels, T *to) const {
        for (const Panel &panel : panels)
            for (ptrdiff_t f = 0; f < filters; ++f)
                for (ptrdiff_t i = 0; i < panel.vectors * micro.lanes; ++i) {
                    const ptrdiff_t k = panel.first + i, t = k / channels;
                    *to++ = i >= panel.count ? 0
                        : weights[(f * channels + k % channels) * w.taps + t];
                }
    }

    /* Copies rows of an image, of that width, without their padding. */
    void copy(const T *padded, Rows rows, ptrdiff_t width, T *image) const {
        const ptrdiff_t last = w.nd - 1, apart = out.steps.axis[last];
        for (ptrdiff_t i = rows.begin; i < rows.end; ++i) {
            T *to = image;
            ptrdiff_t row = i;
            for (ptrdiff_t j = last - 1; j >= 0; --j) {
                to += row % w.length[j] * out.steps.axis[j];
                row /= w.length[j];
            }
            const T *from = padded + (i * width + w.pad[last]) * channels;
            for (ptrdiff_t x = 0; x < w.length[last]; ++x)
                for (ptrdiff_t c = 0; c < channels; ++c) {
                    const T value = x + w.pad[last] < width ? from[x * channels + c] : 0;
                    T &pixel = to[x * apart + c];
                    pixel = more ? pixel + value : bias ? value + bias[c] : value;
                }
        }
    }

    void run() const {
        const ptrdiff_t last = w.nd - 1, run = w.ksize[last] * channels;
        const ptrdiff_t depth = w.taps * channels, lanes = micro.lanes;
        Window padded = w;
        Steps steps;
        pad_window(padded, channels, steps);
        const Grid grid = convolved_grid(padded, steps, in_steps);
        const std::vector<Panel> panels = panels_of(1, depth, lanes, filters);
        const Panel &end = panels.back();
        const ptrdiff_t ld = (depth + lanes - 1) / lanes * lanes;
        Buffer<T> packed(end.offset + end.vectors * lanes * filters);
        pack(panels, packed.get());
        const ptrdiff_t places = grid.rows.count() * grid.columns.count();
        const ptrdiff_t rows = w.plane / w.length[last], line = steps.image / rows;
        /* Few images are cut into rows. What two parts meet is computed for both. */
        const ptrdiff_t parts = std::min(rows, (thread_limit() + images - 1) / images);
        parallel_with_memory(images * parts,
                             GRAIN_PRODUCTS / (places * ld * filters / parts + 1) + 1,
                             [&](ptrdiff_t i, ptrdiff_t stop) {
            const Buffer<T> image(steps.image), products(micro.pixels * ld);
            for (; i < stop; ++i) {
                const ptrdiff_t n = i / parts, k = i % parts;
                const Rows own = {rows * k / parts, rows * (k + 1) / parts};
                const ptrdiff_t begin = own.begin * line, end = own.end * line;
                Grid part = grid;
                for (ptrdiff_t &at : part.rows.in)
                    at = at < begin || at >= end ? OUTSIDE : at;
                memset(image.get() + begin, 0, (end - begin) * sizeof(T));
                for (ptrdiff_t p = 0; p < places; p += micro.pixels)
                    add(part, in + n * in_steps.image, p,
                        std::min(micro.pixels, places - p), panels, packed.get(),
                        products.get(), ld, run, image.get());
                copy(image.get(), own, line / channels, out.data + n * out.steps.image);
            }
        });
    }

    /* Adds the products of a tile of positions to an image. */
    void add(const Grid &grid, const T *from, ptrdiff_t first, ptrdiff_t count,
             const std::vector<Panel> &panels, const T *packed, T *products, ptrdiff_t ld,
             ptrdiff_t run, T *image) const {
        const ptrdiff_t width = grid.columns.count(), taps = grid.rows.taps();
        const ptrdiff_t none = 0;
        const auto rows = grid.rows.in.begin();
        if (std::all_of(rows + first / width * taps,
                        rows + ((first + count - 1) / width + 1) * taps,
                        [](ptrdiff_t at) { return at < 0; }))
            return;
        const T *met[MOST_PIXELS];
        T *to[MOST_PIXELS];
        for (ptrdiff_t i = 0; i < count; ++i) {
            const ptrdiff_t p = first + i;
            met[i] = from + grid.rows.out[p / width] + grid.columns.out[p % width];
            to[i] = products + i * ld;
        }
        Tile<T> tile = {met, &none, 1, filters, 0, nullptr, nullptr, to, 0, 0};
        for (const Panel &panel : panels) {
            tile.weights = packed + panel.offset;
            tile.out_offset = panel.first;
            tile.filters = panel.count;
            micro.tile[panel.vectors - 1][count - 1](tile);
        }
        for (ptrdiff_t i = 0; i < count; ++i) {
            const ptrdiff_t p = first + i;
            const ptrdiff_t *rows = &grid.rows.in[p / width * taps];
            micro.add_rows(to[i], image + grid.columns.in[p % width], rows, taps, run);
        }
    }
};

}  // namespace
}  // namespace chainer_fast::convolution

#endif
