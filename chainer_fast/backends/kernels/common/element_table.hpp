/* The table of a family's loops, made of the lines beside its elements.
 *
 * A file includes this header, and then the elements. The functions of an element, and
 * their numbers of constants, are found from its type. */
#pragma once

#include <type_traits>
#include <vector>

/* Lines: of an element whose functions take one array and constants, with the names of
 * NumPy's functions between its parts; of one that takes two arrays; and of a function of
 * NumPy. The gradient takes an operand and the gradient of the output; ``grads`` takes two
 * operands and that, and makes the gradients by both. A function of NumPy may have another
 * in its place for floats. */
#define CF_LOOPS(Element, ...) \
    static const bool has_loops_of_##Element = \
        add_loops<Element, 1>(#Element, {__VA_ARGS__});
#define CF_LOOPS_OF_TWO(Element) \
    static const bool has_loops_of_##Element = add_loops<Element, 2>(#Element, {});
#define CF_LOOP_OF_UFUNC(name) \
    static const bool has_loop_of_##name = add_loop_of_ufunc(#name);
#define CF_LOOP_OF_UFUNC_BUT_FLOATS(name, function) \
    static const bool has_loop_of_##name = \
        add_loop_of_ufunc(#name, over<Of<Instead<function>>, 1, float>);

#include "chainer_fast/backends/kernels/common/element_loops.hpp"

namespace chainer_fast {
namespace {

std::vector<ElementLoop> table;

/* A function of elements as an object, which cannot be called if there is none. */
#define CF_AS_OBJECT(Name, function) \
    template <typename Element> \
    struct Name { \
        template <typename... T, typename E = Element> \
        CF_ELEMENT auto operator()(T... x) const -> decltype(E::function(x...)) { \
            return E::function(x...); \
        } \
    };

CF_AS_OBJECT(Of, of)
CF_AS_OBJECT(InnerOf, inner)
CF_AS_OBJECT(OuterOf, outer)
CF_AS_OBJECT(GradOf, grad)
CF_AS_OBJECT(OuterGradOf, outer_grad)
CF_AS_OBJECT(GradsOf, grads)

template <typename Function, typename T, typename... X>
constexpr int constants_after() {
    return std::is_invocable_v<Function, X..., T, T> ? 2
        : std::is_invocable_v<Function, X..., T> ? 1
        : std::is_invocable_v<Function, X...> ? 0 : -1;
}

/* How many constants a function takes after so many elements; -1 if there is none. */
template <typename Function, int arrays, typename T = double>
constexpr int constants = arrays == 1 ? constants_after<Function, T, T>()
    : arrays == 2 ? constants_after<Function, T, T, T>()
    : constants_after<Function, T, T, T, T>();

template <typename Function, typename T, typename... X>
CF_ELEMENT T with_constants(T p, T q, X... x) {
    if constexpr (constants<Function, sizeof...(X), T> == 2)
        return Function()(x..., p, q);
    else if constexpr (constants<Function, sizeof...(X), T> == 1)
        return Function()(x..., p);
    else
        return Function()(x...);
}

template <typename Function, int arrays, typename T>
CF_ELEMENT T element_at(const T *a, const T *b, T p, T q, ptrdiff_t i) {
    if constexpr (arrays == 1)
        return with_constants<Function>(p, q, a[i]);
    else
        return with_constants<Function>(p, q, a[i], b[i]);
}

template <typename Function, int arrays, typename T>
CF_CLONES void over(const T *a, const T *b, const T *c, T *out, T *, T p, T q,
                    const Unary *, ptrdiff_t n) {
    if (c) {
        CF_INDEPENDENT
        for (ptrdiff_t i = 0; i < n; ++i)
            out[i] = c[i] + element_at<Function, arrays>(a, b, p, q, i);
        return;
    }
    CF_INDEPENDENT
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = element_at<Function, arrays>(a, b, p, q, i);
}

#if defined(CF_HALF_VECTORS)
template <typename Function, int arrays>
void over_halves(const uint16_t *a, const uint16_t *b, uint16_t *out, float p, float q,
                 ptrdiff_t n) {
    fill_halves(a, b, out, n, [=](float x, float y) __attribute__((always_inline)) {
        return element_at<Function, arrays>(&x, &y, p, q, 0);
    });
}
#endif

template <typename Element, typename T>
CF_CLONES void over_three_to_two(
        const T *a, const T *b, const T *c, T *out, T *second, T, T, const Unary *,
        ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        Element::grads(a[i], b[i], c[i], out[i], second[i]);
}

template <typename T>
void over_one_by_ufunc(const T *a, const T *, const T *c, T *out, T *, T, T,
                       const Unary *ufuncs, ptrdiff_t n) {
    ufuncs[0].run(a, out, n);
    add_if_given(c, out, n);
}

/* As an element. */
template <float (*function)(float)>
struct Instead {
    static CF_ELEMENT float of(float x) { return function(x); }
};

/* -- by parts, between which NumPy's functions are called: of doubles, and of floats for
   which we have no function of our own */

template <typename Element, typename T>
CF_CLONES void inner(const T *x, T *out, ptrdiff_t n, T p, T q) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = with_constants<InnerOf<Element>>(p, q, x[i]);
}

template <typename Element, bool gradient, typename T>
CF_CLONES void outer(const T *x, const T *g, T *out, ptrdiff_t n, T p, T q) {
    for (ptrdiff_t i = 0; i < n; ++i)
        if constexpr (gradient)
            out[i] = with_constants<OuterGradOf<Element>>(p, q, x[i], g[i], out[i]);
        else
            out[i] = with_constants<OuterOf<Element>>(p, q, x[i], out[i]);
}

/* The gradient calls the first of two functions. */
template <typename Element, bool gradient, typename T>
void by_parts(const T *x, const T *g, const T *c, T *out, T *, T p, T q,
              const Unary *ufuncs, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i += PART) {
        const ptrdiff_t m = part_at(i, n);
        inner<Element>(x + i, out + i, m, p, q);
        ufuncs[0].run(out + i, out + i, m);
        if (!gradient && ufuncs[1])
            ufuncs[1].run(out + i, out + i, m);
        outer<Element, gradient>(x + i, gradient ? g + i : g, out + i, m, p, q);
    }
    add_if_given(c, out, n);
}

/* -- lines of the table */

/* Whether loops over floats call a function of this package, by default. */
template <typename Element, typename = void>
constexpr bool has_own_function = true;

template <typename Element>
constexpr bool has_own_function<Element, std::void_t<decltype(Element::has_own_function)>> =
    Element::has_own_function;

template <typename Element, typename Function, int arrays, bool parts, bool gradient>
ElementLoop line(const char *name, const char *function, Ufuncs ufuncs) {
    ElementLoop made = {name, function, arrays, constants<Function, arrays>, {}, {}};
    if constexpr (parts && !has_own_function<Element>)
        made.loops.f = by_parts<Element, gradient, float>;
    else
        made.loops.f = over<Function, arrays, float>;
    if constexpr (parts) {
        made.loops.d = by_parts<Element, gradient, double>;
        made.ufuncs = ufuncs;
    }
    else {
        made.loops.d = over<Function, arrays, double>;
#if defined(CF_HALF_VECTORS)
        if (has_half_vectors())
            made.loops.e = over_halves<Function, arrays>;
#endif
    }
    return made;
}

template <typename Element, int arrays>
bool add_loops(const char *name, Ufuncs ufuncs) {
    if constexpr (constants<Of<Element>, arrays> >= 0)
        table.push_back(
            line<Element, Of<Element>, arrays, (constants<OuterOf<Element>, 2> >= 0),
                 false>(name, "of", ufuncs));
    if constexpr (constants<GradOf<Element>, 2> >= 0)
        table.push_back(
            line<Element, GradOf<Element>, 2, (constants<OuterGradOf<Element>, 3> >= 0),
                 true>(name, "grad", ufuncs));
    if constexpr (std::is_invocable_v<GradsOf<Element>, float, float, float, float, float>)
        table.push_back({name, "grads", 3, 0, {over_three_to_two<Element, float>,
                                                over_three_to_two<Element, double>}, {}});
    return true;
}

inline bool add_loop_of_ufunc(
        const char *name, LoopOver<float> f = over_one_by_ufunc<float>) {
    table.push_back({name, nullptr, 1, 0, {f, over_one_by_ufunc<double>}, {name}});
    return true;
}

}  // namespace
}  // namespace chainer_fast
