/* The loops of activations. */
#define CF_WITHOUT_PYTHON

#include "chainer_fast/backends/kernels/common/element_table.hpp"

#include "chainer_fast/backends/kernels/activation/elements.hpp"

namespace chainer_fast {

const std::vector<ElementLoop> &ACTIVATION_LOOPS = table;

}  // namespace chainer_fast
