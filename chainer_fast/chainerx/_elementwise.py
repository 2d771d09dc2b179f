"""How routines of elements are made: which dtypes they take, and what they return.

A *rule* takes the operands, arrays and numbers, and returns the dtype that they are
converted to; it refuses those that the routine is not for.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast import backend
from chainer_fast.chainerx import _array, _dtypes, _errors, _graphs, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.variable import Variable

Dtype: tp.TypeAlias = 'numpy.dtype[tp.Any]'
Operand: tp.TypeAlias = ndarray | float


# Rules
#

def common(*operands: Operand) -> Dtype:
    """Return the dtype of a result of any operands.

    Raises
    ------
    TypeError
        If none is an array, or one neither an array nor a number.
    """
    arrays = [x.dtype for x in operands if isinstance(x, ndarray)]
    if len(arrays) == 2 and len(operands) == 2:
        return _dtypes.promote(*arrays)
    scalars = [x for x in operands if not isinstance(x, ndarray)]
    for x in scalars:
        if not _routines.is_scalar(x) or _dtypes.kind_of_scalar(x) not in 'bif':
            raise TypeError('expected a chainerx.ndarray or a number, got %s: '
                            'chainerx.array makes one' % type(x).__name__)
    if not arrays:
        raise TypeError('expected a chainerx.ndarray among the operands')
    return _dtypes.result_type(arrays, scalars)


def _kinds(operands):
    return {_kind(x.dtype) if isinstance(x, ndarray) else _dtypes.kind_of_scalar(x)
            for x in operands}


def _refuse(operands, kind, wanted):
    """Return the common dtype of operands, of which none is of a kind."""
    found = common(*operands)
    if kind in _kinds(operands):
        raise _errors.DtypeError('expected %s, got %s' % (wanted, _named(operands)))
    return found


def _named(operands):
    return ' and '.join([
        str(x.dtype) if isinstance(x, ndarray) else type(x).__name__ for x in operands])


def numeric(*operands: Operand) -> Dtype:
    """Return the dtype of a result of operands that are no bools."""
    return _refuse(operands, 'b', 'integers or floats')


def integral(*operands: Operand) -> Dtype:
    """Return the dtype of a result of operands that are no floats."""
    return _refuse(operands, 'f', 'bools or integers')


def shifted(x: Operand, bits: Operand) -> Dtype:
    """Return the dtype of a result of integers: that of the first."""
    _refuse((x, bits), 'b', 'integers')
    _refuse((x, bits), 'f', 'integers')
    return x.dtype if isinstance(x, ndarray) else numpy.dtype('int64')


def floating(*operands: Operand) -> Dtype:
    """Return the dtype of a result that is a float, of any operands."""
    return _dtypes.floating(common(*operands))


def quotient(*operands: Operand) -> Dtype:
    """Return the dtype of a result that is a float, of operands that are no bools."""
    return _dtypes.floating(numeric(*operands))


def comparable(*operands: Operand) -> Dtype:
    """Return the dtype of a result of operands that are all bools, or none is."""
    return common(*operands) if _kinds(operands) == {'b'} else numeric(*operands)


def as_they_are(*operands: Operand) -> None:
    """Let all operands keep their dtypes."""


# Routines
#

def unary(
        x: ndarray, ufunc: str, rule: tp.Callable[..., Dtype | None],
        function: tp.Callable[[Variable], Variable] | None = None) -> ndarray:
    """Return what a ufunc makes of an array.

    Parameters
    ----------
    x : ndarray
    ufunc : str
        Its name in NumPy and CuPy.
    rule : callable
    function : callable, optional
        The same of variables; without it there is no gradient.
    """
    _routines.check(x)
    return _routines.compute((x,), _ufunc(ufunc), function, rule(x))


def binary(
        x1: Operand, x2: Operand, ufunc: str, rule: tp.Callable[..., Dtype | None],
        function: tp.Callable[..., Variable] | None = None) -> ndarray:
    """Return what a ufunc makes of two operands: see :func:`unary`.

    Raises
    ------
    DimensionError
        If the shapes cannot be broadcast.
    """
    dtype = rule(x1, x2)
    operands = [x.item() if isinstance(x, numpy.generic) else x for x in (x1, x2)]
    try:
        return _routines.compute(operands, _ufunc(ufunc), function, dtype)
    except Exception as e:
        check_shapes(x1, x2, e)
        raise


def compare(
        x1: Operand, x2: Operand, ufunc: str,
        rule: tp.Callable[..., Dtype] = comparable) -> ndarray:
    """Return the bools that a ufunc makes of two operands, which keep their dtypes."""
    rule(x1, x2)
    return binary(x1, x2, ufunc, as_they_are)


def in_place(
        x1: ndarray, x2: Operand, ufunc: str,
        rule: tp.Callable[..., Dtype]) -> ndarray:
    """Write what a ufunc makes of two operands into the first, and return it.

    Raises
    ------
    ChainerxError
        If an operand is in a graph.
    DtypeError
        If the result is of another kind than the first operand.
    DimensionError
        If the second cannot be broadcast to the first.
    """
    if x1._is_connected() or isinstance(x2, ndarray) and (
            x2.is_backprop_required(_graphs.anygraph)):
        raise _errors.ChainerxError(
            'an array that is in a graph cannot be part of an operation in place')
    result = rule(x1, x2)
    if _kind(result) != _kind(x1.dtype):
        raise _errors.DtypeError(
            'a result of %s does not fit into an array of %s' % (result, x1.dtype))
    arrays = [x for x in (x1, x2) if isinstance(x, ndarray)]
    device = _array.common_device(arrays)
    out = x1._array
    try:
        with device.scope():
            getattr(device.xp, ufunc)(
                out, _routines._converted(x2, out.dtype), out=out)
    except ValueError as e:
        check_shapes(x1, x2, e, out.shape)
        raise
    return x1


def _kind(dtype):
    return 'i' if dtype.kind == 'u' else dtype.kind


def _ufunc(name):
    return lambda xp, *arrays: getattr(xp, name)(*arrays)


def check_shapes(
        x1: Operand, x2: Operand, error: Exception,
        wanted: tuple[int, ...] | None = None) -> None:
    """Raise the error of shapes that do not fit, if that is what is wrong.

    Raises
    ------
    DimensionError
        If they cannot be broadcast, or not to the shape that is wanted.
    """
    shapes = [x.shape for x in (x1, x2) if isinstance(x, ndarray)]
    try:
        if numpy.broadcast_shapes(*shapes) == wanted or wanted is None:
            return
    except ValueError:
        pass
    raise _errors.DimensionError(
        'the shapes %s do not fit' % ' and '.join(map(str, shapes))) from error


# Functions of variables and numbers
#

def of_arrays(
        function: tp.Callable[..., Variable]) -> tp.Callable[..., Variable]:
    """Return a function of variables that takes numbers as well, for one of them."""
    def call(x1, x2):
        if not isinstance(x1, Variable):
            return function(constant(x1, x2), x2)
        return function(x1, x2 if isinstance(x2, Variable) else constant(x2, x1))
    return call


def constant(value: float, x: Variable) -> tp.Any:
    """Return a number as an array, of the kind and dtype of a variable."""
    return backend.get_array_module(x).asarray(value, x.dtype)
