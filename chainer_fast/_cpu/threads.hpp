/* The number of OpenMP threads for the loops of a Python thread. */
#ifndef CHAINER_FAST_CORE_THREADS_HPP
#define CHAINER_FAST_CORE_THREADS_HPP

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(_OPENMP) && !defined(_WIN32)
#include <pthread.h>
#endif

namespace chainer_fast {
namespace {

/* Whether this thread was forked: the other threads of its pool were not, and the pool
   would wait for them. */
inline bool &alone() {
    static thread_local bool value = false;
    return value;
}

inline int get_threads() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

inline void set_threads(int n) {
#ifdef _OPENMP
    omp_set_num_threads(alone() ? 1 : n);
#else
    (void)n;
#endif
}

inline void after_fork() {
    alone() = true;
    set_threads(1);
}

inline void work_alone_after_fork() {
#if defined(_OPENMP) && !defined(_WIN32)
    pthread_atfork(nullptr, nullptr, after_fork);
#endif
}

}  // namespace
}  // namespace chainer_fast

#endif
