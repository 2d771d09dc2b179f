/* The loops of elementwise functions, by the names of their elements; all are called
 * alike. */
#pragma once

#include <string.h>

#include <array>

#include "chainer_fast/_cpu/half_loops.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast {

/* A loop over up to three arrays, with up to two constants and two results. Those with
 * fewer leave the rest alone, but add the third array to their result unless it is null;
 * ``ufuncs`` are functions of NumPy that it calls. */
template <typename T>
using LoopOver = void (*)(const T *a, const T *b, const T *c, T *out, T *second, T p, T q,
                          const Unary *ufuncs, ptrdiff_t n);

/* One over one array of halves, given twice, or over two. */
using LoopOverHalves = void (*)(const uint16_t *a, const uint16_t *b, uint16_t *out,
                                float p, float q, ptrdiff_t n);

/* The loops of a function. Without one over halves, that over floats takes tiles. */
struct Loops {
    LoopOver<float> f;
    LoopOver<double> d;
    LoopOverHalves e;
};

/* Names of functions of NumPy that a loop calls. */
struct Ufuncs {
    const char *names[2];
};

/* A line of a family's table. */
struct ElementLoop {
    const char *element;        // such as "ReLU"; or the name of a ufunc
    const char *function;       // of the element, such as "of"; or nothing
    int arrays, constants;      // that it takes
    Loops loops;
    Ufuncs ufuncs;
};

namespace {

/* What a static chain and the graph engine call. */
struct AnyLoop : Loops {
    const Unary *ufuncs;

    template <typename T>
    LoopOver<T> of() const {
        if constexpr (sizeof(T) == sizeof(float))
            return f;
        else
            return d;
    }

    void run(char kind, const void *a, const void *b, const void *c, void *out,
             void *second, ptrdiff_t n, double p, double q) const {
        const ptrdiff_t grain = *ufuncs ? FUNCTION_GRAIN : GRAIN;
        if (kind == 'e') {
            parallel(n, grain, [=, loop = *this](ptrdiff_t begin, ptrdiff_t end) {
                loop.run_halves(
                    {(const uint16_t *)a, (const uint16_t *)b, (const uint16_t *)c},
                    {(uint16_t *)out, (uint16_t *)second}, begin, end, constant(p),
                    constant(q));
            }, f);
            return;
        }
        const ptrdiff_t size = kind == 'f' ? sizeof(float) : sizeof(double);
        parallel(n, grain, [=](ptrdiff_t i, ptrdiff_t end) {
            by_type(kind, f, d, from(a, i * size), from(b, i * size), from(c, i * size),
                    from(out, i * size), from(second, i * size), p, q, ufuncs, end - i);
        }, (const char *)f + kind);
    }

    /* A constant as NumPy has it for halves; one that is too large raises a flag. */
    static float constant(double p) { return rounded_to_half(rounded_to_half(p)); }

    /* The loop over floats computes halves, which are rounded once. */
    void run_halves(std::array<const uint16_t *, 3> inputs,
                    std::array<uint16_t *, 2> outputs, ptrdiff_t begin, ptrdiff_t end,
                    float p, float q) const {
        if (e && !inputs[2])
            return e(inputs[0] + begin, inputs[1] + begin, outputs[0] + begin, p, q,
                     end - begin);
        float tiles[5][HALVES_AT_ONCE];
        if (inputs[1] == inputs[0])
            inputs[1] = nullptr;
        const float *second = inputs[1] ? tiles[1] : tiles[0];
        const float *third = inputs[2] ? tiles[2] : nullptr;
        for (ptrdiff_t i = begin; i < end; i += HALVES_AT_ONCE) {
            const ptrdiff_t m = end - i < HALVES_AT_ONCE ? end - i : HALVES_AT_ONCE;
            for (int k = 0; k < 3; ++k)
                if (inputs[k])
                    floats_from_halves(inputs[k] + i, tiles[k], m);
            f(tiles[0], second, third, tiles[3], tiles[4], p, q, ufuncs, m);
            for (int k = 0; k < 2; ++k)
                if (outputs[k])
                    halves_from_floats(tiles[3 + k], outputs[k] + i, m);
        }
    }
};

/* Adds an array, unless it is null, to a result in another. */
template <typename T>
void add_if_given(const T *c, T *out, ptrdiff_t n) {
    if (c)
        add_times(c, T(1), out, n);
}

template <typename T>
void copied(const T *a, const T *, const T *c, T *out, T *, T, T, const Unary *,
            ptrdiff_t n) {
    memcpy(out, a, n * sizeof(T));
    add_if_given(c, out, n);
}

constexpr ElementLoop COPY = {
    "copy", nullptr, 1, 0, {copied<float>, copied<double>}, {}};

}  // namespace
}  // namespace chainer_fast
