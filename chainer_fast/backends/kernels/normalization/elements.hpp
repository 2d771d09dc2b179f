/* Arithmetic of one element of a normalized array, on the processor and on the GPU. */
#ifndef CHAINER_FAST_NORMALIZATION_ELEMENTS_HPP
#define CHAINER_FAST_NORMALIZATION_ELEMENTS_HPP

#include "chainer_fast/backends/kernels/common/element.hpp"

namespace chainer_fast {

template <typename T>
CF_ELEMENT T inverse_std(T var, T eps) {
    return T(1) / sqrt(var + eps);
}

/* ``factor`` is the reciprocal of the deviation times gamma, and ``offset`` is beta. */
template <typename T>
CF_ELEMENT T normalized(T x, T mean, T factor, T offset) {
    return (x - mean) * factor + offset;
}

/* The gradient of ``normalized`` by x. If the statistics depend on x, ``g_mean`` is the
 * mean of the gradients, and ``slope`` says how the factor changes with x; if not, both
 * are zero. */
template <typename T>
CF_ELEMENT T normalized_grad(T x, T g, T mean, T g_mean, T factor, T slope) {
    return (g - g_mean) * factor + (x - mean) * slope;
}

/* A running statistic after an update, rounded at every step as NumPy does. */
template <typename T>
CF_ELEMENT T moved_towards(T running, T value, T decay, T weight) {
    return running * decay + value * weight;
}

/* u^-beta for a beta of so many quarters: 3, 2 or 4. */
template <int QUARTERS, typename T>
CF_ELEMENT T inverse_power(T u) {
    const T root = QUARTERS == 4 ? u : sqrt(u);
    return T(1) / (QUARTERS == 3 ? root * sqrt(root) : root);
}

/* Local response normalization: what an element adds to the gradients of its
 * neighbours, and the gradient from the sum of these terms. */
template <typename T>
CF_ELEMENT T response_term(T x, T g, T unit, T scale) {
    return g * x * scale / unit;
}

template <typename T>
CF_ELEMENT T response_grad(T x, T g, T scale, T terms, T factor) {
    return g * scale + terms * x * factor;
}

}  // namespace chainer_fast

#endif
