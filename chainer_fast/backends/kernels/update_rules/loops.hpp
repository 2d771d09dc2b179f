/* Update rules, and hooks that change gradients, in one pass over memory.
 *
 * A loop gets the parameter, its gradient and the states of the rule, n elements each,
 * and its coefficients as doubles. There is one for float16, float and double each; the
 * states of a float16 parameter are floats.
 */
#pragma once

#include <fenv.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "chainer_fast/_cpu/half_loops.hpp"
#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/update_rules/elements.hpp"
#include "chainer_fast/backends/kernels/update_rules/small.hpp"

namespace chainer_fast::update_rules {
namespace {

typedef void (*Loop)(void **, ptrdiff_t, const double *);

/* -- arrays and coefficients; a half is of the type uint16_t */

CF_ELEMENT float load(uint16_t x) { return float_from_half(x); }
CF_ELEMENT float load(float x) { return x; }
CF_ELEMENT double load(double x) { return x; }

CF_ELEMENT void store(float number, uint16_t &x) {
    x = half_from_rounded(rounded_to_half(number));
}
CF_ELEMENT void store(float number, float &x) { x = number; }
CF_ELEMENT void store(double number, double &x) { x = number; }

/* Arrays of a parameter of type T and its gradient, of type G. */
template <typename T, typename G = T>
struct Arrays {
    typedef typename Wide<T>::type N;
    T *param;
    G *grad;
    N *states[3];

    explicit CF_ELEMENT Arrays(void **a)
        : param((T *)a[0]), grad((G *)a[1]),
          states{(N *)a[2], (N *)a[3], (N *)a[4]} {}

    /* Sets the arrays from an element on. */
    static CF_ELEMENT void shift(void *const *from, ptrdiff_t by, void **to) {
        to[0] = (T *)from[0] + by;
        to[1] = (G *)from[1] + by;
        for (int i = 2; i < 5; ++i)
            to[i] = from[i] ? (N *)from[i] + by : nullptr;
    }
};

struct Given {
    double value;
    CF_ELEMENT operator float() const { return (float)value; }
    CF_ELEMENT operator double() const { return value; }
};

template <typename Rule, size_t... I>
CF_ELEMENT Rule read(const double *given, std::index_sequence<I...>) {
    return {Given{given[I]}...};
}

template <typename Rule, typename N>
CF_ELEMENT Rule read(const double *given) {
    return read<Rule>(given, std::make_index_sequence<sizeof(Rule) / sizeof(N)>());
}

/* -- the step at one position of the arrays */

template <template <typename> class Rule_, int n_states_>
struct Step {
    template <typename N>
    using Rule = Rule_<N>;
    static constexpr int n_states = n_states_;
    /* Whether memory is prefetched. */
    static constexpr bool in_blocks = true;
    /* The array that changes, other than the states. */
    static constexpr int result = 0;
    template <typename N>
    static constexpr int n_decaying = 0;
    template <typename T>
    using ArraysOf = Arrays<T>;
};

template <template <typename> class Rule, int n_states>
struct Update : Step<Rule, n_states> {
    /* Blocks in which one of the first n_decaying states has small numbers use
     * another rule; see small.hpp. */
    template <typename N>
    using Small = Decaying<Rule, N, n_states>;
    template <typename N>
    static constexpr int n_decaying = Small<N>::n_decaying;

    template <typename T, typename R>
    static CF_ELEMENT void apply(const R &rule, const Arrays<T> &a, ptrdiff_t k) {
        typename Wide<T>::type param = load(a.param[k]), s[3];
        CF_UNROLL(4)
        for (int i = 0; i < n_states; ++i)
            s[i] = a.states[i][k];
        update_with<n_states>(rule, param, load(a.grad[k]), s);
        CF_UNROLL(4)
        for (int i = 0; i < n_states; ++i)
            a.states[i][k] = s[i];
        store(param, a.param[k]);
    }
};

template <template <typename> class Hook>
struct Change : Step<Hook, 0> {
    static constexpr int result = 1;

