/* Fused elementwise loops, run piece by piece.
 *
 * All loops process a piece of all arrays, one after the other, before the next
 * piece: the results of one loop are still in the cache when the next one reads
 * them, and results that are not read later are never written to memory. */
#pragma once

#include <stdint.h>

#include <algorithm>
#include <vector>

#include "chainer_fast/_cpu/parallel.hpp"
#include "chainer_fast/backends/kernels/common/call.hpp"
#include "chainer_fast/backends/kernels/common/element_loops.hpp"

namespace chainer_fast::plan {
namespace {

/* Bytes of a piece: a few pieces fit in the smallest cache. */
constexpr ptrdiff_t PIECE = 4096;

/* Bytes that the processor reads at once: arrays that begin elsewhere take longer. */
constexpr ptrdiff_t LINE = 64;

/* Number of instructions on a piece that justifies a thread: about 50 microseconds. */
constexpr ptrdiff_t INSTRUCTIONS_BY_THREAD = 256;

/* Maximum number of loops in a group; a power of two. */
constexpr int SITES = 16;

/* A call of a loop of a group: its constants, and its operands as indexes of a table of
 * addresses: a null pointer, reused pieces, and values in memory. */
struct Instruction {
    double p, q;
    int site, inputs[3], outputs[2];
};

/* Calls of few different loops. */
struct Group {
    std::vector<AnyLoop> loops;
    std::vector<Instruction> instructions;
};

/* Calls the loop of a site. Each site has a separate call instruction: processors predict
 * the jumps to it from earlier jumps, but some expect that a call by an address goes where
 * it went before, and a wrong prediction takes longer than a small loop. */
template <typename T, int first = 0, int count = SITES, typename... Operands>
CF_ELEMENT void call(const AnyLoop *loops, int site, T p, T q, ptrdiff_t n,
                     Operands... operands) {
    if constexpr (count == 1) {
        loops[first].of<T>()(operands..., p, q, loops[first].ufuncs, n);
#if defined(__GNUC__)
        __asm__ __volatile__("" : : "i"(first));   // or compilers join equal calls
#endif
    } else if (site & (count / 2))
        call<T, first + count / 2, count / 2>(loops, site, p, q, n, operands...);
    else
        call<T, first, count / 2>(loops, site, p, q, n, operands...);
}

/* Fused loops. */
struct Fused {
    std::vector<Group> groups;
    std::vector<int> values;    // in memory
    ptrdiff_t pieces = 0, count = 0;

    void add(const AnyLoop &loop, Instruction it) {
        const auto is_same = [&](const AnyLoop &other) {
            return loop.f == other.f && loop.ufuncs == other.ufuncs;
        };
        const auto site_in = [&](const Group &group) {
            return (int)(std::find_if(group.loops.begin(), group.loops.end(), is_same)
                         - group.loops.begin());
        };
        if (groups.empty() || site_in(groups.back()) == SITES)
            groups.emplace_back();
        Group &group = groups.back();
        it.site = site_in(group);
        if (it.site == (int)group.loops.size())
            group.loops.push_back(loop);
        group.instructions.push_back(it);
        ++count;
    }

    /* Runs the loops on arrays of ``n`` elements, given the addresses of all values. */
    void run(char kind, char *const *places, ptrdiff_t n) const {
        if (kind == 'f')
            run_all<float>(places, n);
        else
            run_all<double>(places, n);
    }

private:
    /* Memory for pieces and addresses, which belongs to the thread. */
    static char *own_memory(size_t size) {
        static thread_local std::vector<char> memory;
        if (memory.size() < size + LINE)
            memory.resize(size + LINE);
        return memory.data() + (LINE - (uintptr_t)memory.data() % LINE);
    }

    template <typename T>
    void run_all(char *const *places, ptrdiff_t n) const {
        constexpr ptrdiff_t size = sizeof(T), piece = PIECE / size;
        const ptrdiff_t room = (std::min(n, piece) * size + LINE - 1) / LINE * LINE;
        const Release release(n * count >= LONG_LOOP);
        parallel((n + piece - 1) / piece, INSTRUCTIONS_BY_THREAD / count + 1,
                 [=](ptrdiff_t from, ptrdiff_t to) {
            char *memory = own_memory(
                pieces * room + (1 + pieces + values.size()) * sizeof(char *));
            char **addresses = (char **)(memory + pieces * room);
            addresses[0] = nullptr;
            for (ptrdiff_t k = 0; k < pieces; ++k)
                addresses[1 + k] = memory + k * room;
            for (ptrdiff_t i = from; i < to; ++i) {
                for (size_t k = 0; k < values.size(); ++k)
                    addresses[1 + pieces + k] = places[values[k]] + i * PIECE;
                run_piece<T>(addresses, std::min(piece, n - i * piece));
            }
        });
    }

    template <typename T>
    void run_piece(char *const *at, ptrdiff_t n) const {
        for (const Group &group : groups)
            for (const Instruction &it : group.instructions)
                call<T>(group.loops.data(), it.site, it.p, it.q, n,
                        (const T *)at[it.inputs[0]], (const T *)at[it.inputs[1]],
                        (const T *)at[it.inputs[2]], (T *)at[it.outputs[0]],
                        (T *)at[it.outputs[1]]);
    }
};

}  // namespace
}  // namespace chainer_fast::plan
