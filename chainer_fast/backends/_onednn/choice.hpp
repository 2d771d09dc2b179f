/* Which convolutions oneDNN computes faster than the package's own loops with vectors.

   The loops read filters directly, whereas oneDNN reorders them in every call: it is
   slower for many filters and few positions. The loops also implement Winograd's
   algorithm. Measured on layers of ResNet-50, VGG-16 and DCGAN, with AVX-512. */
#ifndef CHAINER_FAST_ONEDNN_CHOICE_HPP
#define CHAINER_FAST_ONEDNN_CHOICE_HPP

#include <algorithm>

#include "chainer_fast/backends/_onednn/pointwise.hpp"

namespace chainer_fast {
namespace onednn {

/* Whether Winograd's algorithm saves time: squares of 4 x 4 pixels cover the result. */
inline bool has_winograd(const Described &c) {
    if (c.w.nd != 2 || c.groups != 1 || c.task == CORRELATE)
        return false;
    const Dim *outs = c.task == TRANSPOSE ? c.w.length : c.w.outs;
    Dim squares = c.images, pixels = c.images;
    for (Dim j = 0; j < 2; j++) {
        if (c.w.ksize[j] != 3 || c.w.stride[j] != 1 || c.w.dilate[j] != 1
                || c.w.pad[j] > 2)
            return false;
        squares *= (outs[j] + 3) / 4;
        pixels *= outs[j];
    }
    return std::min(c.channels, c.filters) >= 32 && pixels >= 10 * squares
           && 2 * squares >= std::max(c.channels, c.filters);
}

/* `reorders`: whether filters must be reordered in this call. */
inline bool is_faster(const Described &c, bool reorders) {
    Dim stride = 1;
    for (Dim j = 0; j < c.w.nd; j++)
        stride *= c.w.stride[j];
    if (c.w.taps == 1)
        return true;
    if (has_winograd(c))
        return false;
    const Dim weights = c.groups * c.filters * c.depth;
    if (c.task == CORRELATE)
        return c.groups > 1 || (c.channels > 4 && weights <= 25600);
    const Dim each = c.task == TRANSPOSE && stride == 1 ? 2048 : 128;
    return !reorders || weights <= each * c.images * c.columns;
}

}  // namespace onednn
}  // namespace chainer_fast

#endif
