/* The shape of a recurrent layer, what is kept of it in memory, and its weights in panels. */
#pragma once

#include <string.h>

#include <algorithm>

#include "chainer_fast/backends/kernels/common/panels.hpp"
#include "chainer_fast/_cpu/parallel.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast::recurrent {
namespace {

typedef Panels<float> Out;
typedef Panels<const float> In;

/* Zeros for as many rows and panels as are asked for. */
constexpr float ZEROS[PANEL] = {};
constexpr In NOTHING = {ZEROS, 0, 0};

inline In in(const Out &a) { return {a.data, a.row, a.panel}; }

/* The shape of a layer and of its sequence. */
struct Layer {
    ptrdiff_t mode, gates, inputs, units, batch, rows, steps;
    const ptrdiff_t *sizes;     /* of each step */
    const ptrdiff_t *starts;    /* first row of each step */
    bool reverse;
    const Unary *tanh;

    ptrdiff_t blocks() const { return panels_of(units); }

    /* Gates of all units, filled up. */
    ptrdiff_t width() const { return blocks() * gates * PANEL; }

    /* Floats between panels that have a row for each sample of each step. Rows of
     * neighbouring panels must not fall into the same sets of the cache. */
    ptrdiff_t apart() const {
        const ptrdiff_t rest = rows < 256 ? 0 : (8 - rows % 64 + 64) % 64;
        return (rows + rest) * PANEL;
    }

    /* Number of units in a block. */
    ptrdiff_t part(ptrdiff_t block) const {
        return std::min(PANEL, units - block * PANEL);
    }

    Out over_rows(float *data) const { return {data, PANEL, apart()}; }
    Out over_batch(float *data) const { return {data, PANEL, batch * PANEL}; }
};

/* Hands out parts of a block of memory; without memory it only counts. */
class Parts {
public:
    explicit Parts(float *data) : data(data) {}

    float *take(ptrdiff_t n) {
        float *part = data ? data + used : nullptr;
        used += (n + PANEL - 1) / PANEL * PANEL;
        return part;
    }

    ptrdiff_t used = 0;

private:
    float *data;
};

/* What the gradient needs of the forward pass. The weights are those of that time. */
struct Trace {
    Out w_x, w_h, x, gates, h_prev, kept1, kept2;

    Trace(const Layer &l, Parts &parts) {
        const ptrdiff_t panel = l.width() * PANEL;
        w_x = {parts.take(panels_of(l.inputs) * panel), PANEL, panel};
        w_h = {parts.take(l.blocks() * panel), PANEL, panel};
        x = l.over_rows(parts.take(panels_of(l.inputs) * l.apart()));
        gates = l.over_rows(parts.take(l.blocks() * l.gates * l.apart()));
        h_prev = l.over_rows(parts.take(l.blocks() * l.apart()));
        /* Loops that keep less do not look at these. */
        kept1 = kept2 = h_prev;
        if (l.gates > 1)
            kept1 = l.over_rows(parts.take(l.blocks() * l.apart()));
        if (l.gates > 3)
            kept2 = l.over_rows(parts.take(l.blocks() * l.apart()));
    }
};

/* Intermediate results of the forward pass. */
struct Forward {
    Out w_x, w_h;
    float *bias, *new_bias, *parts, *y;
    Out h, c;

    Forward(const Layer &l, Parts &memory) {
        const ptrdiff_t x_panel = panels_of(l.inputs) * PANEL * PANEL;
        const ptrdiff_t h_panel = l.blocks() * PANEL * PANEL;
        const ptrdiff_t state = l.blocks() * l.batch * PANEL;
        w_x = {memory.take(l.blocks() * l.gates * x_panel), PANEL, x_panel};
        w_h = {memory.take(l.blocks() * l.gates * h_panel), PANEL, h_panel};
        bias = memory.take(l.width());
        new_bias = memory.take(l.gates == 3 ? state : 0);
        parts = memory.take(2 * l.gates * l.batch * PANEL);
        y = memory.take(l.batch * PANEL);
        h = l.over_batch(memory.take(state));
        c = l.over_batch(memory.take(state));
    }
};

/* Intermediate results of the gradient. */
struct Backward {
    Out gys, gx, gr, gh, gc;

    Backward(const Layer &l, Parts &memory) {
        const ptrdiff_t state = l.blocks() * l.batch * PANEL;
        gys = l.over_rows(memory.take(l.blocks() * l.apart()));
        gx = gr = l.over_rows(memory.take(l.blocks() * l.gates * l.apart()));
        if (l.gates == 3)
            gr = l.over_rows(memory.take(l.blocks() * l.gates * l.apart()));
        gh = l.over_batch(memory.take(state));
        gc = l.over_batch(memory.take(state));
    }
};

/* How many of some items a thread should have at least: a part takes some 10
 * microseconds or more, at a hundred multiplications or one copied float a nanosecond. */
inline ptrdiff_t grain_of(double products, double copies) {
    return std::max<ptrdiff_t>(1, (ptrdiff_t)(1e4 / (products / 100 + copies + 1)));
}

inline void pack_all_rows(const Layer &l, const float *a, ptrdiff_t columns, Out out) {
    parallel(l.rows, grain_of(0, columns), [&](ptrdiff_t begin, ptrdiff_t end) {
        pack_rows(a + begin * columns, columns, end - begin, columns, out.below(begin));
    });
}

/* Weights of each gate, of the shape (units, columns), as right operands: transposed; and
 * as they are, gates of all blocks in a row. */
inline void pack_weights(const Layer &l, const float *const *w, ptrdiff_t columns,
                         Out transposed, Out plain) {
    const ptrdiff_t count = l.blocks() * l.gates;
    parallel(count, grain_of(0, 2 * PANEL * columns),
             [&](ptrdiff_t begin, ptrdiff_t end) {
        for (ptrdiff_t k = begin; k < end; ++k) {
            const ptrdiff_t block = k / l.gates, n = l.part(block);
            const float *part = w[k % l.gates] + block * PANEL * columns;
            const Out rows = plain.below(k * PANEL);
            pack_transposed(part, columns, n, columns, transposed.from(k).data);
            pack_rows(part, columns, n, columns, rows);
            for (ptrdiff_t p = 0; n < PANEL && p < panels_of(columns); ++p)
                memset(rows.below(n).from(p).data, 0,
                       (PANEL - n) * PANEL * sizeof(float));
        }
    });
}

/* Biases: of the input's projections; and for 'gru' that of the last state's part of the
 * new state, for each sample. */
inline void pack_biases(const Layer &l, const float *const *b, const Forward &f) {
    for (ptrdiff_t k = 0; k < l.blocks() * l.gates; ++k) {
        const ptrdiff_t block = k / l.gates, gate = k % l.gates;
        const float *b_x = b[gate] + block * PANEL;
        const float *b_h = b[l.gates + gate] + block * PANEL;
        const bool is_apart = l.gates == 3 && gate == 2;
        float *out = f.bias + k * PANEL;
        memset(out, 0, PANEL * sizeof(float));
        for (ptrdiff_t j = 0; j < l.part(block); ++j)
            out[j] = is_apart ? b_x[j] : b_x[j] + b_h[j];
        if (!is_apart)
            continue;
        for (ptrdiff_t i = 0; i < l.batch; ++i) {
            float *row = f.new_bias + (block * l.batch + i) * PANEL;
            memset(row, 0, PANEL * sizeof(float));
            memcpy(row, b_h, l.part(block) * sizeof(float));
        }
    }
}

}  // namespace
}  // namespace chainer_fast::recurrent
