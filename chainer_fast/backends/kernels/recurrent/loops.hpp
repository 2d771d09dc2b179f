/* One step of recurrent cells, whose inputs are projected already.
 *
 * Arithmetic follows the reference, operation by operation. The units of all samples
 * form one row, which is worked on in blocks that stay in the cache from the gates to
 * the results. A tree's gates stand one after the other for each sample instead, so its
 * samples are the blocks.
 *
 * No array that a loop writes to overlaps with another one: hence the pragmas.
 */
#ifndef CHAINER_FAST_RECURRENT_LOOPS_HPP
#define CHAINER_FAST_RECURRENT_LOOPS_HPP

#include <string.h>
#include <algorithm>

#include "chainer_fast/backends/kernels/common/loops.hpp"
#include "chainer_fast/backends/kernels/recurrent/cell.hpp"
#include "chainer_fast/backends/kernels/recurrent/elements.hpp"

namespace chainer_fast {
namespace {

constexpr ptrdiff_t BLOCK = 256;

/* -- gates that alternate: a, i, f, o */

/* Inputs of a block's gates, one gate after the other; i, f and o are halved. */
template <typename T>
CF_ELEMENT void take_gates(const T *x, T *gates, ptrdiff_t n) {
#pragma GCC ivdep
    for (ptrdiff_t j = 0; j < n; ++j) {
        gates[j] = x[4 * j];
        gates[n + j] = x[4 * j + 1] * T(0.5);
        gates[2 * n + j] = x[4 * j + 2] * T(0.5);
        gates[3 * n + j] = x[4 * j + 3] * T(0.5);
    }
}

template <typename T>
CF_ELEMENT void open_gates(T *tangents, ptrdiff_t n) {
    for (ptrdiff_t j = 0; j < n; ++j)
        tangents[j] = open_gate(tangents[j]);
}

/* Values of a block's gates. */
template <typename T>
CF_ELEMENT void activate(const T *x, T *gates, ptrdiff_t n, const Unary &tanh) {
    take_gates(x, gates, n);
    tanh.run(gates, gates, 4 * n);
    open_gates(gates + n, 3 * n);
}

/* The gates of two memories; the output gate that they share is among the first. */
template <typename T>
CF_ELEMENT void activate_both(
        const T *x1, const T *x2, T *gates1, T *gates2, ptrdiff_t n, const Unary &tanh) {
    take_gates(x1, gates1, n);
    take_gates(x2, gates2, n);
    for (ptrdiff_t j = 3 * n; j < 4 * n; ++j)
        gates1[j] += gates2[j];
    tanh.run(gates1, gates1, 4 * n);
    tanh.run(gates2, gates2, 3 * n);
    open_gates(gates1 + n, 3 * n);
    open_gates(gates2 + n, 2 * n);
}

/* Gradients of a block's cells and gates; that of the output gate is known already. */
template <typename T>
CF_ELEMENT void cell_grad(const T *gates, const T *c_prev, const T *gc, const T *go,
                          T *gc_prev, T *gx, ptrdiff_t n) {
#pragma GCC ivdep
    for (ptrdiff_t j = 0; j < n; ++j) {
        input_grad(gc[j], gates[j], gates[n + j], gx[4 * j], gx[4 * j + 1]);
        kept_grad(gc[j], gates[2 * n + j], c_prev[j], gc_prev[j], gx[4 * j + 2]);
        gx[4 * j + 3] = go[j];
    }
}

template <typename T>
CF_ELEMENT void output_grads(const T *o, const T *tanh_c, const T *gc, const T *gh,
                             T *gc_step, T *go, ptrdiff_t n) {
#pragma GCC ivdep
    for (ptrdiff_t j = 0; j < n; ++j)
        output_grad(o[j], tanh_c[j], gc[j], gh[j], gc_step[j], go[j]);
}

/* h = o tanh(c) */
template <typename T>
CF_ELEMENT void put_out(const T *o, const T *c, T *h, ptrdiff_t n, const Unary &tanh) {
    tanh.run(c, h, n);
#pragma GCC ivdep
    for (ptrdiff_t j = 0; j < n; ++j)
        h[j] = o[j] * h[j];
}

/* The cells of further samples, of which there are no gates, stay as they are. */
template <typename T>
CF_CLONES void lstm(T *const *p, ptrdiff_t samples, ptrdiff_t width,
                    ptrdiff_t further, const Unary &tanh) {
    const T *c_prev = p[0], *x = p[1];
    T *c = p[2], *h = p[3];
    const ptrdiff_t units = samples * width;
    T gates[4 * BLOCK];
    for (ptrdiff_t start = 0; start < units; start += BLOCK) {
        const ptrdiff_t n = std::min(BLOCK, units - start);
        activate(x + 4 * start, gates, n, tanh);
#pragma GCC ivdep
        for (ptrdiff_t j = 0; j < n; ++j)
            c[start + j] = next_cell(
                gates[j], gates[n + j], gates[2 * n + j], c_prev[start + j]);
        put_out(gates + 3 * n, c + start, h + start, n, tanh);
    }
    memcpy(c + units, c_prev + units, further * width * sizeof(T));
}

template <typename T>
CF_CLONES void lstm_grad(T *const *p, ptrdiff_t samples, ptrdiff_t width,
                         ptrdiff_t further, const Unary &tanh) {
    const T *c_prev = p[0], *x = p[1], *c = p[2], *gc = p[3], *gh = p[4];
    T *gc_prev = p[5], *gx = p[6];
    const ptrdiff_t units = samples * width;
    const T zeros[BLOCK] = {};
    T gates[4 * BLOCK], tanh_c[BLOCK], gc_step[BLOCK], go[BLOCK];
    for (ptrdiff_t start = 0; start < units; start += BLOCK) {
        const ptrdiff_t n = std::min(BLOCK, units - start);
        activate(x + 4 * start, gates, n, tanh);
        tanh.run(c + start, tanh_c, n);
        output_grads(gates + 3 * n, tanh_c, gc ? gc + start : zeros,
                     gh ? gh + start : zeros, gc_step, go, n);
        cell_grad(gates, c_prev + start, gc_step, go, gc_prev + start, gx + 4 * start,
                  n);
    }
    if (gc)
        memcpy(gc_prev + units, gc + units, further * width * sizeof(T));
    else
        memset(gc_prev + units, 0, further * width * sizeof(T));
}

template <typename T>
CF_CLONES void slstm(T *const *p, ptrdiff_t samples, ptrdiff_t width, ptrdiff_t,
                     const Unary &tanh) {
    const T *c_prev1 = p[0], *c_prev2 = p[1], *x1 = p[2], *x2 = p[3];
    T *c = p[4], *h = p[5];
    const ptrdiff_t units = samples * width;
    T s[4 * BLOCK], t[4 * BLOCK];
    for (ptrdiff_t start = 0; start < units; start += BLOCK) {
        const ptrdiff_t n = std::min(BLOCK, units - start);
        activate_both(x1 + 4 * start, x2 + 4 * start, s, t, n, tanh);
#pragma GCC ivdep
        for (ptrdiff_t j = 0; j < n; ++j)
            c[start + j] = shared_cell(
                s[j], s[n + j], s[2 * n + j], c_prev1[start + j],
                t[j], t[n + j], t[2 * n + j], c_prev2[start + j]);
        put_out(s + 3 * n, c + start, h + start, n, tanh);
    }
}

template <typename T>
CF_CLONES void slstm_grad(T *const *p, ptrdiff_t samples, ptrdiff_t width, ptrdiff_t,
                          const Unary &tanh) {
    const T *c_prev1 = p[0], *c_prev2 = p[1], *x1 = p[2], *x2 = p[3], *c = p[4];
    const T *gc = p[5], *gh = p[6];
    T *gc_prev1 = p[7], *gc_prev2 = p[8], *gx1 = p[9], *gx2 = p[10];
    const ptrdiff_t units = samples * width;
    const T zeros[BLOCK] = {};
    T s[4 * BLOCK], t[4 * BLOCK], tanh_c[BLOCK], gc_step[BLOCK], go[BLOCK];
    for (ptrdiff_t start = 0; start < units; start += BLOCK) {
        const ptrdiff_t n = std::min(BLOCK, units - start);
        activate_both(x1 + 4 * start, x2 + 4 * start, s, t, n, tanh);
        tanh.run(c + start, tanh_c, n);
        output_grads(s + 3 * n, tanh_c, gc ? gc + start : zeros,
                     gh ? gh + start : zeros, gc_step, go, n);
        cell_grad(s, c_prev1 + start, gc_step, go, gc_prev1 + start, gx1 + 4 * start,
                  n);
        cell_grad(t, c_prev2 + start, gc_step, go, gc_prev2 + start, gx2 + 4 * start,
                  n);
    }
}

/* -- trees: gates a, i, o and one f for each child stand one after the other */

template <typename T>
CF_CLONES void tree_lstm(T *const *p, ptrdiff_t samples, ptrdiff_t n,
                         ptrdiff_t children, const Unary &tanh) {
    T *gates = p[1], *c = p[2], *h = p[3];
    const ptrdiff_t width = (3 + children) * n;
    memcpy(gates, p[0], samples * width * sizeof(T));
    for (ptrdiff_t row = 0; row < samples; ++row, gates += width, c += n, h += n) {
        for (ptrdiff_t j = n; j < width; ++j)
            gates[j] *= T(0.5);
        tanh.run(gates, gates, width);
        open_gates(gates + n, width - n);
        memset(c, 0, n * sizeof(T));
        for (ptrdiff_t k = 0; k < children; ++k) {
            const T *f = gates + (3 + k) * n, *child = p[4 + k] + row * n;
#pragma GCC ivdep
            for (ptrdiff_t j = 0; j < n; ++j)
                c[j] += f[j] * child[j];
        }
#pragma GCC ivdep
        for (ptrdiff_t j = 0; j < n; ++j)
            c[j] = gates[j] * gates[n + j] + c[j];
        put_out(gates + 2 * n, c, h, n, tanh);
    }
}

/* The scratch memory holds a row for each of tanh(c), zeros, and the cell's gradient. */
template <typename T>
CF_CLONES void tree_lstm_grad(T *const *p, ptrdiff_t samples, ptrdiff_t n,
                              ptrdiff_t children, const Unary &tanh) {
    const T *gates = p[0], *gc = p[2], *gh = p[3];
    T *gx = p[4], *tanh_c = p[5], *zeros = tanh_c + n, *gc_step = zeros + n;
    const ptrdiff_t width = (3 + children) * n;
    memset(zeros, 0, n * sizeof(T));
    for (ptrdiff_t row = 0; row < samples; ++row, gates += width, gx += width) {
        tanh.run(p[1] + row * n, tanh_c, n);
        output_grads(gates + 2 * n, tanh_c, gc ? gc + row * n : zeros,
                     gh ? gh + row * n : zeros, gc_step, gx + 2 * n, n);
#pragma GCC ivdep
        for (ptrdiff_t j = 0; j < n; ++j)
            input_grad(gc_step[j], gates[j], gates[n + j], gx[j], gx[n + j]);
        for (ptrdiff_t k = 0; k < children; ++k) {
            const T *f = gates + (3 + k) * n, *child = p[6 + k] + row * n;
            T *g_child = p[6 + children + k] + row * n, *gf = gx + (3 + k) * n;
#pragma GCC ivdep
            for (ptrdiff_t j = 0; j < n; ++j)
                kept_grad(gc_step[j], f[j], child[j], g_child[j], gf[j]);
        }
    }
}

constexpr Cell LSTM = {lstm<float>, lstm<double>};
constexpr Cell LSTM_GRAD = {lstm_grad<float>, lstm_grad<double>};
constexpr Cell SLSTM = {slstm<float>, slstm<double>};
constexpr Cell SLSTM_GRAD = {slstm_grad<float>, slstm_grad<double>};
constexpr Cell TREE_LSTM = {tree_lstm<float>, tree_lstm<double>};
constexpr Cell TREE_LSTM_GRAD = {tree_lstm_grad<float>, tree_lstm_grad<double>};

}  // namespace
}  // namespace chainer_fast

#endif
