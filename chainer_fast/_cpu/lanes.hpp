/* Several numbers at once: vectors of 64 bytes, or single numbers if the compiler does
 * not support vectors. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "chainer_fast/_cpu/element.hpp"

namespace chainer_fast {
namespace {

/* As many elements of type U as there are elements of type T in a vector. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
template <typename T, typename U = T>
struct Lanes {
    static constexpr ptrdiff_t COUNT = 64 / sizeof(T);
    typedef U type __attribute__((vector_size(COUNT * sizeof(U))));
};
template <typename To, typename From>
CF_ELEMENT To converted(const From &v) { return __builtin_convertvector(v, To); }
#else
template <typename T, typename U = T>
struct Lanes {
    static constexpr ptrdiff_t COUNT = 1;
    typedef U type;
};
template <typename To, typename From>
CF_ELEMENT To converted(const From &v) { return (To)v; }
#endif

template <typename V, typename T>
CF_ELEMENT V lanes_at(const T *p) {
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}

template <typename V, typename T>
CF_ELEMENT void put_lanes(T *p, const V &v) { memcpy(p, &v, sizeof v); }

}  // namespace
}  // namespace chainer_fast
