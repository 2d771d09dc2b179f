/* Which vector instructions are used: the level of the processor, or a lower one that
 * the user sets.
 *
 * CHAINER_FAST_CPU=base, avx2 or avx512, or for aarch64 base or neon, is the most that
 * may be used. Code that selects loops at run time calls `level`. Versions of loops
 * that g++ makes (CF_CLONES) are selected by a function of its library when a module
 * is loaded: the linker puts a function of this package before it. */
#ifndef CHAINER_FAST_CORE_PROCESSOR_HPP
#define CHAINER_FAST_CORE_PROCESSOR_HPP

#include <stdlib.h>

/* Whether loops for x86 processors are selected at run time, and whether the library
 * itself reports the lower level. CF_WRAPPED: see setup.py. */
#if defined(__GNUC__) && defined(__x86_64__)
#define CF_X86_VECTORS
#if defined(CF_WRAPPED) && !defined(__clang__)
#define CF_LOWERED_LIBRARY
#endif
#include <immintrin.h>
#endif

/* Whether there are loops for NEON, which all 64-bit Arm processors support. */
#if defined(__GNUC__) && defined(__aarch64__)
#define CF_NEON
#include <arm_neon.h>
#endif

#if defined(CF_LOWERED_LIBRARY)
/* Called by address, as other calls are not linked yet when loops are selected. */
extern "C" char *getenv(const char *) __THROW __attribute__((noplt));
#endif

namespace chainer_fast {
namespace {

#ifdef CF_NEON
enum Level { BASE, NEON, HIGHEST = NEON };
#else
enum Level { BASE, AVX2, AVX512, HIGHEST = AVX512 };
#endif

inline bool same_text(const char *a, const char *b) {
    while (*a && *a == *b)
        ++a, ++b;
    return *a == *b;
}

/* The level set by the user. `_cpu/_processor.pxi` rejects unknown values. */
inline Level allowed_level() {
    const char *name = getenv("CHAINER_FAST_CPU");
    if (name && same_text(name, "base"))
        return BASE;
#ifndef CF_NEON
    if (name && same_text(name, "avx2"))
        return AVX2;
#endif
    return HIGHEST;
}

/* The level reported by the compiler's library. */
inline Level found_level() {
#ifdef CF_X86_VECTORS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        const bool longer =
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
        return longer ? AVX512 : AVX2;
    }
#endif
#ifdef CF_NEON
    return NEON;
#else
    return BASE;
#endif
}

inline Level level() {
    static const Level found = found_level();
#ifdef CF_LOWERED_LIBRARY
    return found;
#else
    static const Level allowed = allowed_level();
    return found < allowed ? found : allowed;
#endif
}

#ifdef CF_NEON
inline bool has_neon() { return level() >= NEON; }
#else
inline bool has_avx2() { return level() >= AVX2; }
inline bool has_avx512() { return level() >= AVX512; }
#endif

}  // namespace
}  // namespace chainer_fast

/* Called instead of __cpu_indicator_init. */
#if defined(CF_X86_VECTORS) && defined(CF_WRAPPED)
extern "C" {
int __real___cpu_indicator_init() __attribute__((visibility("hidden")));
__attribute__((weak, visibility("hidden"))) int __wrap___cpu_indicator_init();

#ifdef CF_LOWERED_LIBRARY
/* Compiled code reads the library's record in place, so that its layout is fixed. It is
 * not read again once a vendor is set, any of which will do. */
struct cf_processor_record { unsigned vendor, type, subtype, features; };
extern cf_processor_record __cpu_model __attribute__((visibility("hidden")));

int __wrap___cpu_indicator_init() {
    const chainer_fast::Level allowed = chainer_fast::allowed_level();
    if (allowed == chainer_fast::BASE) {
        __cpu_model = {1, 0, 0, 0};
        return 0;
    }
    const int result = __real___cpu_indicator_init();
    if (allowed == chainer_fast::AVX2)
        __cpu_model.features &= ~(1u << 15);    /* AVX512F, which all others imply */
    return result;
}
#else
int __wrap___cpu_indicator_init() { return __real___cpu_indicator_init(); }
#endif
}
#endif

#endif
