/* The work of a call in parts: for threads, and for arrays that a loop cannot read.
 *
 * Arrays with gaps and halves go through tiles, which stay in the cache: their elements
 * are gathered and converted, and results are rounded, a tile at a time.
 */
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "chainer_fast/_cpu/half_loops.hpp"
#include "chainer_fast/backends/kernels/common/gather.hpp"
#include "chainer_fast/backends/kernels/declared/call.hpp"

namespace chainer_fast {

/* For the files of loops. */
void *share_of_module() {
#ifdef _OPENMP
    return (void *)find_share();
#else
    return nullptr;
#endif
}

namespace {

/* Elements of an array in a tile, unless a row has more; and rows of which loops that
 * wait for their last element go through several side by side. */
constexpr ptrdiff_t TILE_SIZE = 2048, TILE_ROWS = 8;

/* A call, and how its work may be cut. */
struct Task {
    Call call;
    Body body;
    int inputs, operands;
    ptrdiff_t itemsize;                     // of what the loop reads
    ptrdiff_t size_of[MOST_OPERANDS];       // bytes of an element, as the arrays are
    ptrdiff_t elements[MOST_OPERANDS];
    bool halves, by_columns, whole, side_by_side;
    ptrdiff_t grain;
    unsigned tiled;                         // a bit for each operand that goes through tiles
    Gathered gathered[MOST_OPERANDS];

    /* Elements of an operand for a unit of work. */
    ptrdiff_t step(int i) const {
        return by_columns ? call.operands[i].column : call.operands[i].row;
    }

    /* Elements that a part reads of an operand: without steps, it is read as a whole. */
    ptrdiff_t count(int i, ptrdiff_t units) const {
        return step(i) ? units * step(i) : elements[i];
    }

    /* The call for some units of work. */
    Call part(ptrdiff_t begin, ptrdiff_t end) const {
        Call some = call;
        (by_columns ? some.columns : some.rows) = end - begin;
        for (int i = 0; i < operands; ++i)
            some.operands[i].data =
                (char *)call.operands[i].data + begin * step(i) * size_of[i];
        return some;
    }

    /* A tile may be all of an array. */
    void fill(int i, ptrdiff_t at, char *to, ptrdiff_t n) const {
        parallel(n, 2 * GRAIN, [=](ptrdiff_t k, ptrdiff_t end) {
            fill_part(i, at + k, to + k * itemsize, end - k);
        });
    }

    void fill_part(int i, ptrdiff_t at, void *to, ptrdiff_t n) const {
        const void *data = call.operands[i].data;
        if (!halves) {
            if (itemsize == 4)
                gather(gathered[i], data, at, (uint32_t *)to, n);
            else
                gather(gathered[i], data, at, (uint64_t *)to, n);
            return;
        }
        if (gathered[i].ndim == 1 && *gathered[i].strides == sizeof(uint16_t))
            return floats_from_halves((const uint16_t *)data + at, (float *)to, n);
        uint16_t some[TILE_SIZE];
        for (ptrdiff_t k = 0; k < n; k += TILE_SIZE) {
            const ptrdiff_t m = std::min(TILE_SIZE, n - k);
            gather(gathered[i], data, at + k, some, m);
            floats_from_halves(some, (float *)to + k, m);
        }
    }

    /* False if there is no memory. */
    bool run_tiles(ptrdiff_t begin, ptrdiff_t end) const {
        const ptrdiff_t each = by_columns ? 1 : call.columns * call.inner;
        ptrdiff_t units = std::max<ptrdiff_t>(TILE_SIZE / each, 1), most = each;
        if (side_by_side && each <= TILE_SIZE)
            units = (units + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
        units = std::min(units, end - begin);
        for (int i = 0; i < operands; ++i)
            most = std::max(most, step(i));
        const ptrdiff_t room = units * most * itemsize;
        char *memory = (char *)malloc(room * operands);
        if (!memory)
            return false;
        for (; begin < end; begin += units) {
            const ptrdiff_t stop = std::min(end, begin + units);
            Call some = part(begin, stop);
            for (int i = 0; i < operands; ++i) {
                if (!(tiled >> i & 1))
                    continue;
                some.operands[i].data = memory + i * room;
                if (i < inputs)
                    fill(i, begin * step(i), memory + i * room, count(i, stop - begin));
            }
            if (!run_body(some)) {
                free(memory);
                return false;
            }
            for (int i = inputs; i < operands; ++i)
                if (tiled >> i & 1)
                    all_halves_from_floats(
                        (const float *)(memory + i * room),
                        (uint16_t *)call.operands[i].data + begin * step(i),
                        count(i, stop - begin));
        }
        free(memory);
        return true;
    }

    /* False if there is no memory. A loop that needs all rows at once cuts them among
     * threads by itself. */
    bool run() const {
        if (whole)
            return run_body(call);
        std::atomic<bool> done(true);
        parallel(by_columns ? call.columns : call.rows, grain,
                 [&](ptrdiff_t begin, ptrdiff_t end) {
            if (!(tiled ? run_tiles(begin, end) : run_body(part(begin, end))))
                done = false;
        }, (const char *)body + tiled);
        return done;
    }

    bool run_body(const Call &some) const {
        try {
            body(some);
        }
        catch (const std::bad_alloc &) {
            return false;
        }
        return true;
    }
};

}  // namespace
}  // namespace chainer_fast
