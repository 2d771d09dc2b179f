/* Chains of elementwise loops, run piece by piece.
 *
 * The loops of a chain go over a piece of all arrays, one after the other, before they
 * go on to the next: what one writes is still in the cache when the next one reads it,
 * and what no one reads afterwards is never written to memory. */
#ifndef CHAINER_FAST_TAPE_HPP
#define CHAINER_FAST_TAPE_HPP

#include <string.h>

#include "chainer_fast/backends/kernels/activation/loops.hpp"
#include "chainer_fast/backends/kernels/common/loops.hpp"
#include "chainer_fast/backends/kernels/common/unary.hpp"

namespace chainer_fast {
namespace {

/* Bytes of a piece: a few of them fit in the smallest cache. */
constexpr ptrdiff_t PIECE = 4096;

/* Memory of a value: of all its elements, or of one piece that is used again. */
struct Place {
    char *data;
    bool whole;
};

enum Form { COPY, BINARY, CONSTANT, UNARY, ACTIVATION, ACTIVATION_GRAD, PAIR };

/* A loop, with the places of the values that it reads and writes. */
struct Instruction {
    int form;
    const void *loop;
    const Unary *ufuncs;    // of an activation
    double p, q;            // constants
    int inputs[3], outputs[2];
};

inline void run_piece(const Instruction &it, char kind, const Place *places,
                      ptrdiff_t first, ptrdiff_t count, ptrdiff_t size) {
    const auto at = [=](int value) {
        const Place &place = places[value];
        return place.whole ? place.data + first * size : place.data;
    };
    void *out = at(it.outputs[0]);
    switch (it.form) {
    case COPY:
        memcpy(out, at(it.inputs[0]), count * size);
        break;
    case BINARY:
        ((const Binary *)it.loop)->run(kind, at(it.inputs[0]), at(it.inputs[1]), out, count);
        break;
    case CONSTANT:
        ((const WithConstant *)it.loop)->run(kind, at(it.inputs[0]), it.p, out, count);
        break;
    case UNARY:
        ((const Unary *)it.loop)->run(kind, at(it.inputs[0]), out, count);
        break;
    case ACTIVATION:
    case ACTIVATION_GRAD:
        ((const Activation *)it.loop)->run(
            kind, at(it.inputs[0]), it.form == ACTIVATION ? nullptr : at(it.inputs[1]), out,
            count, it.p, it.q, it.ufuncs);
        break;
    case PAIR:
        ((const BinaryGrads *)it.loop)->run(
            kind, at(it.inputs[0]), at(it.inputs[1]), at(it.inputs[2]), out, at(it.outputs[1]), count);
        break;
    }
}

/* Runs some instructions on arrays of ``n`` elements. */
inline void run_chain(const Instruction *begin, const Instruction *end, char kind,
                      const Place *places, ptrdiff_t n) {
    const ptrdiff_t size = kind == 'f' ? sizeof(float) : sizeof(double);
    const ptrdiff_t piece = PIECE / size;
    for (ptrdiff_t first = 0; first < n; first += piece) {
        const ptrdiff_t count = n - first < piece ? n - first : piece;
        for (const Instruction *it = begin; it != end; ++it)
            run_piece(*it, kind, places, first, count, size);
    }
}

}  // namespace
}  // namespace chainer_fast

#endif
