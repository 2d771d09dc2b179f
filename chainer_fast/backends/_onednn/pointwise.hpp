/* Convolutions with windows of one element, as matrix products by oneDNN.

   Filters and their gradients stay in C order. This is faster for many filters and few
   positions: reordering the filters would take longer than the product. */
#ifndef CHAINER_FAST_ONEDNN_POINTWISE_HPP
#define CHAINER_FAST_ONEDNN_POINTWISE_HPP

#include <string.h>

#include <new>
#include <vector>

#include "chainer_fast/backends/_onednn/primitives.hpp"

namespace chainer_fast {
namespace onednn {

/* Whether a product is faster, by measurement; `reorders` is whether oneDNN's own
   convolution would have to reorder the filters. */
inline bool is_product(const Described &c, bool reorders) {
    if (c.groups > 1)
        return false;
    for (Dim j = 0; j < c.w.nd; j++)
        if (c.w.ksize[j] != 1 || c.w.pad[j] != 0
                || (c.w.outs[j] - 1) * c.w.stride[j] >= c.w.length[j])
            return false;
    const Dim filters = c.filters * c.channels, places = c.images * c.columns;
    if (c.task == CORRELATE)
        return true;
    return reorders && filters > (c.task == CONVOLVE ? 1024 : 4096) * places;
}

/* Calls f(pixel, place) for the first number of each pixel in a window, and of its
   position. */
template <typename F>
void for_each_place(const Described &c, F f) {
    Dim at[MAX_AXES] = {0};
    const Dim count = c.images * c.columns;
    Dim image = 0;
    for (Dim place = 0; place < count; place++) {
        Dim pixel = image;
        for (Dim j = 0; j < c.w.nd; j++)
            pixel = pixel * c.w.length[j] + at[j] * c.w.stride[j];
        f(pixel, place);
        for (Dim j = c.w.nd - 1; j >= 0; j--) {
            if (++at[j] < c.w.outs[j])
                break;
            at[j] = 0;
            image += j == 0;
        }
    }
}

/* Compute one of three from the others, all with their channels last. */
inline int run_product(const Library &l, const Described &c, float *images,
                       float *filters, float *places, const float *bias) {
    const Dim count = c.images * c.columns, channels = c.channels, width = c.filters;
    const size_t pixel = channels * sizeof(float);
    std::vector<float> seen;
    float *x = images;
    if (c.w.plane != c.columns) {
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
        memset(images, 0, c.images * c.w.plane * pixel);
        for_each_place(c, [=](Dim to, Dim from) {
            memcpy(images + to * channels, x + from * channels, pixel);
        });
    }
    return status;
}

}  // namespace onednn
}  // namespace chainer_fast

#endif
