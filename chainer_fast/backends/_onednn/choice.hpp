/* Which convolutions oneDNN computes faster than our own loops with vectors.

   The loops read filters as they are, whereas oneDNN reorders them in every call. So it is
   behind where there are many filters for few places. Measured on layers of ResNet-50,
   VGG-16 and DCGAN, on a processor with AVX-512. */
#ifndef CHAINER_FAST_ONEDNN_CHOICE_HPP
#define CHAINER_FAST_ONEDNN_CHOICE_HPP

#include "chainer_fast/backends/_onednn/pointwise.hpp"

namespace chainer_fast {
namespace onednn {

/* `reorders`: whether filters have to be reordered in this call. */
inline bool is_faster(const Convolution &c, bool reorders) {
    Dim taps = 1, stride = 1;
    for (Dim j = 0; j < c.axes; j++) {
        taps *= c.ksize[j];
        stride *= c.stride[j];
    }
    const Dim weights = c.filters * (c.channels / c.groups) * taps;
    const bool few_weights = weights <= 128 * places_of(c);
    switch (c.task) {
    case CORRELATE:
        return taps == 1;
    case TRANSPOSE:
        return stride == 1 || few_weights || is_product(c, reorders);
    default:
        if (!reorders)
            return true;
        return taps == 1 ? stride == 1 && c.filters >= 2 * c.channels : few_weights;
    }
}

}  // namespace onednn
}  // namespace chainer_fast

#endif
