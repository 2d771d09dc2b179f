/* The three convolutions with channels last in memory; see `direct.hpp`. */
#ifndef CHAINER_FAST_CONVOLUTION_CHANNELS_LAST_HPP
#define CHAINER_FAST_CONVOLUTION_CHANNELS_LAST_HPP

#include "chainer_fast/backends/kernels/convolution/few_channels.hpp"
#include "chainer_fast/backends/kernels/convolution/planes.hpp"
#include "chainer_fast/backends/kernels/convolution/tiles.hpp"
#include "chainer_fast/backends/kernels/convolution/winograd_filters.hpp"

namespace chainer_fast::convolution {
namespace {

/* Whether this processor has code for channels last. */
inline bool has_vectors() { return find_micro<float>() != nullptr; }

/* In double precision, results are as exact as possible. */
template <typename T>
bool uses_winograd(const Convolution &c, const ptrdiff_t *outs) {
    return sizeof(T) == sizeof(float) && winograd_pays(c, outs);
}

/* Whether images are copied with their padding. */
template <typename T>
bool pads_images(const Convolution &c) {
    return joins_taps(c.w, c.groups, c.channels) && !uses_winograd<T>(c, c.w.outs);
}

template <typename T>
void convolve_channels_last(const Convolution &c, const Images<T> &given,
                            const T *filters, const Images<T> &places, const T *bias) {
    const Micro<T> &micro = *find_micro<T>();
    const Packing<T> packing = {micro, filters, c.channels, c.filters, c.w.taps};
    Window w = c.w;
    Images<T> images = given;
    Buffer<T> padded;
    if (pads_images<T>(c))
        pad_columns(given, c.images, c.channels, w, images, padded);
    if (uses_winograd<T>(c, c.w.outs)
            && Winograd<T>{micro, packing, false, c.images, c.channels, c.filters,
                           {w.length[0], w.length[1]}, {w.outs[0], w.outs[1]},
                           {w.pad[0], w.pad[1]}, images.data, images.steps, places.data,
                           places.steps, bias}.run())
        return;
    Application<T>{
        micro, packing, false, c.images, c.groups, c.channels * (c.w.taps / w.taps),
        c.filters, w.taps, images.data, images.steps.image, places.data,
        places.steps.image, bias, {convolved_grid(w, images.steps, places.steps)},
        w.ksize[w.nd - 1]}.run();
}

template <typename T>
void transpose_channels_last(const Convolution &c, const Images<T> &images,
                             const T *filters, const Images<T> &places, const T *bias) {
    const Micro<T> &micro = *find_micro<T>();
    const Packing<T> packing = {micro, filters, c.channels, c.filters, c.w.taps};
    if (c.channels <= FEW_CHANNELS && joins_taps(c.w, c.groups, c.channels)) {
        ToFewChannels<T>{micro, c.w, c.images, c.channels, c.filters, filters,
                         places.data, places.steps, images, bias}.run();
        return;
    }
    const Window &w = c.w;
    if (uses_winograd<T>(c, c.w.length)
            && Winograd<T>{micro, packing, true, c.images, c.filters, c.channels,
                           {w.outs[0], w.outs[1]}, {w.length[0], w.length[1]},
                           {2 - w.pad[0], 2 - w.pad[1]}, places.data, places.steps,
                           images.data, images.steps, bias}.run())
        return;
    Application<T>{
        micro, packing, true, c.images, c.groups, c.filters, c.channels, c.w.taps,
        places.data, places.steps.image, images.data, images.steps.image, bias,
        transposed_grids(c.w, places.steps, images.steps), c.w.ksize[c.w.nd - 1]}.run();
}

template <typename T>
void correlate_channels_last(const Convolution &c, const Images<T> &given, T *filters,
                             const Images<T> &places) {
    const Micro<T> &micro = *find_micro<T>();
    Window w = c.w;
    Images<T> images = given;
    Buffer<T> padded;
    if (pads_images<T>(c))
        pad_columns(given, c.images, c.channels, w, images, padded);
    if (uses_winograd<T>(c, c.w.outs)
            && WinogradFilters<T>{micro, c, images.data, images.steps, places.data,
                                  places.steps, filters}.run())
        return;
    FilterGradient<T>{
        micro, c.images, c.groups, c.channels * (c.w.taps / w.taps), c.filters,
        c.channels, c.w.taps, images.data, places.data, images.steps.image,
        places.steps.image, filters, convolved_grid(w, images.steps, places.steps)}.run();
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
