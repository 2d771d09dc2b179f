/* Labels that have the highest score.
 *
 * Nobody asks which class has the highest score, only whether it is the one of the label:
 * a row is left at the first piece where another class comes before it. As for
 * numpy.argmax, the first of equal scores is the highest, and NaN is higher than numbers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <type_traits>

#include "chainer_fast/backends/kernels/common/loops.hpp"

namespace chainer_fast {
namespace {

constexpr ptrdiff_t PIECE = 128;

/* An integer of the size of a float, so that loops over both are vectorized. */
template <typename T>
using Flag = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

template <typename T>
CF_CLONES bool all_below(const T *x, ptrdiff_t n, T score) {
    Flag<T> others = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        others |= !(x[i] < score);
    return others == 0;
}

template <typename T>
CF_CLONES bool none_above(const T *x, ptrdiff_t n, T score) {
    Flag<T> others = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        others |= !(x[i] <= score);
    return others == 0;
}

template <typename T>
CF_CLONES bool all_numbers(const T *x, ptrdiff_t n) {
    Flag<T> others = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        others |= x[i] != x[i];
    return others == 0;
}

template <typename T, typename Test>
bool holds_in_pieces(const T *x, ptrdiff_t n, Test test) {
    for (; n > 0; x += PIECE, n -= PIECE)
        if (!test(x, std::min(n, PIECE)))
            return false;
    return true;
}

template <typename T>
bool is_highest(const T *x, ptrdiff_t label, ptrdiff_t classes) {
    const T score = x[label];
    if (score != score)
        return holds_in_pieces(x, label, all_numbers<T>);
    return holds_in_pieces(x, label, [=](const T *piece, ptrdiff_t n) {
        return all_below(piece, n, score);
    }) && holds_in_pieces(x + label + 1, classes - label - 1,
                          [=](const T *piece, ptrdiff_t n) {
        return none_above(piece, n, score);
    });
}

/* Number of rows of a matrix of scores whose label is hit. */
template <typename T, typename Label>
ptrdiff_t hits(const T *x, const Label *labels, ptrdiff_t rows, ptrdiff_t classes) {
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 0; i < rows; ++i, x += classes)
        found += 0 <= labels[i] && labels[i] < classes
            && is_highest(x, (ptrdiff_t)labels[i], classes);
    return found;
}

}  // namespace
}  // namespace chainer_fast
