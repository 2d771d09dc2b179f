/* The tables of all families of declared kernels. */
#pragma once

#include "chainer_fast/backends/kernels/declared/call.hpp"

namespace chainer_fast {

namespace accuracy { extern const Declaration KERNELS[]; }
namespace activation { extern const Declaration KERNELS[]; }
namespace arithmetic { extern const Declaration KERNELS[], VECTORS[]; }
namespace losses { extern const Declaration KERNELS[]; }
namespace normalization { extern const Declaration KERNELS[], VECTORS[]; }
namespace reduction { extern const Declaration KERNELS[]; }
namespace softmax { extern const Declaration KERNELS[]; }

inline const Declaration *const TABLES[] = {
    accuracy::KERNELS, activation::KERNELS, arithmetic::KERNELS, arithmetic::VECTORS,
    losses::KERNELS, normalization::KERNELS, normalization::VECTORS, reduction::KERNELS,
    softmax::KERNELS, nullptr};

}  // namespace chainer_fast
