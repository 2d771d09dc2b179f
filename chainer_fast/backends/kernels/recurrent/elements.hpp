/* The arithmetic of one unit of recurrent cells, and of its gradients.
 *
 * A gradient by a gate is one by the gate's input, before its activation.
 */
#pragma once

#include "chainer_fast/backends/kernels/activation/elements.hpp"
#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace recurrent {

using activation::ReLU;
using activation::Sigmoid;
using activation::Tanh;

/* A gate between zero and one, given the hyperbolic tangent of half its input. */
template <typename T>
CF_ELEMENT T open_gate(T tangent) {
    return Sigmoid::outer(tangent, tangent);
}

/* -- long short-term memories */

template <typename T>
CF_ELEMENT T next_cell(T a, T i, T f, T c_prev) {
    return a * i + f * c_prev;
}

/* The cell of two memories that share it. */
template <typename T>
CF_ELEMENT T shared_cell(T a1, T i1, T f1, T c_prev1, T a2, T i2, T f2, T c_prev2) {
    return i1 * a1 + i2 * a2 + f1 * c_prev1 + f2 * c_prev2;
}

/* From the gradient of the output o tanh(c): the gradient by c, added to the one that
 * came for it, and the gradient by o. */
template <typename T>
CF_ELEMENT void output_grad(T o, T tanh_c, T gc, T gh, T &gc_step, T &go) {
    const T gh_o = gh * o;
    gc_step = gc + gh_o * (T(1) - tanh_c * tanh_c);
    go = gh_o * tanh_c * (T(1) - o);
}

/* Gradients of a i. */
template <typename T>
CF_ELEMENT void input_grad(T gc, T a, T i, T &ga, T &gi) {
    ga = gc * i * (T(1) - a * a);
    gi = gc * a * i * (T(1) - i);
}

/* Gradients of f c_prev. */
template <typename T>
CF_ELEMENT void kept_grad(T gc, T f, T c_prev, T &gc_prev, T &gf) {
    gc_prev = gc * f;
    gf = gc * c_prev * f * (T(1) - f);
}

/* -- gated recurrent units; ``recurrent`` is the last state's part of the new state */

template <typename T>
CF_ELEMENT T next_state(T z, T new_h, T h_prev) {
    return (T(1) - z) * new_h + z * h_prev;
}

template <typename T>
CF_ELEMENT void state_grad(
        T gh, T r, T z, T new_h, T h_prev, T recurrent, T &gr, T &gz, T &gnew) {
    gnew = gh * (T(1) - z) * (T(1) - new_h * new_h);
    gz = gh * (h_prev - new_h) * z * (T(1) - z);
    gr = gnew * recurrent * r * (T(1) - r);
}

}  // namespace recurrent
}  // namespace chainer_fast
