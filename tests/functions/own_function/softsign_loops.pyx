"""Loops of the element over arrays in memory."""
from chainer_fast.backends.kernels.common.elementwise cimport ElementLoop, loops_of

cdef extern from * namespace "chainer_fast":
    """
    #include "softsign.hpp"
    #include "chainer_fast/backends/kernels/common/element_loops.hpp"

    namespace chainer_fast {
    static const ElementLoop LINES[] = {
        CF_ONE(Softsign), CF_GRAD(Softsign), {}};
    }
    """
    const ElementLoop LINES[1]

loops = loops_of(LINES)
