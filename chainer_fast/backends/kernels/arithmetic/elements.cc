/* The loops of arithmetic, powers and exponentials. */
#define CF_WITHOUT_PYTHON

#include "chainer_fast/backends/kernels/common/element_table.hpp"

#include "chainer_fast/backends/kernels/arithmetic/elements.hpp"

namespace chainer_fast {

const std::vector<ElementLoop> &ARITHMETIC_LOOPS = table;

}  // namespace chainer_fast
