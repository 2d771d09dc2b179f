/* Sums, for means on a GPU. */
#pragma once

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace reduction {

/* A sum of terms, and the number of those that count. */
template <typename T>
struct Counted {
    T total;
    long long count;

    CF_ELEMENT Counted() : total(0), count(0) {}

    CF_ELEMENT Counted(T total, long long count) : total(total), count(count) {}
};

template <typename T>
CF_ELEMENT Counted<T> operator+(Counted<T> some, Counted<T> others) {
    return Counted<T>(some.total + others.total, some.count + others.count);
}

}  // namespace reduction
}  // namespace chainer_fast
