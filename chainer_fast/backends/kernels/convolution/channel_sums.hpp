/* Sums of the channels of images, for the gradient of a bias, and sums with a bias. */
#ifndef CHAINER_FAST_CONVOLUTION_CHANNEL_SUMS_HPP
#define CHAINER_FAST_CONVOLUTION_CHANNEL_SUMS_HPP

#include <vector>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::convolution {
namespace {

/* Adds each channel of all images to its sum, in double precision: from channel `first`
 * to before `end`. */
template <typename T>
CF_CLONES void add_channels(const T *y, double *sums, ptrdiff_t images,
                            ptrdiff_t channels, ptrdiff_t plane, ptrdiff_t first,
                            ptrdiff_t end) {
    constexpr ptrdiff_t LANES = 16;
    for (ptrdiff_t n = 0; n < images; ++n)
        for (ptrdiff_t c = first; c < end; ++c) {
            const T *row = y + (n * channels + c) * plane;
            double part[LANES] = {0}, rest = 0;
            ptrdiff_t i, j;
            for (i = 0; i + LANES <= plane; i += LANES)
                for (j = 0; j < LANES; ++j)
                    part[j] += row[i + j];
            for (; i < plane; ++i)
                rest += row[i];
            for (j = 0; j < LANES; ++j)
                rest += part[j];
            sums[c] += rest;
        }
}

/* The same with channels last in memory. */
template <typename T>
CF_CLONES void add_pixels(const T *y, double *sums, ptrdiff_t images,
                          ptrdiff_t channels, ptrdiff_t plane, ptrdiff_t c,
                          ptrdiff_t end) {
    constexpr ptrdiff_t LANES = 32;
    const ptrdiff_t pixels = images * plane;
    for (; c + LANES <= end; c += LANES) {
        double part[LANES] = {0};
        for (ptrdiff_t p = 0; p < pixels; ++p)
            for (ptrdiff_t j = 0; j < LANES; ++j)
                part[j] += y[p * channels + c + j];
        for (ptrdiff_t j = 0; j < LANES; ++j)
            sums[c + j] += part[j];
    }
    for (ptrdiff_t p = 0; p < pixels; ++p)
        for (ptrdiff_t k = c; k < end; ++k)
            sums[k] += y[p * channels + k];
}

template <typename T>
void sum_channels(const T *y, double *sums, ptrdiff_t images, ptrdiff_t channels,
                  ptrdiff_t plane, bool last) {
    const ptrdiff_t some = last ? 32 : 1;
    parallel((channels + some - 1) / some, GRAIN / (some * images * plane + 1) + 1,
             [=](ptrdiff_t begin, ptrdiff_t end) {
        (last ? add_pixels<T> : add_channels<T>)(
            y, sums, images, channels, plane, begin * some,
            std::min(end * some, channels));
    });
}

constexpr Loop channel_sums = {sum_channels<float>, sum_channels<double>};

/* Adds a number to each channel of pixels that have channels last in memory. */
inline void add_to_pixels(float *pixels, const float *bias, ptrdiff_t count,
                          ptrdiff_t channels) {
    /* As a long row of several pixels, which is a loop of vectors. */
    constexpr ptrdiff_t LONG = 256, GRAIN = 1 << 15;
    const ptrdiff_t joined = std::min(count, LONG / channels + 1);
    std::vector<float> row(joined * channels);
    for (ptrdiff_t i = 0; i < joined * channels; ++i)
        row[i] = bias[i % channels];
    const Release release(count * channels >= GRAIN);
    parallel(count, GRAIN / channels + 1, [&](ptrdiff_t begin, ptrdiff_t end) {
        for (ptrdiff_t i = begin; i < end; i += joined)
            add_times(row.data(), 1.f, pixels + i * channels,
                      std::min(joined, end - i) * channels);
    });
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
