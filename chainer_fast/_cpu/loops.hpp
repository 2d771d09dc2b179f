/* Loops over contiguous floats and doubles.
 *
 * Each follows the arithmetic of the NumPy expression that it replaces, operation by
 * operation, so that both give the same bits (the build forbids fused multiply-add).
 * The compiler makes a version of a loop for each width of vector that the processor
 * may have. All stand in a namespace without a name: they belong to the module that
 * includes them. */
#pragma once

#include <stddef.h>

#include "chainer_fast/_cpu/element.hpp"
#include "chainer_fast/_cpu/parallel.hpp"
#include "chainer_fast/_cpu/processor.hpp"

/* Sanitizers cannot follow calls that are resolved when the module is loaded. CF_FUSED
 * means that ``std::fma`` is an instruction in all versions but that for old
 * processors. */
#if defined(CF_X86_VECTORS) && !defined(__clang__) && defined(__linux__) \
    && !defined(CF_NO_CLONES)
#if __GNUC__ >= 12
#define CF_AVX2 "arch=x86-64-v3"
#define CF_FUSED
#else
#define CF_AVX2 "avx2"
#endif
#define CF_CLONES __attribute__((target_clones("avx512f", CF_AVX2, "default")))
/* For loops that the longest vectors make no faster: those that shuffle or copy. They
 * must not call functions with versions for AVX-512, of which they would call those for
 * AVX2. */
#define CF_AVX2_CLONES __attribute__((target_clones(CF_AVX2, "default")))
#else
#define CF_CLONES
#define CF_AVX2_CLONES
#if defined(__FMA__) || defined(__aarch64__)
#define CF_FUSED
#endif
#endif

/* Arrays may be identical, but must not otherwise overlap. */
#if defined(__clang__)
#define CF_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CF_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define CF_INDEPENDENT __pragma(loop(ivdep))
#else
#define CF_INDEPENDENT
#endif

/* Unrolls the next loop by this factor. */
#define CF_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define CF_UNROLL(n) CF_PRAGMA(unroll n)
#elif defined(__GNUC__)
#define CF_UNROLL(n) CF_PRAGMA(GCC unroll n)
#else
#define CF_UNROLL(n)
#endif

/* A pointer that no other pointer of the function aliases. */
#if defined(__GNUC__)
#define CF_RESTRICT __restrict__
#else
#define CF_RESTRICT
#endif

namespace chainer_fast {
namespace {

/* Loops over this many elements release the GIL. */
constexpr ptrdiff_t LONG_LOOP = 16384;

/* Calls the loop for floats, of kind 'f', or that for doubles, with arrays as pointers to
 * void and with numbers as doubles.
 */
template <typename Result, typename... F, typename... D, typename... Arguments>
Result by_type(char kind, Result (*f)(F...), Result (*d)(D...),
               Arguments... arguments) {
    return kind == 'f' ? f((F)arguments...) : d((D)arguments...);
}

/* Minimum number of elements per thread: the loops take 0.1 to 0.5 nanoseconds each, so
 * that another thread can save time if it is awake. */
constexpr ptrdiff_t GRAIN = 16384;

/* The argument of a loop for a part that starts some bytes further. */
inline const void *from(const void *array, ptrdiff_t bytes) {
    return array ? (const char *)array + bytes : nullptr;
}

inline void *from(void *array, ptrdiff_t bytes) {
    return array ? (char *)array + bytes : nullptr;
}

template <typename T>
T from(T constant, ptrdiff_t) { return constant; }

/* `by_type` of a loop over n elements of all arrays, its last argument, by several
 * threads if that is faster. */
template <typename F, typename D, typename... Arguments>
void shared_by_type(char kind, F f, D d, ptrdiff_t n, Arguments... arguments) {
    const ptrdiff_t size = kind == 'f' ? sizeof(float) : sizeof(double);
    parallel(n, GRAIN, [=](ptrdiff_t begin, ptrdiff_t end) {
        by_type(kind, f, d, from(arguments, begin * size)..., end - begin);
    });
}

/* out += c a */
template <typename T>
CF_CLONES void add_times(const T *a, T c, T *out, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; ++i)
        out[i] += c * a[i];
}

/* -- reductions of one row, in lanes so that they can be vectorized; loops over many
 * short rows call the inlined forms. Lanes begin with what changes no number: copies of
 * the first elements would be read again before they are written. */

/* The largest element; if one of several is NaN, the flag of invalid operations is
 * raised. */
template <typename T>
CF_ELEMENT T row_max(const T *x, ptrdiff_t n) {
    constexpr ptrdiff_t LANES = 16;
    T largest = x[0];
    ptrdiff_t i = 1, j;
    if (n >= LANES) {
        T lanes[LANES];
        for (j = 0; j < LANES; ++j)
            lanes[j] = (T)-infinity();
        for (i = 0; i + LANES <= n; i += LANES)
            for (j = 0; j < LANES; ++j)
                lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];
        for (j = 0; j < LANES; ++j)
            largest = lanes[j] > largest ? lanes[j] : largest;
    }
    for (; i < n; ++i)
        largest = x[i] > largest ? x[i] : largest;
    return largest;
}

template <typename T>
CF_ELEMENT T inlined_block_sum(const T *x, ptrdiff_t n) {
    T totals[8];
    T total = 0;
    ptrdiff_t i = 0, j;
    if (n >= 8) {
        for (j = 0; j < 8; ++j)
            totals[j] = -T(0);
        for (i = 0; i + 8 <= n; i += 8)
            for (j = 0; j < 8; ++j)
                totals[j] += x[i + j];
        total = ((totals[0] + totals[1]) + (totals[2] + totals[3]))
            + ((totals[4] + totals[5]) + (totals[6] + totals[7]));
    }
    for (; i < n; ++i)
        total += x[i];
    return total;
}

/* A block of a pairwise sum, as in NumPy: eight running totals. */
template <typename T>
CF_CLONES T block_sum(const T *x, ptrdiff_t n) {
    return inlined_block_sum(x, n);
}

/* The pairwise sum: long rows are split in halves. */
template <typename T>
T row_sum(const T *x, ptrdiff_t n) {
    if (n <= 128)
        return block_sum(x, n);
    ptrdiff_t half = n / 2;
    half -= half % 8;
    return row_sum(x, half) + row_sum(x + half, n - half);
}

}  // namespace
}  // namespace chainer_fast
