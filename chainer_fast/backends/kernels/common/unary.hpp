/* The loops of a NumPy function of one argument, called from C++.
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

struct UnaryLoop {
    /* As NumPy declares them; its integers are those of pointers' differences. */
    void (*loop)(char **args, ptrdiff_t *n, ptrdiff_t *steps, void *data) = nullptr;
    void *data = nullptr;

    void run(const void *a, void *out, ptrdiff_t n, ptrdiff_t size) const {
        char *args[] = {(char *)a, (char *)out};
        ptrdiff_t steps[] = {size, size};
        loop(args, &n, steps, data);
    }
};

struct Unary {
    UnaryLoop f;    // of single precision
    UnaryLoop d;    // of double precision

    void run(const float *a, float *out, ptrdiff_t n) const {
        f.run(a, out, n, sizeof(float));
    }

    void run(const double *a, double *out, ptrdiff_t n) const {
        d.run(a, out, n, sizeof(double));
    }

    /* By several threads, if that pays. */
    void run(char kind, const void *a, void *out, ptrdiff_t n) const {
        const UnaryLoop &loop = kind == 'f' ? f : d;
        const ptrdiff_t size = kind == 'f' ? sizeof(float) : sizeof(double);
        parallel(n, GRAIN, [&](ptrdiff_t begin, ptrdiff_t end) {
            loop.run(from(a, begin * size), from(out, begin * size), end - begin, size);
        });
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

template <float (*f)(float), double (*d)(double)>
Unary of_library() {
    return {{library_loop<float, f>, nullptr}, {library_loop<double, d>, nullptr}};
}

/* Return the loops of the C++ library's function of that name; none if it is not known. */
inline Unary library_loops(const char *name) {
    static const struct { const char *name; Unary loops; } known[] = {
        {"exp", of_library<std::exp, std::exp>()},
        {"expm1", of_library<std::expm1, std::expm1>()},
        {"log", of_library<std::log, std::log>()},
        {"log1p", of_library<std::log1p, std::log1p>()},
        {"sqrt", of_library<std::sqrt, std::sqrt>()},
        {"tanh", of_library<std::tanh, std::tanh>()},
    };
    for (const auto &each : known)
        if (!std::strcmp(each.name, name))
            return each.loops;
    return Unary();
}

}  // namespace

}  // namespace chainer_fast
