/* Losses of one element, and their gradients. */
#pragma once

#include "chainer_fast/backends/kernels/activation/elements.hpp"

namespace chainer_fast {

template <typename T>
CF_ELEMENT T huber(T x, T t, T delta) {
    const T distance = fabs(x - t);
    const T near = distance < delta ? distance : delta;
    return near * (distance - near / 2);
}

template <typename T>
CF_ELEMENT T huber_grad(T x, T t, T g, T delta) {
    const T difference = x - t;
    return g * (difference > delta ? delta : difference < -delta ? -delta : difference);
}

/* The cross entropy of a sigmoid and a label. */
template <typename T>
CF_ELEMENT T sigmoid_loss(T x, T t) {
    return T(log1p(T(exp(-T(fabs(x)))))) - x * (t - (x >= T(0) ? T(1) : T(0)));
}

/* How far a score is from the right side of its margin. */
template <typename T>
CF_ELEMENT T margin(T x, bool is_class) {
    return positive_part(is_class ? T(1) - x : T(1) + x);
}

}  // namespace chainer_fast
