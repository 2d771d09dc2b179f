/* Work shared among threads.
 *
 * All loops use one pool (`pool.hpp`). OMP_NUM_THREADS, threadpoolctl and
 * ``config.num_threads`` say how many threads there are; after a fork there is one (see
 * `threads.hpp`). Without OpenMP, which keeps that number, there is one always.
 */
#ifndef CHAINER_FAST_PARALLEL_HPP
#define CHAINER_FAST_PARALLEL_HPP

#ifndef CF_WITHOUT_PYTHON
#include <Python.h>
#endif
#include <fenv.h>
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <atomic>
#include <type_traits>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace chainer_fast {

#ifdef CF_WITHOUT_PYTHON
/* Name of `find_share` in the module that includes this file. */
void *share_of_module();
#endif

namespace {

/* Error flags for which NumPy warns. */
constexpr int FLOAT_ERRORS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;

/* Leaves the flags that are raised between `begin` and `end`, and those that were raised
 * before, such as by the piece of a loop that the thread has processed before. */
class Flags {
public:
    void begin() { feclearexcept(FLOAT_ERRORS); }
    void end() { raised |= fetestexcept(FLOAT_ERRORS); }

    ~Flags() {
        feclearexcept(FLOAT_ERRORS);
        if (raised)
            feraiseexcept(raised);
    }

private:
    int raised = fetestexcept(FLOAT_ERRORS);
};

/* Maximum number of threads of a loop: one within another such loop. */
inline int thread_limit() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* Measured time of loops of similar length, in nanoseconds for each part that a thread
 * could run: by the calling thread alone, and with helpers. Zero means unknown. */
struct Experience {
    std::atomic<float> alone, helped;
    std::atomic<bool> awake;            /* whether the helpers were */
    std::atomic<unsigned> calls;
};

/* Where a loop may be split. */
enum class Cut { ANYWHERE, AT_THE_SAME_PLACES };

/* A loop in pieces, which any thread may process. */
struct SharedLoop {
    void (*run)(const void *f, ptrdiff_t begin, ptrdiff_t end, int thread);
    const void *f;
    ptrdiff_t n, pieces;
    int threads;
    Cut cut;
    float parts;
    Experience *experience;
};

/* Runs a task, and raises the error flags of other threads in the calling one. */
typedef void (*Share)(const SharedLoop &);

#ifdef CF_WITHOUT_PYTHON
inline Share find_share() { return (Share)share_of_module(); }
#elif defined(_OPENMP)
/* The function of the pool, which all modules share; null if it cannot be imported. */
inline Share find_share() {
    static std::atomic<Share> found(nullptr);
    Share share = found.load(std::memory_order_acquire);
    if (!share) {
        const PyGILState_STATE state = PyGILState_Ensure();
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        PyObject *module = PyImport_ImportModule("chainer_fast._cpu.shared");
        if (module)
            share = (Share)PyCapsule_Import("chainer_fast._cpu.shared.share", 0);
        Py_XDECREF(module);
        PyErr_Restore(type, value, traceback);
        PyGILState_Release(state);
        found.store(share, std::memory_order_release);
    }
    return share;
}
#endif

/* A number of a function that differs from that of others in its lowest bits. */
template <typename Called>
inline uint32_t key_of(Called called) {
    constexpr uint64_t GOLDEN_RATIO = 0x9E3779B97F4A7C15;
    return (uint64_t)called * GOLDEN_RATIO >> 32;
}

/* Calls f(begin, end), or f(begin, end, thread) with a number below `thread_limit()`, for
 * parts of [0, n) that together are all of it, at the same time on several threads if
 * each part has `grain` elements or more.
 *
 * A helper that is awake begins within a microsecond, and waking one takes 5 to 30: a part
 * should take two or more. The caller holds no lock of Python, f throws nothing, and a result that adds up parts must cut them in
 * places that do not depend on the number of threads. A loop that is cut AT_THE_SAME_PLACES
 * is so for each number of threads, whether others help or not. Error flags that other
 * threads raise are raised in the calling one, too.
 *
 * Whether help pays is learned for each f and length; and for each function that f calls,
 * if f may call one of many: `called` is its address.
 */
template <Cut cut = Cut::ANYWHERE, typename F, typename Called = int>
void parallel(ptrdiff_t n, ptrdiff_t grain, const F &f, Called called = 0) {
    constexpr bool numbered =
        std::is_invocable_v<const F &, ptrdiff_t, ptrdiff_t, int>;
    const auto run = [](const void *g, ptrdiff_t begin, ptrdiff_t end, int thread) {
        if constexpr (numbered)
            (*(const F *)g)(begin, end, thread);
        else
            (*(const F *)g)(begin, end);
    };
#ifdef _OPENMP
    /* Pieces per thread, enough to make a late thread cheap. */
    constexpr ptrdiff_t PIECES = cut == Cut::ANYWHERE ? 4 : 2;
    constexpr int LENGTHS = 24, KEYS = std::is_pointer_v<Called> ? 64 : 1;
    static Experience experience[KEYS][LENGTHS];    /* by powers of two of the grain */
    if (n >= 2 * grain) {
        const ptrdiff_t most = n / grain;
        const int threads = (int)std::min<ptrdiff_t>(most, thread_limit());
        const Share share = threads > 1 ? find_share() : nullptr;
        if (share) {
            int length = 0;
            while (length < LENGTHS - 1 && most >> (length + 2))
                ++length;
            /* The same number of pieces for each thread. */
            const ptrdiff_t pieces = std::min(most, threads * PIECES) / threads * threads;
            share({run, &f, n, pieces, threads, cut, (float)n / grain,
                   &experience[key_of(called) % KEYS][length]});
            return;
        }
    }
#endif
    run(&f, 0, n, 0);
}

}  // namespace
}  // namespace chainer_fast

#endif
