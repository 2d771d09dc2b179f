/* Filters packed for the inner loops of convolutions, and unpacked. */
#ifndef CHAINER_FAST_CONVOLUTION_PACKING_HPP
#define CHAINER_FAST_CONVOLUTION_PACKING_HPP

#include <string.h>

#include <algorithm>
#include <vector>

#include "chainer_fast/backends/kernels/convolution/micro.hpp"

namespace chainer_fast::convolution {
namespace {

/* Filters of a tile; also channels, in a transposed convolution. */
struct Panel {
    ptrdiff_t group, first, count;
    ptrdiff_t vectors;
    ptrdiff_t offset;    /* of its packed weights */
};

inline std::vector<Panel> panels_of(ptrdiff_t groups, ptrdiff_t filters, ptrdiff_t lanes,
                                    ptrdiff_t rows) {
    std::vector<Panel> panels;
    ptrdiff_t offset = 0;
    for (ptrdiff_t g = 0; g < groups; ++g)
        for (ptrdiff_t f = 0; f < filters; f += MOST_VECTORS * lanes) {
            const ptrdiff_t count = std::min(MOST_VECTORS * lanes, filters - f);
            const ptrdiff_t vectors = (count + lanes - 1) / lanes;
            panels.push_back({g, f, count, vectors, offset});
            offset += rows * vectors * lanes;
        }
    return panels;
}

/* Copies channels from `first` to before `end` of filters of shape (groups * filters,
 * channels, taps) to a panel of shape (taps, these channels, vectors of filters), or
 * back. */
template <typename T>
void copy_filters(const Micro<T> &micro, const Panel &panel, ptrdiff_t filters,
                  ptrdiff_t channels, ptrdiff_t taps, ptrdiff_t first, ptrdiff_t end,
                  T *weights, T *packed, bool back) {
    const ptrdiff_t lanes = micro.lanes, width = panel.vectors * lanes;
    const ptrdiff_t count = end - first, size = count * taps;
    T *lines[16], *vectors[16];
    weights += ((panel.group * filters + panel.first) * channels + first) * taps;
    for (ptrdiff_t v = 0; v < panel.count; v += lanes)
        for (ptrdiff_t k = 0, c = 0, t = 0; k < size; k += lanes) {
            const ptrdiff_t rows = std::min(lanes, panel.count - v);
            const ptrdiff_t columns = std::min(lanes, size - k);
            for (ptrdiff_t i = 0; i < rows; ++i)
                lines[i] = weights + (v + i) * channels * taps + k;
            for (ptrdiff_t j = 0; j < columns; ++j) {
                vectors[j] = packed + (t * count + c) * width + v;
                if (++t == taps) {
                    t = 0;
                    ++c;
                }
            }
            if (back)
                micro.transpose(vectors, columns, rows, lines, false);
            else
                micro.transpose(lines, rows, columns, vectors, true);
        }
}

/* Packs filters of shape (groups * filters, channels, taps). */
template <typename T>
struct Packing {
    const Micro<T> &micro;
    const T *weights;
    ptrdiff_t channels, filters, taps;   /* of a group */

    /* To (taps, channels, vectors of filters). */
    void by_filter(const Panel &panel, T *out) const {
        copy_filters(micro, panel, filters, channels, taps, (ptrdiff_t)0, channels,
                     const_cast<T *>(weights), out, false);
    }

    /* To (taps, filters, vectors of channels). */
    void by_channel(const Panel &panel, T *out) const {
        const ptrdiff_t lanes = micro.lanes, width = panel.vectors * lanes;
        const T *from[16];
        T *to[16];
        for (ptrdiff_t f = 0; f < filters; ++f) {
            const T *in = weights
                + ((panel.group * filters + f) * channels + panel.first) * taps;
            /* The next filter is too far away for the processor's prefetcher. */
            if (f + 1 < filters)
                for (ptrdiff_t i = 0; i < panel.count * taps; i += 64 / sizeof(T))
                    __builtin_prefetch(in + channels * taps + i);
            for (ptrdiff_t v = 0; v < panel.count; v += lanes)
                for (ptrdiff_t t = 0; t < taps; t += lanes) {
                    const ptrdiff_t rows = std::min(lanes, panel.count - v);
                    const ptrdiff_t columns = std::min(lanes, taps - t);
                    for (ptrdiff_t i = 0; i < rows; ++i)
                        from[i] = in + (v + i) * taps + t;
                    for (ptrdiff_t j = 0; j < columns; ++j)
                        to[j] = out + ((t + j) * filters + f) * width + v;
                    if (taps == 1 && rows == lanes)
                        memcpy(to[0], in + v, lanes * sizeof(T));
                    else
                        micro.transpose(from, rows, columns, to, true);
                }
        }
    }

    /* If each channel has its own filter: from (channels, taps) to (taps,
     * channels). */
    void depthwise(ptrdiff_t count, T *out) const {
        for (ptrdiff_t c = 0; c < count; ++c)
            for (ptrdiff_t t = 0; t < taps; ++t)
                out[t * count + c] = weights[c * taps + t];
    }
};

}  // namespace
}  // namespace chainer_fast::convolution

#endif
