/* Sums of the channels of images, for the gradient of a bias, and sums with a bias. */
#ifndef CHAINER_FAST_CONVOLUTION_CHANNEL_SUMS_HPP
#define CHAINER_FAST_CONVOLUTION_CHANNEL_SUMS_HPP

#include <vector>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/common/call.hpp"

namespace chainer_fast::convolution {
namespace {

/* Adds each channel of all images to its sum, in double precision. */
template <typename T>
CF_CLONES void add_channels(const T *y, double *sums, ptrdiff_t images,
                            ptrdiff_t channels, ptrdiff_t plane) {
    constexpr ptrdiff_t LANES = 16;
    for (ptrdiff_t n = 0; n < images; ++n)
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

/* The same with channels last in memory. */
template <typename T>
CF_CLONES void add_pixels(const T *y, double *sums, ptrdiff_t pixels,
                          ptrdiff_t channels) {
    constexpr ptrdiff_t LANES = 32;
    for (ptrdiff_t c = 0; c + LANES <= channels; c += LANES) {
        double part[LANES] = {0};
        for (ptrdiff_t p = 0; p < pixels; ++p)
            for (ptrdiff_t j = 0; j < LANES; ++j)
                part[j] += y[p * channels + c + j];
        for (ptrdiff_t j = 0; j < LANES; ++j)
            sums[c + j] += part[j];
    }
    const ptrdiff_t rest = channels - channels % LANES;
    for (ptrdiff_t p = 0; p < pixels; ++p)
        for (ptrdiff_t c = rest; c < channels; ++c)
            sums[c] += y[p * channels + c];
}

constexpr Loop channel_sums = {add_channels<float>, add_channels<double>};
constexpr Loop pixel_sums = {add_pixels<float>, add_pixels<double>};

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
