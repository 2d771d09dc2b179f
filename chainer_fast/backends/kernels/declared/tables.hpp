/* The tables of all families of declared kernels. */
#pragma once

#include "chainer_fast/backends/kernels/declared/call.hpp"

namespace chainer_fast {

extern const Declaration LOSSES[], SOFTMAX[];

inline const Declaration *const TABLES[] = {LOSSES, SOFTMAX, nullptr};

}  // namespace chainer_fast
