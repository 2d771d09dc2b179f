/* Whether help of other threads saves time, as measured while a program runs. */
#ifndef CHAINER_FAST_BALANCE_HPP
#define CHAINER_FAST_BALANCE_HPP

#include <stdint.h>

#include <algorithm>
#include <atomic>

#include "chainer_fast/_cpu/parallel.hpp"

namespace chainer_fast {
namespace {

/* Number of calls with help before the first one without. */
constexpr unsigned FIRST_TRIALS = 8;

/* Whether to try the slower way again: once in 32 calls, or in up to 256 if it was much
 * slower. Multiples of the golden ratio reach all positions of a repeating pattern,
 * such as the layers of a model, whose loops may differ; otherwise one loop would
 * represent all. */
inline bool is_trial(unsigned call, int rarer) {
    constexpr uint32_t GOLDEN_RATIO = 2654435769u;
    return call * GOLDEN_RATIO < uint32_t(1) << (27 - rarer);
}

/* Whether to use helpers this time. A trial of help takes two calls in a row: helpers may
 * be asleep at the first. */
inline bool wants_help(Experience &e) {
    const unsigned call = e.calls.fetch_add(1, std::memory_order_relaxed);
    const float alone = e.alone.load(std::memory_order_relaxed);
    const float helped = e.helped.load(std::memory_order_relaxed);
    if (!helped || !alone)
        return !helped || call < FIRST_TRIALS;
    const bool better = helped < alone;
    const float ratio = better ? alone / helped : helped / alone;
    const int rarer = (int)std::min(3.f, (ratio - 1) * 5);
    const bool trial = is_trial(call, rarer) || (!better && is_trial(call - 1, rarer));
    return trial ? !better : better;
}

/* How a loop was done. */
enum class Way { ALONE, HELPED, HELPED_FROM_SLEEP };

/* Records how long a loop took for each of its parts; a single outlier has little
 * weight, as the account of waiting times below handles it. The time with helpers that
 * had to be woken counts as long as no other is known. */
inline void learn(const SharedLoop &loop, Way way, int64_t took) {
    Experience &e = *loop.experience;
    if (e.calls.load(std::memory_order_relaxed) < FIRST_TRIALS - 1)
        return;         /* They include starting threads, and loading code and data. */
    std::atomic<float> &time = way == Way::ALONE ? e.alone : e.helped;
    float before = time.load(std::memory_order_relaxed);
    if (way == Way::HELPED && !e.awake.exchange(true, std::memory_order_relaxed))
        before = 0;
    if (way == Way::HELPED_FROM_SLEEP && e.awake.load(std::memory_order_relaxed))
        return;
    const float now = std::max((float)took, 1.f) / loop.parts;
    time.store(before ? before + (std::min(now, 3 * before) - before) / 8 : now,
               std::memory_order_relaxed);
}

/* An account of the time lost in waiting for threads that have begun a piece but are
 * not running, since other programs occupy their processors. It may be a small fraction
 * of the elapsed time; while it is exceeded, no helpers are used. */
class Account {
public:
    bool is_open(int64_t now) {
        credit = std::min(MOST, credit + (now - last) / SHARE);
        last = now;
        return credit >= 0;
    }

    void pay(int64_t lost) { credit -= lost; }

    /* Whether threads were recently waited for, as other programs need the
     * processors. */
    bool is_low() const { return credit < MOST / 2; }

private:
    static constexpr int64_t SHARE = 16, MOST = 1000000;
    int64_t credit = MOST, last = 0;
};

/* Whether to wake helpers that are asleep. It takes the caller some microseconds, and they
 * come too late for a short loop, but they look out for the next loops: they are woken as
 * soon as loops that follow each other would have saved that time. */
class Demand {
public:
    static constexpr int64_t LOOKS_OUT = 400000, WAKING = 10000;    /* nanoseconds */

    bool wakes(const SharedLoop &loop, int64_t now) {
        const Experience &e = *loop.experience;
        const float alone = e.alone.load(std::memory_order_relaxed);
        const float helped = e.helped.load(std::memory_order_relaxed);
        if (!alone || helped >= alone)
            return true;                /* a trial */
        if (now - last > LOOKS_OUT)
            missed = 0;
        last = now;
        missed += (alone - helped) * loop.parts;
        if (missed < WAKING)
            return false;
        missed = 0;
        return true;
    }

private:
    float missed = 0;
    int64_t last = 0;
};

}  // namespace
}  // namespace chainer_fast

#endif
