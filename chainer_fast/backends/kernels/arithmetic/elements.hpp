/* Arithmetic on one element of each array, and its gradients.
 *
 * The order of operations is that of NumPy's expressions in functions/math.
 */
#pragma once

#include "chainer_fast/_cpu/element.hpp"
#if !defined(__CUDACC__)
#  include "chainer_fast/backends/kernels/common/exponential.hpp"
#endif

namespace chainer_fast {
namespace arithmetic {

struct Add {
    template <typename T>
    static CF_ELEMENT T of(T a, T b) { return a + b; }
};
CF_LOOPS_OF_TWO(Add)

struct Sub {
    template <typename T>
    static CF_ELEMENT T of(T a, T b) { return a - b; }
};
CF_LOOPS_OF_TWO(Sub)

/* Subtraction from a constant. */
struct SubFromConstant {
    template <typename T>
    static CF_ELEMENT T of(T a, T c) { return c - a; }
};
CF_LOOPS(SubFromConstant)

struct Mul {
    template <typename T>
    static CF_ELEMENT T of(T a, T b) { return a * b; }
};
CF_LOOPS_OF_TWO(Mul)

struct Div {
    template <typename T>
    static CF_ELEMENT T of(T a, T b) { return a / b; }

    template <typename T>
    static CF_ELEMENT void grads(T a, T b, T g, T &ga, T &gb) {
        ga = g / b;
        gb = -ga * a / b;
    }
};
CF_LOOPS_OF_TWO(Div)

struct AddConstant : Add {};
CF_LOOPS(AddConstant)

struct MulConstant : Mul {};
CF_LOOPS(MulConstant)

struct Neg {
    template <typename T>
    static CF_ELEMENT T of(T a) { return -a; }
};
CF_LOOPS(Neg)

struct DivConstant {
    template <typename T>
    static CF_ELEMENT T of(T a, T c) { return a / c; }
};
CF_LOOPS(DivConstant)

struct DivFromConstant {
    template <typename T>
    static CF_ELEMENT T of(T x, T value) { return value / x; }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy, T value) { return -value * gy / (x * x); }
};
CF_LOOPS(DivFromConstant)

/* With a constant for exponent, and that of the gradient, which is less by one. */
struct Pow {
    template <typename T>
    static CF_ELEMENT T of(T x, T value, T) {
        return value == T(2) ? x * x : T(pow(x, value));
    }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy, T value, T less) {
        return value * T(pow(x, less)) * gy;
    }

    template <typename T>
    static CF_ELEMENT void grads(T a, T b, T y, T g, T &ga, T &gb) {
        ga = b * T(pow(a, b - T(1))) * g;
        gb = T(log(a)) * y * g;
    }
};

struct Interpolation {
    template <typename T>
    static CF_ELEMENT T of(T p, T x, T y) { return p * x + (T(1) - p) * y; }

    template <typename T>
    static CF_ELEMENT void grads(T p, T x, T y, T gz, T &gp, T &gx, T &gy) {
        gp = gz * (x - y);
        gx = gz * p;
        gy = gz - gx;
    }
};

struct PowFromConstant {
    template <typename T>
    static CF_ELEMENT T grad(T y, T gy, T log_value) { return log_value * y * gy; }
};

struct Sign {
    template <typename T>
    static CF_ELEMENT T of(T x) {
        return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
    }
};
CF_LOOPS(Sign)

struct Abs {
    template <typename T>
    static CF_ELEMENT T of(T x) { return T(fabs(x)); }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return Sign::of(x) * gy; }
};
CF_LOOPS(Abs)

struct SquaredError {
    template <typename T>
    static CF_ELEMENT T of(T a, T b) { return (a - b) * (a - b); }

    /* Twice a difference may be too large. */
    template <typename T>
    static CF_ELEMENT void grads(T a, T b, T g, T &ga, T &gb) {
        ga = g * T(2) * (a - b);
        gb = -ga;
    }
};
CF_LOOPS_OF_TWO(SquaredError)

/* Between two bounds. */
struct Clip {
    template <typename T>
    static CF_ELEMENT T of(T x, T low, T high) {
        const T raised = x < low ? low : x;
        return raised <= high || raised != raised ? raised : high;
    }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy, T low, T high) {
        return gy * (((x >= low) & (x <= high)) ? T(1) : T(0));
    }
};
CF_LOOPS(Clip)

