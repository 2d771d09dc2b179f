/* Losses of one element, and their gradients. */
#pragma once

#include "chainer_fast/backends/kernels/activation/elements.hpp"

namespace chainer_fast {
namespace losses {

using activation::positive_part;

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

/* The cross entropy of a sigmoid and a label, given log(1 + exp(-|x|)). */
template <typename T>
CF_ELEMENT T sigmoid_loss_of_log(T x, T log, T t) {
    return log - x * (t - (x >= T(0) ? T(1) : T(0)));
}

template <typename T>
CF_ELEMENT T sigmoid_loss(T x, T t) {
    return sigmoid_loss_of_log(x, T(log1p(T(exp(-T(fabs(x)))))), t);
}

/* Its gradient, given the sigmoid and the gradient of the sum of losses over a number. */
template <typename T>
CF_ELEMENT T sigmoid_loss_grad(T sigmoid, T t, T g, T number) {
    return g * (sigmoid - t) / number;
}

/* How far a score is from the right side of its margin. */
template <typename T>
CF_ELEMENT T margin(T x, bool is_class) {
    return positive_part(is_class ? T(1) - x : T(1) + x);
}

/* The gradient of a loss by the score of another class, given the margin and the gradient
 * of the sum of losses over a number; that by the score of the class is its negative. */
template <typename T>
CF_ELEMENT T hinge_grad(T margin, T g, T number, bool squared) {
    const T slope = g / number;
    return squared ? T(2) * slope * margin : slope * (margin > T(0) ? T(1) : margin);
}

}  // namespace losses
}  // namespace chainer_fast
