/* A recurrent layer along a sequence, in single precision, and its gradient.
 *
 * All matrices inside are in panels: a block of 16 units is a panel, and the gates of a
 * block are panels one after the other. So one product of a few panels of the weights
 * gives all that the next states of a block need, and the step is finished for this block
 * before the next one, while its gates are in the cache. Weights are packed once for a
 * sequence. Units are filled up with zeros to whole blocks; theirs stay zero.
 *
 * Samples do not depend on each other, and threads share them, or rows or columns of the
 * products over all steps; none of them waits for another within a sequence.
 */
#pragma once

#include <fenv.h>
#include <string.h>

#include <algorithm>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/recurrent/packed.hpp"
#include "chainer_fast/backends/kernels/recurrent/scan.hpp"

namespace chainer_fast::recurrent {
namespace {

/* Samples that are not divided among threads. */
constexpr ptrdiff_t SAMPLES = 8;

/* All steps of some samples. Products raise flags that NumPy does not look at, and clears
 * in its loops: those of the loops over elements count. */
inline void scan_samples(const Layer &l, const Tiles &tiles, const Trace &trace,
                         const Forward &f, float *ys, ptrdiff_t begin, ptrdiff_t end) {
    constexpr ptrdiff_t GROUP = 2;
    Flags flags;
    float *part = f.parts + 2 * l.gates * begin * PANEL, *y = f.y + begin * PANEL;
    for (ptrdiff_t t = 0; t < l.steps; ++t) {
        const ptrdiff_t k = l.reverse ? l.steps - 1 - t : t;
        const ptrdiff_t size = std::min(l.sizes[k], end) - begin;
        const ptrdiff_t row = l.starts[k] + begin;
        if (size <= 0)
            continue;
        const Out h = f.h.below(begin), c = f.c.below(begin);
        const Out h_prev = trace.h_prev.below(row), gates = trace.gates.below(row);
        const Out kept1 = trace.kept1.below(row), kept2 = trace.kept2.below(row);
        for (ptrdiff_t u = 0; u < l.blocks(); ++u)
            memcpy(h_prev.from(u).data, h.from(u).data, size * PANEL * sizeof(float));
        for (ptrdiff_t u = 0; u < l.blocks(); u += GROUP) {
            const ptrdiff_t stop = std::min(u + GROUP, l.blocks());
            product_of_panels(
                tiles, false, in(h_prev), size, l.units, in(f.w_h.from(u * l.gates)),
                (stop - u) * l.gates * PANEL, NOTHING, {part, PANEL, size * PANEL});
            flags.begin();
            for (ptrdiff_t v = u; v < stop; ++v) {
                float *const arrays[] = {
                    gates.from(v * l.gates).data,
                    part + (v - u) * l.gates * size * PANEL,
                    f.new_bias + (v * l.batch + begin) * PANEL,
                    h.from(v).data, c.from(v).data, y,
                    kept1.from(v).data, kept2.from(v).data};
                STEPS[l.mode].f(arrays, 1, size * PANEL, l.apart(), *l.tanh);
                unpack_rows({y, PANEL, 0}, size, l.part(v),
                            ys + row * l.units + v * PANEL, l.units);
            }
            flags.end();
        }
    }
}

/* Loops over samples that threads share. */
template <typename F>
void over_samples(const Layer &l, double products, const F &f) {
    const ptrdiff_t count = (l.batch + SAMPLES - 1) / SAMPLES;
    parallel(count, grain_of(products / count, 0), [&](ptrdiff_t begin, ptrdiff_t end) {
        f(begin * SAMPLES, std::min(end * SAMPLES, l.batch));
    });
}

/* Floats that the trace takes, or what a pass keeps. */
template <typename Memory>
ptrdiff_t size_of(const Layer &l) {
    Parts parts(nullptr);
    Memory memory(l, parts);
    return parts.used;
}

/* States after each step and at the end; returns the flags raised. Weights and biases are
 * those of each gate for the input, then those for the last state; there are cells if cx
 * is given. */
inline int layer_forward(
        const Layer &l, const float *x, const float *const *w, const float *const *b,
        const float *hx, const float *cx, float *trace_memory, float *memory, float *ys,
        float *hy, float *cy) {
    const Tiles &tiles = *find_tiles();
    Parts trace_parts(trace_memory), parts(memory);
    const Trace trace(l, trace_parts);
    const Forward f(l, parts);
    pack_all_rows(l, x, l.inputs, trace.x);
    pack_weights(l, w, l.inputs, f.w_x, trace.w_x);
    pack_weights(l, w + l.gates, l.units, f.w_h, trace.w_h);
    pack_biases(l, b, f);
    pack_rows(hx, l.units, l.batch, l.units, f.h);
    if (cx)
        pack_rows(cx, l.units, l.batch, l.units, f.c);
    const double products = (double)l.width() * l.inputs;
    parallel(l.rows, std::max<ptrdiff_t>(SAMPLES, grain_of(products, 0)),
             [&](ptrdiff_t begin, ptrdiff_t end) {
        product_of_panels(
            tiles, false, in(trace.x.below(begin)), end - begin, l.inputs, in(f.w_x),
            l.width(), {f.bias, 0, PANEL}, trace.gates.below(begin));
    });
    feclearexcept(FLOAT_ERRORS);     // products do not warn
    over_samples(l, (double)l.rows * l.width() * l.units,
                 [&](ptrdiff_t begin, ptrdiff_t end) {
        scan_samples(l, tiles, trace, f, ys, begin, end);
    });
    const int flags = fetestexcept(FLOAT_ERRORS);
    unpack_rows(in(f.h), l.batch, l.units, hy, l.units);
    if (cx)
        unpack_rows(in(f.c), l.batch, l.units, cy, l.units);
    return flags;
}

/* Clears what fills up the last block of each gate. It is not zero if an input was
 * infinite, times weights of zero, and a sum over all units would spread it. */
inline void clear_filling(const Layer &l, const Out &gates, ptrdiff_t size) {
    const ptrdiff_t used = l.units % PANEL;
    if (!used)
        return;
    for (ptrdiff_t k = (l.blocks() - 1) * l.gates; k < l.blocks() * l.gates; ++k) {
        float *row = gates.from(k).data + used;
        for (ptrdiff_t i = 0; i < size; ++i, row += PANEL)
            std::fill_n(row, PANEL - used, 0.f);
    }
}

/* The gradient of all steps of some samples. */
inline void scan_samples_grad(const Layer &l, const Tiles &tiles, const Trace &trace,
                              const Backward &g, ptrdiff_t begin, ptrdiff_t end) {
    Flags flags;
    for (ptrdiff_t t = 0; t < l.steps; ++t) {
        const ptrdiff_t k = l.reverse ? t : l.steps - 1 - t;
        const ptrdiff_t size = std::min(l.sizes[k], end) - begin;
        const ptrdiff_t row = l.starts[k] + begin;
        if (size <= 0)
            continue;
        const Out gh = g.gh.below(begin), gc = g.gc.below(begin);
        const Out kept1 = trace.kept1.below(row), kept2 = trace.kept2.below(row);
        flags.begin();
        for (ptrdiff_t u = 0; u < l.blocks(); ++u) {
            float *const arrays[] = {
                trace.gates.below(row).from(u * l.gates).data,
                trace.h_prev.below(row).from(u).data,
                kept1.from(u).data, kept2.from(u).data,
                g.gys.below(row).from(u).data, gh.from(u).data, gc.from(u).data,
                g.gx.below(row).from(u * l.gates).data,
                g.gr.below(row).from(u * l.gates).data};
            STEP_GRADS[l.mode].f(arrays, 1, size * PANEL, l.apart(), *l.tanh);
        }
        flags.end();
        clear_filling(l, g.gx.below(row), size);
        if (l.gates == 3)
            clear_filling(l, g.gr.below(row), size);
        product_of_panels(
            tiles, false, in(g.gr.below(row)), size, l.width(), in(trace.w_h),
            l.blocks() * PANEL, l.gates == 3 ? in(gh) : NOTHING, gh);
    }
}

/* Adds some rows of a panel to sums of its columns: each fourth row at a time. */
CF_CLONES void add_columns(In a, ptrdiff_t rows, ptrdiff_t columns, float *out) {
    constexpr ptrdiff_t LANES = 4 * PANEL;
    float sums[LANES] = {};
    const ptrdiff_t end = rows * PANEL, whole = end - end % LANES;
    for (ptrdiff_t i = 0; i < whole; i += LANES)
        for (ptrdiff_t j = 0; j < LANES; ++j)
            sums[j] += a.data[i + j];
    for (ptrdiff_t j = 0; j < end - whole; ++j)
        sums[j] += a.data[whole + j];
    for (ptrdiff_t j = 0; j < columns; ++j)
        out[j] += (sums[j] + sums[PANEL + j])
            + (sums[2 * PANEL + j] + sums[3 * PANEL + j]);
}

/* Gradients of the weights and biases of some blocks of units of each gate, counted from
 * gate to gate: for the input, then for the last state. What a block of rows needs stays
 * in the cache. */
inline void weight_grads(const Layer &l, const Tiles &tiles, const Trace &trace,
                         const Backward &g, float *const *gw, float *const *gb,
                         ptrdiff_t begin, ptrdiff_t end) {
    const In rights[] = {in(trace.x), in(trace.h_prev)};
    const Out lefts[] = {g.gx, g.gr};
    const ptrdiff_t columns[] = {l.inputs, l.units};
    for (ptrdiff_t k = 0; k < l.rows; k += DEPTH) {
        const ptrdiff_t terms = std::min(DEPTH, l.rows - k);
        for (ptrdiff_t i = begin, stop; i < end; i = stop) {
            const ptrdiff_t gate = i / l.blocks(), block = i % l.blocks();
            stop = std::min(end, (gate + 1) * l.blocks());
            const ptrdiff_t last = block + stop - i;
            const ptrdiff_t units = std::min(last * PANEL, l.units) - block * PANEL;
            const ptrdiff_t unit = gate * l.units + block * PANEL;
            for (int side = 0; side < 2; ++side) {
                In left = in(lefts[side].below(k).from(block * l.gates + gate));
                left.panel *= l.gates;
                const Out out = {gw[side] + unit * columns[side], columns[side], PANEL};
                product_of_panels(
                    tiles, true, left, units, terms, rights[side].below(k),
                    columns[side], k ? in(out) : NOTHING, out);
                if (!k)
                    memset(gb[side] + unit, 0, units * sizeof(float));
                for (ptrdiff_t u = 0; u * PANEL < units; ++u)
                    add_columns(left.from(u), terms, std::min(PANEL, units - u * PANEL),
                                gb[side] + unit + u * PANEL);
            }
        }
    }
}

/* Gradients of all that `layer_forward` takes; returns the flags raised. Those of the
 * inputs are left out if gx is null. */
inline int layer_backward(
        const Layer &l, const float *gys, float *trace_memory, float *memory,
        const float *ghy, const float *gcy, float *gx, float *const *gw,
        float *const *gb, float *ghx, float *gcx) {
    const Tiles &tiles = *find_tiles();
    Parts trace_parts(trace_memory), parts(memory);
    const Trace trace(l, trace_parts);
    const Backward g(l, parts);
    pack_all_rows(l, gys, l.units, g.gys);
    pack_rows(ghy, l.units, l.batch, l.units, g.gh);
    if (gcy)
        pack_rows(gcy, l.units, l.batch, l.units, g.gc);
    const double step = (double)l.width() * l.units, input = (double)l.width() * l.inputs;
    feclearexcept(FLOAT_ERRORS);
    over_samples(l, l.rows * step, [&](ptrdiff_t begin, ptrdiff_t end) {
        scan_samples_grad(l, tiles, trace, g, begin, end);
    });
    const int flags = fetestexcept(FLOAT_ERRORS);
    unpack_rows(in(g.gh), l.batch, l.units, ghx, l.units);
    if (gcy)
        unpack_rows(in(g.gc), l.batch, l.units, gcx, l.units);
    const ptrdiff_t panels = l.blocks() * l.gates;
    parallel(panels, grain_of(l.rows * (step + input) / panels, 0),
             [&](ptrdiff_t begin, ptrdiff_t end) {
        weight_grads(l, tiles, trace, g, gw, gb, begin, end);
    });
    if (!gx)
        return flags;
    parallel(l.rows, std::max<ptrdiff_t>(SAMPLES, grain_of(input, 0)),
             [&](ptrdiff_t begin, ptrdiff_t end) {
        product_of_panels(
            tiles, false, in(g.gx.below(begin)), end - begin, l.width(), in(trace.w_x),
            l.inputs, NOTHING, {gx + begin * l.inputs, l.inputs, PANEL});
    });
    return flags;
}

/* Calls one of these functions with arrays of NumPy, while other threads run. */
template <auto f, typename... Arguments>
int released(Arguments... arguments) {
    const Release release(true);
    return by_type('f', f, f, argument(arguments)...);
}

}  // namespace
}  // namespace chainer_fast::recurrent
