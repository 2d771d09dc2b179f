/* One step of recurrent cells, whose inputs are projected already.
 *
 * Arithmetic follows the reference, operation by operation. The units of all samples
 * form one row, which is worked on in blocks that stay in the cache from the gates to
 * the results. A tree's gates stand one after the other for each sample instead, so its
 * blocks end with a sample. Threads share the samples.
 *
 * No array that a loop writes to overlaps with another one: hence the pragmas.
 */
#pragma once

#include <string.h>
#include <algorithm>

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/recurrent/cell.hpp"
#include "chainer_fast/backends/kernels/recurrent/elements.hpp"

namespace chainer_fast::recurrent {
namespace {

constexpr ptrdiff_t BLOCK = 256;
/* Units of a thread, at least: four gates and a cell have a function each. */
constexpr ptrdiff_t GATES_GRAIN = FUNCTION_GRAIN / 4;

/* -- gates that alternate: a, i, f, o */

/* Inputs of a block's gates, one gate after the other; i, f and o are halved. */
template <typename T>
CF_ELEMENT void take_gates(const T *x, T *gates, ptrdiff_t n) {
    CF_INDEPENDENT
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

/* Values of a block's gates of one memory or of two, which share the output gate that is
 * among the first. */
template <int MEMORIES, typename T>
CF_ELEMENT void activate(T *const *x, ptrdiff_t start, T (*gates)[4 * BLOCK], ptrdiff_t n,
                         const Unary &tanh) {
    for (int m = 0; m < MEMORIES; ++m)
        take_gates(x[m] + 4 * start, gates[m], n);
    if (MEMORIES == 2)
        for (ptrdiff_t j = 3 * n; j < 4 * n; ++j)
            gates[0][j] += gates[MEMORIES - 1][j];
    for (int m = 0; m < MEMORIES; ++m) {
        const ptrdiff_t count = m ? 3 * n : 4 * n;
        tanh.run(gates[m], gates[m], count);
        open_gates(gates[m] + n, count - n);
    }
}

/* Gradients of a block's cells and gates; that of the output gate is known already. */
template <typename T>
CF_ELEMENT void cell_grad(const T *gates, const T *c_prev, const T *gc, const T *go,
                          T *gc_prev, T *gx, ptrdiff_t n) {
    CF_INDEPENDENT
    for (ptrdiff_t j = 0; j < n; ++j) {
        input_grad(gc[j], gates[j], gates[n + j], gx[4 * j], gx[4 * j + 1]);
        kept_grad(gc[j], gates[2 * n + j], c_prev[j], gc_prev[j], gx[4 * j + 2]);
        gx[4 * j + 3] = go[j];
    }
}

template <typename T>
CF_ELEMENT void output_grads(const T *o, const T *tanh_c, const T *gc, const T *gh,
                             T *gc_step, T *go, ptrdiff_t n) {
    CF_INDEPENDENT
    for (ptrdiff_t j = 0; j < n; ++j)
        output_grad(o[j], tanh_c[j], gc[j], gh[j], gc_step[j], go[j]);
}

/* h = o tanh(c) */
template <typename T>
CF_ELEMENT void put_out(const T *o, const T *c, T *h, ptrdiff_t n, const Unary &tanh) {
    tanh.run(c, h, n);
    CF_INDEPENDENT
    for (ptrdiff_t j = 0; j < n; ++j)
        h[j] = o[j] * h[j];
}

/* One memory, or two with one cell. */
template <int MEMORIES, typename T>
CF_CLONES void step(T *const *p, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t width, ptrdiff_t,
                    const Unary &tanh) {
    T *const *c_prev = p, *const *x = p + MEMORIES;
    T *c = p[2 * MEMORIES], *h = p[2 * MEMORIES + 1];
    T gates[MEMORIES][4 * BLOCK];
    for (ptrdiff_t start = begin * width; start < end * width; start += BLOCK) {
        const ptrdiff_t n = std::min(BLOCK, end * width - start);
        const T *s = gates[0], *t = gates[MEMORIES - 1];
        const T *first = c_prev[0] + start, *second = c_prev[MEMORIES - 1] + start;
        activate<MEMORIES>(x, start, gates, n, tanh);
        CF_INDEPENDENT
        for (ptrdiff_t j = 0; j < n; ++j)
            c[start + j] = MEMORIES == 1
                ? next_cell(s[j], s[n + j], s[2 * n + j], first[j])
                : shared_cell(s[j], s[n + j], s[2 * n + j], first[j],
                              t[j], t[n + j], t[2 * n + j], second[j]);
        put_out(s + 3 * n, c + start, h + start, n, tanh);
    }
}

template <int MEMORIES, typename T>
CF_CLONES void step_grad(T *const *p, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t width,
                         ptrdiff_t, const Unary &tanh) {
    T *const *c_prev = p, *const *x = p + MEMORIES;
    const T *c = p[2 * MEMORIES], *gc = p[2 * MEMORIES + 1], *gh = p[2 * MEMORIES + 2];
    T *const *gc_prev = p + 2 * MEMORIES + 3, *const *gx = gc_prev + MEMORIES;
    const T zeros[BLOCK] = {};
    T gates[MEMORIES][4 * BLOCK], tanh_c[BLOCK], gc_step[BLOCK], go[BLOCK];
    for (ptrdiff_t start = begin * width; start < end * width; start += BLOCK) {
        const ptrdiff_t n = std::min(BLOCK, end * width - start);
        activate<MEMORIES>(x, start, gates, n, tanh);
        tanh.run(c + start, tanh_c, n);
        output_grads(gates[0] + 3 * n, tanh_c, gc ? gc + start : zeros,
                     gh ? gh + start : zeros, gc_step, go, n);
        for (int m = 0; m < MEMORIES; ++m)
            cell_grad(gates[m], c_prev[m] + start, gc_step, go, gc_prev[m] + start,
                      gx[m] + 4 * start, n);
    }
}

/* -- trees: gates a, i, o and one f for each child stand one after the other */

template <typename T>
CF_CLONES void tree_lstm(T *const *p, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t n,
                         ptrdiff_t children, const Unary &tanh) {
    const ptrdiff_t width = (3 + children) * n;
    for (ptrdiff_t row = begin; row < end; ++row) {
        T *gates = p[1] + row * width, *c = p[2] + row * n, *h = p[3] + row * n;
        memcpy(gates, p[0] + row * width, width * sizeof(T));
        for (ptrdiff_t j = n; j < width; ++j)
            gates[j] *= T(0.5);
        tanh.run(gates, gates, width);
        open_gates(gates + n, width - n);
        memset(c, 0, n * sizeof(T));
        for (ptrdiff_t k = 0; k < children; ++k) {
            const T *f = gates + (3 + k) * n, *child = p[4 + k] + row * n;
            CF_INDEPENDENT
            for (ptrdiff_t j = 0; j < n; ++j)
                c[j] += f[j] * child[j];
        }
        CF_INDEPENDENT
        for (ptrdiff_t j = 0; j < n; ++j)
            c[j] = gates[j] * gates[n + j] + c[j];
        put_out(gates + 2 * n, c, h, n, tanh);
    }
}

template <typename T>
CF_CLONES void tree_lstm_grad(T *const *p, ptrdiff_t begin, ptrdiff_t end,
                              ptrdiff_t units, ptrdiff_t children, const Unary &tanh) {
    const ptrdiff_t width = (3 + children) * units;
    const T zeros[BLOCK] = {};
    T tanh_c[BLOCK], gc_step[BLOCK];
    for (ptrdiff_t row = begin; row < end; ++row)
        for (ptrdiff_t start = 0; start < units; start += BLOCK) {
            const ptrdiff_t n = std::min(BLOCK, units - start), at = row * units + start;
            const T *gates = p[0] + row * width + start;
            T *gx = p[4] + row * width + start;
            tanh.run(p[1] + at, tanh_c, n);
            output_grads(gates + 2 * units, tanh_c, p[2] ? p[2] + at : zeros,
                         p[3] ? p[3] + at : zeros, gc_step, gx + 2 * units, n);
            CF_INDEPENDENT
            for (ptrdiff_t j = 0; j < n; ++j)
                input_grad(gc_step[j], gates[j], gates[units + j], gx[j], gx[units + j]);
            for (ptrdiff_t k = 0; k < children; ++k) {
                const T *f = gates + (3 + k) * units, *child = p[5 + k] + at;
                T *g_child = p[5 + children + k] + at, *gf = gx + (3 + k) * units;
                CF_INDEPENDENT
                for (ptrdiff_t j = 0; j < n; ++j)
                    kept_grad(gc_step[j], f[j], child[j], g_child[j], gf[j]);
            }
        }
}

template <typename T, auto loop>
void shared(T *const *p, ptrdiff_t samples, ptrdiff_t units, ptrdiff_t children,
            const Unary &tanh) {
    parallel(samples, GATES_GRAIN / (units + 1) + 1, [&](ptrdiff_t begin, ptrdiff_t end) {
        loop(p, begin, end, units, children, tanh);
    });
}

constexpr Cell LSTM = {shared<float, step<1, float>>, shared<double, step<1, double>>};
constexpr Cell LSTM_GRAD = {
    shared<float, step_grad<1, float>>, shared<double, step_grad<1, double>>};
constexpr Cell SLSTM = {shared<float, step<2, float>>, shared<double, step<2, double>>};
constexpr Cell SLSTM_GRAD = {
    shared<float, step_grad<2, float>>, shared<double, step_grad<2, double>>};
constexpr Cell TREE_LSTM = {
    shared<float, tree_lstm<float>>, shared<double, tree_lstm<double>>};
constexpr Cell TREE_LSTM_GRAD = {
    shared<float, tree_lstm_grad<float>>, shared<double, tree_lstm_grad<double>>};

}  // namespace
}  // namespace chainer_fast::recurrent
