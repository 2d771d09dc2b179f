/* Activations of one element, and their gradients.
 *
 * ``of`` is the function of ``x`` and ``grad`` its gradient, given that of the output.
 * Gradients take the output ``y`` where it determines them. A function with an
 * exponential or a hyperbolic tangent has two parts: on the processor the loop over
 * doubles calls NumPy's function between ``inner`` and ``outer``, and for floats we have
 * functions of our own. */
#pragma once

#include "chainer_fast/_cpu/element.hpp"
#if !defined(__CUDACC__)
#  include "chainer_fast/backends/kernels/common/exponential.hpp"
#endif

namespace chainer_fast {
namespace activation {

/* NaN is preserved. */
template <typename T>
CF_ELEMENT T positive_part(T x) {
    return x > T(0) || x != x ? x : T(0);
}

struct ReLU {
    template <typename T>
    static CF_ELEMENT T of(T x) { return positive_part(x); }

    template <typename T>
    static CF_ELEMENT T grad(T y, T gy) { return gy * (y > T(0) ? T(1) : T(0)); }
};
CF_LOOPS(ReLU)

/* For an element and its negative, one after the other. */
struct CReLU {
    template <typename T>
    static CF_ELEMENT void of(T x, T &above, T &below) {
        above = positive_part(x);
        below = positive_part(-x);
    }

    template <typename T>
    static CF_ELEMENT T grad(T x, T above, T below) {
        return above * (x > T(0) ? T(1) : T(0)) - below * (x < T(0) ? T(1) : T(0));
    }
};

struct ClippedReLU {
    template <typename T>
    static CF_ELEMENT T of(T x, T cap) { return x < T(0) ? T(0) : x > cap ? cap : x; }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy, T cap) {
        return gy * (((x > T(0)) & (x < cap)) ? T(1) : T(0));
    }
};
CF_LOOPS(ClippedReLU)

struct LeakyReLU {
    template <typename T>
    static CF_ELEMENT T of(T x, T slope) { return grad(x, x, slope); }

    template <typename T>
    static CF_ELEMENT T grad(T y, T gy, T slope) { return y <= T(0) ? gy * slope : gy; }
};
CF_LOOPS(LeakyReLU)

/* Separate slopes for all elements; ``sign`` has the sign of the input. */
struct Bend {
    template <typename T>
    static CF_ELEMENT T of(T x, T sign, T slope) {
        return sign >= T(0) ? x : x * slope;
    }
};

struct PReLU {
    template <typename T>
    static CF_ELEMENT T of(T x, T slope) { return Bend::of(x, x, slope); }

    template <typename T>
    static CF_ELEMENT void grads(T x, T slope, T gy, T sign, T &gx, T &gslope) {
        gx = Bend::of(gy, sign, slope);
        gslope = sign >= T(0) ? T(0) : x * gy;
    }
};

struct ELU {
    template <typename T>
    static CF_ELEMENT T inner(T x) { return x < T(0) ? x : T(0); }

    template <typename T>
    static CF_ELEMENT T outer(T x, T expm1_of_inner, T alpha) {
        return x < T(0) ? alpha * expm1_of_inner : x;
    }

    template <typename T>
    static CF_ELEMENT T of(T x, T alpha) {
        return outer(x, T(expm1(inner(x))), alpha);
    }

#if !defined(__CUDACC__)
    /* The selection is bitwise: for a selection of floats the compiler makes a jump. */
    static CF_ELEMENT float of(float x, float alpha) {
        const float bent = alpha * one_ulp::expm1_of_negative(x);
        const uint32_t mask = x < 0.0f ? 0xffffffff : 0;
        return one_ulp::from_bits(
            (one_ulp::bits_of(bent) & mask) | (one_ulp::bits_of(x) & ~mask));
    }
#endif

    template <typename T>
    static CF_ELEMENT T slope(T y, T sign, T alpha) {
        return sign > T(0) ? T(1) : y + alpha;
    }

    template <typename T>
    static CF_ELEMENT T grad_with_sign(T y, T gy, T sign, T alpha) {
        return slope(y, sign, alpha) * gy;
    }

    template <typename T>
    static CF_ELEMENT T grad(T y, T gy, T alpha) {
        return grad_with_sign(y, gy, y, alpha);
    }
};
CF_LOOPS(ELU, "expm1")

/* A sigmoid is (tanh(x / 2) + 1) / 2, which neither overflows nor loses the tails. */
struct Sigmoid {
    template <typename T>
    static CF_ELEMENT T inner(T x) { return x * T(0.5); }

    template <typename T>
    static CF_ELEMENT T outer(T, T tanh_of_inner) {
        return tanh_of_inner * T(0.5) + T(0.5);
    }

