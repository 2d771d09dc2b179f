/* Update rules, and hooks that change gradients: the arithmetic of one element.
 *
 * It is that of the NumPy code in the file of the rule or hook, with the same operations
 * in the same order, so that both give the same bits. N is a number as the arrays hold
 * it, which rounds after each operation: float, double or, on the processor, Half. On the
 * GPU halves are computed as floats. A rule changes the parameter and its states.
 */
#ifndef CHAINER_FAST_UPDATE_ELEMENTS_HPP
#define CHAINER_FAST_UPDATE_ELEMENTS_HPP

#include "chainer_fast/backends/kernels/common/element.hpp"

#if !defined(__CUDACC__)
#include "chainer_fast/backends/kernels/update_rules/number.hpp"
#endif

namespace chainer_fast {

#if defined(__CUDACC__)
/* No one asks for the error flags of a GPU. */
template <typename N>
CF_ELEMENT N number(N x) { return x; }
#endif

template <typename N>
CF_ELEMENT N choose(bool condition, N yes, N no) { return condition ? yes : no; }

/* At least float. */
template <typename N> struct Wide { typedef float type; };
template <> struct Wide<double> { typedef double type; };

/* The larger and the smaller number; NaN if either is. */
template <typename N>
CF_ELEMENT N larger(N x, N y) {
    N a = number(x), b = number(y);
    N found = choose(a > b, a, b);
    found = choose(y == y, found, y);
    return choose(x == x, found, x);
}

template <typename N>
CF_ELEMENT N smaller(N x, N y) {
    N a = number(x), b = number(y);
    N found = choose(a < b, a, b);
    found = choose(y == y, found, y);
    return choose(x == x, found, x);
}

/* Bounds are no NaN. */
template <typename N>
CF_ELEMENT N bounded(N x, N low, N high) {
    N a = number(x);
    a = choose(a > low, a, low);
    a = choose(a < high, a, high);
    return choose(x == x, a, x);
}

/* -- rules */

struct SGD {
    template <typename N> struct Coefficients { N learning_rate; };

    template <typename N>
    static CF_ELEMENT void update(const Coefficients<N> &c, N &param, N gradient) {
        param = param - c.learning_rate * gradient;
    }
};

struct MomentumSGD {
    template <typename N> struct Coefficients { N learning_rate, momentum; };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &v) {
        v = c.momentum * v - c.learning_rate * gradient;
        param = param + v;
    }
};

struct CorrectedMomentumSGD {
    template <typename N> struct Coefficients { N learning_rate, momentum; };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &v) {
        v = c.momentum * v - gradient;
        param = param + c.learning_rate * v;
    }
};

struct NesterovAG {
    template <typename N> struct Coefficients {
        N learning_rate, momentum;
        N squared_momentum;
        N gradient_rate;        /* (1 + momentum) * learning_rate */
    };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &v) {
        v = c.momentum * v - c.learning_rate * gradient;
        param = param + c.squared_momentum * v - c.gradient_rate * gradient;
    }
};

struct RMSprop {
    template <typename N> struct Coefficients { N learning_rate, keep, move, eps; };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &square) {
        square = c.keep * square + c.move * gradient * gradient;
        param = param - c.learning_rate * gradient / (sqrt(square) + c.eps);
    }
};

struct RMSpropEpsInside {
    template <typename N> struct Coefficients { N learning_rate, keep, move, eps; };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &square) {
        square = c.keep * square + c.move * gradient * gradient;
        param = param - c.learning_rate * gradient / sqrt(square + c.eps);
    }
};

struct RMSpropGraves {
    template <typename N> struct Coefficients {
        N learning_rate, keep, move, momentum, eps;
    };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &square, N &mean,
            N &delta) {
        square = c.keep * square + c.move * gradient * gradient;
        mean = c.keep * mean + c.move * gradient;
        N deviation = sqrt(square - mean * mean + c.eps);
        delta = c.momentum * delta - c.learning_rate * gradient / deviation;
        param = param + delta;
    }
};

struct AdaGrad {
    template <typename N> struct Coefficients { N learning_rate, eps; };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &total) {
        total = total + gradient * gradient;
        param = param - c.learning_rate * gradient / (sqrt(total) + c.eps);
    }
};

/* The states are the means of squared gradients and of squared moves. */
struct AdaDelta {
    template <typename N> struct Coefficients { N keep, move, eps; };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &of_grad, N &of_move) {
        of_grad = c.keep * of_grad + c.move * gradient * gradient;
        N move = sqrt((of_move + c.eps) / (of_grad + c.eps)) * gradient;
        of_move = c.keep * of_move + c.move * move * move;
        param = param - move;
    }
};

struct SMORMS3 {
    template <typename N> struct Coefficients { N learning_rate, eps; };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &memory, N &mean,
            N &square) {
        N fresh = N(1) / (memory + N(1)), keep = N(1) - fresh;
        mean = mean * keep + fresh * gradient;
        square = square * keep + fresh * gradient * gradient;
        N ratio = mean * mean / (square + c.eps);
        N rate = smaller(c.learning_rate, ratio);
        param = param - gradient * rate / (sqrt(square) + c.eps);
        memory = memory * (N(1) - ratio) + N(1);
    }
};

