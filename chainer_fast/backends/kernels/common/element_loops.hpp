/* The loops of elementwise functions, by the names of their elements; all are called
 * alike. */
#pragma once

#include <string.h>

#include <type_traits>

#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast {
namespace {

/* A loop over up to three arrays, with up to two constants and two results. Those with
 * fewer leave the rest alone; ``ufuncs`` are functions of NumPy that it calls. */
template <typename T>
using LoopOver = void (*)(const T *a, const T *b, const T *c, T *out, T *second, T p, T q,
                          const Unary *ufuncs, ptrdiff_t n);

/* What a static chain and the graph engine call. */
struct AnyLoop {
    LoopOver<float> f;
    LoopOver<double> d;
    const Unary *ufuncs;

    void run(char kind, const void *a, const void *b, const void *c, void *out,
             void *second, ptrdiff_t n, double p, double q) const {
        shared_by_type(kind, f, d, n, a, b, c, out, second, p, q, ufuncs);
    }

    /* With arrays of NumPy, or None. */
    void call(char kind, PyObject *a, PyObject *b, PyObject *c, PyObject *out,
              PyObject *second, double p, double q) const {
        const ptrdiff_t n = PyArray_SIZE((PyArrayObject *)a);
        const Release release(n >= LONG_LOOP);
        run(kind, argument(a), argument(b), argument(c), argument(out),
            argument(second), n, p, q);
    }
};

/* A line of a family's table, which ends with a line without a name. */
struct ElementLoop {
    const char *name;           // of the element, such as "ReLU::of"; or of a ufunc
    int arrays, constants;      // that the element takes
    LoopOver<float> f;
    LoopOver<double> d;
    const char *ufuncs[2];
};

/* A function of elements as an object. */
#define CF_AS_OBJECT(Name, function) \
    template <typename Element> \
    struct Name { \
        template <typename... T> \
        CF_ELEMENT auto operator()(T... x) const -> decltype(Element::function(x...)) { \
            return Element::function(x...); \
        } \
    };

CF_AS_OBJECT(Of, of)
CF_AS_OBJECT(GradOf, grad)

/* How many constants a function takes after its elements. */
template <typename Function, typename T, typename... More>
constexpr int constants_after() {
    return std::is_invocable_v<Function, T, More..., T, T> ? 2
        : std::is_invocable_v<Function, T, More..., T> ? 1 : 0;
}

template <typename Function, typename T, typename... X>
CF_ELEMENT T with_constants(Function function, T p, T q, X... x) {
    if constexpr (constants_after<Function, X...>() == 2)
        return function(x..., p, q);
    else if constexpr (constants_after<Function, X...>() == 1)
        return function(x..., p);
    else
        return function(x...);
}

template <typename Function, typename T>
CF_CLONES void over_one(const T *a, const T *, const T *, T *out, T *, T p, T q,
                        const Unary *, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = with_constants(Function(), p, q, a[i]);
}

template <typename Function, typename T>
CF_CLONES void over_two(const T *a, const T *b, const T *, T *out, T *, T p, T q,
                        const Unary *, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = with_constants(Function(), p, q, a[i], b[i]);
}

template <typename Element, typename T>
CF_CLONES void over_three_to_two(
        const T *a, const T *b, const T *c, T *out, T *second, T, T, const Unary *,
        ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        Element::grads(a[i], b[i], c[i], out[i], second[i]);
}

template <typename T>
void over_one_by_ufunc(const T *a, const T *, const T *, T *out, T *, T, T,
                       const Unary *ufuncs, ptrdiff_t n) {
    ufuncs[0].run(a, out, n);
}

template <typename T>
void copied(const T *a, const T *, const T *, T *out, T *, T, T, const Unary *,
            ptrdiff_t n) {
    memcpy(out, a, n * sizeof(T));
}

template <typename Function>
constexpr ElementLoop one(const char *name) {
    return {name, 1, constants_after<Function, float>(),
            over_one<Function, float>, over_one<Function, double>, {}};
}

template <typename Function>
constexpr ElementLoop two(const char *name) {
    return {name, 2, constants_after<Function, float, float>(),
            over_two<Function, float>, over_two<Function, double>, {}};
}

constexpr ElementLoop COPY = {"copy", 1, 0, copied<float>, copied<double>, {}};

}  // namespace
}  // namespace chainer_fast

/* Lines of a table: an element of one array and constants, of two arrays, the gradient
 * from an operand and the gradient of the output, those by both of two operands, and a
 * function of NumPy. */
#define CF_ONE(E) chainer_fast::one<chainer_fast::Of<E>>(#E "::of")
#define CF_TWO(E) chainer_fast::two<chainer_fast::Of<E>>(#E "::of")
#define CF_GRAD(E) chainer_fast::two<chainer_fast::GradOf<E>>(#E "::grad")
#define CF_GRADS(E) {#E "::grads", 3, 0, \
    chainer_fast::over_three_to_two<E, float>, \
    chainer_fast::over_three_to_two<E, double>, {}}
#define CF_UFUNC(NAME) {#NAME, 1, 0, chainer_fast::over_one_by_ufunc<float>, \
    chainer_fast::over_one_by_ufunc<double>, {#NAME}}
