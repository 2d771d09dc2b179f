/* A state of connectionist temporal classification at one time, for the GPU: there, a
 * launch takes one step of all samples, while the processor does a sample at a time, in
 * loops over its states (common/logspace.hpp). Probabilities are given by their
 * logarithms, in double precision. */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace ctc {

/* The logarithm of zero: a difference of infinities would be NaN. */
CF_ELEMENT double log_zero() {
    return -1e30;
}

CF_ELEMENT double log_add(double a, double b) {
    return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b));
}

/* The label of a state of a sample, which has blanks around its labels. */
template <typename Labels>
CF_ELEMENT int label_at(const Labels &labels, ptrdiff_t sample, ptrdiff_t state,
                        ptrdiff_t states, int blank) {
    return state % 2 ? int(labels[sample * (states / 2) + state / 2]) : blank;
}

/* Whether a state can be reached from the last but one: a blank may be left out between
 * two different labels. */
template <typename Labels>
CF_ELEMENT bool may_skip(const Labels &labels, ptrdiff_t sample, ptrdiff_t state,
                         ptrdiff_t states) {
    return state % 2 && state >= 3
        && labels[sample * (states / 2) + state / 2]
            != labels[sample * (states / 2) + state / 2 - 1];
}

/* The probability of the label of a state, given the largest score of all classes and
 * the sum of exponentials relative to it. Without any possible class it is zero. */
CF_ELEMENT double label_log_probability(double score, double top, double total) {
    const double log_p = top == -infinity() ? score : score - top - log(total);
    return log_p < log_zero() ? log_zero() : log_p;
}

/* The last time of a sample. */
CF_ELEMENT int last_time(int length, int steps) {
    return length < 1 ? length - 1 + steps : length - 1;
}

CF_ELEMENT bool is_end(ptrdiff_t state, int labels) {
    return state == 2 * labels || state == 2 * labels - 1;
}

}  // namespace ctc
}  // namespace chainer_fast
