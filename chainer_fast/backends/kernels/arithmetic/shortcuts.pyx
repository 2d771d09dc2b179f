"""Arithmetic, powers and exponentials as records: see ``common/elementwise.pyx``."""
import numpy

from chainer_fast.backends.kernels.common import exponential_ufuncs
from chainer_fast.backends.kernels.common.elementwise cimport (
    BINARY, CONSTANT, PAIR, Elementwise, Loop, loop_of, ufunc_loop)
from chainer_fast.backends.kernels.common.loops cimport (
    Binary, BinaryGrads, WithConstant)

cdef extern from "chainer_fast/backends/kernels/arithmetic/elements.hpp" nogil:
    const Binary ADD "chainer_fast::binary<chainer_fast::Add>"
    const Binary SUB "chainer_fast::binary<chainer_fast::Sub>"
    const Binary MUL "chainer_fast::binary<chainer_fast::Mul>"
    const Binary DIV "chainer_fast::binary<chainer_fast::Div>"
    const BinaryGrads DIV_GRADS "chainer_fast::binary_grads<chainer_fast::Div>"
    const Binary SQRT_GRAD "chainer_fast::binary<chainer_fast::SqrtGrad>"
    const Binary SQUARE_GRAD "chainer_fast::binary<chainer_fast::SquareGrad>"
    const WithConstant NEG "chainer_fast::with_constant<chainer_fast::Neg>"
    const WithConstant ADD_CONSTANT "chainer_fast::with_constant<chainer_fast::Add>"
    const WithConstant SUB_FROM "chainer_fast::with_constant<chainer_fast::SubFrom>"
    const WithConstant MUL_CONSTANT "chainer_fast::with_constant<chainer_fast::Mul>"

cdef Loop _mul = loop_of(BINARY, &MUL)
cdef Loop _neg = loop_of(CONSTANT, &NEG)
cdef Loop _mul_constant = loop_of(CONSTANT, &MUL_CONSTANT)
# The gradient goes through as it is.
cdef object _PASS = None

add = Elementwise(loop_of(BINARY, &ADD), 2, (_PASS, _PASS))
sub = Elementwise(loop_of(BINARY, &SUB), 2, (_PASS, (_neg, 'g')))
mul = Elementwise(_mul, 2, ((_mul, 1), (_mul, 0)))
div = Elementwise(loop_of(BINARY, &DIV), 2, loop_of(PAIR, &DIV_GRADS))
neg = Elementwise(_neg, 1, ((_neg, 'g'),))
exp = Elementwise(ufunc_loop(numpy.exp, exponential_ufuncs.exp), 1, ((_mul, 'y'),))
sqrt = Elementwise(
    ufunc_loop(numpy.sqrt), 1, ((loop_of(BINARY, &SQRT_GRAD), 'y'),))

# Of an array and the function's scalar.
add_constant = Elementwise(loop_of(CONSTANT, &ADD_CONSTANT), 1, (_PASS,), ('value',))
sub_from_constant = Elementwise(
    loop_of(CONSTANT, &SUB_FROM), 1, ((_neg, 'g'),), ('value',))
mul_constant = Elementwise(_mul_constant, 1, ((_mul_constant, 'g'),), ('value',))
# Squares; other exponents are left to NumPy.
pow_var_const = Elementwise(
    _mul, 1, ((loop_of(BINARY, &SQUARE_GRAD), 0),), ('value',), 2, 2)