    template <typename T>
    static CF_ELEMENT T of(T x) { return outer(x, T(tanh(inner(x)))); }

#if !defined(__CUDACC__)
    static CF_ELEMENT float of(float x) { return one_ulp::sigmoid(x); }
#endif

    template <typename T>
    static CF_ELEMENT T grad(T y, T gy) { return gy * y * (T(1) - y); }

    template <typename T>
    static CF_ELEMENT void grads(T y, T gy, T ggx, T &by_y, T &by_gy) {
        by_y = ggx * gy * (T(1) - T(2) * y);
        by_gy = ggx * (y * (T(1) - y));
    }
};
CF_LOOPS(Sigmoid, "tanh")

struct HardSigmoid {
    template <typename T>
    static CF_ELEMENT T of(T x) {
        T line = x * T(0.2) + T(0.5);
        return line < T(0) ? T(0) : line > T(1) ? T(1) : line;
    }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) {
        return T(0.2) * ((T(fabs(x)) < T(2.5) ? T(1) : T(0)) * gy);
    }
};
CF_LOOPS(HardSigmoid)

struct Tanh {
    template <typename T>
    static CF_ELEMENT T grad(T y, T gy) { return gy * (T(1) - y * y); }

    template <typename T>
    static CF_ELEMENT void grads(T y, T gy, T ggx, T &by_y, T &by_gy) {
        by_y = y * ggx * gy * T(-2);
        by_gy = ggx - y * ggx * y;
    }
};
CF_LOOPS(Tanh)
CF_LOOP_OF_UFUNC_BUT_FLOATS(tanh, one_ulp::tanh)

/* The logarithm of 1 + exp(z) is max(z, 0) + log(1 + exp(-|z|)), with z = beta x: that
 * exponential cannot overflow. */
struct Softplus {
    template <typename T>
    static CF_ELEMENT T inner(T x, T beta) { return -T(fabs(beta * x)); }

    template <typename T>
    static CF_ELEMENT T outer(T x, T tail, T beta, T beta_inv) {
        return (positive_part(beta * x) + tail) * beta_inv;
    }

    template <typename T>
    static CF_ELEMENT T of(T x, T beta, T beta_inv) {
        return outer(x, T(log1p(T(exp(inner(x, beta))))), beta, beta_inv);
    }

    template <typename T>
    static CF_ELEMENT T outer_grad(T x, T gy, T decay, T beta) {
        return (beta * x >= T(0) ? T(1) : decay) / (T(1) + decay) * gy;
    }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy, T beta) {
        return outer_grad(x, gy, T(exp(inner(x, beta))), beta);
    }

#if !defined(__CUDACC__)
    static CF_ELEMENT float of(float x, float beta, float beta_inv) {
        return outer(x, one_ulp::log1p_exp_of_negative(inner(x, beta)), beta, beta_inv);
    }

    static CF_ELEMENT float grad(float x, float gy, float beta) {
        return outer_grad(x, gy, one_ulp::exp_of_negative(inner(x, beta)), beta);
    }
#endif
};
CF_LOOPS(Softplus, "exp", "log1p")

struct Swish {
    template <typename T>
    static CF_ELEMENT T inner(T x, T beta) { return Sigmoid::inner(beta * x); }

    template <typename T>
    static CF_ELEMENT T of(T x, T beta) {
        return x * Sigmoid::outer(x, T(tanh(inner(x, beta))));
    }

    /* Given the sigmoid. */
    template <typename T>
    static CF_ELEMENT void gate_grads(T x, T beta, T gy, T gate, T &gx, T &gbeta) {
        T slope = x * gate * (T(1) - gate);
        gx = gy * (gate + beta * slope);
        gbeta = gy * x * slope;
    }

    template <typename T>
    static CF_ELEMENT void grads(T x, T beta, T gy, T &gx, T &gbeta) {
        gate_grads(x, beta, gy, Sigmoid::outer(x, T(tanh(inner(x, beta)))), gx, gbeta);
    }
};

/* With the flag, zero or one, of any type. */
struct Mix {
    template <typename T, typename Flag>
    static CF_ELEMENT T of(T a, T b, Flag flag) {
        return a * T(flag) + b * (T(1) - T(flag));
    }
};

/* Of a group of neighbours. */
struct Maxout {
    template <typename T>
    static CF_ELEMENT T of(T largest, T x) { return x > largest ? x : largest; }

    template <typename T>
    static CF_ELEMENT T grad(T x, T y, T gy) { return x == y ? gy : T(0); }
};

}  // namespace activation
}  // namespace chainer_fast
