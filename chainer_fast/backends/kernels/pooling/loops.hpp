/* Maxima and sums over windows, and the adjoint of sums: rows of floats and doubles.
 *
 * The loops of the usual windows are compiled with their size and stride as constants.
 * Every element visits the window's elements in C order, so that sums round the same
 * way in all forms.
 */
#ifndef CHAINER_FAST_POOLING_LOOPS_HPP
#define CHAINER_FAST_POOLING_LOOPS_HPP

#include "chainer_fast/backends/kernels/pooling/elements.hpp"
#include "chainer_fast/backends/kernels/pooling/rows.hpp"
#include "chainer_fast/backends/kernels/pooling/spread.hpp"

namespace chainer_fast::pooling {
namespace {

template <typename T>
CF_CLONES bool any_nan(const T *x, ptrdiff_t n) {
    Index<T> found = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
        found |= x[i] != x[i];
    return found != 0;
}

/* So many vectors of places, with windows one element apart: each meets `k` elements. No
 * element is NaN where the largest is looked for, so one comparison will do. */
template <int VECTORS, typename T>
CF_ELEMENT void meet_vectors(const T *x, ptrdiff_t k, Index<T> first, T *y,
                             Index<T> *index) {
    typedef typename Lanes<T>::type V;
    typedef typename Lanes<T, Index<T>>::type I;
    constexpr ptrdiff_t N = Lanes<T>::COUNT;
    V best[VECTORS];
    I at[VECTORS];
    CF_UNROLL(4) for (int v = 0; v < VECTORS; ++v) {
        best[v] = lanes_at<V>(y + v * N);
        at[v] = lanes_at<I>(index + v * N);
    }
    for (ptrdiff_t i = 0; i < k; ++i)
        CF_UNROLL(4) for (int v = 0; v < VECTORS; ++v) {
            const V seen = lanes_at<V>(x + i + v * N);
            const auto more = seen > best[v];
            at[v] = chosen(more, first + (Index<T>)i, at[v]);
            best[v] = chosen(more, seen, best[v]);
        }
    CF_UNROLL(4) for (int v = 0; v < VECTORS; ++v) {
        put_lanes(y + v * N, best[v]);
        put_lanes(index + v * N, at[v]);
    }
}

/* Elements of a window that a run meets at once, the fewest that it takes. */
template <typename T>
constexpr ptrdiff_t RUN = 128 / sizeof(T);

/* Many elements side by side. Few runs have one that is larger than all before, so its
 * place is looked for afterwards: of several equal ones, the first. */
template <typename T>
CF_CLONES void meet_run(const T *x, Index<T> first, ptrdiff_t k, T *best, Index<T> *at) {
    constexpr ptrdiff_t N = RUN<T>;
    T lanes[N], largest = *best;
    Index<T> larger = 0;
    ptrdiff_t i, j;
    for (j = 0; j < N; ++j)
        lanes[j] = largest;
    for (i = 0; i < k; i += N) {
        const T *seen = x + std::min(i, k - N);
        for (j = 0; j < N; ++j)
            lanes[j] = seen[j] > lanes[j] ? seen[j] : lanes[j];
    }
    for (j = 0; j < N; ++j)
        larger |= lanes[j] > largest;
    if (!larger)
        return;
    for (j = 0; j < N; ++j)
        largest = lanes[j] > largest ? lanes[j] : largest;
    for (i = 0; x[i] != largest;)
        ++i;
    *best = x[i];
    *at = first + (Index<T>)i;
}

/* Each place of a row of results meets `k` elements of a row of an image, for windows
 * that are one element apart, or wide. Returns the number of places that it has handled. */
template <typename T>
CF_CLONES ptrdiff_t meet_many(const T *x, T *y, Index<T> *index, Index<T> first,
                              ptrdiff_t n, ptrdiff_t k, ptrdiff_t s) {
    constexpr ptrdiff_t N = Lanes<T>::COUNT;
    ptrdiff_t t = 0;
    for (; s == 1 && t + 2 * N <= n; t += 2 * N)
        meet_vectors<2>(x + t, k, first, y + t, index + t);
    for (; s == 1 && t + N <= n; t += N)
        meet_vectors<1>(x + t, k, first, y + t, index + t);
    for (; k >= RUN<T> && t < n; ++t)
        meet_run(x + t * s, first, k, &y[t], &index[t]);
    return t;
}

/* The same for any window: the largest is found or, unless `LARGEST`, all are added up. */
template <bool LARGEST>
struct Meet {
    template <typename T, ptrdiff_t K, ptrdiff_t S>
    struct Loop {
        CF_AVX2_CLONES static void run(
                const T *x, T *y, Index<T> *index, Index<T> first, ptrdiff_t n,
                ptrdiff_t k, ptrdiff_t s) {
            meet(x, y, index, first, n, k, s);
        }

