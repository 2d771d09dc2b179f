/* The arithmetic of one element of random functions. */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace noise {

/* A number drawn by cuRAND, with ones turned into the zeros that it leaves out. */
template <typename T>
CF_ELEMENT T below_one(T drawn) {
    return drawn < T(1) ? drawn : T(0);
}

/* Dropout: zero, unless the element is kept; then it is scaled up. */
template <typename T>
CF_ELEMENT void drop_or_scale(T x, bool kept, T scale, T &y, T &mask) {
    mask = kept ? scale : T(0);
    y = x * mask;
}

/* The numbers of a normal distribution, and what differs in them from its mean. */
template <typename T>
CF_ELEMENT void shift_and_scale(T mean, T ln_var, T eps, T &y, T &noise) {
    noise = T(exp(ln_var * T(0.5))) * eps;
    y = mean + noise;
}

template <typename T>
CF_ELEMENT T half_product(T a, T b) {
    return a * b * T(0.5);
}

}  // namespace noise
}  // namespace chainer_fast
