/* Numbers of NumPy's MT19937, a block at a time.
 *
 * The recurrence and the tempering are those of Matsumoto and Nishimura (1998), whose
 * words NumPy hands out one by one. Three loops over the block, none of which reads its
 * own output within a vector's length, let the compiler vectorize them. */
#pragma once

#include <stdint.h>
#include <algorithm>
#include <cmath>

#include "chainer_fast/_core/arrays/private.hpp"
#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/noise/elements.hpp"

namespace chainer_fast::noise {
namespace {

/* Words of a block, and the distance of the words that are combined. */
constexpr int WORDS = sizeof(Twister::key) / sizeof(uint32_t);
constexpr int SHIFT = 397;

CF_ELEMENT void twist(uint32_t *key, int i, int next, int from) {
    const uint32_t y = (key[i] & 0x80000000u) | (key[next] & 0x7fffffffu);
    key[i] = key[from] ^ (y >> 1) ^ (-(y & 1u) & 0x9908b0dfu);
}

CF_CLONES void refill(uint32_t *key) {
    for (int i = 0; i < WORDS - SHIFT; ++i)
        twist(key, i, i + 1, i + SHIFT);
    for (int i = WORDS - SHIFT; i < WORDS - 1; ++i)
        twist(key, i, i + 1, i + (SHIFT - WORDS));
    twist(key, WORDS - 1, 0, SHIFT - 1);
}

CF_CLONES void temper(const uint32_t *key, uint32_t *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        uint32_t y = key[i];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        y ^= y >> 18;
        out[i] = y;
    }
}

inline void draw_words(Twister *mt, uint32_t *out, ptrdiff_t n) {
    while (n > 0) {
        if (mt->pos == WORDS) {
            refill(mt->key);
            mt->pos = 0;
        }
        const ptrdiff_t now = std::min<ptrdiff_t>(WORDS - mt->pos, n);
        temper(mt->key + mt->pos, out, now);
        mt->pos += (int)now;
        out += now;
        n -= now;
    }
}

/* -- doubles: each is made of 27 bits of one word and 26 of the next, (a 2^26 + b) / 2^53 */

constexpr ptrdiff_t CHUNK = 1024;

/* Call ``use(words, start, count)`` for one chunk of n doubles after the other. */
template <typename Use>
void draw(Twister *mt, ptrdiff_t n, Use use) {
    uint32_t words[2 * CHUNK];
    for (ptrdiff_t start = 0; start < n; start += CHUNK) {
        const ptrdiff_t count = std::min(CHUNK, n - start);
        draw_words(mt, words, 2 * count);
        use(words, start, count);
    }
}

/* A double is not below a ratio exactly if its integer, a 2^26 + b, is not below 2^53
 * times the ratio, rounded up. The two parts of that are compared one after the other. */
struct Threshold {
    int32_t high, low;

    explicit Threshold(double ratio) {
        const int64_t bound = (int64_t)std::ceil(ratio * 9007199254740992.0);
        high = (int32_t)(bound >> 26);
        low = (int32_t)(bound & 0x3ffffff);
    }

    CF_ELEMENT bool keeps(const uint32_t *w) const {
        const int32_t a = (int32_t)(w[0] >> 5), b = (int32_t)(w[1] >> 6);
        return (a > high) | ((a == high) & (b >= low));
    }
};

CF_CLONES void kept_chunk(const uint32_t *w, unsigned char *out, Threshold threshold,
                          ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] = threshold.keeps(w + 2 * i);
}

inline void kept(Twister *mt, unsigned char *out, double ratio, ptrdiff_t n) {
    const Threshold threshold(ratio);
    draw(mt, n, [&](const uint32_t *w, ptrdiff_t start, ptrdiff_t count) {
        kept_chunk(w, out + start, threshold, count);
    });
}

template <typename T, typename Keeps>
CF_CLONES void drop(const T *x, T *mask, T *y, double ratio, ptrdiff_t n, Keeps keeps) {
    const T scale = (T)(1. / (1 - ratio));
    for (ptrdiff_t i = 0; i < n; ++i)
        drop_or_scale(x[i], keeps(i), scale, y[i], mask[i]);
}

