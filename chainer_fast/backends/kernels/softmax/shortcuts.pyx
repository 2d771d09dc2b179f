"""Compiled shortcuts of softmax and its logarithm."""
from cpython.object cimport PyObject

from chainer_fast._core.graph cimport FunctionBase, Shortcut, own_attribute
from chainer_fast._core.shortcut cimport given, output_array
from chainer_fast.backends.kernels.softmax.compiled cimport gradient_of, softmax_of


cdef class SoftmaxShortcut(Shortcut):
    """Softmax, or its logarithm, and the gradient from its output."""
    cdef bint logarithm

    def __cinit__(self, bint logarithm=False):
        self.logarithm = logarithm
        self.retain_outputs = (0,)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 1:
            return None
        return softmax_of(
            <object>x[0], own_attribute(function, 'axis'), self.logarithm)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        gx[0] = given(gradient_of(
            output_array(function), gy, own_attribute(function, 'axis'),
            self.logarithm))
        return gx[0] is not NULL
