/* Update rules, and hooks that change gradients, in one pass over memory.
 *
 * A loop gets the parameter, its gradient and the states of the rule, n elements each,
 * and its coefficients as doubles. There is one for float16, float and double each.
 */
#pragma once

#include <fenv.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "chainer_fast/backends/kernels/common/loops.hpp"
#include "chainer_fast/backends/kernels/update_rules/elements.hpp"
#include "chainer_fast/backends/kernels/update_rules/small.hpp"

namespace chainer_fast {
namespace {

typedef void (*Loop)(void **, ptrdiff_t, const double *);

/* -- arrays and coefficients in the type of a number */

template <typename N> struct Stored { typedef N type; };
template <> struct Stored<Half> { typedef uint16_t type; };

template <typename T>
CF_ELEMENT void load(T x, T &number) { number = x; }
CF_ELEMENT void load(uint16_t x, Half &number) {
    number = Half::exactly(float_from_half(x));
}

template <typename T>
CF_ELEMENT void store(T number, T &x) { x = number; }
CF_ELEMENT void store(Half number, uint16_t &x) { x = half_from_rounded((float)number); }

template <typename N>
struct Arrays {
    typedef typename Stored<N>::type T;
    T *param, *grad, *states[3];

    explicit CF_ELEMENT Arrays(void **a)
        : param((T *)a[0]), grad((T *)a[1]),
          states{(T *)a[2], (T *)a[3], (T *)a[4]} {}
};

struct Given {
    double value;
    CF_ELEMENT operator float() const { return (float)value; }
    CF_ELEMENT operator double() const { return value; }
    CF_ELEMENT operator Half() const { return Half(value); }
};

template <typename Rule, size_t... I>
CF_ELEMENT Rule read(const double *given, std::index_sequence<I...>) {
    return {Given{given[I]}...};
}

template <typename Rule, typename N>
CF_ELEMENT Rule read(const double *given) {
    return read<Rule>(given, std::make_index_sequence<
        sizeof(Rule) / sizeof(typename Wide<N>::type)>());
}

/* -- the step at one place of the arrays */

template <template <typename> class Rule_, int n_states_>
struct Step {
    template <typename N>
    using Rule = Rule_<N>;
    static constexpr int n_states = n_states_;
    /* Whether memory is asked for ahead of its use. Halves keep the processor busier than
       the memory. */
    template <typename N>
    static constexpr bool in_blocks = !std::is_same<N, Half>::value;
    template <typename N>
    static constexpr int n_decaying = 0;
};

template <template <typename> class Rule, int n_states>
struct Update : Step<Rule, n_states> {
    /* In blocks where one of the first n_decaying states has small numbers the rule is
       another; see small.hpp. */
    template <typename N>
    using Small = Decaying<Rule, N, n_states>;
    template <typename N>
    static constexpr int n_decaying = Small<N>::n_decaying;

