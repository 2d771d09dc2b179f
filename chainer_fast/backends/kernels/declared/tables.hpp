/* The tables of all families of declared kernels. */
#pragma once

#include "chainer_fast/backends/kernels/declared/call.hpp"

namespace chainer_fast {

extern const Declaration LOSSES[];

inline const Declaration *const TABLES[] = {LOSSES, nullptr};

}  // namespace chainer_fast
