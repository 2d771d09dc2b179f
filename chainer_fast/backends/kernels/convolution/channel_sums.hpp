/* Sums of the channels of images, for the gradient of a bias, and sums with a bias. */
#ifndef CHAINER_FAST_CONVOLUTION_CHANNEL_SUMS_HPP
#define CHAINER_FAST_CONVOLUTION_CHANNEL_SUMS_HPP

#include <vector>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::convolution {
namespace {

/* Adds channels of an image to their sums, in double precision. */
template <typename T>
CF_CLONES void add_channels(const T *y, double *sums, ptrdiff_t channels,
                            ptrdiff_t plane) {
    constexpr ptrdiff_t LANES = 16;
    for (ptrdiff_t c = 0; c < channels; ++c, y += plane) {
        double part[LANES] = {0}, rest = 0;
        ptrdiff_t i, j;
        for (i = 0; i + LANES <= plane; i += LANES)
            for (j = 0; j < LANES; ++j)
                part[j] += y[i + j];
        for (; i < plane; ++i)
            rest += y[i];
        for (j = 0; j < LANES; ++j)
            rest += part[j];
        sums[c] += rest;
    }
}

/* The same for many pixels with channels last in memory: from `c` to before `end`. */
template <typename T>
CF_CLONES void add_pixels(const T *y, double *sums, ptrdiff_t pixels,
                          ptrdiff_t channels, ptrdiff_t c, ptrdiff_t end) {
    constexpr ptrdiff_t LANES = 32;
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
                  ptrdiff_t plane) {
    parallel(channels, GRAIN / (images * plane + 1) + 1,
             [=](ptrdiff_t begin, ptrdiff_t end) {
        for (ptrdiff_t n = 0; n < images; ++n)
            add_channels(y + (n * channels + begin) * plane, sums + begin, end - begin,
                         plane);
    });
}

template <typename T>
void sum_pixels(const T *y, double *sums, ptrdiff_t pixels, ptrdiff_t channels) {
    constexpr ptrdiff_t SOME = 32;
    parallel((channels + SOME - 1) / SOME, GRAIN / (SOME * pixels + 1) + 1,
             [=](ptrdiff_t begin, ptrdiff_t end) {
        add_pixels(y, sums, pixels, channels, begin * SOME,
                   std::min(end * SOME, channels));
    });
}

constexpr Loop channel_sums = {sum_channels<float>, sum_channels<double>};
constexpr Loop pixel_sums = {sum_pixels<float>, sum_pixels<double>};

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
