/* Waiting of a thread until a number has changed, with a wake-up by the kernel. */
#ifndef CHAINER_FAST_WAITING_HPP
#define CHAINER_FAST_WAITING_HPP

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace chainer_fast {
namespace {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

/* Sleeps, unless the number has already changed. */
inline void sleep_while(std::atomic<uint32_t> &number, uint32_t seen) {
    syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

inline void wake(std::atomic<uint32_t> &number, int threads = INT_MAX) {
    syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

inline int64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

/* Signals the processor that a loop only waits. */
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#endif
}

}  // namespace
}  // namespace chainer_fast

#endif
