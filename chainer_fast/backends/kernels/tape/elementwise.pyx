"""Elementwise functions that tapes run as loops, and the loops of their gradients.

They are the loops of the functions' shortcuts, so that both give the same bits.
"""
import numpy

from chainer_fast._core.graph cimport FunctionBase, Shortcut, shortcut_of
from chainer_fast._core.shortcut cimport number
from chainer_fast.backends.kernels.activation import shortcuts as activation
from chainer_fast.backends.kernels.arithmetic import shortcuts as arithmetic
from chainer_fast.backends.kernels.common import exponential_ufuncs
from chainer_fast.backends.kernels.common.loops cimport (
    Binary, BinaryGrads, Unary, WithConstant, unary_of)

cdef extern from "chainer_fast/backends/kernels/arithmetic/elements.hpp" nogil:
    const Binary _ADD "chainer_fast::binary<chainer_fast::Add>"
    const Binary _SUB "chainer_fast::binary<chainer_fast::Sub>"
    const Binary _MUL "chainer_fast::binary<chainer_fast::Mul>"
    const Binary _DIV "chainer_fast::binary<chainer_fast::Div>"
    const BinaryGrads _DIV_GRADS "chainer_fast::binary_grads<chainer_fast::Div>"
    const Binary _SQRT_GRAD "chainer_fast::binary<chainer_fast::SqrtGrad>"
    const Binary _SQUARE_GRAD "chainer_fast::binary<chainer_fast::SquareGrad>"
    const WithConstant _NEG "chainer_fast::with_constant<chainer_fast::Neg>"
    const WithConstant _PLUS "chainer_fast::with_constant<chainer_fast::Add>"
    const WithConstant _SUB_FROM "chainer_fast::with_constant<chainer_fast::SubFrom>"
    const WithConstant _TIMES "chainer_fast::with_constant<chainer_fast::Mul>"

cdef extern from "chainer_fast/backends/kernels/activation/loops.hpp" \
        namespace "chainer_fast" nogil:
    cdef cppclass Activation:
        pass
    const Activation _LEAKY_RELU "chainer_fast::activation<chainer_fast::LeakyReLU>"
    const Activation _CLIPPED "chainer_fast::activation<chainer_fast::ClippedReLU>"
    const Activation _HARD_SIGMOID "chainer_fast::activation<chainer_fast::HardSigmoid>"
    const Activation _ELU "chainer_fast::elu"
    const Activation _SIGMOID "chainer_fast::sigmoid"
    const Activation _SOFTPLUS "chainer_fast::softplus"
    const Binary _TANH_GRAD \
        "chainer_fast::binary<chainer_fast::Grad<chainer_fast::Tanh>>"
    const Binary _RELU_GRAD \
        "chainer_fast::binary<chainer_fast::Grad<chainer_fast::ReLU>>"
    const WithConstant _RECTIFY "chainer_fast::with_constant<chainer_fast::Rectify>"

cdef Unary _tanh = unary_of(numpy.tanh, exponential_ufuncs.tanh)
cdef Unary _exp = unary_of(numpy.exp, exponential_ufuncs.exp)
cdef Unary _sqrt = unary_of(numpy.sqrt)
cdef Unary _elu[2]
cdef Unary _sigmoid[2]
cdef Unary _softplus[2]
_elu[0] = unary_of(numpy.expm1)
_sigmoid[0] = _tanh
_softplus[0] = _exp
_softplus[1] = unary_of(numpy.log1p)


cdef class Loop:
    """A loop over arrays of one shape and type."""


cdef Loop _loop(int form, const void *loop, const Unary *ufuncs=NULL):
    cdef Loop made = Loop()
    made.form = form
    made.loop = loop
    made.ufuncs = ufuncs
    return made


copy = _loop(COPY, NULL)
add = _loop(BINARY, &_ADD)
cdef object _mul = _loop(BINARY, &_MUL)
cdef object _neg = _loop(CONSTANT, &_NEG)
cdef object _times = _loop(CONSTANT, &_TIMES)

# The gradient goes through as it is.
cdef object _PASS = None


