/* Convolutions with few filters, which would fill a part of a vector.
 *
 * Pixels whose places have the same remainder by the stride meet the same elements of the
 * window. The convolution of these pixels is transposed to one without a stride, whose
 * images, of few channels, are the results, and whose results are the pixels: elements of
 * its window have the reverse order. */
#ifndef CHAINER_FAST_CONVOLUTION_FEW_FILTERS_HPP
#define CHAINER_FAST_CONVOLUTION_FEW_FILTERS_HPP

#include "chainer_fast/backends/kernels/convolution/channels_last.hpp"

namespace chainer_fast::convolution {
namespace {

/* Whether each part of the pixels meets several elements of a row of the window. */
inline bool has_few_filters(const Convolution &c) {
    const Window &w = c.w;
    bool few = c.groups == 1 && c.filters <= FEW_CHANNELS && c.channels >= 16
        && w.ksize[w.nd - 1] >= 2 * w.stride[w.nd - 1];
    for (ptrdiff_t j = 0; j < w.nd; ++j)
        few = few && w.dilate[j] == 1 && w.length[j] >= w.stride[j]
            && w.pad[j] + w.stride[j] <= w.ksize[j];
    return few;
}

/* The other convolution, for some of the pixels. */
template <typename T>
struct Mirrored {
    Convolution c;
    Images<T> pixels;
    std::vector<ptrdiff_t> taps = {0};    /* numbers in the whole window */

    Mirrored(const Convolution &whole, ptrdiff_t number, const Images<T> &images)
            : c(whole), pixels(images) {
        Window &w = c.w;
        std::swap(c.channels, c.filters);
        for (ptrdiff_t j = 0; j < w.nd; ++j) {
            const ptrdiff_t s = w.stride[j], r = number % s, at = r + w.pad[j];
            const ptrdiff_t last = (w.ksize[j] - 1 - at % s) / s;
            std::vector<ptrdiff_t> longer;
            for (ptrdiff_t t : taps)
                for (ptrdiff_t k = last; k >= 0; --k)
                    longer.push_back(t * w.ksize[j] + at % s + k * s);
            taps = longer;
            number /= s;
            pixels.data += r * pixels.steps.axis[j];
            pixels.steps.axis[j] *= s;
            w.ksize[j] = last + 1;
            w.pad[j] = last - at / s;
            w.outs[j] = (w.length[j] - r + s - 1) / s;
            w.length[j] = whole.w.outs[j];
            w.stride[j] = 1;
        }
        complete(c);
    }

    /* Calls f with the indices of each element in both arrays of filters. */
    template <typename F>
    void match(ptrdiff_t all_taps, const F &f) const {
        for (ptrdiff_t i = 0, n = 0; i < c.filters; ++i)
            for (ptrdiff_t j = 0; j < c.channels; ++j)
                for (ptrdiff_t t : taps)
                    f((j * c.filters + i) * all_taps + t, n++);
    }
};

/* Computes one of three arrays from the others. */
template <typename T>
void run_channels_last(Task task, const Convolution &c, const Images<T> &images,
                       T *filters, const Images<T> &places, const T *bias) {
    if (!has_few_filters(c)) {
        if (task == CONVOLVE)
            convolve_channels_last<T>(c, images, filters, places, bias);
        else if (task == TRANSPOSE)
            transpose_channels_last<T>(c, images, filters, places, bias);
        else
            correlate_channels_last<T>(c, images, filters, places);
        return;
    }
    ptrdiff_t parts = 1;
    for (ptrdiff_t j = 0; j < c.w.nd; ++j)
        parts *= c.w.stride[j];
    const Buffer<T> side(c.filters * c.depth);
    T *some = side.get();
    for (ptrdiff_t i = 0; i < parts; ++i) {
        const Mirrored<T> part(c, i, images);
        if (task != CORRELATE)
            part.match(c.w.taps, [=](ptrdiff_t k, ptrdiff_t n) { some[n] = filters[k]; });
        if (task == CONVOLVE)
            ToFewChannels<T>{*find_micro<T>(), part.c.w, c.images, c.filters, c.channels,
                             some, part.pixels.data, part.pixels.steps, places,
                             i ? nullptr : bias, i > 0}.run();
        else if (task == TRANSPOSE)
            convolve_channels_last<T>(part.c, places, some, part.pixels, bias);
        else {
            correlate_channels_last<T>(part.c, places, some, part.pixels);
            part.match(c.w.taps, [=](ptrdiff_t k, ptrdiff_t n) { filters[k] = some[n]; });
        }
    }
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
