/* Loops of activations and of their gradients.
 *
 * Exponentials of doubles are NumPy's; those of floats are our own. */
#pragma once

#include "chainer_fast/backends/kernels/activation/elements.hpp"
#include "chainer_fast/backends/kernels/common/element_loops.hpp"
#include "chainer_fast/backends/kernels/common/exponential.hpp"

namespace chainer_fast::activation {
namespace {

CF_AS_OBJECT(InnerOf, inner)
CF_AS_OBJECT(OuterOf, outer)
CF_AS_OBJECT(OuterGradOf, outer_grad)

template <typename Element>
CF_CLONES void inner(const double *x, double *out, ptrdiff_t n, double p, double q) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = with_constants(InnerOf<Element>(), p, q, x[i]);
}

template <typename Element>
CF_CLONES void outer(const double *x, double *out, ptrdiff_t n, double p, double q) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = with_constants(OuterOf<Element>(), p, q, x[i], out[i]);
}

template <typename Element>
CF_CLONES void outer_grads(
        const double *x, const double *g, double *out, ptrdiff_t n, double p, double q) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = with_constants(OuterGradOf<Element>(), p, q, x[i], g[i], out[i]);
}

/* ``ufuncs`` are one or two functions of NumPy, the second of the first. */
template <typename Element>
void values_by_parts(const double *x, const double *, const double *, double *out,
                     double *, double p, double q, const Unary *ufuncs, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i += PART) {
        const ptrdiff_t m = part_at(i, n);
        inner<Element>(x + i, out + i, m, p, q);
        ufuncs[0].run(out + i, out + i, m);
        if (ufuncs[1])
            ufuncs[1].run(out + i, out + i, m);
        outer<Element>(x + i, out + i, m, p, q);
    }
}

template <typename Element>
void grads_by_parts(const double *x, const double *g, const double *, double *out,
                    double *, double p, double q, const Unary *ufuncs, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i += PART) {
        const ptrdiff_t m = part_at(i, n);
        inner<Element>(x + i, out + i, m, p, q);
        ufuncs[0].run(out + i, out + i, m);
        outer_grads<Element>(x + i, g + i, out + i, m, p, q);
    }
}

struct SigmoidOfFloats {
    static CF_ELEMENT float of(float x) { return one_ulp::sigmoid(x); }
};

struct ELUOfFloats {
    /* The choice is made of bits: of a choice of floats the compiler makes a jump. */
    static CF_ELEMENT float of(float x, float alpha) {
        const float bent = alpha * one_ulp::expm1_of_negative(x);
        const uint32_t mask = x < 0.0f ? 0xffffffff : 0;
        return one_ulp::from_bits(
            (one_ulp::bits_of(bent) & mask) | (one_ulp::bits_of(x) & ~mask));
    }
};

struct SoftplusOfFloats {
    static CF_ELEMENT float of(float x, float beta, float beta_inv) {
        const float tail = one_ulp::log1p_exp_of_negative(Softplus::inner(x, beta));
        return Softplus::outer(x, tail, beta, beta_inv);
    }

    static CF_ELEMENT float grad(float x, float gy, float beta) {
        const float decay = one_ulp::exp_of_negative(Softplus::inner(x, beta));
        return Softplus::outer_grad(x, gy, decay, beta);
    }
};

const ElementLoop ACTIVATIONS[] = {
    CF_ONE(ReLU), CF_GRAD(ReLU),
    CF_ONE(ClippedReLU), CF_GRAD(ClippedReLU),
    CF_ONE(LeakyReLU), CF_GRAD(LeakyReLU),
    CF_ONE(HardSigmoid), CF_GRAD(HardSigmoid),
    CF_UFUNC(tanh), CF_GRAD(Tanh), CF_GRADS(Tanh),
    {"ELU::of", 1, 1, over_one<Of<ELUOfFloats>, float>, values_by_parts<ELU>,
     {"expm1"}},
    CF_GRAD(ELU),
    {"Sigmoid::of", 1, 0, over_one<Of<SigmoidOfFloats>, float>,
     values_by_parts<Sigmoid>, {"tanh"}},
    CF_GRAD(Sigmoid), CF_GRADS(Sigmoid),
    {"Softplus::of", 1, 2, over_one<Of<SoftplusOfFloats>, float>,
     values_by_parts<Softplus>, {"exp", "log1p"}},
    {"Softplus::grad", 2, 1, over_two<GradOf<SoftplusOfFloats>, float>,
     grads_by_parts<Softplus>, {"exp"}},
    {}};

}  // namespace
}  // namespace chainer_fast::activation
