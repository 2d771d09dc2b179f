"""Gradients of the nodes that backpropagation has reached but not yet passed."""
from cpython.object cimport PyObject
from numpy cimport npy_intp

from chainer_fast._core.addresses cimport AddressTable
from chainer_fast._core.graph cimport VariableNodeBase


cdef class GradTable:
    cdef AddressTable gradients
    cdef readonly bint accumulate_grad_inputs

    cdef object _default(self, VariableNodeBase node)
    cdef object take(self, VariableNodeBase node)
    cdef int put(self, VariableNodeBase node, object value) except -1
    cdef object peek(self, VariableNodeBase node)
    cdef int add(self, VariableNodeBase node, object gradient) except -1
    cdef list as_list(self, VariableNodeBase node)
    cdef object factors(self, VariableNodeBase node, npy_intp rows)


cpdef int check_old_style(VariableNodeBase node) except -1
