/* Which vector instructions are used, of those that the processor has.
 *
 * CF_LEVEL is the most that a build uses: 0 for what every processor has, 1 for AVX2 and
 * FMA, 2 for AVX-512 as well. CHAINER_FAST_LEVEL=base, or avx2, sets it: see setup.py.
 */
#ifndef CHAINER_FAST_CORE_PROCESSOR_HPP
#define CHAINER_FAST_CORE_PROCESSOR_HPP

#ifndef CF_LEVEL
#define CF_LEVEL 2
#endif

/* Whether there are loops for x86 processors that are chosen when the program runs. */
#if defined(__GNUC__) && defined(__x86_64__) && CF_LEVEL > 0
#define CF_X86_VECTORS
#include <immintrin.h>
#endif

namespace chainer_fast {
namespace {

inline bool has_avx2() {
#ifdef CF_X86_VECTORS
    static const bool has =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
#else
    return false;
#endif
}

inline bool has_avx512() {
#ifdef CF_X86_VECTORS
    static const bool has = CF_LEVEL > 1
        && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    return has;
#else
    return false;
#endif
}

}  // namespace
}  // namespace chainer_fast

#endif
