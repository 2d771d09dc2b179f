"""Checks of what ``backward`` of a function returns."""
from chainer_fast._core.graph cimport FunctionBase, VariableNodeBase
from chainer_fast._core.rows cimport RowGradient


cdef int check_leaf(FunctionBase function, VariableNodeBase node,
                    object gradient) except -1
cdef int check_rows(
    FunctionBase function, VariableNodeBase node, RowGradient gradient) except -1
cdef int check_step(FunctionBase function, tuple targets, list earlier,
                    list gradients) except -1