class Rule:
    """A function as a loop, and its gradient.

    Attributes
    ----------
    forward : Loop
    inputs : int
        Number of inputs.
    parameters : tuple of str
        Attributes of the function that are constants of the loop, one or two.
    grads : tuple
        For each input the loop of its gradient, and its operands: ``'g'`` is the
        gradient of the output, ``'y'`` the output, and numbers stand for inputs. None
        stands for the gradient of the output itself.
    pair : tuple or None
        A loop, and its operands, that makes the gradients of two inputs at once.
    from_output : bool
        Whether negative parameters are excluded, as they lose the sign of the input.
    """

    def __init__(self, forward, inputs=1, grads=(), parameters=(), pair=None,
                 from_output=False):
        self.forward = forward
        self.inputs = inputs
        self.grads = grads
        self.parameters = parameters
        self.pair = pair
        self.from_output = from_output


cdef object _unary(const Unary *loop, const Binary *grad):
    return Rule(_loop(UNARY, loop), grads=((_loop(BINARY, grad), ('y', 'g')),))


cdef object _activation(const Activation *loop, const Unary *ufuncs, kept,
                        tuple parameters=()):
    return Rule(
        _loop(ACTIVATION, loop, ufuncs), parameters=parameters,
        grads=((_loop(ACTIVATION_GRAD, loop, ufuncs), (kept, 'g')),),
        from_output=kept == 'y')


cdef dict _RULES = {
    arithmetic.AddShortcut: Rule(add, 2, (_PASS, _PASS)),
    arithmetic.SubShortcut: Rule(_loop(BINARY, &_SUB), 2, (_PASS, (_neg, ('g',)))),
    arithmetic.MulShortcut: Rule(_mul, 2, ((_mul, ('g', 1)), (_mul, ('g', 0)))),
    arithmetic.DivShortcut: Rule(
        _loop(BINARY, &_DIV), 2, pair=(_loop(PAIR, &_DIV_GRADS), (0, 1, 'g'))),
    arithmetic.NegShortcut: Rule(_neg, grads=((_neg, ('g',)),)),
    arithmetic.AddConstantShortcut: Rule(
        _loop(CONSTANT, &_PLUS), grads=(_PASS,), parameters=('value',)),
    arithmetic.SubFromConstantShortcut: Rule(
        _loop(CONSTANT, &_SUB_FROM), grads=((_neg, ('g',)),), parameters=('value',)),
    arithmetic.MulConstantShortcut: Rule(
        _times, grads=((_times, ('g',)),), parameters=('value',)),
    arithmetic.ExpShortcut: _unary(&_exp, &_MUL),
    arithmetic.SqrtShortcut: _unary(&_sqrt, &_SQRT_GRAD),
    activation.TanhShortcut: _unary(&_tanh, &_TANH_GRAD),
    activation.ReLUShortcut: Rule(
        _loop(CONSTANT, &_RECTIFY),
        grads=((_loop(BINARY, &_RELU_GRAD), ('y', 'g')),)),
    activation.LeakyReLUShortcut: _activation(&_LEAKY_RELU, NULL, 'y', ('slope',)),
    activation.ClippedReLUShortcut: _activation(&_CLIPPED, NULL, 0, ('cap',)),
    activation.HardSigmoidShortcut: _activation(&_HARD_SIGMOID, NULL, 0),
    activation.ELUShortcut: _activation(&_ELU, _elu, 'y', ('alpha',)),
    activation.SigmoidShortcut: _activation(&_SIGMOID, _sigmoid, 'y'),
    activation.SoftplusShortcut: _activation(
        &_SOFTPLUS, _softplus, 0, ('beta', 'beta_inv')),
}
# Squares; other exponents are left to NumPy.
cdef object _SQUARE = Rule(
    _mul, grads=((_loop(BINARY, &_SQUARE_GRAD), (0, 'g')),))


def rule_of(FunctionBase function, Py_ssize_t inputs):
    """Return the rule of a function, and its parameters; None if it has none.

    Parameters
    ----------
    function : FunctionNode
    inputs : int
        Number of arrays that it is applied to.

    Returns
    -------
    tuple of (Rule, tuple of float) or None
    """
    cdef Shortcut shortcut = shortcut_of(function)
    cdef double value = 0
    if isinstance(shortcut, arithmetic.PowVarConstShortcut):
        if not number(function, 'value', &value) or value != 2:
            return None
        return _SQUARE, ()
    rule = _RULES.get(type(shortcut))
    if rule is None or inputs != rule.inputs:
        return None
    parameters = []
    for name in rule.parameters:
        if not number(function, name, &value):
            return None
        parameters.append(value)
    if rule.from_output and not all([value >= 0 for value in parameters]):
        return None
    return rule, tuple(parameters)
