"""Activations and their gradients as records: see ``common/elementwise.pyx``."""
import numpy

from cpython.object cimport PyObject

from chainer_fast._core.graph cimport FunctionBase, Shortcut
from chainer_fast._core.shortcut cimport attribute, given
from chainer_fast.backends.kernels.common import exponential_ufuncs
from chainer_fast.backends.kernels.common.elementwise cimport (
    ACTIVATION, ACTIVATION_GRAD, BINARY, CONSTANT, PAIR, Activation, Elementwise,
    loop_of, ufunc_loop)
from chainer_fast.backends.kernels.common.loops cimport (
    Binary, BinaryGrads, WithConstant, run_with_grad)

cdef extern from "chainer_fast/backends/kernels/activation/loops.hpp" \
        namespace "chainer_fast" nogil:
    const Activation LEAKY_RELU "chainer_fast::activation<chainer_fast::LeakyReLU>"
    const Activation CLIPPED_RELU "chainer_fast::activation<chainer_fast::ClippedReLU>"
    const Activation HARD_SIGMOID "chainer_fast::activation<chainer_fast::HardSigmoid>"
    const Activation ELU "chainer_fast::elu"
    const Activation SIGMOID "chainer_fast::sigmoid"
    const Activation SOFTPLUS "chainer_fast::softplus"
    const Binary TANH_GRAD \
        "chainer_fast::binary<chainer_fast::Grad<chainer_fast::Tanh>>"
    const Binary SIGMOID_GRAD \
        "chainer_fast::binary<chainer_fast::Grad<chainer_fast::Sigmoid>>"
    const Binary RELU_GRAD \
        "chainer_fast::binary<chainer_fast::Grad<chainer_fast::ReLU>>"
    const BinaryGrads TANH_GRAD_GRADS "chainer_fast::binary_grads<chainer_fast::Tanh>"
    const BinaryGrads SIGMOID_GRAD_GRADS \
        "chainer_fast::binary_grads<chainer_fast::Sigmoid>"
    const WithConstant RECTIFY "chainer_fast::with_constant<chainer_fast::Rectify>"


cdef Elementwise _activation(
        const Activation *loops, kept, tuple parameters=(), tuple ufuncs=()):
    """Return the record of an activation, whose gradient is made of what is kept.

    The output does not show the sign of the input if the first parameter is negative.
    """
    return Elementwise(
        loop_of(ACTIVATION, loops, ufuncs), 1,
        ((loop_of(ACTIVATION_GRAD, loops, ufuncs), kept),), parameters,
        **{'least': 0} if kept == 'y' and parameters else {})


clipped_relu = _activation(&CLIPPED_RELU, 0, ('cap',))
elu = _activation(&ELU, 'y', ('alpha',), (numpy.expm1,))
hard_sigmoid = _activation(&HARD_SIGMOID, 0)
leaky_relu = _activation(&LEAKY_RELU, 'y', ('slope',))
relu = Elementwise(
    loop_of(CONSTANT, &RECTIFY), 1, ((loop_of(BINARY, &RELU_GRAD), 'y'),))
sigmoid = _activation(&SIGMOID, 'y', (), (numpy.tanh,))
sigmoid_grad = Elementwise(
    loop_of(BINARY, &SIGMOID_GRAD), 2, loop_of(PAIR, &SIGMOID_GRAD_GRADS))
softplus = _activation(
    &SOFTPLUS, 0, ('beta', 'beta_inv'), (numpy.exp, numpy.log1p))
tanh = Elementwise(
    ufunc_loop(numpy.tanh, exponential_ufuncs.tanh), 1,
    ((loop_of(BINARY, &TANH_GRAD), 'y'),))
tanh_grad = Elementwise(
    loop_of(BINARY, &TANH_GRAD), 2, loop_of(PAIR, &TANH_GRAD_GRADS))


cdef class ReLUGradShortcut(Shortcut):
    """Passes the gradient where the attribute ``b`` of the function is positive."""

    cdef object mask(self, FunctionBase function, object gy):
        return run_with_grad(RELU_GRAD, attribute(function, 'b'), gy)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return self.mask(function, <object>x[0]) if n == 1 else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        gx[0] = given(self.mask(function, gy))
        return gx[0] is not NULL


relu_grad = ReLUGradShortcut()
