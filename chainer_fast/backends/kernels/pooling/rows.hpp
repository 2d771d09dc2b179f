/* What loops over rows of images and of places of windows share. */
#ifndef CHAINER_FAST_POOLING_ROWS_HPP
#define CHAINER_FAST_POOLING_ROWS_HPP

#include <stdint.h>

#include <type_traits>

#include "chainer_fast/_cpu/lanes.hpp"
#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/pooling/windows.hpp"

namespace chainer_fast::pooling {
namespace {

/* An integer of the size of `T`, so that vectors of both have equal length. */
template <typename T>
using Index = typename std::conditional<sizeof(T) == 4, int32_t, int64_t>::type;

/* Chooses the version of a loop for a window, by its size and stride; zeros mean
 * those that are known only when it runs. Each version is a separate function, so
 * that the compiler knows that its arguments do not overlap, and vectorizes it. Those
 * for any window call others that have versions for AVX-512. */
template <template <typename, ptrdiff_t, ptrdiff_t> class Loop, typename T>
auto version_for(const Window &w) {
    const ptrdiff_t k = w.k[w.nd - 1], s = w.s[w.nd - 1];
    if (k == 2 && s == 2) return Loop<T, 2, 2>::run;
    if (k == 3 && s == 2) return Loop<T, 3, 2>::run;
    if (k == 3 && s == 1) return Loop<T, 3, 1>::run;
    if (k == 3 && s == 3) return Loop<T, 3, 3>::run;
    if (k == 2 && s == 1) return Loop<T, 2, 1>::run;
    return s == 1 ? Loop<T, 0, 1>::run_any : s == 2 ? Loop<T, 0, 2>::run_any
        : Loop<T, 0, 0>::run_any;
}

/* Whether this is a window of many elements along the last axis: those of three at most
 * have separate versions. */
inline bool is_wide(const Window &w) { return w.k[w.nd - 1] > 3; }

/* Adds to so many vectors of sums, of numbers side by side, `k` numbers each: those from
 * x on for the first sum, `step` apart. */
template <int VECTORS, typename T>
CF_ELEMENT void add_vectors(const T *x, ptrdiff_t k, ptrdiff_t step, T *y) {
    typedef typename Lanes<T>::type V;
    constexpr ptrdiff_t N = Lanes<T>::COUNT;
    V sums[VECTORS];
    CF_UNROLL(4) for (int v = 0; v < VECTORS; ++v)
        sums[v] = lanes_at<V>(y + v * N);
    for (ptrdiff_t i = 0; i < k; ++i)
        CF_UNROLL(4) for (int v = 0; v < VECTORS; ++v)
            sums[v] += lanes_at<V>(x + i * step + v * N);
    CF_UNROLL(4) for (int v = 0; v < VECTORS; ++v)
        put_lanes(y + v * N, sums[v]);
}

/* y[t] += x[t] + x[t + step] + ... of k numbers, from left to right */
template <typename T>
CF_ELEMENT void add_shifted(const T *x, ptrdiff_t k, ptrdiff_t step, T *y, ptrdiff_t n) {
    constexpr ptrdiff_t N = Lanes<T>::COUNT;
    ptrdiff_t t = 0;
    for (; t + 4 * N <= n; t += 4 * N)
        add_vectors<4>(x + t, k, step, y + t);
    for (; t + N <= n; t += N)
        add_vectors<1>(x + t, k, step, y + t);
    for (; t < n; ++t) {
        T sum = y[t];
        for (ptrdiff_t i = 0; i < k; ++i)
            sum += x[t + i * step];
        y[t] = sum;
    }
}

/* Calls f(first plane, number of planes) for parts of the planes of all images, on several
 * threads if there is work for them: each place of the window sees all its elements. */
template <typename F>
void share_planes(const Window &w, const F &f) {
    const ptrdiff_t each = product(w.out, w.nd) * product(w.k, w.nd) + product(w.n, w.nd);
    parallel_with_memory(w.images * w.channels, GRAIN / each + 1,
                         [&](ptrdiff_t begin, ptrdiff_t end) { f(begin, end - begin); });
}

}  // namespace
}  // namespace chainer_fast::pooling

#endif
