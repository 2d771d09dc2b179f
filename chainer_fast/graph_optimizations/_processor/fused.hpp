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

/* Number of instructions on a piece that justifies a thread: about 50 microseconds. */
constexpr ptrdiff_t INSTRUCTIONS_BY_THREAD = 256;

/* Memory of a value: of all its elements, or, if `piece` is not negative, the index
 * of a reused piece. */
struct Place {
    char *data;
    ptrdiff_t piece;
};

/* A loop, with the positions of the values that it reads and writes. */
struct Instruction {
    AnyLoop loop;
    double p, q;
    int inputs[3], outputs[2];
};

inline void run_piece(const Instruction &it, char kind, const Place *places,
                      char *pieces, ptrdiff_t first, ptrdiff_t count, ptrdiff_t size) {
    const auto at = [=](int value) {
        const Place &place = places[value];
        return place.piece < 0 ? place.data + first * size
                               : pieces + place.piece * PIECE;
    };
    it.loop.run(kind, at(it.inputs[0]), at(it.inputs[1]), at(it.inputs[2]),
                at(it.outputs[0]), at(it.outputs[1]), count, it.p, it.q);
}

/* Memory for a number of pieces, which belongs to the thread. */
inline char *own_pieces(ptrdiff_t count) {
    static thread_local std::vector<char> memory;
    const size_t size = (count + 1) * PIECE;
    if (memory.size() < size)
        memory.resize(size);
    return memory.data() + (PIECE - (uintptr_t)memory.data() % PIECE);
}

/* Runs some instructions on arrays of ``n`` elements, with a number of pieces. */
inline void run_fused(const std::vector<Instruction> &instructions, char kind,
                      const Place *places, ptrdiff_t pieces, ptrdiff_t n) {
    const ptrdiff_t loops = instructions.size();
    const ptrdiff_t size = kind == 'f' ? sizeof(float) : sizeof(double);
    const ptrdiff_t piece = PIECE / size;
    const Release release(n * loops >= LONG_LOOP);
    const ptrdiff_t grain = INSTRUCTIONS_BY_THREAD / loops + 1;
    parallel((n + piece - 1) / piece, grain,
             [=, &instructions](ptrdiff_t from, ptrdiff_t to) {
        char *memory = own_pieces(pieces);
        for (ptrdiff_t i = from; i < to; ++i) {
            const ptrdiff_t count = std::min(piece, n - i * piece);
            for (const Instruction &it : instructions)
                run_piece(it, kind, places, memory, i * piece, count, size);
        }
    });
}

}  // namespace
}  // namespace chainer_fast::plan
