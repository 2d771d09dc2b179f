/* Update rules, and hooks that change gradients: the arithmetic of one element.
 *
 * It is that of the NumPy code in the file of the rule or hook, with the same operations
 * in the same order, so that both give the same bits. N is float or double: halves are
 * computed as floats, and rounded when all is done, as squares of halves and small
 * fractions of them are often none. A rule changes the parameter and its states, which for
 * halves are floats. The coefficients of a rule or hook are its members.
 */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

#if !defined(__CUDACC__)
#include "chainer_fast/_cpu/half.hpp"
#endif

namespace chainer_fast {
namespace update_rules {

#if defined(__CUDACC__)
/* Error flags of a GPU are not used. */
template <typename N>
CF_ELEMENT N number(N x) { return x; }
#else
/* The number, or zero for NaN: a comparison of NaN raises an error flag that NumPy does
 * not raise. Compilers optimize away a floating-point comparison for this. */
CF_ELEMENT float number(float x) {
    return from_bits(pick((bits_of(x) & 0x7fffffffu) <= INFINITY_BITS, bits_of(x), 0));
}

CF_ELEMENT double number(double x) {
    uint64_t size = bits_of(x) & 0x7fffffffffffffffull;
    return from_bits(bits_of(x) & (0u - (uint64_t)(size <= 0x7ff0000000000000ull)));
}
#endif

template <typename N>
CF_ELEMENT N choose(bool condition, N yes, N no) { return condition ? yes : no; }

/* The type of computations and states for a type: at least float. */
template <typename T> struct Wide { typedef float type; };
template <> struct Wide<double> { typedef double type; };

/* The smaller or the larger number; NaN if either is. */
template <bool is_larger, typename N>
CF_ELEMENT N extreme(N x, N y) {
    N a = number(x), b = number(y);
    N found = choose(is_larger ? a > b : a < b, a, b);
    found = choose(y == y, found, y);
    return choose(x == x, found, x);
}

/* Bounds are not NaN. */
template <typename N>
CF_ELEMENT N bounded(N x, N low, N high) {
    N a = number(x);
    a = choose(a > low, a, low);
    a = choose(a < high, a, high);
    return choose(x == x, a, x);
}

/* -- rules */

template <typename N>
struct SGD {
    N learning_rate;

    CF_ELEMENT void update(N &param, N gradient) const {
        param = param - learning_rate * gradient;
    }
};

template <typename N>
struct MomentumSGD {
    N learning_rate, momentum;

    CF_ELEMENT void update(N &param, N gradient, N &v) const {
        v = momentum * v - learning_rate * gradient;
        param = param + v;
    }
};

template <typename N>
struct CorrectedMomentumSGD {
    N learning_rate, momentum;

    CF_ELEMENT void update(N &param, N gradient, N &v) const {
        v = momentum * v - gradient;
        param = param + learning_rate * v;
    }
};

template <typename N>
struct NesterovAG {
    N learning_rate, momentum;
    N squared_momentum;
    N gradient_rate;        /* (1 + momentum) * learning_rate */

    CF_ELEMENT void update(N &param, N gradient, N &v) const {
        v = momentum * v - learning_rate * gradient;
        param = param + squared_momentum * v - gradient_rate * gradient;
    }
};

template <typename N, bool eps_inside>
struct RMSpropFamily {
    N learning_rate, keep, move, eps;

    CF_ELEMENT void update(N &param, N gradient, N &square) const {
        square = keep * square + move * gradient * gradient;
        const N root = eps_inside ? N(sqrt(square + eps)) : N(sqrt(square) + eps);
        param = param - learning_rate * gradient / root;
    }
};

template <typename N> using RMSprop = RMSpropFamily<N, false>;
template <typename N> using RMSpropEpsInside = RMSpropFamily<N, true>;

template <typename N>
struct RMSpropGraves {
    N learning_rate, keep, move, momentum, eps;

    CF_ELEMENT void update(N &param, N gradient, N &square, N &mean, N &delta) const {
        square = keep * square + move * gradient * gradient;
        mean = keep * mean + move * gradient;
        N deviation = sqrt(square - mean * mean + eps);
        delta = momentum * delta - learning_rate * gradient / deviation;
        param = param + delta;
    }
};

template <typename N>
struct AdaGrad {
    N learning_rate, eps;

    CF_ELEMENT void update(N &param, N gradient, N &total) const {
        total = total + gradient * gradient;
        param = param - learning_rate * gradient / (sqrt(total) + eps);
    }
};

/* The states are the means of squared gradients and of squared moves. */
template <typename N>
struct AdaDelta {
    N keep, move, eps;

    CF_ELEMENT void update(N &param, N gradient, N &of_grad, N &of_move) const {
        of_grad = keep * of_grad + move * gradient * gradient;
        N step = sqrt((of_move + eps) / (of_grad + eps)) * gradient;
        of_move = keep * of_move + move * step * step;
        param = param - step;
    }
};

template <typename N>
struct SMORMS3 {
    N learning_rate, eps;

