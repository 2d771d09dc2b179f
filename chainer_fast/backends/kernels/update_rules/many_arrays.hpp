/* CUDA kernels that go over the arrays of many parameters in one launch.
 *
 * cuda.py fills in the arguments. The arithmetic is that of elements.hpp.
 */
#pragma once

#include "chainer_fast/backends/kernels/common/many_arrays.hpp"
#include "chainer_fast/backends/kernels/update_rules/elements.hpp"

namespace chainer_fast {
namespace update_rules {

/* -- updates */

template <typename N>
struct Element { N param, grad, states[3]; };

/* A step that changes the gradient. */
template <template <typename> class Hook>
struct Change {
    template <typename N>
    struct Of : Hook<N> {
        CF_ELEMENT void apply(Element<N> &e) const { this->change(e.param, e.grad); }
    };
};

/* The step that moves the parameter. */
template <template <typename> class Rule, int n_states>
struct Update {
    template <typename N>
    struct Of : Rule<N> {
        CF_ELEMENT void apply(Element<N> &e) const {
            update_with<n_states>(*this, e.param, e.grad, e.states);
        }
    };
};

/* Successive steps, with their coefficients. */
template <typename N, typename Step, typename... Rest>
struct Steps {
    typename Step::template Of<N> step;
    Steps<N, Rest...> rest;

    CF_ELEMENT void apply(Element<N> &e) const {
        step.apply(e);
        rest.apply(e);
    }
};

template <typename N, typename Step>
struct Steps<N, Step> : Step::template Of<N> {};

/* The arrays are the parameter, its gradient and its states, which for halves are floats;
   the last of the steps is the update unless there are -1 states. If the gradient is of another type G, another array of
   this type follows, for the parameter rounded to it, and the gradient stays as it is. */
template <typename T, typename G, int n_states, bool changes_grad, typename A,
          typename Steps>
CF_ELEMENT void update(const A &arrays, const Steps &steps) {
    typedef typename Wide<T>::type N;
    const Piece piece(arrays);
    T *param = arrays.template get<T>(0, piece.param);
    G *grad = arrays.template get<G>(1, piece.param);
    G *rounded = nullptr;
    N *states[3] = {};
    for (int i = 0; i < n_states; ++i)
        states[i] = arrays.template get<N>(2 + i, piece.param);
    if constexpr (sizeof(G) != sizeof(T))
        rounded = arrays.template get<G>(2 + n_states, piece.param);
    for (unsigned int k = piece.first; k < piece.last; k += THREADS) {
        Element<N> e;
        e.param = param[k];
        e.grad = grad[k];
        for (int i = 0; i < n_states; ++i)
            e.states[i] = states[i][k];
        steps.apply(e);
        if (changes_grad && sizeof(G) == sizeof(T))
            grad[k] = G(e.grad);
        if (n_states < 0)
            continue;
        param[k] = T(e.param);
        for (int i = 0; i < n_states; ++i)
            states[i][k] = e.states[i];
        if (rounded)
            rounded[k] = G(e.param);
    }
}

/* -- norms */

/* The sum of a number over the threads of a block, in a fixed order. */
CF_ELEMENT double sum_over_threads(double number) {
    __shared__ double numbers[THREADS];
    __syncthreads();
    numbers[threadIdx.x] = number;
    for (int n = THREADS / 2; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n)
            numbers[threadIdx.x] += numbers[threadIdx.x + n];
    }
    __syncthreads();
    return numbers[0];
}

CF_ELEMENT double sum_of(const double *numbers, unsigned int n) {
    double sum = 0;
    for (unsigned int i = threadIdx.x; i < n; i += THREADS)
        sum += numbers[i];
    return sum_over_threads(sum);
}

/* The sum of the squares of each block: those of all blocks for the first array, then for
   the second one. */
template <typename T, int n_arrays, typename A>
CF_ELEMENT void sum_squares(const A &arrays, double *sums) {
    typedef typename Wide<T>::type N;
    const Piece piece(arrays);
    for (int i = 0; i < n_arrays; ++i) {
        const T *x = arrays.template get<T>(i, piece.param);
        N sum = 0;
        for (unsigned int k = piece.first; k < piece.last; k += THREADS)
            sum += N(x[k]) * N(x[k]);
        const double total = sum_over_threads(sum);
        if (threadIdx.x == 0)
            sums[i * gridDim.x + blockIdx.x] = total;
    }
}

/* Factor of gradients that makes their norm a threshold; 1 if they are below it or
   zero, NaN if the norm is NaN. */
CF_ELEMENT void find_clipping_factor(
        const double *sums, long long n, double threshold, double *factor) {
    const double norm = sqrt(sum_of(sums, n)), rate = threshold / norm;
    if (threadIdx.x == 0)
        *factor = norm == 0 || rate >= 1 ? 1 : rate;
}

template <typename T, typename A>
CF_ELEMENT void scale(const A &arrays, const double *factor) {
    typedef typename Wide<T>::type N;
    const Scale<N> scale = {N(*factor)};
    const Piece piece(arrays);
    T *x = arrays.template get<T>(0, piece.param);
    for (unsigned int k = piece.first; k < piece.last; k += THREADS) {
        N gradient = x[k];
        scale.change(N(0), gradient);
        x[k] = T(gradient);
    }
}

/* The arrays are parameters and gradients, and ``sums`` those of their squares. */
template <typename T, typename A>
CF_ELEMENT void scale_by_size(
        const A &arrays, const LARS<typename Wide<T>::type> &lars,
        const double *sums) {
    typedef typename Wide<T>::type N;
    const Piece piece(arrays);
    const unsigned int first = arrays.first_block[piece.param];
    const unsigned int n_blocks = (arrays.size[piece.param] + PIECE - 1) / PIECE;
    const N param_norm = N(sqrt(sum_of(sums + first, n_blocks)));
    const N grad_norm = N(sqrt(sum_of(sums + gridDim.x + first, n_blocks)));
    const N rate = lars.rate(param_norm, grad_norm);
    const T *param = arrays.template get<T>(0, piece.param);
    T *grad = arrays.template get<T>(1, piece.param);
    for (unsigned int k = piece.first; k < piece.last; k += THREADS) {
        N gradient = grad[k];
        lars.change(rate, N(param[k]), gradient);
        grad[k] = T(gradient);
    }
}

/* -- others */

/* Marks the parameters that have an infinite element or NaN. */
template <typename T, typename A>
CF_ELEMENT void find_not_finite(const A &arrays, int *found) {
    typedef typename Wide<T>::type N;
    const Piece piece(arrays);
    const T *x = arrays.template get<T>(0, piece.param);
    for (unsigned int k = piece.first; k < piece.last; k += THREADS) {
        const N number = x[k];
        if (!(number - number == 0))
            found[piece.param] = 1;
    }
}

}  // namespace update_rules
}  // namespace chainer_fast
