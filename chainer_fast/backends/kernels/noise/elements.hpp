/* The arithmetic of one element of random functions. */
#ifndef CHAINER_FAST_NOISE_ELEMENTS_HPP
#define CHAINER_FAST_NOISE_ELEMENTS_HPP

#include "chainer_fast/backends/kernels/common/element.hpp"

namespace chainer_fast {

/* Dropout: zero, unless the element is kept; then it is scaled up. */
template <typename T>
CF_ELEMENT void drop_or_scale(T x, bool kept, T scale, T &y, T &mask) {
    mask = kept ? scale : T(0);
    y = x * mask;
}

}  // namespace chainer_fast

#endif
