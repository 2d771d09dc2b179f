/* Maxima and sums over windows, and the adjoint of sums: rows of floats and doubles.
 *
 * The loops of the usual windows are compiled with their size and stride as constants.
 * Every element visits the window's elements in C order, so that sums round the same
 * way in all forms.
 */
#ifndef CHAINER_FAST_POOLING_LOOPS_HPP
#define CHAINER_FAST_POOLING_LOOPS_HPP

#include <string.h>

#include <algorithm>
#include <type_traits>

#include "chainer_fast/_cpu/lanes.hpp"
#include "chainer_fast/_cpu/loops.hpp"
#include "chainer_fast/backends/kernels/pooling/elements.hpp"
#include "chainer_fast/backends/kernels/pooling/windows.hpp"

namespace chainer_fast::pooling {
namespace {

/* An integer of the size of `T`, so that vectors of both have equal length. */
template <typename T>
using Index = typename std::conditional<sizeof(T) == 4, int32_t, int64_t>::type;

/* Chooses the version of a loop for a window, by its size and stride; zeros mean
 * those that are known only when it runs. Each version is a separate function, so
 * that the compiler knows that its arguments do not overlap, and vectorizes it. */
template <template <typename, ptrdiff_t, ptrdiff_t> class Loop, typename T>
auto version_for(const Window &w) {
    const ptrdiff_t k = w.k[w.nd - 1], s = w.s[w.nd - 1];
    if (k == 2 && s == 2) return Loop<T, 2, 2>::run;
    if (k == 3 && s == 2) return Loop<T, 3, 2>::run;
    if (k == 3 && s == 1) return Loop<T, 3, 1>::run;
    if (k == 3 && s == 3) return Loop<T, 3, 3>::run;
    if (k == 2 && s == 1) return Loop<T, 2, 1>::run;
    return s == 1 ? Loop<T, 0, 1>::run : s == 2 ? Loop<T, 0, 2>::run
        : Loop<T, 0, 0>::run;
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

/* -- maxima and sums over windows */

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

/* Elements of a window that a run meets at once. */
template <typename T>
constexpr ptrdiff_t RUN = 64 / sizeof(T);

/* Many elements side by side, in lanes of which each keeps its largest. */
template <typename T>
CF_ELEMENT void meet_run(const T *x, Index<T> first, ptrdiff_t k, T *best, Index<T> *at) {
    constexpr ptrdiff_t N = RUN<T>;
    T lanes[N], largest = *best;
    Index<T> places[N], place = 0;
    ptrdiff_t i = 0, j;
    for (j = 0; j < N; ++j) {
        lanes[j] = (T)-infinity();
        places[j] = 0;
    }
    for (; i + N <= k; i += N)
        for (j = 0; j < N; ++j) {
            places[j] = x[i + j] > lanes[j] ? (Index<T>)(i + j) : places[j];
            lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];
        }
    for (; i < k; ++i) {
        places[0] = x[i] > lanes[0] ? (Index<T>)i : places[0];
        lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
    }
    for (j = 0; j < N; ++j)
        if (lanes[j] > largest || (lanes[j] == largest && largest > *best
                                   && places[j] < place)) {
            largest = lanes[j];
            place = places[j];
        }
    if (largest > *best) {      // of several equal ones, the first
        *best = x[place];
        *at = first + place;
    }
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
    for (; k >= 2 * RUN<T> && t < n; ++t)
        meet_run(x + t * s, first, k, &y[t], &index[t]);
    return t;
}

/* The same for any window: the largest is found or, unless `LARGEST`, all are added up. */
template <bool LARGEST>
struct Meet {
    template <typename T, ptrdiff_t K, ptrdiff_t S>
    struct Loop {
        CF_AVX2_CLONES static void run(
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
CF_AVX2_CLONES void meet_rows(const Window &w, const Plan &plan, ptrdiff_t images, const T *x,
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

/* -- from windows to images, each element of which gathers what it gets */

/* `value`, or zero unless `counts`; without a branch, so that loops make vectors. */
template <typename T>
CF_ELEMENT T if_counts(T value, bool counts) {
    Index<T> bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= -(Index<T>)counts;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* With `CHOSEN`, one element of each window counts, that of its index; else all do. */
template <bool CHOSEN>
struct Spread {
    template <typename T, ptrdiff_t K, ptrdiff_t S>
    struct Loop {
        CF_AVX2_CLONES static void run(
                const T *CF_RESTRICT gy, const Index<T> *CF_RESTRICT index,
                T *CF_RESTRICT gx, Index<T> first, ptrdiff_t n, ptrdiff_t any_k,
                ptrdiff_t any_s) {
            const ptrdiff_t k = K ? K : any_k, s = S ? S : any_s;
            for (ptrdiff_t t = 0; t < n; ++t)
                CF_UNROLL(4) for (ptrdiff_t part = 0; part < s; ++part) {
                    T sum = gx[t * s + part];
                    CF_UNROLL(4) for (ptrdiff_t i = 0; part + i * s < k; ++i)
                        sum += CHOSEN ? if_counts(
                            gy[t - i], index[t - i] == first + (Index<T>)(part + i * s))
                            : gy[t - i];
                    gx[t * s + part] = sum;
                }
        }
    };
};

template <bool CHOSEN, typename T>
void spread_rim(const T *gy, const Index<T> *index, T *gx, Index<T> first,
                ptrdiff_t low, ptrdiff_t high, const Window &w) {
    const int j = w.nd - 1;
    for (ptrdiff_t x = low; x < high; ++x)
        for (ptrdiff_t i = 0; i < w.k[j]; ++i) {
            const ptrdiff_t way = x + w.p[j] - i, t = way / w.s[j];
            if (way >= 0 && way % w.s[j] == 0 && t < w.out[j]
                    && (!CHOSEN || index[t] == first + (Index<T>)i))
                gx[x] += gy[t];
        }
}

/* Adds to the elements of a row what they get, an element of the window after the other.
 */
template <typename T>
CF_ELEMENT void spread_wide(const T *CF_RESTRICT gy, T *CF_RESTRICT gx, const Window &w) {
    const int j = w.nd - 1;
    for (ptrdiff_t i = 0; i < w.k[j]; ++i) {
        const Span in = places_of(w, i);
        for (ptrdiff_t t = in.low; t < in.high; ++t)
            gx[t * w.s[j] + i - w.p[j]] += gy[t];
    }
}

/* Copies the rows of a plane to where zeros surround them: `k - 1` of them are before the
 * first place whose window begins in an image. A sum that starts from zero is never minus
 * zero, so these change no sum. */
template <typename T>
void surround(const Window &w, const T *gy, T *rows) {
    const int j = w.nd - 1;
    const ptrdiff_t out = w.out[j], width = w.n[j] + w.k[j] - 1;
    const ptrdiff_t before = w.k[j] - 1 - w.p[j], low = before < 0 ? -before : 0;
    const ptrdiff_t high = out < width - before ? out : width - before;
    for (ptrdiff_t i = product(w.out, j); i > 0; --i, gy += out, rows += width)
        if (low < high)
            memcpy(rows + before + low, gy + low, (high - low) * sizeof(T));
}

template <bool CHOSEN, typename T>
CF_AVX2_CLONES void spread_rows(const Window &w, const Plan &plan, ptrdiff_t images,
                           const T *gy, const Index<T> *indexes, T *gx, T divisor) {
    const int j = w.nd - 1;
    const ptrdiff_t size = product(w.out, w.nd), n = w.n[j];
    const ptrdiff_t k = w.k[j], s = w.s[j], p = w.p[j];
    const auto loop = version_for<Spread<CHOSEN>::template Loop, T>(w);
    const Span in = inner_steps(w);
    const bool repeated = !CHOSEN && j > 0 && w.s[j - 1] > 1
        && (w.k[j - 1] < w.s[j - 1] || w.k[j - 1] % w.s[j - 1] == 0);
    const bool shifts = !CHOSEN && is_wide(w) && s == 1 && k <= n;
    const ptrdiff_t width = n + k - 1, surrounded = product(w.out, j) * width;
    const auto rows = buffer<T>(shifts ? surrounded : 0);
    std::fill_n(rows.get(), shifts ? surrounded : 0, (T)0);
    for (; images-- > 0; gy += size) {
        if (shifts)
            surround(w, gy, rows.get());
        for (ptrdiff_t row = 0; row < plan.rows; ++row, gx += n) {
            if (repeated && plan.repeats(row)) {
                memcpy(gx, gx - n, n * sizeof(T));
                continue;
            }
            for (ptrdiff_t x = 0; x < n; ++x)
                gx[x] = 0;
            for (ptrdiff_t i = plan.begin[row]; i < plan.begin[row + 1]; ++i) {
                const T *given = gy + plan.partner[i].offset;
                const Index<T> *index = CHOSEN ? indexes + plan.partner[i].offset
                                               : nullptr;
                const Index<T> first = (Index<T>)plan.partner[i].first;
                if (shifts)
                    add_shifted(rows.get() + plan.partner[i].offset / w.out[j] * width
                                + k - 1, k, -1, gx, n);
                else if (!CHOSEN && is_wide(w))
                    spread_wide(given, gx, w);
                else if (in.low < in.high) {
                    loop(given + in.low, CHOSEN ? index + in.low : nullptr,
                         gx + in.low * s - p, first, in.high - in.low, k, s);
                    spread_rim<CHOSEN>(given, index, gx, first, 0, in.low * s - p, w);
                    spread_rim<CHOSEN>(given, index, gx, first, in.high * s - p, n, w);
                }
                else
                    spread_rim<CHOSEN>(given, index, gx, first, 0, n, w);
            }
            if (divisor != 1)
                for (ptrdiff_t x = 0; x < n; ++x)
                    gx[x] /= divisor;
        }
    }
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
