/* The loops of a NumPy function of one or two arguments, called from C++.
 *
 * Exponentials and the like are NumPy's own, so that a compiled kernel gives the bits of
 * its reference; only the call of the ufunc is saved. Where NumPy's loops cannot be had,
 * those of the C++ library take their place, with results that may differ in the last bit.
 */
#pragma once

#include <stddef.h>

#include <cmath>
#include <cstring>

#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast {

/* Elements for a thread, at least: a function takes some times as long as a product. */
constexpr ptrdiff_t FUNCTION_GRAIN = GRAIN / 4;

struct UnaryLoop {
    /* As NumPy declares them; its integers are those of pointers' differences. */
    void (*loop)(char **args, ptrdiff_t *n, ptrdiff_t *steps, void *data) = nullptr;
    void *data = nullptr;

    /* NumPy has one loop for many functions, which are its data. */
    const char *address() const { return (const char *)loop + (ptrdiff_t)data; }

    void run(const void *a, void *out, ptrdiff_t n, ptrdiff_t size) const {
        char *args[] = {(char *)a, (char *)out};
        ptrdiff_t steps[] = {size, size};
        loop(args, &n, steps, data);
    }

    /* Of a function of two arguments; ``step`` bytes are between elements of the second. */
    void run_with(const void *a, const void *b, ptrdiff_t step, void *out, ptrdiff_t n,
                  ptrdiff_t size) const {
        char *args[] = {(char *)a, (char *)b, (char *)out};
        ptrdiff_t steps[] = {size, step, size};
        loop(args, &n, steps, data);
    }
};

struct Unary {
    UnaryLoop f;    // of single precision
    UnaryLoop d;    // of double precision

    template <typename T>
    const UnaryLoop &of() const {
        return sizeof(T) == sizeof(float) ? f : d;
    }

    template <typename T>
    void run(const T *a, T *out, ptrdiff_t n) const {
        of<T>().run(a, out, n, sizeof(T));
    }

    explicit operator bool() const { return f.loop != nullptr; }
};

namespace {

/* Elements between two calls of a function of NumPy, which so are still in the cache. */
constexpr ptrdiff_t PART = 1024;

inline ptrdiff_t part_at(ptrdiff_t i, ptrdiff_t n) {
    return n - i < PART ? n - i : PART;
}

template <typename T, T (*function)(T)>
void library_loop(char **args, ptrdiff_t *n, ptrdiff_t *steps, void *) {
    for (ptrdiff_t i = 0; i < *n; ++i)
        *(T *)(args[1] + i * steps[1]) = function(*(const T *)(args[0] + i * steps[0]));
}

template <typename T, T (*function)(T, T)>
void library_loop_of_two(char **args, ptrdiff_t *n, ptrdiff_t *steps, void *) {
    for (ptrdiff_t i = 0; i < *n; ++i)
        *(T *)(args[2] + i * steps[2]) = function(
            *(const T *)(args[0] + i * steps[0]), *(const T *)(args[1] + i * steps[1]));
}

template <float (*f)(float), double (*d)(double)>
Unary of_library() {
    return {{library_loop<float, f>, nullptr}, {library_loop<double, d>, nullptr}};
}

/* Return the loops of the C++ library's function of that name; none if it is not known. */
inline Unary library_loops(const char *name) {
    static const struct { const char *name; Unary loops; } known[] = {
        {"arccos", of_library<std::acos, std::acos>()},
        {"arcsin", of_library<std::asin, std::asin>()},
        {"arctan", of_library<std::atan, std::atan>()},
        {"cos", of_library<std::cos, std::cos>()},
        {"cosh", of_library<std::cosh, std::cosh>()},
        {"exp", of_library<std::exp, std::exp>()},
        {"expm1", of_library<std::expm1, std::expm1>()},
        {"log", of_library<std::log, std::log>()},
        {"log10", of_library<std::log10, std::log10>()},
        {"log1p", of_library<std::log1p, std::log1p>()},
        {"log2", of_library<std::log2, std::log2>()},
        {"power", {{library_loop_of_two<float, std::pow>, nullptr},
                   {library_loop_of_two<double, std::pow>, nullptr}}},
        {"sin", of_library<std::sin, std::sin>()},
        {"sinh", of_library<std::sinh, std::sinh>()},
        {"sqrt", of_library<std::sqrt, std::sqrt>()},
        {"tan", of_library<std::tan, std::tan>()},
        {"tanh", of_library<std::tanh, std::tanh>()},
    };
    for (const auto &each : known)
        if (!std::strcmp(each.name, name))
            return each.loops;
    return Unary();
}

}  // namespace

}  // namespace chainer_fast
