"""The operators of arrays."""
from __future__ import annotations

import operator
import typing as tp

import numpy

from chainer_fast.chainerx import _arithmetic, _array, _elementwise, _logic, _routines
from chainer_fast.chainerx._array import ndarray


def _method(routine, operation=None):
    """Return the method of an operator.

    Arrays of floats of one dtype, in the default graph or in none, take a short way.
    """
    def method(self, other):
        if type(other) is not ndarray:
            return routine(self, other) if _routines.is_scalar(other) else (
                NotImplemented)
        if operation is None or self._ids is not None or other._ids is not None:
            return routine(self, other)
        v, w, device = self._v, other._v, self._device
        dtype = v.dtype
        if dtype != w.dtype or dtype.kind != 'f' or (
                device is not other._device or not device.native):
            return routine(self, other)
        try:
            if v.requires_grad or w.requires_grad:
                return _array.wrap(operation(v, w), device)
            found = operation(v.raw_array, w.raw_array)
        except Exception as e:
            _elementwise.check_shapes(self, other, e)
            raise
        return _array.plain(numpy.asarray(found), device)
    return method


def _reflected(routine):
    def method(self, other):
        return routine(other, self) if _routines.is_scalar(other) else NotImplemented
    return method


def _in_place(ufunc, rule):
    def method(self, other):
        if type(other) is not ndarray and not _routines.is_scalar(other):
            return NotImplemented
        return _elementwise.in_place(self, other, ufunc, rule)
    return method


def _install() -> None:
    """Give arrays their operators."""
    rules = _elementwise
    methods: dict[str, tp.Callable[..., tp.Any]] = {
        'neg': _arithmetic.negative, 'abs': _arithmetic.absolute}
    for name, routine, rule, operation in (
            ('add', _arithmetic.add, rules.numeric, operator.add),
            ('sub', _arithmetic.subtract, rules.numeric, operator.sub),
            ('mul', _arithmetic.multiply, rules.common, operator.mul),
            ('truediv', _arithmetic.divide, rules.quotient, operator.truediv),
            ('floordiv', _arithmetic.floor_divide, rules.numeric, None),
            ('mod', _arithmetic.remainder, rules.numeric, None),
            ('pow', _arithmetic.power, rules.numeric, None),
            ('and', _logic.bitwise_and, rules.integral, None),
            ('or', _logic.bitwise_or, rules.integral, None),
            ('xor', _logic.bitwise_xor, rules.integral, None),
            ('lshift', _logic.left_shift, rules.shifted, None),
            ('rshift', _logic.right_shift, rules.shifted, None)):
        methods[name] = _method(routine, operation)
        methods['r' + name] = _reflected(routine)
        methods['i' + name] = _in_place(routine.__name__, rule)
    for name, routine in (
            ('eq', _logic.equal), ('ne', _logic.not_equal), ('lt', _logic.less),
            ('le', _logic.less_equal), ('gt', _logic.greater),
            ('ge', _logic.greater_equal)):
        methods[name] = _method(routine)
    for name, method in methods.items():
        setattr(ndarray, '__%s__' % name, method)


_install()
