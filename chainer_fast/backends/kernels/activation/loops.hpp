/* Loops of activations with arrays of parameters, and of maxout. */
#pragma once

#include <string.h>

#include <algorithm>

#include "chainer_fast/backends/kernels/activation/elements.hpp"
#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/common/exponential.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast::activation {
namespace {

template <typename T>
CF_CLONES void mix(
        const T *a, const T *b, const unsigned char *flags, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const T flag = flags[i] ? T(1) : T(0);    // without a jump, as it is not a bool
        out[i] = Mix::of(a[i], b[i], flag);
    }
}

/* -- parameters w of runs of elements
 *
 * The run of w[c] is ``run`` elements long; the run of the last parameter is followed
 * by that of the first. */

/* The parameters of the elements from ``at`` on. */
template <typename T>
void spread(const T *w, T *out, ptrdiff_t at, ptrdiff_t n, ptrdiff_t count,
            ptrdiff_t run) {
    ptrdiff_t i = 0, c = at / run % count, left = run - at % run;
    if (run == 1) {
        for (; i < n; c = 0) {
            const ptrdiff_t m = n - i < count - c ? n - i : count - c;
            memcpy(out + i, w + c, m * sizeof(T));
            i += m;
        }
        return;
    }
    while (i < n) {
        const ptrdiff_t end = i + left < n ? i + left : n;
        for (; i < end; ++i)
            out[i] = w[c];
        c = c + 1 == count ? 0 : c + 1;
        left = run;
    }
}

/* Adds the terms of the elements from ``at`` on to the totals of their parameters. */
template <typename T>
CF_CLONES void gather(const T *part, double *totals, ptrdiff_t at, ptrdiff_t n,
                      ptrdiff_t count, ptrdiff_t run) {
    ptrdiff_t i = 0, j, c = at / run % count, left = run - at % run;
    if (run == 1) {
        for (; i < n; c = 0) {
            const ptrdiff_t m = n - i < count - c ? n - i : count - c;
            for (j = 0; j < m; ++j)
                totals[c + j] += part[i + j];
            i += m;
        }
        return;
    }
    while (i < n) {
        const ptrdiff_t end = i + left < n ? i + left : n;
        double t[8] = {0, 0, 0, 0, 0, 0, 0, 0}, total = 0;
        for (; i + 8 <= end; i += 8)
            for (j = 0; j < 8; ++j)
                t[j] += part[i + j];
        for (; i < end; ++i)
            total += part[i];
        for (j = 0; j < 8; ++j)
            total += t[j];
        totals[c] += total;
        c = c + 1 == count ? 0 : c + 1;
        left = run;
    }
}

template <typename T>
CF_CLONES void prelu_grads(const T *x, const T *w, const T *g, const T *signs, T *gx,
                           T *gw, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        PReLU::grads(x[i], w[i], g[i], signs[i], gx[i], gw[i]);
}

/* The sigmoids of w x, and of doubles with NumPy's hyperbolic tangent. */

CF_CLONES void fill_gates(
        const float *x, const float *w, float *out, ptrdiff_t n, const Unary &) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = one_ulp::sigmoid(w[i] * x[i]);
}

CF_CLONES void fill_gates(const double *x, const double *w, double *out, ptrdiff_t n,
                          const Unary &tanh) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = Swish::inner(x[i], w[i]);
    tanh.run(out, out, n);
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = Sigmoid::outer(x[i], out[i]);
}

template <typename T>
CF_CLONES void multiply_by(const T *x, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = x[i] * out[i];
}

template <typename T>
CF_CLONES void swish_grads(
        const T *x, const T *w, const T *g, T *out, T *gw, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        Swish::gate_grads(x[i], w[i], g[i], out[i], out[i], gw[i]);
}

template <typename T>
CF_CLONES void prelu(const T *x, const T *w, T *y, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        y[i] = PReLU::of(x[i], w[i]);
}