    template <typename T, typename R>
    static CF_ELEMENT void apply(const R &hook, const Arrays<T> &a, ptrdiff_t k) {
        typename Wide<T>::type grad = load(a.grad[k]);
        hook.change(load(a.param[k]), grad);
        store(grad, a.grad[k]);
    }
};

/* -- loops */

/* Long arrays do not fit into the cache. Their memory is prefetched, a few lines of all
 * arrays at a time: the processor's own prefetching does not handle so many arrays. */
constexpr ptrdiff_t LONG_ARRAY = 65536;
constexpr ptrdiff_t BLOCK = 64;
constexpr ptrdiff_t AHEAD = 1024;
constexpr ptrdiff_t LINE = 64;      /* bytes */

template <typename T>
CF_ELEMENT void prefetch(const T *address) {
#if defined(__GNUC__)
    __builtin_prefetch(address, 1);
#endif
}

template <typename S, typename A>
CF_ELEMENT void prefetch_block(const A &a, ptrdiff_t first) {
    for (ptrdiff_t k = first; k < first + BLOCK; k += LINE / sizeof *a.states[0]) {
        prefetch(a.param + k);
        prefetch(a.grad + k);
        for (int i = 0; i < S::n_states; ++i)
            prefetch(a.states[i] + k);
    }
}

template <typename S, typename A, typename R>
CF_ELEMENT void run(const R &rule, const A &a, ptrdiff_t first, ptrdiff_t last) {
    CF_INDEPENDENT
    for (ptrdiff_t k = first; k < last; ++k)
        S::apply(rule, a, k);
}

template <typename A>
CF_ELEMENT bool block_has_small(const A &a, int n_arrays, ptrdiff_t first) {
    bool found = false;
    for (int i = 0; i < n_arrays; ++i)
        found = found || any_small(a.states[i] + first, BLOCK);
    return found;
}

template <typename S, typename T>
CF_CLONES void part(void **arrays, ptrdiff_t n, const double *given) {
    typedef typename Wide<T>::type N;
    const typename S::template ArraysOf<T> a(arrays);
    const auto rule = read<typename S::template Rule<N>, N>(given);
    ptrdiff_t i = 0;
    if constexpr (S::in_blocks) {
        constexpr int n_decaying = S::template n_decaying<N>;
        const ptrdiff_t last_ahead = n < LONG_ARRAY ? -1 : n - AHEAD - BLOCK;
        for (; n - i >= BLOCK; i += BLOCK) {
            if (i <= last_ahead)
                prefetch_block<S>(a, i + AHEAD);
            if constexpr (n_decaying > 0)
                if (block_has_small(a, n_decaying, i)) {
                    run<S>(typename S::template Small<N>{rule}, a, i, i + BLOCK);
                    continue;
                }
            run<S>(rule, a, i, i + BLOCK);
        }
    }
    run<S>(rule, a, i, n);
}

/* By several threads, if that is faster. */
template <typename S, typename T>
void loop(void **arrays, ptrdiff_t n, const double *given) {
    const ptrdiff_t blocks = (n + BLOCK - 1) / BLOCK;
    parallel(blocks, GRAIN / BLOCK, [=](ptrdiff_t begin, ptrdiff_t end) {
        const ptrdiff_t first = begin * BLOCK;
        void *some[5];
        S::template ArraysOf<T>::shift(arrays, first, some);
        part<S, T>(some, std::min(end * BLOCK, n) - first, given);
    });
}

/* M-SVAG in three parts, over pieces that stay in the cache: the means, the factor of
 * the step, which replaces the gradient, and the parameter. */
template <int part>
struct MSVAGPart : Step<MSVAG, 2> {
    static constexpr bool in_blocks = false;
    template <typename T>
    using ArraysOf = Arrays<
        T, typename std::conditional<part == 0, T, typename Wide<T>::type>::type>;

    template <typename R, typename A>
    static CF_ELEMENT void apply(const R &rule, const A &a, ptrdiff_t k) {
        auto m = a.states[0][k], v = a.states[1][k];
        if constexpr (part == 0) {
            rule.move_means(load(a.grad[k]), m, v);
            a.states[0][k] = m;
            a.states[1][k] = v;
        } else if constexpr (part == 1) {
            a.grad[k] = rule.factor(m, v);
        } else {
            auto param = load(a.param[k]);
            rule.move_param(param, m, a.grad[k]);
            store(param, a.param[k]);
        }
    }
};

template <typename T>
void msvag_loop(void **arrays, ptrdiff_t n, const double *given) {
    constexpr ptrdiff_t PIECE = 512;
    typename Wide<T>::type factor[PIECE];
    for (ptrdiff_t done = 0; done < n; done += PIECE) {
        const ptrdiff_t count = n - done < PIECE ? n - done : PIECE;
        void *piece[5];
        Arrays<T>::shift(arrays, done, piece);
        loop<MSVAGPart<0>, T>(piece, count, given);
        /* Invalid operations in the factor are not errors. */
        fexcept_t flags;
        fegetexceptflag(&flags, FE_INVALID);
        piece[1] = factor;
        loop<MSVAGPart<1>, T>(piece, count, given);
        fesetexceptflag(&flags, FE_INVALID);
        loop<MSVAGPart<2>, T>(piece, count, given);
    }
}

/* The loop for floats applied to halves, a piece at a time, so that data stays in the
 * cache. */
template <typename S>
void loop_of_halves(void **arrays, ptrdiff_t n, const double *given) {
    constexpr ptrdiff_t PIECE = 4 * BLOCK;
    parallel((n + PIECE - 1) / PIECE, GRAIN / PIECE, [=](ptrdiff_t begin, ptrdiff_t end) {
        float param[PIECE], grad[PIECE];
        for (ptrdiff_t done = begin * PIECE; done < std::min(end * PIECE, n); done += PIECE) {
            const ptrdiff_t count = std::min(PIECE, n - done);
            void *halves[5];
            Arrays<uint16_t>::shift(arrays, done, halves);
            if (n >= LONG_ARRAY && done + AHEAD + PIECE <= n)
                for (ptrdiff_t k = AHEAD; k < AHEAD + PIECE; k += BLOCK)
                    prefetch_block<S>(Arrays<uint16_t>(halves), k);
            void *floats[5] = {param, grad, halves[2], halves[3], halves[4]};
            floats_from_halves((const uint16_t *)halves[0], param, count);
            floats_from_halves((const uint16_t *)halves[1], grad, count);
            part<S, float>(floats, count, given);
            halves_from_floats((const float *)floats[S::result],
                               (uint16_t *)halves[S::result], count);
        }
    });
}

/* The loops of a rule or hook for each kind of arrays. */
template <typename S>
constexpr Loop loops_of[3] = {loop_of_halves<S>, loop<S, float>, loop<S, double>};

template <template <typename> class Rule, int n_states>
constexpr const Loop *rule_loops = loops_of<Update<Rule, n_states>>;

template <template <typename> class Hook>
constexpr const Loop *hook_loops = loops_of<Change<Hook>>;

constexpr Loop msvag_loops[3] = {
    msvag_loop<uint16_t>, msvag_loop<float>, msvag_loop<double>};

}  // namespace
}  // namespace chainer_fast::update_rules