    template <typename N, typename R>
    static CF_ELEMENT void apply(const R &rule, const Arrays<N> &a, ptrdiff_t k) {
        N param, grad, s[3];
        load(a.param[k], param);
        load(a.grad[k], grad);
        for (int i = 0; i < n_states; ++i)
            load(a.states[i][k], s[i]);
        update_with<n_states>(rule, param, grad, s);
        for (int i = 0; i < n_states; ++i)
            store(s[i], a.states[i][k]);
        store(param, a.param[k]);
    }
};

template <template <typename> class Hook>
struct Change : Step<Hook, 0> {
    template <typename N>
    static CF_ELEMENT void apply(const Hook<N> &hook, const Arrays<N> &a, ptrdiff_t k) {
        N param, grad;
        load(a.param[k], param);
        load(a.grad[k], grad);
        hook.change(param, grad);
        store(grad, a.grad[k]);
    }
};

/* -- loops */

/* Long arrays do not fit in the cache. Their memory is asked for ahead of its use, a few
   lines of all arrays at a time: the processor's own prefetching does not keep up with
   as many arrays. */
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

template <typename S, typename N>
CF_ELEMENT void prefetch_block(const Arrays<N> &a, ptrdiff_t first) {
    for (ptrdiff_t k = first; k < first + BLOCK; k += LINE / sizeof *a.param) {
        prefetch(a.param + k);
        prefetch(a.grad + k);
        for (int i = 0; i < S::n_states; ++i)
            prefetch(a.states[i] + k);
    }
}

template <typename S, typename N, typename R>
CF_ELEMENT void run(
        const R &rule, const Arrays<N> &a, ptrdiff_t first, ptrdiff_t last) {
    CF_INDEPENDENT
    for (ptrdiff_t k = first; k < last; ++k)
        S::apply(rule, a, k);
}

template <typename N>
CF_ELEMENT bool block_has_small(const Arrays<N> &a, int n_arrays, ptrdiff_t first) {
    bool found = false;
    for (int i = 0; i < n_arrays; ++i)
        found = found || any_small(a.states[i] + first, BLOCK);
    return found;
}

template <typename S, typename N>
CF_CLONES void part(void **arrays, ptrdiff_t n, const double *given) {
    const Arrays<N> a(arrays);
    const auto rule = read<typename S::template Rule<N>, N>(given);
    ptrdiff_t i = 0;
    if constexpr (S::template in_blocks<N>) {
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

/* By several threads, if that pays. */
template <typename S, typename N>
void loop(void **arrays, ptrdiff_t n, const double *given) {
    const ptrdiff_t blocks = (n + BLOCK - 1) / BLOCK;
    parallel(blocks, GRAIN / BLOCK, [=](ptrdiff_t begin, ptrdiff_t end) {
        const ptrdiff_t first = begin * BLOCK;
        void *some[5] = {};
        for (int i = 0; i < 2 + S::n_states; ++i)
            some[i] = (typename Stored<N>::type *)arrays[i] + first;
        part<S, N>(some, std::min(end * BLOCK, n) - first, given);
    });
}

/* M-SVAG, a part at a time, over pieces that stay in the cache: the means, the factor of
 * the step in the place of the gradient, and the parameter. */
template <int part>
struct MSVAGPart : Step<MSVAG, 2> {
    template <typename N>
    static constexpr bool in_blocks = false;

    template <typename N>
    static CF_ELEMENT void apply(const MSVAG<N> &rule, const Arrays<N> &a, ptrdiff_t k) {
        N param, grad, m, v;
        load(a.param[k], param);
        load(a.grad[k], grad);
        load(a.states[0][k], m);
        load(a.states[1][k], v);
        if constexpr (part == 0) {
            rule.move_means(grad, m, v);
            store(m, a.states[0][k]);
            store(v, a.states[1][k]);
        } else if constexpr (part == 1) {
            store(rule.factor(m, v), a.grad[k]);
        } else {
            rule.move_param(param, m, grad);
            store(param, a.param[k]);
        }
    }
};

template <typename N>
void msvag_loop(void **arrays, ptrdiff_t n, const double *given) {
    typedef typename Stored<N>::type T;
    constexpr ptrdiff_t PIECE = 512;
    T factor[PIECE];
    for (ptrdiff_t done = 0; done < n; done += PIECE) {
        const ptrdiff_t count = n - done < PIECE ? n - done : PIECE;
        void *piece[5] = {};
        for (int i = 0; i < 4; ++i)
            piece[i] = (T *)arrays[i] + done;
        loop<MSVAGPart<0>, N>(piece, count, given);
        /* Invalid operations in the factor are no errors. */
        fexcept_t flags;
        fegetexceptflag(&flags, FE_INVALID);
        piece[1] = factor;
        loop<MSVAGPart<1>, N>(piece, count, given);
        fesetexceptflag(&flags, FE_INVALID);
        loop<MSVAGPart<2>, N>(piece, count, given);
    }
}

/* The loops of a rule or hook for each kind of arrays. */
template <typename S>
constexpr Loop loops_of[3] = {loop<S, Half>, loop<S, float>, loop<S, double>};

template <template <typename> class Rule, int n_states>
constexpr const Loop *rule_loops = loops_of<Update<Rule, n_states>>;

template <template <typename> class Hook>
constexpr const Loop *hook_loops = loops_of<Change<Hook>>;

constexpr Loop msvag_loops[3] = {
    msvag_loop<Half>, msvag_loop<float>, msvag_loop<double>};

}  // namespace
}  // namespace chainer_fast
