/* One step of a scan: the gates of each sample stand one after the other, and the last
 * state's part comes apart from theirs. Gates are replaced by their values.
 *
 * The last number of a loop is the distance from one gate of a sample to its next one. It
 * is the number of units where samples stand one after the other; of a single sample it
 * may be larger.
 *
 * No array that a loop writes to overlaps with another one: hence the pragmas.
 */
#pragma once

#include <string.h>
#include <algorithm>
#include <type_traits>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/recurrent/cell.hpp"
#include "chainer_fast/backends/kernels/recurrent/elements.hpp"

namespace chainer_fast::recurrent {
namespace {

/* How many gates are worked on at a time, unless one sample has more. */
constexpr ptrdiff_t CHUNK = 4096;

template <typename T>
CF_ELEMENT void add_to(T *x, const T *part, ptrdiff_t n) {
    CF_INDEPENDENT
    for (ptrdiff_t j = 0; j < n; ++j)
        x[j] += part[j];
}

/* Half the input of a gate between zero and one. */
template <typename T>
CF_ELEMENT void add_and_halve(T *x, const T *part, ptrdiff_t n) {
    CF_INDEPENDENT
    for (ptrdiff_t j = 0; j < n; ++j)
        x[j] = (x[j] + part[j]) * T(0.5);
}

/* The arrays of a step: the gates; the last state's part of them; its bias, if it has
 * a separate one; state and cell; the output; and what is kept for the gradient. */

/* Gates i, f, a, o; the old cell and the tangent of the new one are kept. */
template <typename T>
CF_CLONES void lstm_step(T *const *p, ptrdiff_t samples, ptrdiff_t n, ptrdiff_t apart,
                         const Unary &tanh) {
    const ptrdiff_t width = 4 * n, group = std::max<ptrdiff_t>(1, CHUNK / width);
    for (ptrdiff_t start = 0; start < samples; start += group) {
        const ptrdiff_t end = std::min(start + group, samples);
        for (ptrdiff_t row = start; row < end; ++row) {
            T *gates = p[0] + row * width;
            const T *part = p[1] + row * width;
            add_and_halve(gates, part, n);
            add_and_halve(gates + apart, part + n, n);
            add_to(gates + 2 * apart, part + 2 * n, n);
            add_and_halve(gates + 3 * apart, part + 3 * n, n);
        }
        if (apart == n)
            tanh.run(p[0] + start * width, p[0] + start * width, (end - start) * width);
        else
            for (ptrdiff_t k = 0; k < 4; ++k)
                tanh.run(p[0] + k * apart, p[0] + k * apart, n);
        for (ptrdiff_t row = start; row < end; ++row) {
            T *gates = p[0] + row * width, *c = p[4] + row * n, *c_prev = p[6] + row * n;
            CF_INDEPENDENT
            for (ptrdiff_t j = 0; j < n; ++j) {
                const T i = open_gate(gates[j]), f = open_gate(gates[apart + j]);
                gates[j] = i;
                gates[apart + j] = f;
                gates[3 * apart + j] = open_gate(gates[3 * apart + j]);
                c_prev[j] = c[j];
                c[j] = next_cell(gates[2 * apart + j], i, f, c[j]);
            }
        }
        tanh.run(p[4] + start * n, p[7] + start * n, (end - start) * n);
        for (ptrdiff_t row = start; row < end; ++row) {
            const T *o = p[0] + row * width + 3 * apart, *tanh_c = p[7] + row * n;
            T *h = p[3] + row * n, *y = p[5] + row * n;
            CF_INDEPENDENT
            for (ptrdiff_t j = 0; j < n; ++j)
                h[j] = y[j] = o[j] * tanh_c[j];
        }
    }
}

/* Gates r, z, new; the last state's part of the third is kept. */
template <typename T>
CF_CLONES void gru_step(T *const *p, ptrdiff_t samples, ptrdiff_t n, ptrdiff_t apart,
                        const Unary &tanh) {
    const T *part = p[1], *bias = p[2];
    T *r = p[0], *h = p[3], *y = p[5], *recurrent = p[6];
    for (ptrdiff_t row = 0; row < samples; ++row) {
        T *z = r + apart, *new_h = z + apart;
        add_and_halve(r, part, n);
        add_and_halve(z, part + n, n);
        tanh.run(r, r, n);
        tanh.run(z, z, n);
        CF_INDEPENDENT
        for (ptrdiff_t j = 0; j < n; ++j) {
            r[j] = open_gate(r[j]);
            z[j] = open_gate(z[j]);
            recurrent[j] = part[2 * n + j] + bias[j];
            new_h[j] += r[j] * recurrent[j];
        }
        tanh.run(new_h, new_h, n);
        CF_INDEPENDENT
        for (ptrdiff_t j = 0; j < n; ++j)
            h[j] = y[j] = next_state(z[j], new_h[j], h[j]);
        r += 3 * n, part += 3 * n, h += n, y += n, recurrent += n;
    }
}

/* One gate, the state itself: its hyperbolic tangent or its positive part. */
template <typename Activation, typename T>
CF_CLONES void plain_step(T *const *p, ptrdiff_t samples, ptrdiff_t n, ptrdiff_t,
                          const Unary &tanh) {
    T *x = p[0];
    n *= samples;
    add_to(x, p[1], n);
    if (std::is_same<Activation, Tanh>::value)
        tanh.run(x, x, n);
    else
        for (ptrdiff_t j = 0; j < n; ++j)
            x[j] = ReLU::of(x[j]);
    memcpy(p[3], x, n * sizeof(T));
    memcpy(p[5], x, n * sizeof(T));
}

/* The arrays of a gradient: values of the gates; the state before the step; what was
 * kept; the gradients of the output, of the state and of the cell, the last two of
 * which are replaced by those before the step; and the gradients by the gates and by
 * the last state's part. The gradient of the state does not include the way through
 * that part. */

template <typename T>
CF_CLONES void lstm_step_grad(T *const *p, ptrdiff_t samples, ptrdiff_t n,
                              ptrdiff_t apart, const Unary &) {
    const T *i = p[0], *c_prev = p[2], *tanh_c = p[3], *gy = p[4], *gh = p[5];
    T *gc = p[6], *gi = p[7];
    for (ptrdiff_t row = 0; row < samples; ++row) {
        const T *f = i + apart, *a = f + apart, *o = a + apart;
        T *gf = gi + apart, *ga = gf + apart, *go = ga + apart;
        CF_INDEPENDENT
        for (ptrdiff_t j = 0; j < n; ++j) {
            T gc_step;
            output_grad(o[j], tanh_c[j], gc[j], gh[j] + gy[j], gc_step, go[j]);
            input_grad(gc_step, a[j], i[j], ga[j], gi[j]);
            kept_grad(gc_step, f[j], c_prev[j], gc[j], gf[j]);
        }
        i += 4 * n, c_prev += n, tanh_c += n, gy += n, gh += n, gc += n, gi += 4 * n;
    }
}

template <typename T>
CF_CLONES void gru_step_grad(T *const *p, ptrdiff_t samples, ptrdiff_t n,
                             ptrdiff_t apart, const Unary &) {
    const T *g = p[0], *h_prev = p[1], *recurrent = p[2], *gy = p[4];
    T *gh = p[5], *gx = p[7], *gr = p[8];
    for (ptrdiff_t row = 0; row < samples; ++row) {
        CF_INDEPENDENT
        for (ptrdiff_t j = 0; j < n; ++j) {
            const T r = g[j], z = g[apart + j], gh_step = gh[j] + gy[j];
            T by_r, by_z, by_new;
            state_grad(gh_step, r, z, g[2 * apart + j], h_prev[j], recurrent[j],
                       by_r, by_z, by_new);
            gx[j] = gr[j] = by_r;
            gx[apart + j] = gr[apart + j] = by_z;
            gx[2 * apart + j] = by_new;
            gr[2 * apart + j] = by_new * r;
            gh[j] = gh_step * z;
        }
        g += 3 * n, h_prev += n, recurrent += n, gy += n, gh += n;
        gx += 3 * n, gr += 3 * n;
    }
}

template <typename Activation, typename T>
CF_CLONES void plain_step_grad(T *const *p, ptrdiff_t samples, ptrdiff_t n, ptrdiff_t,
                               const Unary &) {
    const T *h = p[0], *gy = p[4], *gh = p[5];
    T *gx = p[7];
    CF_INDEPENDENT
    for (ptrdiff_t j = 0; j < samples * n; ++j)
        gx[j] = Activation::grad(h[j], gh[j] + gy[j]);
}

/* Steps and gradients of each kind of cell. */
constexpr Cell STEPS[] = {
    {lstm_step<float>, lstm_step<double>}, {gru_step<float>, gru_step<double>},
    {plain_step<Tanh, float>, plain_step<Tanh, double>},
    {plain_step<ReLU, float>, plain_step<ReLU, double>}};
constexpr Cell STEP_GRADS[] = {
    {lstm_step_grad<float>, lstm_step_grad<double>},
    {gru_step_grad<float>, gru_step_grad<double>},
    {plain_step_grad<Tanh, float>, plain_step_grad<Tanh, double>},
    {plain_step_grad<ReLU, float>, plain_step_grad<ReLU, double>}};

}  // namespace
}  // namespace chainer_fast::recurrent
