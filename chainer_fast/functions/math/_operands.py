"""Operands of the arithmetic operators: constants, arrays and variables.

A *constant* is a scalar: it becomes an attribute of the function and is cast to the
dtype of the array operand, so that ``x + 1.5`` keeps the dtype of ``x``. An array
operand is cast to the dtype of the variable operand and becomes an input.
"""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import function_node, variable
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.functions import _checks
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple


def _is_array(value):
    return isinstance(value, get_array_types())


def is_constant(value):
    """Return whether an operand is a scalar; for NumPy, strings are scalars."""
    return numpy.isscalar(value) and not isinstance(value, (str, bytes))


def _convert_value_to_string(value):
    """Return the text for a constant in the label of a function."""
    if isinstance(value, variable.Variable):
        value = value.array
    if numpy.isscalar(value):
        text = str(value)
        # NumPy treats strings as scalars; this is a number.
        return f'({text})' if value < 0 else text  # type: ignore[operator]
    if _is_array(value):
        return 'constant array'
    raise ValueError(
        'A constant operand is a scalar, an array or a Variable, '
        f'but {type(value)} was given.')


def _preprocess_const(x, value):
    """Return ``value`` with the dtype of ``x``: scalars and 0-dim arrays as scalars.

    Integers that are out of range wrap around, as in ``ndarray.astype``.
    """
    dtype = x.dtype
    if dtype.kind == 'f' and not _is_array(value):
        return dtype.type(value)
    if _is_array(value) and not isinstance(value, numpy.ndarray):
        return value.astype(dtype, copy=False)
    return numpy.asarray(value).astype(dtype)[()]


def _preprocess_rhs(x, value):
    """Return an operand as an input of a function; cast arrays to the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``value`` is neither a variable nor an array nor a NumPy scalar.
    """
    if isinstance(value, variable.Variable):
        return value
    if _is_array(value) or isinstance(value, numpy.generic):
        return value.astype(x.dtype, copy=False)
    raise TypeError(
        'An operand must be a scalar, a numpy.ndarray, a cupy.ndarray or a Variable, '
        f'but {type(value)} was given.\n'
        'Convert sequences with numpy.asarray first.')


class UnaryOperator(function_node.FunctionNode):
    """Operator with one array operand; with ``floating``, integers are an error."""

    is_elementwise = True
    floating = False

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        if self.floating:
            _checks.floats(in_types, 'x')
        else:
            type_check._argname(in_types, ('x',))


class ConstantOperator(UnaryOperator):
    """Operator with an array and a constant; ``text`` is its label in a template."""

    text: Any = None

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def label(self) -> str:
        return self.text.format(_convert_value_to_string(self.value))


class BinaryOperator(function_node.FunctionNode):
    """Operator with two arrays, of one dtype and of shapes that broadcast."""

    is_elementwise = True
    floating = True

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('lhs', 'rhs'))
        lhs, rhs = in_types
        if self.floating:
            type_check.expect(lhs.dtype.kind == 'f')
        type_check.expect(lhs.dtype == rhs.dtype)
        type_check.expect_broadcast_shapes(lhs.shape, rhs.shape)
