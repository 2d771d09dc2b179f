/* The tables of all families of declared kernels. */
#pragma once

#include "chainer_fast/backends/kernels/declared/call.hpp"

namespace chainer_fast {

extern const Declaration ACCURACY[], LOSSES[], NORMALIZATION[],
    RUNNING_SUMS[], SOFTMAX[], VECTORS[];

inline const Declaration *const TABLES[] = {
    ACCURACY, LOSSES, NORMALIZATION, RUNNING_SUMS, SOFTMAX, VECTORS, nullptr};

}  // namespace chainer_fast