struct Sqrt {
    template <typename T>
    static CF_ELEMENT T grad(T y, T gy) { return gy / (y * T(2)); }
};
CF_LOOPS(Sqrt)
CF_LOOP_OF_UFUNC(sqrt)

/* The gradient of a logarithm. */
struct Log {
    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return gy / x; }
};
CF_LOOPS(Log)
CF_LOOP_OF_UFUNC(log)

CF_LOOP_OF_UFUNC_BUT_FLOATS(exp, one_ulp::exp)

struct Square {
    template <typename T>
    static CF_ELEMENT T of(T x) { return x * x; }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return gy * T(2) * x; }
};
CF_LOOPS(Square)

#if defined(__CUDACC__)
/* Under NumPy's names. */
template <typename T> CF_ELEMENT T arccos(T x) { return T(acos(x)); }
template <typename T> CF_ELEMENT T arcsin(T x) { return T(asin(x)); }
template <typename T> CF_ELEMENT T arctan(T x) { return T(atan(x)); }
#else
using std::cos;
using std::cosh;
using std::sin;
using std::sinh;
#endif

/* -- gradients by another function, which on the processor is NumPy's for all types */

struct ByParts {
    static constexpr bool has_own_function = false;

    template <typename T>
    static CF_ELEMENT T inner(T x) { return x; }
};

/* The other function is the slope. */
struct BySlope : ByParts {
    template <typename T>
    static CF_ELEMENT T outer_grad(T, T gy, T slope) { return slope * gy; }
};

struct Sin : BySlope {
    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return outer_grad(x, gy, T(cos(x))); }
};
CF_LOOPS(Sin, "cos")
CF_LOOP_OF_UFUNC(sin)

struct Cos : ByParts {
    template <typename T>
    static CF_ELEMENT T outer_grad(T, T gy, T sine) { return -sine * gy; }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return outer_grad(x, gy, T(sin(x))); }
};
CF_LOOPS(Cos, "sin")
CF_LOOP_OF_UFUNC(cos)

struct Tan : ByParts {
    template <typename T>
    static CF_ELEMENT T outer_grad(T, T gy, T cosine) { return gy / (cosine * cosine); }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return outer_grad(x, gy, T(cos(x))); }
};
CF_LOOPS(Tan, "cos")
CF_LOOP_OF_UFUNC(tan)

struct Cosh : BySlope {
    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return outer_grad(x, gy, T(sinh(x))); }
};
CF_LOOPS(Cosh, "sinh")
CF_LOOP_OF_UFUNC(cosh)

struct Sinh : BySlope {
    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return outer_grad(x, gy, T(cosh(x))); }
};
CF_LOOPS(Sinh, "cosh")
CF_LOOP_OF_UFUNC(sinh)

struct Erf {
    template <typename T>
    static CF_ELEMENT T inner(T x) { return -(x * x); }

    template <typename T>
    static CF_ELEMENT T outer_grad(T, T gy, T e) { return e * T(1.1283791670955126) * gy; }

    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return outer_grad(x, gy, T(exp(inner(x)))); }

#if !defined(__CUDACC__)
    static CF_ELEMENT float grad(float x, float gy) {
        return outer_grad(x, gy, one_ulp::exp_of_negative(inner(x)));
    }
#endif
};
CF_LOOPS(Erf, "exp")

/* -- gradients by arithmetic */

struct Arcsin {
    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return T(1) / T(sqrt(T(1) - x * x)) * gy; }
};
CF_LOOPS(Arcsin)
CF_LOOP_OF_UFUNC(arcsin)

struct Arccos {
    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return T(-1) / T(sqrt(T(1) - x * x)) * gy; }
};
CF_LOOPS(Arccos)
CF_LOOP_OF_UFUNC(arccos)

struct Arctan {
    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return T(1) / (T(1) + x * x) * gy; }
};
CF_LOOPS(Arctan)
CF_LOOP_OF_UFUNC(arctan)

struct Expm1 {
    template <typename T>
    static CF_ELEMENT T grad(T y, T gy) { return (y + T(1)) * gy; }
};
CF_LOOPS(Expm1)
CF_LOOP_OF_UFUNC(expm1)

struct Log1p {
    template <typename T>
    static CF_ELEMENT T grad(T x, T gy) { return gy / (x + T(1)); }
};
CF_LOOPS(Log1p)
CF_LOOP_OF_UFUNC(log1p)

}  // namespace arithmetic
}  // namespace chainer_fast
