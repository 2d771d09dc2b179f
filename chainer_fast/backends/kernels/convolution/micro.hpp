/* Inner loops of convolutions with channels last in memory, by the processor.
 *
 * They are written with vectors because the build forbids the compiler to fuse
 * multiplications and additions, which is half of the speed of a convolution. */
#ifndef CHAINER_FAST_CONVOLUTION_MICRO_HPP
#define CHAINER_FAST_CONVOLUTION_MICRO_HPP

#include <stddef.h>

#include <algorithm>
#include <utility>

#include "chainer_fast/_cpu/processor.hpp"
#include "chainer_fast/_cpu/element.hpp"
#include "chainer_fast/_cpu/loops.hpp"

namespace chainer_fast::convolution {
namespace {

/* Maximum vectors of filters, pixels and channels of a tile; and maximum vectors of
   channels with their own filters. */
constexpr int MOST_VECTORS = 2, MOST_PIXELS = 12, MOST_CHANNELS = 14;
constexpr int MOST_CHANNEL_VECTORS = 4;

/* Number of products in a partial sum; these sums are summed in turn, as the error
   grows with the length of a sum. */
constexpr ptrdiff_t MOST_PRODUCTS = 256;

/* Some pixels of the result, for some filters. */
template <typename T>
struct Tile {
    const T *const *in;    /* for each tap, its pixel for each pixel of the result */
    const ptrdiff_t *tap;  /* numbers of these taps */
    ptrdiff_t taps;
    ptrdiff_t depth;       /* channels of a pixel of `in` */
    ptrdiff_t offset;      /* of the first channel */
    const T *weights;      /* of shape (all taps, depth, vectors) */
    const T *bias;         /* as many as fill the vectors; or NULL */
    T *const *out;
    ptrdiff_t out_offset;  /* of the first filter */
    ptrdiff_t filters;     /* to compute */
};

/* A pixel of a tap, and the position of the window. */
template <typename T>
struct Meeting {
    const T *x;
    ptrdiff_t place;
};

/* Some channels of one tap of the filters, for some filters. */
template <typename T>
struct Correlation {
    const Meeting<T> *pixels;
    ptrdiff_t count;
    ptrdiff_t offset;      /* of the first channel */
    const T *gradients;    /* of shape (positions, vectors) */
    T *sums;               /* of shape (channels, vectors) */
    bool add;              /* to the contents of `sums` */
};

template <typename T>
struct Micro {
    ptrdiff_t lanes, pixels, channels;
    void (*tile[MOST_VECTORS][MOST_PIXELS])(const Tile<T> &);
    void (*by_channel[MOST_PIXELS])(const Tile<T> &);
    void (*correlate[MOST_VECTORS][MOST_CHANNELS])(const Correlation<T> &);
    void (*correlate_by_channel[MOST_CHANNEL_VECTORS])(const Correlation<T> &,
                                                      ptrdiff_t n);
    /* Adds `taps` runs of n elements, each multiplied by a weight, to a number. Whole
       vectors are read and written. */
    void (*sum_runs)(const T *in, const ptrdiff_t *offsets, const T *weights,
                     ptrdiff_t taps, T start, T *out, ptrdiff_t n);
    /* Copies n elements of each row, from and to some offsets. */
    void (*copy_rows)(const T *in, const ptrdiff_t *in_rows, ptrdiff_t in_step, T *out,
                      const ptrdiff_t *out_rows, ptrdiff_t out_step, ptrdiff_t rows,
                      ptrdiff_t n);
    /* Adds `taps` runs of n elements to those that begin at `rows` of an image, unless
       these are negative. */
    void (*add_rows)(const T *runs, T *image, const ptrdiff_t *rows, ptrdiff_t taps,
                     ptrdiff_t n);
    void (*winograd_in)(const T *const *pixels, ptrdiff_t first, ptrdiff_t n, T *out,
                        ptrdiff_t step);
    void (*winograd_gradients)(const T *const *places, ptrdiff_t first, ptrdiff_t n,
                               T *out, ptrdiff_t step);
    void (*winograd_filters)(const T *weights, ptrdiff_t n, T *out, bool flipped);
    bool (*winograd_out)(const T *products, ptrdiff_t step, ptrdiff_t filters,
                         const T *bias, T *const *pixels);
    bool (*winograd_sums)(const T *sums, ptrdiff_t step, ptrdiff_t n, T *out);
    void (*transpose)(const T *const *in, ptrdiff_t rows, ptrdiff_t columns,
                      T *const *out, bool fill);
};

#ifdef CF_X86_VECTORS
#pragma GCC diagnostic push
/* The compiler's headers initialize vectors with the contents of the register. */
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")
#endif
namespace avx512 {
constexpr int TILE_PIXELS = 12, TILE_CHANNELS = 14;
#include "chainer_fast/backends/kernels/convolution/vectors_avx512.hpp"
#include "chainer_fast/backends/kernels/convolution/winograd_body.hpp"
#include "chainer_fast/backends/kernels/convolution/micro_body.hpp"
}  // namespace avx512
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace avx2 {
constexpr int TILE_PIXELS = 6, TILE_CHANNELS = 6;
#include "chainer_fast/backends/kernels/convolution/vectors_avx2.hpp"
#include "chainer_fast/backends/kernels/convolution/winograd_body.hpp"
#include "chainer_fast/backends/kernels/convolution/micro_body.hpp"
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#pragma GCC diagnostic pop
#elif defined(CF_NEON)
namespace neon {
constexpr int TILE_PIXELS = 6, TILE_CHANNELS = 6;
#include "chainer_fast/backends/kernels/convolution/vectors_neon.hpp"
#include "chainer_fast/backends/kernels/convolution/winograd_body.hpp"
#include "chainer_fast/backends/kernels/convolution/micro_body.hpp"
}  // namespace neon
#endif

/* The longest vectors to use, in bytes; in tests, shorter than the processor's. */
inline int &longest_vector() {
    static int bytes = 64;
    return bytes;
}

/* Returns the loops for this processor; NULL if it has no suitable vectors. */
template <typename T>
const Micro<T> *find_micro() {
#ifdef CF_X86_VECTORS
    /* Even the tables are made by processor-specific code. */
    if (longest_vector() >= 64 && has_avx512()) {
        static const Micro<T> micro = avx512::micro_kernels<T>();
        return &micro;
    }
    if (longest_vector() >= 32 && has_avx2()) {
        static const Micro<T> micro = avx2::micro_kernels<T>();
        return &micro;
    }
#elif defined(CF_NEON)
    if (longest_vector() >= 32 && has_neon()) {
        static const Micro<T> micro = neon::micro_kernels<T>();
        return &micro;
    }
#endif
    return nullptr;
}

}  // namespace
}  // namespace chainer_fast::convolution

#endif
