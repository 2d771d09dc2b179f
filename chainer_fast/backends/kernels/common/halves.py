"""Computation of halves in single precision.

Half precision holds no more than 65504, three digits, and nothing below 6e-8: sums,
squares and numbers of elements leave it long before the result does.
"""
from __future__ import annotations

import functools
import typing as tp

import numpy

Result = tp.TypeVar('Result')


def in_single(function: tp.Callable[..., Result]) -> tp.Callable[..., Result]:
    """Make a function of arrays compute halves in single precision.

    Parameters
    ----------
    function : callable
        Takes arrays and other things by position, an array first, and returns an array.

    Returns
    -------
    callable
        The same, but where all floats among the arrays are halves. Then the function
        gets floats, and what it returns is rounded to halves.
    """
    @functools.wraps(function)
    def computed(*args: tp.Any) -> tp.Any:
        if args[0].dtype.char in 'fd':      # as nearly always
            return function(*args)
        kinds = {each.dtype.char for each in args if hasattr(each, 'dtype')}
        if 'e' not in kinds or not kinds.isdisjoint('fdg'):
            return function(*args)
        result: tp.Any = function(*[
            each.astype(numpy.float32) if hasattr(each, 'dtype')
            and each.dtype.char == 'e' else each for each in args])
        return result.astype(numpy.float16, copy=False)
    return computed
