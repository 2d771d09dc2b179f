"""Construction of elementwise routines: their supported and returned dtypes.

A *rule* takes the dtypes of operands, or the kinds of numbers, and returns the dtype
to which all are converted; it rejects those that the routine does not support.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy

from chainer_fast import backend
from chainer_fast._core.graphs import graph
from chainer_fast.chainerx import _dtypes, _errors, _graphs, _routines, _running
from chainer_fast.chainerx._array import ndarray
from chainer_fast.variable import Variable

Dtype: TypeAlias = numpy.dtype[Any]
Operand: TypeAlias = ndarray | float
Typed: TypeAlias = Dtype | str
Rule: TypeAlias = Callable[..., Dtype | None]


# Rules
#

# A number is represented by its kind.
_NUMBERS = {'b': True, 'i': 1, 'f': 1.}


def typed(x: Operand) -> Typed:
    """Return the dtype of an array, or the kind of a number: 'b', 'i' or 'f'.

    Raises
    ------
    TypeError
        If the object is neither.
    """
    if isinstance(x, ndarray):
        return x._v.dtype
    if _routines.is_scalar(x):
        kind = _dtypes.kind_of_scalar(x)
        if kind in _NUMBERS:
            return kind
    raise TypeError('expected a chainerx.ndarray or a number, got %s: chainerx.array '
                    'makes an array' % type(x).__name__)


@functools.cache
def common(*types: Typed) -> Dtype:
    """Return the dtype of a result of any operands.

    Raises
    ------
    TypeError
        If none is an array.
    """
    dtypes = [x for x in types if not isinstance(x, str)]
    if not dtypes:
        raise TypeError('expected a chainerx.ndarray among the operands')
    return _dtypes.result_type(
        dtypes, [_NUMBERS[x] for x in types if isinstance(x, str)])


def _kind(x):
    kind = x if isinstance(x, str) else x.kind
    return 'i' if kind == 'u' else kind


def _refuse(types, kinds, wanted):
    """Raise an error if an operand has one of some kinds."""
    if any([_kind(x) in kinds for x in types]):
        names = {'b': 'bool', 'i': 'int', 'f': 'float'}
        raise _errors.DtypeError('expected %s, got %s' % (
            wanted, ' and '.join([names.get(x) or str(x) for x in types])))


@functools.cache
def numeric(*types: Typed) -> Dtype:
    """Return the dtype of a result of operands that are not bools."""
    _refuse(types, 'b', 'integers or floats')
    return common(*types)


@functools.cache
def integral(*types: Typed) -> Dtype:
    """Return the dtype of a result of operands that are not floats."""
    _refuse(types, 'f', 'bools or integers')
    return common(*types)


@functools.cache
def shifted(x: Typed, bits: Typed) -> Dtype:
    """Return the dtype of a result of integers: that of the first."""
    _refuse((x, bits), 'bf', 'integers')
    return numpy.dtype('int64') if isinstance(x, str) else x


@functools.cache
def floating(*types: Typed) -> Dtype:
    """Return the dtype of a result that is a float, of any operands."""
    return _dtypes.floating(common(*types))


@functools.cache
def quotient(*types: Typed) -> Dtype:
    """Return the dtype of a float result of operands that are not bools."""
    return _dtypes.floating(numeric(*types))


@functools.cache
def comparable(*types: Typed) -> Dtype:
    """Return the dtype of a result of operands that are all bools, or none is."""
    if any([_kind(x) != 'b' for x in types]):
        return numeric(*types)
    return common(*types)


def as_they_are(*types: Typed) -> None:
    """Keep the dtypes of all operands."""


# Routines
#

def unary(
        x: ndarray, ufunc: str, rule: Rule,
        function: Callable[[Variable], Variable] | None = None) -> ndarray:
    """Return the result of a ufunc for an array.

    Parameters
    ----------
    x : ndarray
    ufunc : str
        Its name in NumPy and CuPy.
    rule : callable
    function : callable, optional
        The equivalent function of variables; without it there is no gradient.
    """
    _routines.check(x)
    return _routines.compute((x,), _ufunc(ufunc), function, rule(x._v.dtype))


def binary(
        x1: Operand, x2: Operand, ufunc: str, rule: Rule,
        function: Callable[..., Variable] | None = None) -> ndarray:
    """Return the result of a ufunc for two operands: see :func:`unary`.

    Raises
    ------
    DimensionError
        If the shapes cannot be broadcast.
    """
    dtype = rule(typed(x1), typed(x2))
    operands = [x.item() if isinstance(x, numpy.generic) else x for x in (x1, x2)]
    try:
        return _routines.compute(operands, _ufunc(ufunc), function, dtype)
    except Exception as e:
        check_shapes(x1, x2, e)
        raise


def compare(
        x1: Operand, x2: Operand, ufunc: str, rule: Rule = comparable) -> ndarray:
    """Return the bools of a ufunc for two operands, which keep their dtypes."""
    rule(typed(x1), typed(x2))
    return binary(x1, x2, ufunc, as_they_are)


def in_place(x1: ndarray, x2: Operand, ufunc: str, rule: Rule) -> ndarray:
    """Write the result of a ufunc for two operands into the first, and return it.

    Raises
    ------
    ChainerxError
        If an operand is in a graph.
    DtypeError
        If the kind of the result differs from that of the first operand.
    DimensionError
        If the second cannot be broadcast to the first.
    """
    if x1._is_connected() or isinstance(x2, ndarray) and x2._is_connected() and (
            x2.is_backprop_required(_graphs.anygraph)):
        raise _errors.ChainerxError(
            'an array that is in a graph cannot be part of an operation in place')
    result = rule(x1._v.dtype, typed(x2))
    if _kind(result) != _kind(x1.dtype):
        raise _errors.DtypeError(
            'a result of %s cannot be written to an array of %s' % (result, x1.dtype))
    device = _running.common_device([x for x in (x1, x2) if isinstance(x, ndarray)])
    out = x1._array
    try:
        with device.scope():
            graph.silently(
                _write, getattr(device.xp, ufunc), out, x2)
    except ValueError as e:
        check_shapes(x1, x2, e, out.shape)
        raise
    return x1


def _write(ufunc, out, x2):
    ufunc(out, _routines.converted(x2, out.dtype), out)


@functools.cache
def _ufunc(name):
    return lambda xp, *arrays: getattr(xp, name)(*arrays)


def check_shapes(
        x1: Operand, x2: Operand, error: Exception,
        wanted: tuple[int, ...] | None = None) -> None:
    """Raise the error of mismatched shapes, if they are the problem.

    Raises
    ------
    DimensionError
        If they cannot be broadcast, or not to the required shape.
    """
    shapes = [x.shape for x in (x1, x2) if isinstance(x, ndarray)]
    try:
        if numpy.broadcast_shapes(*shapes) == wanted or wanted is None:
            return
    except ValueError:
        pass
    raise _errors.DimensionError(
        'the shapes %s do not match' % ' and '.join(map(str, shapes))) from error


# Functions of variables and numbers
#

def of_arrays(
        function: Callable[..., Variable]) -> Callable[..., Variable]:
    """Return a function of variables that also accepts a number for one of them."""
    def call(x1, x2):
        if not isinstance(x1, Variable):
            return function(constant(x1, x2), x2)
        return function(x1, x2 if isinstance(x2, Variable) else constant(x2, x1))
    return call


def constant(value: float, x: Variable) -> Any:
    """Return a number as an array with the kind and dtype of a variable."""
    return backend.get_array_module(x).asarray(value, x.dtype)
