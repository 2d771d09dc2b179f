/* Several numbers at once: vectors of 64 bytes, or single numbers if the compiler does
 * not support vectors. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>
#include <utility>

#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {
namespace {

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
/* The compiler keeps a vector in memory if no register is as long, and compares its
 * elements one by one: parts are as long as registers of AVX2, and of other processors.
 * With AVX-512, which has longer ones, these are as fast. */
#if defined(__x86_64__)
constexpr ptrdiff_t REGISTER = 32;
#else
constexpr ptrdiff_t REGISTER = 16;
#endif
#define CF_EACH_PART(V) CF_UNROLL(16) for (int i = 0; i < V::PARTS; ++i)

template <typename U, ptrdiff_t N>
struct Several {
    static constexpr ptrdiff_t SIZE = N * sizeof(U);
    static constexpr int PARTS = SIZE > REGISTER ? SIZE / REGISTER : 1;
    static constexpr ptrdiff_t EACH = N / PARTS;
    typedef U Element;
    typedef U Part __attribute__((vector_size(SIZE / PARTS)));
    Part part[PARTS];

    CF_ELEMENT U operator[](ptrdiff_t k) const { return part[k / EACH][k % EACH]; }

#define CF_OPERATOR(op) \
    friend CF_ELEMENT Several operator op(const Several &a, const Several &b) { \
        Several c; \
        CF_EACH_PART(Several) c.part[i] = a.part[i] op b.part[i]; \
        return c; \
    } \
    friend CF_ELEMENT Several operator op(const Several &a, U b) { \
        Several c; \
        CF_EACH_PART(Several) c.part[i] = a.part[i] op b; \
        return c; \
    }
    CF_OPERATOR(+)
    CF_OPERATOR(-)
    CF_OPERATOR(*)
    CF_OPERATOR(/)
#undef CF_OPERATOR
    CF_ELEMENT Several &operator+=(const Several &b) { return *this = *this + b; }
    CF_ELEMENT Several &operator|=(const Several &b) {
        CF_EACH_PART(Several) part[i] |= b.part[i];
        return *this;
    }

    /* All bits of an element are set where a comparison holds. */
    typedef Several<typename std::conditional<sizeof(U) == 4, int32_t, int64_t>::type, N>
        Mask;
#define CF_COMPARISON(op, B, b) \
    friend CF_ELEMENT Mask operator op(const Several &a, B) { \
        Mask c; \
        CF_EACH_PART(Mask) c.part[i] = (typename Mask::Part)(a.part[i] op b); \
        return c; \
    }
    CF_COMPARISON(>, const Several &b, b.part[i])
    CF_COMPARISON(!=, const Several &b, b.part[i])
    CF_COMPARISON(==, U b, b)
#undef CF_COMPARISON
};

template <typename M, typename U, ptrdiff_t N>
CF_ELEMENT Several<U, N> chosen(const M &which, const Several<U, N> &a,
                                const Several<U, N> &b) {
    Several<U, N> c;
    CF_EACH_PART(M) c.part[i] = which.part[i] ? a.part[i] : b.part[i];
    return c;
}

/* The same integer for all elements. */
template <typename M, typename U, ptrdiff_t N>
CF_ELEMENT Several<U, N> chosen(const M &which, U a, const Several<U, N> &b) {
    Several<U, N> c;
    CF_EACH_PART(M) c.part[i] = which.part[i] ? which.part[i] & a : b.part[i];
    return c;
}

/* As many elements of type U as there are elements of type T in a vector. */
template <typename T, typename U = T>
struct Lanes {
    static constexpr ptrdiff_t COUNT = 64 / sizeof(T);
    typedef Several<U, COUNT> type;
};

/* A part of elements from p[k] on. */
template <typename V, typename P, size_t... K>
CF_ELEMENT typename V::Part part_of(const P &p, ptrdiff_t k, std::index_sequence<K...>) {
    const typename V::Part part = {(typename V::Element)p[k + K]...};
    return part;
}

/* By elements, of which the compiler makes vectors: its own conversion is of halves. */
template <typename V, typename P>
CF_ELEMENT V converted(const P &p) {
    V v;
    CF_EACH_PART(V) v.part[i] = part_of<V>(
        p, i * V::EACH, std::make_index_sequence<V::EACH>());
    return v;
}

/* Elements from p on, which may be of another type. */
template <typename V, typename T>
CF_ELEMENT V lanes_at(const T *p) {
    if constexpr (std::is_arithmetic<V>::value)
        return *p;
    else if constexpr (!std::is_same<T, typename V::Element>::value)
        return converted<V>(p);
    else {
        V v;
        CF_EACH_PART(V) memcpy(&v.part[i], p + i * V::EACH, sizeof v.part[i]);
        return v;
    }
}

template <typename T, typename V>
CF_ELEMENT void put_lanes(T *p, const V &v) {
    if constexpr (std::is_arithmetic<V>::value)
        *p = v;
    else if constexpr (std::is_same<T, typename V::Element>::value) {
        CF_EACH_PART(V) memcpy(p + i * V::EACH, &v.part[i], sizeof v.part[i]);
    } else {
        CF_UNROLL(16) for (ptrdiff_t k = 0; k < V::EACH * V::PARTS; ++k)
            p[k] = (T)v[k];
    }
}
#else
template <typename T, typename U = T>
struct Lanes {
    static constexpr ptrdiff_t COUNT = 1;
    typedef U type;
};
template <typename V>
CF_ELEMENT V chosen(bool which, V a, V b) { return which ? a : b; }
template <typename To, typename From>
CF_ELEMENT To converted(From v) { return (To)v; }
template <typename V, typename T>
CF_ELEMENT V lanes_at(const T *p) { return (V)*p; }
template <typename T, typename V>
CF_ELEMENT void put_lanes(T *p, V v) { *p = (T)v; }
#endif

}  // namespace
}  // namespace chainer_fast
