/* Convolutions of windows of one element, as matrix products by oneDNN.

   Filters and their gradients stay in C order. That pays where there are many filters and
   few places: reordering the filters would take longer than the product. */
#ifndef CHAINER_FAST_ONEDNN_POINTWISE_HPP
#define CHAINER_FAST_ONEDNN_POINTWISE_HPP

#include <string.h>

#include <new>
#include <vector>

#include "chainer_fast/backends/_onednn/primitives.hpp"

namespace chainer_fast {
namespace onednn {

inline Dim places_of(const Convolution &c) {
    Dim count = c.n;
    for (Dim j = 0; j < c.axes; j++)
        count *= c.outs[j];
    return count;
}

/* Whether a product is the faster way, by measurement; `reorders` says whether oneDNN's
   own way had to reorder the filters. */
inline bool is_product(const Convolution &c, bool reorders) {
    if (c.groups > 1)
        return false;
    for (Dim j = 0; j < c.axes; j++)
        if (c.ksize[j] != 1 || c.pad[j] != 0
                || (c.outs[j] - 1) * c.stride[j] >= c.length[j])
            return false;
    const Dim filters = c.filters * c.channels, places = places_of(c);
    if (c.task == CORRELATE)
        return true;
    return reorders && filters > (c.task == CONVOLVE ? 1024 : 4096) * places;
}

/* Calls f(pixel, place) for the first number of each pixel that a window sees, and of its
   place. */
template <typename F>
void for_each_place(const Convolution &c, F f) {
    Dim at[MAX_AXES] = {0};
    const Dim count = places_of(c);
    Dim image = 0;
    for (Dim place = 0; place < count; place++) {
        Dim pixel = image;
        for (Dim j = 0; j < c.axes; j++)
            pixel = pixel * c.length[j] + at[j] * c.stride[j];
        f(pixel, place);
        for (Dim j = c.axes - 1; j >= 0; j--) {
            if (++at[j] < c.outs[j])
                break;
            at[j] = 0;
            image += j == 0;
        }
    }
}

inline bool is_dense(const Convolution &c) {
    for (Dim j = 0; j < c.axes; j++)
        if (c.length[j] != c.outs[j])
            return false;
    return true;
}

/* Compute one of three from the others, all with their channels last. */
inline int run_product(const Library &l, const Convolution &c, float *images,
                       float *filters, float *places, const float *bias) {
    const Dim count = places_of(c), channels = c.channels, width = c.filters;
    const size_t pixel = channels * sizeof(float);
    std::vector<float> seen;
    float *x = images;
    if (!is_dense(c)) {
        try {
            seen.resize(count * channels);
        }
        catch (const std::bad_alloc &) {
            return OUT_OF_MEMORY;
        }
        x = seen.data();
        if (c.task != TRANSPOSE)
            for_each_place(c, [=](Dim from, Dim to) {
                memcpy(x + to * channels, images + from * channels, pixel);
            });
    }
    if (c.task == CORRELATE)
        return l.sgemm('T', 'N', width, channels, count, 1, places, width, x, channels,
                       0, filters, channels);
    if (c.task == CONVOLVE) {
        if (bias)
            for (Dim i = 0; i < count; i++)
                memcpy(places + i * width, bias, width * sizeof(float));
        return l.sgemm('N', 'T', count, width, channels, 1, x, channels, filters,
                       channels, bias ? 1 : 0, places, width);
    }
    const int status = l.sgemm('N', 'N', count, channels, width, 1, places, width,
                               filters, channels, 0, x, channels);
    if (x != images) {
        Dim all = c.n * channels;
        for (Dim j = 0; j < c.axes; j++)
            all *= c.length[j];
        memset(images, 0, all * sizeof(float));
        for_each_place(c, [=](Dim to, Dim from) {
            memcpy(images + to * channels, x + from * channels, pixel);
        });
    }
    return status;
}

}  // namespace onednn
}  // namespace chainer_fast

#endif
