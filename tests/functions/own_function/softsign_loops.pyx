"""Loops of the element over arrays in memory."""
from libcpp.vector cimport vector

from chainer_fast.backends.kernels.common.elementwise cimport ElementLoop, loops_of

cdef extern from *:
    """
    #include "chainer_fast/backends/kernels/common/element_table.hpp"

    #include "softsign.hpp"
    """
    const vector[ElementLoop] table "chainer_fast::table"

loops = loops_of(table)
