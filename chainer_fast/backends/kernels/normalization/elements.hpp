/* Arithmetic of one element of a normalized array, on the processor and on the GPU. */
#ifndef CHAINER_FAST_NORMALIZATION_ELEMENTS_HPP
#define CHAINER_FAST_NORMALIZATION_ELEMENTS_HPP

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace normalization {

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
 * mean of the gradients, and ``slope`` is the derivative of the factor; if not, both
 * are zero. */
template <typename T>
CF_ELEMENT T normalized_grad(T x, T g, T mean, T g_mean, T factor, T slope) {
    return (g - g_mean) * factor + (x - mean) * slope;
}

/* -- sums of terms of an element x, or of x and a gradient g */

template <typename V>
struct Pair {
    V first, second;
};

template <typename V>
CF_ELEMENT Pair<V> operator+(const Pair<V> &p, const Pair<V> &q) {
    return {p.first + q.first, p.second + q.second};
}

/* x - centre and its square */
struct Moments {
    static constexpr int ROWS = 4;
    template <typename V, typename C>
    CF_ELEMENT static Pair<V> of(const V &x, const V &, C centre) {
        V d = x - centre;
        return {d, d * d};
    }
};

/* g and g (x - centre) */
struct Products {
    static constexpr int ROWS = 2;
    template <typename V, typename C>
    CF_ELEMENT static Pair<V> of(const V &x, const V &g, C centre) {
        return {g, g * (x - centre)};
    }
};

/* x^2 and g x */
struct Squares {
    template <typename V, typename C>
    CF_ELEMENT static Pair<V> of(const V &x, const V &g, C) {
        return {x * x, g * x};
    }
};

/* Number, mean and squared deviations of some values. The threads of a GPU have parts
 * of the values, without a common element as the center of moments, and combine means
 * instead; sums of floats are then as accurate as doubles would be. */
template <typename T>
struct Spread {
    T count, mean, square;

    CF_ELEMENT Spread() : count(0), mean(0), square(0) {}
    CF_ELEMENT explicit Spread(T x) : count(1), mean(x), square(0) {}
    CF_ELEMENT Spread(T n, T m, T s) : count(n), mean(m), square(s) {}

    CF_ELEMENT T variance() const { return count > 0 ? square / count : T(0); }
};

template <typename T>
CF_ELEMENT Spread<T> operator+(const Spread<T> &p, const Spread<T> &q) {
    if (p.count == 0)
        return q;
    if (q.count == 0)
        return p;
    Spread<T> both;
    both.count = p.count + q.count;
    const T away = q.mean - p.mean, share = q.count / both.count;
    both.mean = p.mean + away * share;
    both.square = p.square + q.square + away * away * p.count * share;
    return both;
}

/* -- running statistics */

/* A running statistic after an update, rounded at every step as in NumPy. */
template <typename T>
CF_ELEMENT T moved_towards(T running, T value, T decay, T weight) {
    return running * decay + value * weight;
}

/* -- local response normalization */

/* u^-beta, where beta is a number of quarters: 3, 2 or 4. */
template <int QUARTERS, typename T>
CF_ELEMENT T inverse_power(T u) {
    const T root = QUARTERS == 4 ? u : sqrt(u);
    return T(1) / (QUARTERS == 3 ? root * sqrt(root) : root);
}

/* The contribution of an element to the gradients of its neighbours, and the
 * gradient from the sum of these terms. */
template <typename T>
CF_ELEMENT T response_term(T x, T g, T unit, T scale) {
    return g * x * scale / unit;
}

template <typename T>
CF_ELEMENT T response_grad(T x, T g, T scale, T terms, T factor) {
    return g * scale + terms * x * factor;
}

}  // namespace normalization
}  // namespace chainer_fast

#endif