/* With ``tanh`` a swish, otherwise a parametric ReLU. */
template <typename T>
void parametric(const T *x, const T *w, T *y, ptrdiff_t n, ptrdiff_t count,
                ptrdiff_t run, const Unary *tanh) {
    const ptrdiff_t parts = (n + PART - 1) / PART;
    parallel(parts, GRAIN / PART, [=](ptrdiff_t begin, ptrdiff_t end) {
        T wide[PART];
        for (ptrdiff_t i = begin * PART; begin < end; ++begin, i += PART) {
            const ptrdiff_t m = part_at(i, n);
            spread(w, wide, i, m, count, run);
            if (!tanh) {
                prelu(x + i, wide, y + i, m);
                continue;
            }
            fill_gates(x + i, wide, y + i, m, *tanh);
            multiply_by(x + i, y + i, m);
        }
    });
}

/* Totals are in double precision, and initially zero. A thread has some parameters, and
 * finds their terms in the same pieces as one that has all. */
template <typename T>
void parametric_grads(
        const T *x, const T *w, const T *g, const T *signs, T *gx, T *gw,
        double *totals, ptrdiff_t n, ptrdiff_t count, ptrdiff_t run,
        const Unary *tanh) {
    parallel(count, GRAIN / 4 * count / n + 1, [=](ptrdiff_t first, ptrdiff_t last) {
        T wide[PART], part[PART];
        const bool all = last - first == count;
        const ptrdiff_t row = all ? n : count * run;
        const ptrdiff_t width = all ? n : (last - first) * run;
        for (ptrdiff_t begin = first * run; begin < n; begin += row)
            for (ptrdiff_t i = begin, m; i < begin + width; i += m) {
                m = std::min(PART - i % PART, begin + width - i);
                spread(w, wide, i, m, count, run);
                if (tanh) {
                    fill_gates(x + i, wide, gx + i, m, *tanh);
                    swish_grads(x + i, wide, g + i, gx + i, part, m);
                } else
                    prelu_grads(x + i, wide, g + i, signs + i, gx + i, part, m);
                gather(part, totals, i, m, count, run);
            }
    });
    std::copy_n(totals, count, gw);
}

/* -- groups of ``size`` elements that are ``inner`` apart */

template <typename T>
CF_AVX2_CLONES void maxout(
        const T *x, T *y, ptrdiff_t groups, ptrdiff_t size, ptrdiff_t inner) {
    if (inner == 1 && size == 2) {
        for (ptrdiff_t i = 0; i < groups; ++i)
            y[i] = Maxout::of(x[2 * i], x[2 * i + 1]);
        return;
    }
    if (inner == 1) {
        for (ptrdiff_t i = 0; i < groups; ++i, x += size) {
            T largest = x[0];
            for (ptrdiff_t k = 1; k < size; ++k)
                largest = Maxout::of(largest, x[k]);
            y[i] = largest;
        }
        return;
    }
    for (ptrdiff_t i = 0; i < groups; ++i, x += size * inner, y += inner) {
        for (ptrdiff_t j = 0; j < inner; ++j)
            y[j] = x[j];
        for (ptrdiff_t k = 1; k < size; ++k)
            for (ptrdiff_t j = 0; j < inner; ++j)
                y[j] = Maxout::of(y[j], x[k * inner + j]);
    }
}

template <typename T>
CF_AVX2_CLONES void maxout_grads(
        const T *x, const T *y, const T *g, T *gx, ptrdiff_t groups, ptrdiff_t size,
        ptrdiff_t inner) {
    if (inner == 1) {
        for (ptrdiff_t i = 0; i < groups; ++i, x += size, gx += size)
            for (ptrdiff_t k = 0; k < size; ++k)
                gx[k] = Maxout::grad(x[k], y[i], g[i]);
        return;
    }
    for (ptrdiff_t i = 0; i < groups; ++i, y += inner, g += inner)
        for (ptrdiff_t k = 0; k < size; ++k, x += inner, gx += inner)
            for (ptrdiff_t j = 0; j < inner; ++j)
                gx[j] = Maxout::grad(x[j], y[j], g[j]);
}

constexpr Loop mix_loop = {mix<float>, mix<double>};
constexpr Loop parametric_loop = {parametric<float>, parametric<double>};
constexpr Loop parametric_grads_loop = {
    parametric_grads<float>, parametric_grads<double>};
constexpr Loop maxout_loop = {maxout<float>, maxout<double>};
constexpr Loop maxout_grads_loop = {maxout_grads<float>, maxout_grads<double>};

}  // namespace
}  // namespace chainer_fast::activation
