/* Threads that help the one which calls.
 *
 * The caller takes pieces of a loop itself, and others take what they come in time for:
 * no thread waits for one that has not begun. When no piece is left, the caller waits
 * only for those that are in the middle of one. A helper looks out for the next loop
 * for some microseconds and sleeps then, so that other programs have the processor.
 *
 * One loop at a time has helpers. Another one that begins meanwhile is done by the
 * thread that called it, as is a loop within a piece. */
#ifndef CHAINER_FAST_POOL_HPP
#define CHAINER_FAST_POOL_HPP

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "chainer_fast/_cpu/balance.hpp"
#include "chainer_fast/_cpu/denormals.hpp"
#include "chainer_fast/_cpu/parallel.hpp"
#include "chainer_fast/_cpu/waiting.hpp"

namespace chainer_fast {
namespace {

class Pool {
public:
    /* Runs a task with helpers; does nothing and returns false if they are busy. */
    bool share(const SharedLoop &task) {
        if (busy.load(std::memory_order_relaxed)
                || busy.exchange(true, std::memory_order_acquire))
            return false;
        const int64_t start = nanoseconds();
        const int wanted = std::min(task.threads, MOST_THREADS) - 1;
        const bool awake = awake_helpers() >= wanted;
        const bool helped = account.is_open(start) && wants_help(*task.experience)
            && (awake || demand.wakes(task, start));
        if (!helped) {
            busy.store(false, std::memory_order_release);
            alone(task);
            learn(task, Way::ALONE, nanoseconds() - start);
            return true;
        }
        const int threads = 1 + start_helpers(wanted);
        open(task, threads);
        /* A loop within a piece is not split. */
        const int limit = omp_get_max_threads();
        omp_set_num_threads(1);
        const ptrdiff_t taken = take(0);
        omp_set_num_threads(limit);
        const int64_t done = nanoseconds();
        close();
        const int64_t end = nanoseconds();
        /* Waiting for a piece that began slightly later costs nothing. */
        const int64_t lost = end - done - (done - start) / std::max<ptrdiff_t>(taken, 1);
        if (lost > 0)
            account.pay(lost);
        learn(task, awake ? Way::HELPED : Way::HELPED_FROM_SLEEP, end - start);
        const int flags = errors.load(std::memory_order_relaxed);
        busy.store(false, std::memory_order_release);
        if (flags)
            feraiseexcept(flags);
        return true;
    }

    /* Runs a task in the calling thread. */
    static void alone(const SharedLoop &task) {
        const ptrdiff_t pieces = task.cut == Cut::ANYWHERE ? 1 : task.pieces;
        const int limit = omp_get_max_threads();
        omp_set_num_threads(1);
        for (ptrdiff_t i = 0; i < pieces; ++i)
            task.run(task.f, task.n * i / pieces, task.n * (i + 1) / pieces, 0);
        omp_set_num_threads(limit);
    }

private:
    static constexpr int MOST_THREADS = 256;
    /* Parts of the state: whether pieces may be taken, whether the caller sleeps until
     * the last helper has left, the number of helpers inside, and the number of the
     * loop. */
    static constexpr uint32_t OPEN = 1, WAITED_FOR = 2, INSIDE = 4, NUMBER = 1 << 12;
    static constexpr uint32_t ALL_INSIDE = NUMBER - INSIDE;
    static constexpr int64_t WAITS = 20000;         /* nanoseconds */

    struct alignas(64) Next { std::atomic<ptrdiff_t> piece; };

    alignas(64) std::atomic<bool> busy{false};
    Account account;
    Demand demand;
    int helpers = 0;
    alignas(64) std::atomic<uint32_t> state{0};
    std::atomic<int> sleeping{0}, places{0}, processor{-1}, errors{0};
    std::atomic<bool> crowded{false}, flush{false};
    alignas(64) SharedLoop task{};
    ptrdiff_t shares = 1;
    Next next[MOST_THREADS];

    /* Starts threads up to a number; returns their number, at most that. */
    int start_helpers(int count) {
        if (helpers < count) {
            /* Signals are handled by Python threads. */
            sigset_t all, before;
            sigfillset(&all);
            pthread_sigmask(SIG_BLOCK, &all, &before);
            try {
                for (; helpers < count; ++helpers)
                    std::thread(&Pool::help, this).detach();
            }
            catch (const std::system_error &) {
                /* Fewer threads suffice. */
            }
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
        }
        return std::min(helpers, count);
    }

    ptrdiff_t first_of(ptrdiff_t thread) const { return task.pieces * thread / shares; }

    void open(const SharedLoop &given, int threads) {
        task = given;
        shares = threads;
        for (int i = 0; i < threads; ++i)
            next[i].piece.store(first_of(i), std::memory_order_relaxed);
        errors.store(0, std::memory_order_relaxed);
        places.store(threads - 1, std::memory_order_relaxed);
        processor.store(sched_getcpu(), std::memory_order_relaxed);
        flush.store(flushes(), std::memory_order_relaxed);
        crowded.store(account.is_low(), std::memory_order_relaxed);
        const uint32_t number = (state.load(std::memory_order_relaxed) & -NUMBER) + NUMBER;
        state.store(number | OPEN);
        const int missing = threads - 1 - awake_helpers();
        if (missing > 0)
            wake(state, missing);
    }

