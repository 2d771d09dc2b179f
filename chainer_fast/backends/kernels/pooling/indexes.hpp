/* One element of each window: put values on it, or pick it. */
#ifndef CHAINER_FAST_POOLING_INDEXES_HPP
#define CHAINER_FAST_POOLING_INDEXES_HPP

#include "chainer_fast/backends/kernels/pooling/loops.hpp"

namespace chainer_fast::pooling {
namespace {

/* Windows of more elements than this look for their own, not the other way round. */
constexpr ptrdiff_t SMALL_WINDOW = 9;

/* Where the element of index `at` lies in the image, or -1 in the padding. */
CF_ELEMENT ptrdiff_t find(const Window &w, const ptrdiff_t *place, ptrdiff_t at) {
    ptrdiff_t offset = 0, step = 1;
    for (int j = w.nd - 1; j >= 0; --j) {
        const ptrdiff_t x = place[j] * w.s[j] + at % w.k[j] - w.p[j];
        if (x < 0 || x >= w.n[j])
            return -1;
        at /= w.k[j];
        offset += x * step;
        step *= w.n[j];
    }
    return offset;
}

/* One image: each window finds the element that counts. From the last window to the
 * first, so that an element meets them in the order of its indexes there. */
template <typename T>
void put_one_by_one(const Window &w, const T *gy, const Index<T> *indexes, T *gx) {
    ptrdiff_t place[MAX_AXES];
    memset(gx, 0, product(w.n, w.nd) * sizeof(T));
    for (int j = 0; j < w.nd; ++j)
        place[j] = w.out[j] - 1;
    for (ptrdiff_t i = product(w.out, w.nd) - 1; i >= 0; --i) {
        const ptrdiff_t offset = find(w, place, (ptrdiff_t)indexes[i]);
        if (offset >= 0)
            gx[offset] += gy[i];
        for (int j = w.nd - 1; j >= 0 && --place[j] < 0; --j)
            place[j] = w.out[j] - 1;
    }
}

template <typename T>
void pick_one_by_one(const Window &w, const T *x, const Index<T> *indexes, T *y) {
    ptrdiff_t place[MAX_AXES] = {0}, i = 0;
    do {
        const ptrdiff_t offset = find(w, place, (ptrdiff_t)indexes[i]);
        y[i++] = offset >= 0 ? x[offset] : 0;
    } while (next(place, w.out, w.nd));
}

/* Copies indexes to the type that the loops take; returns whether all are indexes of
 * `count` elements. */
template <typename To>
CF_CLONES bool take(const int64_t *from, To *to, ptrdiff_t n, ptrdiff_t count) {
    int64_t bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        to[i] = (To)from[i];
        bad |= (from[i] < 0) | (from[i] >= count);
    }
    return bad == 0;
}

/* Runs `one` for each plane, with its indexes in the type that the loops take. Returns
 * whether all are indexes of a window's elements. */
template <typename T, typename One>
bool with_indexes(const Window &w, const int64_t *indexes, One one) {
    const ptrdiff_t size = product(w.out, w.nd), count = product(w.k, w.nd);
    std::atomic<bool> good(true);
    share_planes(w, [&](ptrdiff_t i, ptrdiff_t n) {
        const auto index = buffer<Index<T>>(size);
        for (n += i; i < n && good; ++i) {
            if (take(indexes + i * size, index.get(), size, count))
                one(i, index.get());
            else
                good = false;
        }
    });
    return good;
}

template <typename T>
bool put(const Window &w, const T *gy, const int64_t *indexes, T *gx) {
    const ptrdiff_t size = product(w.out, w.nd), length = product(w.n, w.nd);
    if (product(w.k, w.nd) > SMALL_WINDOW)
        return with_indexes<T>(w, indexes, [&](ptrdiff_t i, const Index<T> *index) {
            put_one_by_one(w, gy + i * size, index, gx + i * length);
        });
    const Plan plan(w, true);
    return with_indexes<T>(w, indexes, [&](ptrdiff_t i, const Index<T> *index) {
        spread_rows<true>(w, plan, 1, gy + i * size, index, gx + i * length, (T)1);
    });
}

template <typename T>
bool pick(const Window *w, const T *x, const int64_t *indexes, T *y) {
    const ptrdiff_t size = product(w->out, w->nd), length = product(w->n, w->nd);
    return with_indexes<T>(*w, indexes, [&](ptrdiff_t i, const Index<T> *index) {
        pick_one_by_one(*w, x + i * length, index, y + i * size);
    });
}

}  // namespace
}  // namespace chainer_fast::pooling

#endif
