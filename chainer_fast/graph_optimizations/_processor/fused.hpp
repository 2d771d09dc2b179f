/* Fused elementwise loops, run piece by piece.
 *
 * All loops process a piece of all arrays, one after the other, before the next
 * piece: the results of one loop are still in the cache when the next one reads
 * them, and results that are not read later are never written to memory. */
#pragma once

#include <stdint.h>

#include <algorithm>
#include <unordered_map>
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

/* Memory of a value: of all its elements, or, if `piece` is not negative, the index
 * of a reused piece. */
struct Place {
    char *data;
    ptrdiff_t piece;
};

/* A call of a loop of a group: its constants, and its operands as indexes of a table of
 * addresses, in which the first is null. */
struct Instruction {
    double p, q;
    int site, inputs[3], outputs[2];
};

/* Calls of few different loops. */
struct Group {
    std::vector<AnyLoop> loops;
    std::vector<Instruction> instructions;
};

/* Calls the loop of a site, by an instruction of its own. Processors predict the jumps to
 * it from earlier jumps, but some expect each call by an address to go where it went
 * before, which takes longer than a small loop if it goes elsewhere. */
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
class Fused {
public:
    /* Appends a call; its operands are values, or -1. */
    void add(const AnyLoop &loop, Instruction it) {
        const auto is_same = [&](const AnyLoop &other) {
            return loop.f == other.f && loop.ufuncs == other.ufuncs;
        };
        if (groups.empty())
            groups.emplace_back();
        std::vector<AnyLoop> *loops = &groups.back().loops;
        auto found = std::find_if(loops->begin(), loops->end(), is_same);
        it.site = found - loops->begin();
        if (it.site == SITES) {
            groups.emplace_back();
            loops = &groups.back().loops;
            it.site = 0;
        }
        if (it.site == (int)loops->size())
            loops->push_back(loop);
        for (int &value : it.inputs)
            value = index_of(value);
        for (int &value : it.outputs)
            value = index_of(value);
        groups.back().instructions.push_back(it);
        ++count;
    }

    /* Runs the calls on arrays of ``n`` elements, with a number of pieces. */
    void run(char kind, const Place *places, ptrdiff_t pieces, ptrdiff_t n) const {
        if (kind == 'f')
            run_all<float>(places, pieces, n);
        else
            run_all<double>(places, pieces, n);
    }

private:
    std::vector<Group> groups;
    std::vector<int> values;    // those of the table of addresses
    std::unordered_map<int, int> indexes;
    ptrdiff_t count = 0;

    int index_of(int value) {
        if (value < 0)
            return 0;
        const auto [at, is_new] = indexes.emplace(value, values.size() + 1);
        if (is_new)
            values.push_back(value);
        return at->second;
    }

    /* Memory for pieces and addresses, which belongs to the thread. */
    static char *own_memory(size_t size) {
        static thread_local std::vector<char> memory;
        if (memory.size() < size + LINE)
            memory.resize(size + LINE);
        return memory.data() + (LINE - (uintptr_t)memory.data() % LINE);
    }

    template <typename T>
    void run_all(const Place *places, ptrdiff_t pieces, ptrdiff_t n) const {
        constexpr ptrdiff_t size = sizeof(T), piece = PIECE / size;
        const ptrdiff_t room = (std::min(n, piece) * size + LINE - 1) / LINE * LINE;
        const Release release(n * count >= LONG_LOOP);
        parallel((n + piece - 1) / piece, INSTRUCTIONS_BY_THREAD / count + 1,
                 [=](ptrdiff_t from, ptrdiff_t to) {
            char *memory = own_memory(
                pieces * room + (values.size() + 1) * sizeof(char *));
            char **addresses = (char **)(memory + pieces * room);
            addresses[0] = nullptr;
            for (ptrdiff_t i = from; i < to; ++i) {
                for (size_t k = 0; k < values.size(); ++k) {
                    const Place &place = places[values[k]];
                    addresses[k + 1] = place.piece < 0 ? place.data + i * PIECE
                                                       : memory + place.piece * room;
                }
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