    int awake_helpers() const { return helpers - sleeping.load(); }

    /* Processes pieces until none is left: first a thread's own, which are the same
     * each time, then others. Returns their number. */
    ptrdiff_t take(int thread) {
        ptrdiff_t taken = 0;
        for (ptrdiff_t k = 0; k < shares; ++k) {
            const ptrdiff_t owner = (thread + k) % shares;
            const ptrdiff_t last = first_of(owner + 1);
            for (;; ++taken) {
                std::atomic<ptrdiff_t> &piece = next[owner].piece;
                if (piece.load(std::memory_order_relaxed) >= last)
                    break;
                const ptrdiff_t i = piece.fetch_add(1, std::memory_order_relaxed);
                if (i >= last)
                    break;
                task.run(task.f, task.n * i / task.pieces,
                         task.n * (i + 1) / task.pieces, thread);
            }
        }
        return taken;
    }

    void close() {
        uint32_t now = state.fetch_and(~OPEN, std::memory_order_acq_rel) & ~OPEN;
        if (!(now & ALL_INSIDE))
            return;
        const int64_t start = nanoseconds();
        do {
            for (int i = 0; i < 32; ++i) {
                pause();
                now = state.load(std::memory_order_acquire);
                if (!(now & ALL_INSIDE))
                    return;
            }
        } while (nanoseconds() - start < WAITS);
        now = state.fetch_or(WAITED_FOR, std::memory_order_acq_rel) | WAITED_FOR;
        while (now & ALL_INSIDE) {
            sleep_while(state, now);
            now = state.load(std::memory_order_acquire);
        }
    }

    void leave() {
        const uint32_t now = state.fetch_sub(INSIDE, std::memory_order_acq_rel) - INSIDE;
        if ((now & WAITED_FOR) && !(now & ALL_INSIDE))
            wake(state);
    }

    /* Main loop of a helper, until the process ends. */
    void help() {
        pthread_setname_np(pthread_self(), "chainer_fast");
        omp_set_num_threads(1);
        uint32_t number = 0, now = 0;
        for (;;) {
            int64_t until = 0;
            for (;;) {
                now = state.load();
                if ((now & OPEN) && (now & -NUMBER) != number
                        && places.load(std::memory_order_relaxed) > 0)
                    break;
                const bool is_over = until && nanoseconds() >= until;
                if (!until)
                    until = nanoseconds() + (is_in_the_way() ? 0 : Demand::LOOKS_OUT);
                if (is_over) {
                    sleeping.fetch_add(1);
                    sleep_while(state, now);
                    if (is_with_caller())
                        leave_processor();
                    sleeping.fetch_sub(1);
                    until = 0;
                    continue;
                }
                for (int i = 0; i < 32; ++i)
                    pause();
            }
            if (!state.compare_exchange_strong(now, now + INSIDE))
                continue;
            number = now & -NUMBER;
            const int place = places.fetch_sub(1, std::memory_order_relaxed);
            feclearexcept(FLOAT_ERRORS);
            /* As the caller computes, so do its helpers. */
            if (flush.load(std::memory_order_relaxed) != flushes())
                set_flush(!flushes());
            if (place > 0 && take(place))
                errors.fetch_or(fetestexcept(FLOAT_ERRORS), std::memory_order_relaxed);
            leave();
        }
    }

    /* Whether a spinning thread would occupy a processor that the caller or another
     * program needs. */
    bool is_in_the_way() const {
        return crowded.load(std::memory_order_relaxed) || is_with_caller();
    }

    bool is_with_caller() const {
        return processor.load(std::memory_order_relaxed) == sched_getcpu();
    }

    /* Moves the calling thread to another processor. Where none is idle, the system wakes
     * a thread on its last one, even if the caller has moved there. */
    static void leave_processor() {
        cpu_set_t all, others;
        if (sched_getaffinity(0, sizeof(all), &all))
            return;
        others = all;
        CPU_CLR(sched_getcpu(), &others);
        if (!sched_setaffinity(0, sizeof(others), &others))
            sched_setaffinity(0, sizeof(all), &all);
    }
};

/* Never freed: helpers may be running while the process ends. */
inline Pool *&the_pool() {
    static Pool *pool = new Pool;
    return pool;
}

/* Helpers do not exist in a forked process. */
inline void renew_pool() { the_pool() = new Pool; }

/* A loop that the caller ran alone: the pieces that threads would have shared, and
 * nanoseconds. */
struct Noted {
    int threads;
    ptrdiff_t pieces;
    int64_t took;
};

/* Record of loops; null unless requested. */
inline std::vector<Noted> *&notes() {
    static std::vector<Noted> *noted = nullptr;
    return noted;
}

inline void note(const SharedLoop &task) {
    const int64_t start = nanoseconds();
    Pool::alone(task);
    notes()->push_back({task.threads, task.pieces, nanoseconds() - start});
}

inline void share_task(const SharedLoop &task) {
    if (notes())
        note(task);
    else if (!the_pool()->share(task))
        Pool::alone(task);
}

inline void renew_pool_after_fork() {
    the_pool();
    pthread_atfork(nullptr, nullptr, renew_pool);
}

}  // namespace
}  // namespace chainer_fast

#endif