    CF_ELEMENT void update(N &param, N gradient, N &memory, N &mean, N &square) const {
        N fresh = N(1) / (memory + N(1)), keep = N(1) - fresh;
        mean = mean * keep + fresh * gradient;
        square = square * keep + fresh * gradient * gradient;
        N ratio = mean * mean / (square + eps);
        N rate = extreme<false>(learning_rate, ratio);
        param = param - gradient * rate / (sqrt(square) + eps);
        memory = memory * (N(1) - ratio) + N(1);
    }
};

/* In three parts: invalid operations in the second are not errors on the processor. */
template <typename N>
struct MSVAG {
    N move;                 /* 1 - beta */
    N weight;               /* of the means, 1 - beta ** t */
    N one_minus_rho, rho;
    N eta, learning_rate, decay;

    CF_ELEMENT void move_means(N gradient, N &m, N &v) const {
        m = m + move * (gradient - m);
        v = v + move * (gradient * gradient - v);
    }

    /* The damping factor of the step; 0 without any gradient so far. */
    CF_ELEMENT N factor(N m, N v) const {
        N mean = m / weight, square = mean * mean;
        N variance = (v / weight - square) / one_minus_rho;
        N factor = square / (square + rho * variance);
        factor = choose(factor == factor, factor, N(0));
        return bounded(factor, N(0), N(1));
    }

    CF_ELEMENT void move_param(N &param, N m, N factor) const {
        N mean = m / weight;
        N step = learning_rate * mean * factor + decay * param;
        param = param - eta * step;
    }

    CF_ELEMENT void update(N &param, N gradient, N &m, N &v) const {
        move_means(gradient, m, v);
        move_param(param, m, factor(m, v));
    }
};

/* Adam, AMSGrad, with the largest v as a third state, AdaBound and AMSBound. */
template <typename N, bool with_bounds>
struct AdamFamily {
    N move_m, move_v;       /* 1 - beta1, 1 - beta2 */
    N alpha_t, eps;
    N keep;                 /* 1 - eta * weight_decay_rate */
    N eta, lower, upper;
    /* The magnitude from which on a mean with a subnormal part does not change
     * a parameter; only for the processor. */
    N size_of_fixed;

    CF_ELEMENT void update(N &param, N gradient, N &m, N &v) const {
        move_means(gradient, m, v);
        move_param(param, m, v);
    }

    CF_ELEMENT void update(N &param, N gradient, N &m, N &v, N &largest) const {
        move_means(gradient, m, v);
        largest = extreme<true>(largest, v);
        move_param(param, m, largest);
    }

    CF_ELEMENT void move_means(N gradient, N &m, N &v) const {
        m = m + move_m * (gradient - m);
        v = v + move_v * (gradient * gradient - v);
    }

    CF_ELEMENT void move_param(N &param, N m, N v) const {
        N rate = alpha_t / (sqrt(v) + eps);
        if (with_bounds)
            rate = bounded(rate, lower, upper);
        param = param * keep - eta * (rate * m);
    }
};

template <typename N> using Adam = AdamFamily<N, false>;
template <typename N> using AdaBound = AdamFamily<N, true>;

/* Calls a rule with its number of states. */
template <int n_states, typename Rule, typename N>
CF_ELEMENT void update_with(const Rule &rule, N &param, N gradient, N *s) {
    if constexpr (n_states == 0)
        rule.update(param, gradient);
    else if constexpr (n_states == 1)
        rule.update(param, gradient, s[0]);
    else if constexpr (n_states == 2)
        rule.update(param, gradient, s[0], s[1]);
    else
        rule.update(param, gradient, s[0], s[1], s[2]);
}

/* -- hooks */

template <typename N>
struct WeightDecay {
    N rate;

    CF_ELEMENT void change(N param, N &gradient) const {
        gradient = gradient + rate * param;
    }
};

template <typename N>
struct Lasso {
    N rate;

    CF_ELEMENT void change(N param, N &gradient) const {
        N x = number(param);
        N sign = choose(x > N(0), N(1), choose(x < N(0), N(-1), N(0)));
        sign = choose(param == param, sign, param);
        gradient = gradient + rate * sign;
    }
};

template <typename N>
struct HardClipping {
    N lower, upper;

    CF_ELEMENT void change(N, N &gradient) const {
        gradient = bounded(gradient, lower, upper);
    }
};

template <typename N>
struct Scale {
    N factor;

    CF_ELEMENT void change(N, N &gradient) const { gradient = gradient * factor; }
};

template <typename N>
struct Unscale {
    N divisor;

    CF_ELEMENT void change(N, N &gradient) const { gradient = gradient / divisor; }
};

/* Only on the GPU: norms on the processor are computed by NumPy. */
template <typename N>
struct LARS {
    N threshold, decay, eps;

    /* The factor for the gradients of a parameter, computed from the norms of both. */
    CF_ELEMENT N rate(N param_norm, N grad_norm) const {
        if (!(param_norm > threshold))
            return N(1);
        return param_norm / (eps + (grad_norm + decay * param_norm));
    }

    CF_ELEMENT void change(N rate, N param, N &gradient) const {
        gradient = (gradient + decay * param) * rate;
    }
};

}  // namespace update_rules
}  // namespace chainer_fast
