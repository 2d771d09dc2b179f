/* Work shared among threads.
 *
 * All loops use the pool of OpenMP, which oneDNN uses as well: two pools would take each
 * other's processors. OMP_NUM_THREADS, threadpoolctl and ``config.num_threads`` say how
 * many threads there are; after a fork there is one (see `threads.hpp`). Without
 * OpenMP there is one always.
 */
#ifndef CHAINER_FAST_PARALLEL_HPP
#define CHAINER_FAST_PARALLEL_HPP

#include <fenv.h>
#include <stddef.h>

#include <algorithm>
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace chainer_fast {
namespace {

/* Error flags that NumPy warns of. */
constexpr int FLOAT_ERRORS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;

/* Number of threads that a loop may be cut into: one within another such loop. */
inline int thread_limit() {
#ifdef _OPENMP
    return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
    return 1;
#endif
}

/* The sanitizer of threads cannot see how the threads of OpenMP wait for each other, whose
 * library is not built for it, and is told: what a thread did before it handed over is
 * done for each that takes over afterwards. */
#ifdef __SANITIZE_THREAD__
#define CF_UNSEEN __attribute__((no_sanitize("thread")))
inline void hand_over(const void *to) { __tsan_release(const_cast<void *>(to)); }
inline void take_over(const void *from) { __tsan_acquire(const_cast<void *>(from)); }
#else
#define CF_UNSEEN
inline void hand_over(const void *) {}
inline void take_over(const void *) {}
#endif

#ifdef _OPENMP
/* Calls part(i, all) on each thread of a team; returns the bits that any of them does. */
template <typename Part>
CF_UNSEEN int in_team(int threads, const Part &part) {
    int bits = 0;
    hand_over(&part);
    #pragma omp parallel num_threads(threads) reduction(|: bits)
    {
        take_over(&part);
        bits = part(omp_get_thread_num(), omp_get_num_threads());
        hand_over(&part);
    }
    take_over(&part);
    return bits;
}
#endif

/* Calls f(begin, end) for parts of [0, n) that together are all of it, at the same time
 * on several threads if each part has `grain` elements or more.
 *
 * Waking a thread takes 5 to 30 microseconds: a part should take longer. The caller holds
 * no lock of Python, f throws nothing, and a result that adds up parts must cut them in
 * places that do not depend on the number of threads. Error flags that other threads
 * raise are raised in the calling one, too.
 */
template <typename F>
void parallel(ptrdiff_t n, ptrdiff_t grain, const F &f) {
    ptrdiff_t threads = 1;
    if (n >= 2 * grain)
        threads = std::min<ptrdiff_t>(n / grain, thread_limit());
    if (threads <= 1) {
        f((ptrdiff_t)0, n);
        return;
    }
#ifdef _OPENMP
    const int flags = in_team((int)threads, [&f, n](ptrdiff_t i, ptrdiff_t all) {
        if (i)
            feclearexcept(FLOAT_ERRORS);
        f(n * i / all, n * (i + 1) / all);
        return i ? fetestexcept(FLOAT_ERRORS) : 0;
    });
    if (flags)
        feraiseexcept(flags);
#endif
}

}  // namespace
}  // namespace chainer_fast

#endif