template <typename T>
void dropout(Twister *mt, const T *x, T *mask, T *y, double ratio, ptrdiff_t n) {
    const Threshold threshold(ratio);
    draw(mt, n, [&](const uint32_t *w, ptrdiff_t start, ptrdiff_t count) {
        drop(x + start, mask + start, y + start, ratio, count,
             [=](ptrdiff_t i) { return threshold.keeps(w + 2 * i); });
    });
}

/* The same by flags that were drawn before, as their order is another one. */
template <typename T>
void dropout_by_flags(const unsigned char *keeps, const T *x, T *mask, T *y,
                      double ratio, ptrdiff_t n) {
    drop(x, mask, y, ratio, n, [=](ptrdiff_t i) { return keeps[i] != 0; });
}

template <typename T>
CF_CLONES void uniform_chunk(
        const uint32_t *w, T *out, double lower, double range, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const double a = (double)(int32_t)(w[2 * i] >> 5);
        const double b = (double)(int32_t)(w[2 * i + 1] >> 6);
        const double u = (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
        out[i] = (T)(lower + range * u);
    }
}

template <typename T>
void uniform(Twister *mt, T *out, double lower, double range, ptrdiff_t n) {
    draw(mt, n, [&](const uint32_t *w, ptrdiff_t start, ptrdiff_t count) {
        uniform_chunk(w, out + start, lower, range, count);
    });
}

/* Standard Gumbel numbers. A number drawn as zero, whose logarithm of the logarithm is
 * infinite, is skipped and another one drawn. The logarithm is that of the C library,
 * which NumPy calls as well. */
template <typename T>
void gumbel(Twister *mt, T *out, ptrdiff_t n) {
    double u[CHUNK];
    while (n > 0) {
        const ptrdiff_t count = std::min(CHUNK, n);
        uniform(mt, u, 0, 1, count);
        for (ptrdiff_t i = 0; i < count; ++i)
            if (u[i] > 0) {
                *out++ = (T)-std::log(-std::log(1.0 - u[i]));
                --n;
            }
    }
}

/* Move the points (x, y) within the unit circle, but not at its center, to the front,
 * in order; return how many they are. ``square`` gets x^2 + y^2. */
inline ptrdiff_t points_within(double *points, double *square, ptrdiff_t n) {
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        const double x = points[2 * i], y = points[2 * i + 1], s = x * x + y * y;
        points[2 * found] = x;
        points[2 * found + 1] = y;
        square[found] = s;
        found += (s < 1) & (s > 0);     /* a branch would often be mispredicted */
    }
    return found;
}

template <typename T>
CF_CLONES void normal_chunk(const double *points, const double *square,
                            const double *logs, T *out, double deviation, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i) {
        const double factor = std::sqrt(-2.0 * logs[i] / square[i]);
        out[2 * i] = (T)(deviation * (factor * points[2 * i + 1]));
        out[2 * i + 1] = (T)(deviation * (factor * points[2 * i]));
    }
}

/* Normal numbers of mean zero by the polar method (Marsaglia and Bray, 1964), from
 * out[start] on; an even number of them. Each pair is made of the next point within
 * the unit circle; no more points are drawn than pairs are missing. The logarithm is
 * that of the C library, which NumPy calls as well. */
template <typename T>
void normal(Twister *mt, T *out, double deviation, ptrdiff_t start, ptrdiff_t n) {
    double points[CHUNK], square[CHUNK / 2], logs[CHUNK / 2];
    for (out += start; n > 0;) {
        const ptrdiff_t count = std::min(CHUNK, n);
        uniform(mt, points, -1, 2, count);
        const ptrdiff_t pairs = points_within(points, square, count / 2);
        for (ptrdiff_t i = 0; i < pairs; ++i)
            logs[i] = std::log(square[i]);
        normal_chunk(points, square, logs, out, deviation, pairs);
        out += 2 * pairs;
        n -= 2 * pairs;
    }
}

constexpr Loop kept_loop = {kept, kept};    /* of any kind */
constexpr Loop dropout_loop = {dropout<float>, dropout<double>};
constexpr Loop dropout_by_flags_loop = {
    dropout_by_flags<float>, dropout_by_flags<double>};
constexpr Loop uniform_loop = {uniform<float>, uniform<double>};
constexpr Loop gumbel_loop = {gumbel<float>, gumbel<double>};
constexpr Loop normal_loop = {normal<float>, normal<double>};

}  // namespace
}  // namespace chainer_fast::noise
