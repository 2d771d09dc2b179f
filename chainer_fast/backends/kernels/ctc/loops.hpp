/* Connectionist temporal classification, a sample at a time in double precision. */
#pragma once

#include <math.h>
#include <string.h>

#include <algorithm>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/common/logspace.hpp"
#include "chainer_fast/_cpu/buffer.hpp"

namespace chainer_fast::ctc {
namespace {

/* Rows of states have two without probability on either side. */
constexpr ptrdiff_t MARGIN = 2;

struct Sample {
    ptrdiff_t steps;    /* times up to which the path goes */
    ptrdiff_t length;   /* times that have a gradient */
    ptrdiff_t stride;   /* distance of two times in the scores */
    ptrdiff_t classes, states;
    ptrdiff_t pitch;    /* of rows of states with their margins */
    int32_t *path;      /* class of each state */
    double *bar;        /* log weight of coming from two states before */
    double *log_p;      /* by time and state */
    double *before;     /* by time and state, in rows of `pitch` */
    double *after, *ahead;
    double *row;        /* room for a row of classes or states */
};

/* Lays blanks between the labels, and bars where a blank must not be skipped. */
inline void set_path(const Sample &a, const int32_t *labels, int32_t blank) {
    std::fill_n(a.bar, a.states + MARGIN, LOG_ZERO);
    a.path[0] = blank;
    for (ptrdiff_t i = 0; i < a.states / 2; ++i) {
        const int32_t label = labels[i];
        if (i > 0 && label != labels[i - 1])
            a.bar[2 * i + 1] = 0;
        a.path[2 * i + 1] = label >= 0 ? label : label + (int32_t)a.classes;
        a.path[2 * i + 2] = blank;
    }
}

/* Fills `log_p`, and `gx` with probabilities unless it is NULL. */
template <typename T>
void set_probabilities(const Sample &a, const T *x, T *gx) {
    for (ptrdiff_t t = 0; t < std::max(a.steps, a.length); ++t, x += a.stride) {
        double norm = exp_row(x, a.row, a.classes), total = sum_lanes(a.row, a.classes);
        /* If all scores are minus infinity, no class is possible. */
        if (total == 0)
            total = 1;
        norm += log(total);
        if (t < a.steps)
            for (ptrdiff_t s = 0; s < a.states; ++s) {
                const double value = x[a.path[s]] - norm;
                a.log_p[t * a.states + s] = value < LOG_ZERO ? LOG_ZERO : value;
            }
        if (gx && t < a.length)
            divide_row(a.row, total, gx + t * a.stride, a.classes);
    }
}

/* Fills `before`: the probability of all ways to each state; joins the last two. */
inline double log_likelihood(const Sample &a) {
    double *row = a.before + MARGIN;
    std::fill_n(a.before, a.steps * a.pitch, LOG_ZERO);
    row[0] = a.log_p[0];
    if (a.states > 1)
        row[1] = a.log_p[1];
    for (ptrdiff_t t = 1; t < a.steps; ++t) {
        const double *last = row;
        row += a.pitch;
        join3(last, last - 1, last - 2, a.bar, a.log_p + t * a.states, row, a.states);
    }
    double result = row[a.states - 1];
    const double zero = 0;
    if (a.states > 1)
        join3(&result, row + a.states - 2, &LOG_ZERO, &zero, &zero, &result, 1);
    return result;
}

/* Takes from `gx` the share that each class has in the paths at each time. `after` has the
 * probability of all ways from a state to the end, without that of the state itself, which
 * `ahead` adds. */
template <typename T>
void take_shares(const Sample &a, double log_likelihood, T *gx) {
    double *after = a.after + MARGIN, *ahead = a.ahead + MARGIN;
    std::fill_n(a.ahead, a.pitch, LOG_ZERO);
    std::fill_n(a.after, a.pitch, LOG_ZERO);
    after[a.states - 1] = 0;
    if (a.states > 1)
        after[a.states - 2] = 0;
    for (ptrdiff_t t = a.steps - 1; t >= 0; --t) {
        if (t < a.steps - 1) {
            memset(a.row, 0, a.states * sizeof(double));
            join3(ahead, ahead + 1, ahead + 2, a.bar + 2, a.row, after, a.states);
        }
        if (t < a.length) {
            fill_shares(a.before + t * a.pitch + MARGIN, after, log_likelihood, a.row,
                        a.states);
            for (ptrdiff_t s = 0; s < a.states; ++s)
                gx[t * a.stride + a.path[s]] -= (T)a.row[s];
        }
        for (ptrdiff_t s = 0; s < a.states; ++s)
            ahead[s] = after[s] + a.log_p[t * a.states + s];
    }
}

/* Fills the losses, infinite for impossible labels, and the gradients unless `gx` is NULL.
 */
template <typename T>
void ctc(const T *x, T *gx, const int32_t *labels, int32_t blank,
         const int32_t *input_length, const int32_t *label_length, double *losses,
         ptrdiff_t steps, ptrdiff_t batch, ptrdiff_t classes, ptrdiff_t width) {
    Sample a;
    const ptrdiff_t states = 2 * width + 1;
    a.stride = batch * classes, a.classes = classes, a.pitch = states + 2 * MARGIN;
    const auto memory = buffer<double>(
        steps * (a.pitch + states) + 3 * a.pitch + std::max(states, classes));
    const auto path = buffer<int32_t>(states);
    a.before = memory.get();
    a.log_p = a.before + steps * a.pitch;
    a.after = a.log_p + steps * states;
    a.ahead = a.after + a.pitch;
    a.bar = a.ahead + a.pitch;
    a.row = a.bar + a.pitch;
    a.path = path.get();
    for (ptrdiff_t i = 0; i < batch; ++i, x += classes, labels += width) {
        a.states = 2 * label_length[i] + 1;
        a.length = std::min(std::max<ptrdiff_t>(input_length[i], 0), steps);
        /* A length below one counts from the end, like any index. */
        a.steps = input_length[i] < 1 ? input_length[i] + steps : input_length[i];
        losses[i] = INFINITY;
        if (1 <= a.steps && a.steps <= steps) {
            set_path(a, labels, blank);
            set_probabilities(a, x, gx);
            const double loss = -log_likelihood(a);
            losses[i] = loss > -LOG_ZERO / 2 ? INFINITY : loss;
        }
        if (!gx)
            continue;
        if (losses[i] == INFINITY)
            a.length = 0;
        else if (a.length)
            take_shares(a, -losses[i], gx);
        for (ptrdiff_t t = a.length; t < steps; ++t)
            memset(gx + t * a.stride, 0, classes * sizeof(T));
        gx += classes;
    }
}

constexpr Loop ctc_loop = {ctc<float>, ctc<double>};

}  // namespace
}  // namespace chainer_fast::ctc
