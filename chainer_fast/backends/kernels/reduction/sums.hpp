/* Sums of long rows, by several threads if that pays. */
#pragma once

#include <vector>

#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast::reduction {
namespace {

/* The pairwise sum of a long row cuts it in halves of halves, down to pieces that are
 * summed on their own: adding the pieces up again in that order gives the same bits. */
constexpr ptrdiff_t LONG_PIECE = 16384;

template <typename T>
struct Piece {
    const T *data;
    ptrdiff_t n;
    T sum;
};

template <typename T, typename SumOf>
T sum_of_pieces(const T *x, ptrdiff_t n, const SumOf &sum_of) {
    if (n <= LONG_PIECE)
        return sum_of(x, n);
    const ptrdiff_t half = n / 2 - n / 2 % 8;
    const T sum = sum_of_pieces(x, half, sum_of);
    return sum + sum_of_pieces(x + half, n - half, sum_of);
}

template <typename T>
T shared_row_sum(const T *x, ptrdiff_t n) {
    if (n < 2 * LONG_PIECE || thread_limit() == 1)
        return row_sum(x, n);
    std::vector<Piece<T>> pieces;
    sum_of_pieces(x, n, [&](const T *data, ptrdiff_t size) {
        pieces.push_back({data, size, T(0)});
        return T(0);
    });
    parallel(pieces.size(), 1, [&](ptrdiff_t i, ptrdiff_t end) {
        for (; i < end; ++i)
            pieces[i].sum = row_sum(pieces[i].data, pieces[i].n);
    });
    const Piece<T> *next = pieces.data();
    return sum_of_pieces(x, n, [&](const T *, ptrdiff_t) { return next++->sum; });
}

}  // namespace
}  // namespace chainer_fast::reduction
