/* The adjoint of maxima and sums over windows: each element of an image gathers what it
 * gets, in the C order of the window. */
#ifndef CHAINER_FAST_POOLING_SPREAD_HPP
#define CHAINER_FAST_POOLING_SPREAD_HPP

#include <string.h>

#include <algorithm>

#include "chainer_fast/backends/kernels/pooling/rows.hpp"

namespace chainer_fast::pooling {
namespace {

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
                const T *gy, const Index<T> *index, T *gx, Index<T> first, ptrdiff_t n,
                ptrdiff_t k, ptrdiff_t s) {
            spread(gy, index, gx, first, n, k, s);
        }

        CF_CLONES static void run_any(
                const T *gy, const Index<T> *index, T *gx, Index<T> first, ptrdiff_t n,
                ptrdiff_t k, ptrdiff_t s) {
            spread(gy, index, gx, first, n, k, s);
        }

        static CF_ELEMENT void spread(
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
CF_CLONES void spread_rows(const Window &w, const Plan &plan, ptrdiff_t images,
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

}  // namespace
}  // namespace chainer_fast::pooling

#endif
