/* The cross entropy of one sample with its label, and the gradient by one score. */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace cross_entropy {

/* The score and the logarithm of the sum of all scores' exponentials may both be relative
 * to the largest score. */
template <typename T>
CF_ELEMENT T label_loss(T score, T log_total, T weight) {
    return (log_total - score) * weight;
}

/* y is the softmax of the score, t the probability that the label gives its class. */
template <typename T>
CF_ELEMENT T score_gradient(T y, T t, T scale) {
    return (y - t) * scale;
}

}  // namespace cross_entropy
}  // namespace chainer_fast
