/* Sums of the exponentials of some scores, for the GPU.
 *
 * There, many threads look at parts of a row, and the largest score is not known before
 * the last of them is done. The processor finds it first, and has NumPy's function fill
 * a block with exponentials: see loops.hpp. */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace softmax {

/* The largest of some scores, and the sum of their exponentials relative to it. */
template <typename T>
struct Exponentials {
    T top, total;

    /* Of no scores. */
    CF_ELEMENT Exponentials() : top(T(-infinity())), total(0) {}

    /* Of one score: 1, but NaN if the score is infinite upwards or NaN. */
    CF_ELEMENT explicit Exponentials(T x)
        : top(x), total(x < T(infinity()) ? T(1) : x - x) {}
};

/* The factor for a sum of exponentials that has become relative to ``top``. */
template <typename T>
CF_ELEMENT T rescaled(T old_top, T top) {
    return old_top == top ? T(1) : T(exp(old_top - top));
}

template <typename T>
CF_ELEMENT Exponentials<T> join(Exponentials<T> some, Exponentials<T> others) {
    Exponentials<T> all;
    all.top = some.top < others.top ? others.top : some.top;
    all.total = some.total * rescaled(some.top, all.top)
        + others.total * rescaled(others.top, all.top);
    return all;
}

/* The same beside the sum of soft labels, and of the scores weighted by them. */
template <typename T>
struct Weighed {
    Exponentials<T> scores;
    T labels, products;

    CF_ELEMENT Weighed() : labels(0), products(0) {}

    /* Of one score x with the label t; ``products`` are relative to the largest score,
     * and lack the term that is given. */
    CF_ELEMENT Weighed(T x, T t, T term) : scores(x), labels(t), products(-term) {}
};

template <typename T>
CF_ELEMENT T moved(T labels, T old_top, T top) {
    return old_top == top || labels == T(0) ? T(0) : labels * (old_top - top);
}

template <typename T>
CF_ELEMENT Weighed<T> join(Weighed<T> some, Weighed<T> others) {
    Weighed<T> all;
    all.scores = join(some.scores, others.scores);
    all.labels = some.labels + others.labels;
    all.products = some.products + moved(some.labels, some.scores.top, all.scores.top)
        + others.products + moved(others.labels, others.scores.top, all.scores.top);
    return all;
}

}  // namespace softmax
}  // namespace chainer_fast
