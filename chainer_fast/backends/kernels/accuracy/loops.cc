/* Labels that have the highest score.
 *
 * The result is not the class of the highest score, only whether it is that of the
 * label: a row is left at the first piece where another class comes before it. As for
 * numpy.argmax, the first of equal scores is the highest, and NaN is higher than
 * numbers. */
#include "chainer_fast/backends/kernels/declared/loop.hpp"

#include <fenv.h>
#include <stdint.h>

#include <algorithm>
#include <type_traits>

namespace chainer_fast::accuracy {
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

/* Number of rows whose label is hit. */
template <typename T, typename Label>
ptrdiff_t hits(const Call &c) {
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 0; i < c.rows; ++i) {
        const Label label = *c.at<Label>(1, i);
        found += 0 <= label && label < c.columns
            && is_highest(c.at<T>(0, i), (ptrdiff_t)label, c.columns);
    }
    return found;
}

template <typename T>
void accuracy(const Call &c) {
    /* The count of more rows would be rounded: a flag has the reference compute. */
    if (c.rows >= 1 << 24)
        feraiseexcept(FE_INVALID);
    else
        *c.at<T>(2) = T(c.operands[1].wide ? hits<T, int64_t>(c) : hits<T, int32_t>(c))
            / T(c.rows);
}

}  // namespace

const Declaration KERNELS[] = {
    {"accuracy", "x:F(n;m) t:label(n) ignore_label:none -> share:F()",
     accuracy<float>, accuracy<double>, BY_ITSELF, {}},
    {}};

}  // namespace chainer_fast::accuracy
