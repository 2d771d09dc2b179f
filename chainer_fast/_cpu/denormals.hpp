/* Whether a thread computes with denormal numbers, which are closer to zero than any number
 * with all its digits, or takes zeros for them. */
#pragma once

#include <stdint.h>

#if defined(__SSE2__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#include <xmmintrin.h>
#define CF_MXCSR
#endif

namespace chainer_fast {
namespace {

#if defined(CF_MXCSR)
/* The bit for results, and the bit for operands. */
constexpr unsigned FLUSH = 1 << 15 | 1 << 6;
inline unsigned float_control() { return _mm_getcsr(); }
inline void set_float_control(unsigned control) { _mm_setcsr(control); }
#elif defined(__GNUC__) && defined(__aarch64__)
/* The bit for both; halves, which have a separate bit, stay as they are. */
constexpr uint64_t FLUSH = 1 << 24;
inline uint64_t float_control() {
    uint64_t control;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
    return control;
}
inline void set_float_control(uint64_t control) {
    __asm__ __volatile__("msr fpcr, %0" : : "r"(control));
}
#else
constexpr unsigned FLUSH = 0;
inline unsigned float_control() { return 0; }
inline void set_float_control(unsigned) {}
#endif

inline bool flushes() { return (float_control() & FLUSH) != 0; }

inline void set_flush(bool on) {
    set_float_control(on ? float_control() | FLUSH : float_control() & ~FLUSH);
}

}  // namespace
}  // namespace chainer_fast
