"""Loops of activations and of their gradients, by the names of their elements."""
from chainer_fast.backends.kernels.common.elementwise cimport ElementLoop, loops_of

cdef extern from "chainer_fast/backends/kernels/activation/element_loops.hpp" \
        namespace "chainer_fast::activation":
    const ElementLoop ACTIVATIONS[1]

loops = loops_of(ACTIVATIONS)
