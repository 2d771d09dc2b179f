/* Numbers of NumPy's MT19937, a block at a time.
 *
 * The recurrence and the tempering are those of Matsumoto and Nishimura (1998), whose
 * words NumPy hands out one by one. In three loops over the block, none of which reads
 * what it has just written within a vector's length, the compiler vectorizes them.
 */
#ifndef CF_MERSENNE_H
#define CF_MERSENNE_H

#include <math.h>
#include <stdint.h>
#include "chainer_fast/backends/kernels/common/loops.h"

#define CF_MT_N 624
#define CF_MT_M 397

/* As NumPy has it behind the field ``state`` of its generator; checked at run time. */
typedef struct {
    uint32_t key[CF_MT_N];
    int pos;
} cf_mt;

#define CF_MT_TWIST(i, next, from)                                            \
    do {                                                                      \
        uint32_t y = (key[i] & 0x80000000u) | (key[next] & 0x7fffffffu);      \
        key[i] = key[from] ^ (y >> 1) ^ (-(y & 1u) & 0x9908b0dfu);            \
    } while (0)

CF_CLONES static void cf_mt_refill(uint32_t *key) {
    int i;
    for (i = 0; i < CF_MT_N - CF_MT_M; ++i)
        CF_MT_TWIST(i, i + 1, i + CF_MT_M);
    for (i = CF_MT_N - CF_MT_M; i < CF_MT_N - 1; ++i)
        CF_MT_TWIST(i, i + 1, i + (CF_MT_M - CF_MT_N));
    CF_MT_TWIST(CF_MT_N - 1, 0, CF_MT_M - 1);
}

CF_CLONES static void cf_mt_temper(const uint32_t *key, uint32_t *out, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; ++i) {
        uint32_t y = key[i];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        y ^= y >> 18;
        out[i] = y;
    }
}

static void cf_mt_words(cf_mt *mt, uint32_t *out, ptrdiff_t n) {
    while (n > 0) {
        ptrdiff_t now;
        if (mt->pos == CF_MT_N) {
            cf_mt_refill(mt->key);
            mt->pos = 0;
        }
        now = CF_MT_N - mt->pos;
        if (now > n)
            now = n;
        cf_mt_temper(mt->key + mt->pos, out, now);
        mt->pos += (int)now;
        out += now;
        n -= now;
    }
}

/* A double is made of 27 bits of one word and 26 of the next, (a 2^26 + b) / 2^53. It
 * is not below a ratio exactly if the integer is not below 2^53 times the ratio, rounded
 * up, whose two parts are ``high`` and ``low``. */
#define CF_MT_KEPT(w, i, high, low)                                           \
    (((int32_t)(w[2 * (i)] >> 5) > (high))                                    \
     | (((int32_t)(w[2 * (i)] >> 5) == (high))                                \
        & ((int32_t)(w[2 * (i) + 1] >> 6) >= (low))))

#define CF_MT_CHUNK 1024

CF_CLONES static void cf_kept_chunk(
        const uint32_t *w, unsigned char *out, int32_t high, int32_t low,
        ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; ++i)
        out[i] = (unsigned char)CF_MT_KEPT(w, i, high, low);
}

#define CF_NOISE(S, T)                                                        \
    CF_CLONES static void cf_mask_chunk_##S(                                  \
            const uint32_t *w, const T *x, T *mask, T *y, T scale,            \
            int32_t high, int32_t low, ptrdiff_t n) {                         \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            T m = CF_MT_KEPT(w, i, high, low) ? scale : (T)0;                 \
            mask[i] = m;                                                      \
            y[i] = x[i] * m;                                                  \
        }                                                                     \
    }                                                                         \
    static void cf_dropout_##S(cf_mt *mt, const T *x, T *mask, T *y, T scale, \
                               int32_t high, int32_t low, ptrdiff_t n) {      \
        uint32_t words[2 * CF_MT_CHUNK];                                      \
        ptrdiff_t i, now;                                                     \
        for (i = 0; i < n; i += now) {                                        \
            now = n - i < CF_MT_CHUNK ? n - i : CF_MT_CHUNK;                  \
            cf_mt_words(mt, words, 2 * now);                                  \
            cf_mask_chunk_##S(                                                \
                words, x + i, mask + i, y + i, scale, high, low, now);        \
        }                                                                     \
    }                                                                         \
    CF_CLONES static void cf_uniform_chunk_##S(                               \
            const uint32_t *w, T *out, double lower, double range,            \
            ptrdiff_t n) {                                                    \
        ptrdiff_t i;                                                          \
        for (i = 0; i < n; ++i) {                                             \
            double a = (double)(int32_t)(w[2 * i] >> 5);                      \
            double b = (double)(int32_t)(w[2 * i + 1] >> 6);                  \
            double u = (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);     \
            out[i] = (T)(lower + range * u);                                  \
        }                                                                     \
    }                                                                         \
    static void cf_uniform_##S(                                               \
            cf_mt *mt, T *out, double lower, double range, ptrdiff_t n) {     \
        uint32_t words[2 * CF_MT_CHUNK];                                      \
        ptrdiff_t i, now;                                                     \
        for (i = 0; i < n; i += now) {                                        \
            now = n - i < CF_MT_CHUNK ? n - i : CF_MT_CHUNK;                  \
            cf_mt_words(mt, words, 2 * now);                                  \
            cf_uniform_chunk_##S(words, out + i, lower, range, now);          \
        }                                                                     \
    }

/* Standard Gumbel numbers. Of a number drawn as zero, the logarithm of the logarithm is
 * infinite; it is passed over, and another one drawn. The logarithm is that of the C
 * library, which NumPy calls as well. */
#define CF_GUMBEL(S, T)                                                       \
    static void cf_gumbel_##S(cf_mt *mt, T *out, ptrdiff_t n) {               \
        double u[CF_MT_CHUNK];                                                \
        ptrdiff_t i, now;                                                     \
        while (n > 0) {                                                       \
            now = n < CF_MT_CHUNK ? n : CF_MT_CHUNK;                          \
            cf_uniform_d(mt, u, 0, 1, now);                                   \
            for (i = 0; i < now; ++i)                                         \
                if (u[i] > 0) {                                               \
                    *out++ = (T)-log(-log(1.0 - u[i]));                       \
                    --n;                                                      \
                }                                                             \
        }                                                                     \
    }

CF_NOISE(f, float)
CF_NOISE(d, double)
CF_GUMBEL(f, float)
CF_GUMBEL(d, double)

static void cf_kept(cf_mt *mt, unsigned char *out, int32_t high, int32_t low,
                    ptrdiff_t n) {
    uint32_t words[2 * CF_MT_CHUNK];
    ptrdiff_t i, now;
    for (i = 0; i < n; i += now) {
        now = n - i < CF_MT_CHUNK ? n - i : CF_MT_CHUNK;
        cf_mt_words(mt, words, 2 * now);
        cf_kept_chunk(words, out + i, high, low, now);
    }
}

#endif
