/* Declared loops of functions of three elements. */
#pragma once

#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/declared/call.hpp"

namespace chainer_fast {
namespace {

template <typename Element, typename T>
CF_CLONES void over_three(const T *a, const T *b, const T *c, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = Element::of(a[i], b[i], c[i]);
}

template <typename Element, typename T>
void of_three(const Call &e) {
    over_three<Element>(e.at<T>(0), e.at<T>(1), e.at<T>(2), e.at<T>(3), e.columns);
}

}  // namespace
}  // namespace chainer_fast