        CF_CLONES static void run_any(
                const T *x, T *y, Index<T> *index, Index<T> first, ptrdiff_t n,
                ptrdiff_t k, ptrdiff_t s) {
            meet(x, y, index, first, n, k, s);
        }

        static CF_ELEMENT void meet(
                const T *CF_RESTRICT x, T *CF_RESTRICT y, Index<T> *CF_RESTRICT index,
                Index<T> first, ptrdiff_t n, ptrdiff_t any_k, ptrdiff_t any_s) {
            const ptrdiff_t k = K ? K : any_k, s = S ? S : any_s;
            ptrdiff_t t = LARGEST && !K ? meet_many(x, y, index, first, n, k, s) : 0;
            for (; t < n; ++t) {
                T best = y[t];
                Index<T> at = LARGEST ? index[t] : 0;
                CF_UNROLL(4) for (ptrdiff_t i = 0; i < k; ++i) {
                    const T seen = x[t * s + i];
                    if (LARGEST)
                        at = seen > best ? first + (Index<T>)i : at;
                    best = !LARGEST ? best + seen : seen > best ? seen : best;
                }
                y[t] = best;
                if (LARGEST)
                    index[t] = at;
            }
        }
    };
};

template <bool LARGEST, typename T>
void meet_rim(const T *x, T *y, Index<T> *index, Index<T> first, ptrdiff_t low,
              ptrdiff_t high, const Window &w) {
    const int j = w.nd - 1;
    for (ptrdiff_t t = low; t < high; ++t) {
        const Span met = elements_at(w, false, j, t);
        for (ptrdiff_t i = met.low; i < met.high; ++i) {
            const ptrdiff_t at = t * w.s[j] + i - w.p[j];
            if (!LARGEST)
                y[t] += x[at];
            else if (exceeds(x[at], y[t])) {
                y[t] = x[at];
                index[t] = first + (Index<T>)i;
            }
        }
    }
}

/* Maxima and their `indexes`, for which `index` has room for a row; or sums, divided. */
template <bool LARGEST, typename T>
CF_CLONES void meet_rows(const Window &w, const Plan &plan, ptrdiff_t images, const T *x,
                         T *y, int64_t *indexes, Index<T> *index, T divisor) {
    const int j = w.nd - 1;
    const ptrdiff_t size = product(w.n, w.nd), out = w.out[j];
    const ptrdiff_t k = w.k[j], s = w.s[j], p = w.p[j];
    const auto loop = version_for<Meet<LARGEST>::template Loop, T>(w);
    const Span inner = inner_places(w);
    for (; images-- > 0; x += size) {
        const Span in = LARGEST && any_nan(x, size) ? Span{0, 0} : inner;
        for (ptrdiff_t row = 0; row < plan.rows; ++row, y += out) {
            for (ptrdiff_t t = 0; t < out; ++t) {
                y[t] = LARGEST ? (T)-infinity() : 0;
                if (LARGEST)
                    index[t] = 0;
            }
            for (ptrdiff_t i = plan.begin[row]; i < plan.begin[row + 1]; ++i) {
                const T *seen = x + plan.partner[i].offset;
                const Index<T> first = (Index<T>)plan.partner[i].first;
                if (!LARGEST && s == 1 && is_wide(w))
                    add_shifted(seen + in.low - p, k, 1, y + in.low, in.high - in.low);
                else
                    loop(seen + in.low * s - p, y + in.low,
                         LARGEST ? index + in.low : nullptr, first, in.high - in.low, k,
                         s);
                if (in.low > 0)
                    meet_rim<LARGEST>(seen, y, index, first, 0, in.low, w);
                if (in.high < out)
                    meet_rim<LARGEST>(seen, y, index, first, in.high, out, w);
            }
            if (LARGEST)
                for (ptrdiff_t t = 0; t < out; ++t)
                    *indexes++ = index[t];
            else if (divisor != 1)
                for (ptrdiff_t t = 0; t < out; ++t)
                    y[t] /= divisor;
        }
    }
}

/* So many sums are found side by side: one alone would wait for each addition. */
constexpr ptrdiff_t ABREAST = 8;

/* Sums of so many planes over wide windows that are apart, divided. */
template <typename T>
CF_CLONES void sum_abreast(const Window &w, const Plan &plan, const T *x, T *y,
                           T divisor) {
    const int j = w.nd - 1;
    const ptrdiff_t size = product(w.n, w.nd), sums_of_plane = product(w.out, w.nd);
    for (ptrdiff_t row = 0; row < plan.rows; ++row)
        for (ptrdiff_t t = 0; t < w.out[j]; ++t, ++y) {
            const Span met = elements_at(w, false, j, t);
            T sums[ABREAST] = {};
            for (ptrdiff_t i = plan.begin[row]; i < plan.begin[row + 1]; ++i) {
                const T *seen = x + plan.partner[i].offset + t * w.s[j] - w.p[j];
                for (ptrdiff_t at = met.low; at < met.high; ++at)
                    CF_UNROLL(8) for (ptrdiff_t plane = 0; plane < ABREAST; ++plane)
                        sums[plane] += seen[plane * size + at];
            }
            for (ptrdiff_t plane = 0; plane < ABREAST; ++plane)
                y[plane * sums_of_plane] =
                    divisor != 1 ? sums[plane] / divisor : sums[plane];
        }
}

template <typename T>
void max_pool(const Window &w, const T *x, T *y, int64_t *indexes) {
    const ptrdiff_t length = product(w.n, w.nd), size = product(w.out, w.nd);
    const Plan plan(w, false);
    share_planes(w, [&](ptrdiff_t i, ptrdiff_t n) {
        const auto index = buffer<Index<T>>(w.out[w.nd - 1]);
        meet_rows<true>(w, plan, n, x + i * length, y + i * size, indexes + i * size,
                        index.get(), (T)1);
    });
}

/* Sums over windows, or with ``of_images`` their adjoint. */
template <typename T>
void sum_pool(const Window &w, bool of_images, const T *x, T *y, double divisor) {
    const ptrdiff_t length = product(w.n, w.nd), size = product(w.out, w.nd);
    const Plan plan(w, of_images);
    const bool apart = !of_images && is_wide(w) && w.k[w.nd - 1] <= w.s[w.nd - 1];
    share_planes(w, [&](ptrdiff_t i, ptrdiff_t n) {
        for (; apart && n >= ABREAST; i += ABREAST, n -= ABREAST)
            sum_abreast(w, plan, x + i * length, y + i * size, (T)divisor);
        if (of_images)
            spread_rows<false>(w, plan, n, x + i * size, (const Index<T> *)nullptr,
                               y + i * length, (T)divisor);
        else
            meet_rows<false>(w, plan, n, x + i * length, y + i * size, nullptr,
                             (Index<T> *)nullptr, (T)divisor);
    });
}

}  // namespace
}  // namespace chainer_fast::pooling

#endif
