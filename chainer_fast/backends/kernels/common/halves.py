"""Computation of halves in single precision.

The largest number in half precision is 65504, the least is 6e-8, and numbers have
three digits: sums, squares and numbers of elements leave this range long before the
result does. Processors have no arithmetic of halves, but convert them fast. So
compiled code computes with halves in float32, and rounds the result once: NumPy
rounds after each operation, so its results may differ in the last digit if there
are several operations.
"""
from __future__ import annotations

import functools
import typing as tp

import numpy

from chainer_fast._core.graphs.graph import as_floats, as_halves

Result = tp.TypeVar('Result')


def cast(array: tp.Any, dtype: tp.Any) -> tp.Any:
    """Return ``array.astype(dtype, copy=False)``; fast for halves."""
    if array.dtype.char == 'e':
        array = as_floats(array) if numpy.dtype(dtype).char in 'fd' else array
    elif array.dtype.kind in 'fbiu' and numpy.dtype(dtype).char == 'e':
        if array.dtype.kind != 'f' and type(array) is numpy.ndarray:
            # Floats represent all integers that halves do.
            array = array.astype(numpy.float32)
        array = as_halves(array)
    return array.astype(dtype, copy=False)


def by_floats(function: tp.Callable[..., tp.Any], *args: tp.Any) -> tp.Any:
    """Call a function with floats instead of halves, and round its results.

    Parameters
    ----------
    function : callable
        Returns an array, or a tuple of arrays; or ``NotImplemented``.
    *args
        Arrays and other objects.

    Returns
    -------
    object
        ``NotImplemented``, if not all floats among the arrays are halves, in native
        byte order, which their results may have to keep; or if a result is too large
        for a half: NumPy's warnings name its own functions.
    """
    if any([not each.dtype.isnative for each in args if hasattr(each, 'dtype')]):
        return NotImplemented
    try:
        with numpy.errstate(over='raise'):
            return _by_floats(function, *args)
    except FloatingPointError:
        return NotImplemented


def _by_floats(function, *args):
    kinds = {each.dtype.char for each in args if hasattr(each, 'dtype')}
    if 'e' not in kinds or not kinds.isdisjoint('fdg'):
        return NotImplemented
    result = function(*[
        cast(each, numpy.float32) if hasattr(each, 'dtype')
        and each.dtype.char == 'e' else each for each in args])
    if isinstance(result, tuple):
        return tuple([_rounded(each) for each in result])
    return _rounded(result)


def _rounded(result):
    if getattr(result, 'dtype', None) == numpy.float32:
        return cast(result, numpy.float16)
    return result


def in_single(function: tp.Callable[..., Result]) -> tp.Callable[..., Result]:
    """Decorate a function of arrays to compute with halves in single precision.

    Parameters
    ----------
    function : callable
        Function of arrays and other objects by position, an array first, that returns
        an array, or a tuple of arrays.

    Returns
    -------
    callable
        The same function, unless all floats among the arrays are halves: then the
        function gets floats, and the floats that it returns are rounded to halves.
    """
    @functools.wraps(function)
    def computed(*args: tp.Any) -> tp.Any:
        if args[0].dtype.char in 'fd':      # as nearly always
            return function(*args)
        result = _by_floats(function, *args)
        return function(*args) if result is NotImplemented else result
    return computed


def elementwise_in_single(
        function: tp.Callable[..., Result]) -> tp.Callable[..., Result]:
    """Do the same for an elementwise function, which warns as for halves.

    Numbers of Python are rounded to halves, as in operations with arrays of halves.
    """
    @functools.wraps(function)
    def computed(*args: tp.Any) -> tp.Any:
        if args[0].dtype.char == 'e' and type(args[0]) is numpy.ndarray:
            result = by_floats(function, *[_constant(each) for each in args])
            if result is not NotImplemented:
                return result
        return function(*args)
    return computed


def _constant(value):
    """Return a number of Python as NumPy has it for halves; others as they are."""
    if type(value) in (int, float) and abs(value) < 65520:
        return float(numpy.float16(value))
    return value


def forward_in_single(
        forward: tp.Callable[..., tuple[tp.Any, ...]],
) -> tp.Callable[..., tuple[tp.Any, ...]]:
    """Make the method ``forward`` of a class compute with halves in this way.

    This is for arrays of NumPy; CuPy's kernels compute in single precision anyway.
    Attributes that the method sets must not be computed from arrays.
    """
    @functools.wraps(forward)
    def computed(self: tp.Any, inputs: tuple[tp.Any, ...]) -> tuple[tp.Any, ...]:
        if type(inputs[0]) is numpy.ndarray and inputs[0].dtype.char == 'e':
            made: tp.Any = by_floats(lambda *floats: forward(self, floats), *inputs)
            if made is not NotImplemented:
                return made
        return forward(self, inputs)
    return computed