/* In three parts: invalid operations in the second are no errors on the processor. */
struct MSVAG {
    template <typename N> struct Coefficients {
        N move;                 /* 1 - beta */
        N weight;               /* of the means, 1 - beta ** t */
        N one_minus_rho, rho;
        N eta, learning_rate, decay;
    };

    template <typename N>
    static CF_ELEMENT void move_means(
            const Coefficients<N> &c, N gradient, N &m, N &v) {
        m = m + c.move * (gradient - m);
        v = v + c.move * (gradient * gradient - v);
    }

    /* The factor that damps the step; 0 where there was no gradient yet. */
    template <typename N>
    static CF_ELEMENT N factor(const Coefficients<N> &c, N m, N v) {
        N mean = m / c.weight, square = mean * mean;
        N variance = (v / c.weight - square) / c.one_minus_rho;
        N factor = square / (square + c.rho * variance);
        factor = choose(factor == factor, factor, N(0));
        return bounded(factor, N(0), N(1));
    }

    template <typename N>
    static CF_ELEMENT void move_param(
            const Coefficients<N> &c, N &param, N m, N factor) {
        N mean = m / c.weight;
        N step = c.learning_rate * mean * factor + c.decay * param;
        param = param - c.eta * step;
    }

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &m, N &v) {
        move_means(c, gradient, m, v);
        move_param(c, param, m, factor(c, m, v));
    }
};

/* Adam, AMSGrad, which has the largest v as a third state, AdaBound and AMSBound. Halves
   are computed as floats and rounded when they are stored. */
template <bool with_bounds>
struct AdamFamily {
    template <typename N> struct Coefficients {
        typedef typename Wide<N>::type W;
        W move_m, move_v;       /* 1 - beta1, 1 - beta2 */
        W alpha_t, eps;
        N keep;                 /* 1 - eta * weight_decay_rate */
        W eta, lower, upper;
        /* The size from which on a parameter is not changed by a mean whose part is
           subnormal; for the processor alone. */
        W size_of_fixed;
    };

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &m, N &v) {
        move_means(c, gradient, m, v);
        move_param(c, param, m, v);
    }

    template <typename N>
    static CF_ELEMENT void update(
            const Coefficients<N> &c, N &param, N gradient, N &m, N &v, N &largest) {
        move_means(c, gradient, m, v);
        largest = larger(largest, v);
        move_param(c, param, m, largest);
    }

    template <typename N>
    static CF_ELEMENT void move_means(
            const Coefficients<N> &c, N gradient, N &m, N &v) {
        typedef typename Wide<N>::type W;
        W g = W(gradient), mean = W(m), square = W(v);
        m = N(mean + c.move_m * (g - mean));
        v = N(square + c.move_v * (g * g - square));
    }

    template <typename N>
    static CF_ELEMENT void move_param(const Coefficients<N> &c, N &param, N m, N v) {
        typedef typename Wide<N>::type W;
        W rate = c.alpha_t / (sqrt(W(v)) + c.eps);
        if (with_bounds)
            rate = bounded(rate, c.lower, c.upper);
        param = N(W(param * c.keep) - c.eta * (rate * W(m)));
    }
};

typedef AdamFamily<false> Adam;
typedef AdamFamily<true> AdaBound;

/* -- hooks */

struct WeightDecay {
    template <typename N> struct Coefficients { N rate; };

    template <typename N>
    static CF_ELEMENT void change(const Coefficients<N> &c, N param, N &gradient) {
        gradient = gradient + c.rate * param;
    }
};

struct Lasso {
    template <typename N> struct Coefficients { N rate; };

    template <typename N>
    static CF_ELEMENT void change(const Coefficients<N> &c, N param, N &gradient) {
        N x = number(param);
        N sign = choose(x > N(0), N(1), choose(x < N(0), N(-1), N(0)));
        sign = choose(param == param, sign, param);
        gradient = gradient + c.rate * sign;
    }
};

struct HardClipping {
    template <typename N> struct Coefficients { N lower, upper; };

    template <typename N>
    static CF_ELEMENT void change(const Coefficients<N> &c, N param, N &gradient) {
        gradient = bounded(gradient, c.lower, c.upper);
    }
};

struct Scale {
    template <typename N> struct Coefficients { N factor; };

    template <typename N>
    static CF_ELEMENT void change(const Coefficients<N> &c, N param, N &gradient) {
        gradient = gradient * c.factor;
    }
};

struct Unscale {
    template <typename N> struct Coefficients { N divisor; };

    template <typename N>
    static CF_ELEMENT void change(const Coefficients<N> &c, N param, N &gradient) {
        gradient = gradient / c.divisor;
    }
};

/* On the GPU alone: the processor's norms are those of NumPy. */
struct LARS {
    template <typename N> struct Coefficients { N threshold, decay, eps; };

    /* The factor for the gradients of a parameter, from the norms of both. */
    template <typename N>
    static CF_ELEMENT N rate(const Coefficients<N> &c, N param_norm, N grad_norm) {
        if (!(param_norm > c.threshold))
            return N(1);
        return param_norm / (c.eps + (grad_norm + c.decay * param_norm));
    }

    template <typename N>
    static CF_ELEMENT void change(
            const Coefficients<N> &c, N rate, N param, N &gradient) {
        gradient = (gradient + c.decay * param) * rate;
    }
};

}  // namespace chainer_fast

#endif
