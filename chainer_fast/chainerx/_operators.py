"""The operators of arrays."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chainer_fast._core.graphs import graph
from chainer_fast.backends import arrays as _arrays
from chainer_fast.chainerx import _arithmetic, _elementwise, _logic, _routines
from chainer_fast.chainerx._array import ndarray

_plain_types = _arrays.get_array_types()


def _is_operand(x):
    """Return whether an object is an array of ChainerX or a number.

    Raises
    ------
    TypeError
        If it is a plain array: comparisons would be false regardless of the elements.
    """
    if isinstance(x, _plain_types):
        raise TypeError(
            'arrays of ChainerX cannot be combined with %s: chainerx.array or '
            'chainer.backend.from_chx converts one of them' % type(x))
    return type(x) is ndarray or _routines.is_scalar(x)


def _binary(routine):
    """Return a routine that leaves unknown operands to their own operators."""
    def call(a, b):
        if type(a) is type(b) or _is_operand(a) and _is_operand(b):
            return routine(a, b)
        return NotImplemented
    return call


def _reflected(routine):
    def call(a, b):
        return routine(b, a)
    return call


def _in_place(ufunc, rule):
    def method(self, other):
        if not _is_operand(other):
            return NotImplemented
        return _elementwise.in_place(self, other, ufunc, rule)
    return method


def _install() -> None:
    """Define the operators of arrays."""
    rules = _elementwise
    methods: dict[str, Callable[..., Any]] = {
        'neg': _arithmetic.negative, 'abs': _arithmetic.absolute,
        'invert': lambda a: _elementwise.unary(a, 'invert', rules.integral)}
    for name, routine, rule in (
            ('add', _arithmetic.add, rules.numeric),
            ('sub', _arithmetic.subtract, rules.numeric),
            ('mul', _arithmetic.multiply, rules.common),
            ('truediv', _arithmetic.divide, rules.quotient),
            ('floordiv', _arithmetic.floor_divide, rules.numeric),
            ('mod', _arithmetic.remainder, rules.numeric),
            ('pow', _arithmetic.power, rules.numeric),
            ('and', _logic.bitwise_and, rules.integral),
            ('or', _logic.bitwise_or, rules.integral),
            ('xor', _logic.bitwise_xor, rules.integral),
            ('lshift', _logic.left_shift, rules.shifted),
            ('rshift', _logic.right_shift, rules.shifted)):
        methods[name] = _binary(routine)
        methods['r' + name] = _reflected(methods[name])
        methods['i' + name] = _in_place(routine.__name__, rule)
    compiled = 'add', 'sub', 'mul', 'truediv'
    graph.bind_operators_of_arrays(*[methods.pop(name) for name in compiled])
    for name in compiled:
        del methods['r' + name]
    for name, routine in (
            ('eq', _logic.equal), ('ne', _logic.not_equal), ('lt', _logic.less),
            ('le', _logic.less_equal), ('gt', _logic.greater),
            ('ge', _logic.greater_equal)):
        methods[name] = _binary(routine)
    for name, method in methods.items():
        setattr(ndarray, '__%s__' % name, method)


_install()
