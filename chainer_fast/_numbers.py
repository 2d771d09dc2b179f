"""Conversion of NumPy integers among the arguments of a call to Python integers.

Sums and products of NumPy integers keep their dtype, and NumPy 2 also converts Python
integers to that dtype: ``300 + numpy.int8(1)`` is an error, ``-numpy.uint8(1)`` is 255.
Code that computes sizes or positions from arguments therefore converts them first.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy


def plain(value: Any) -> Any:
    """Convert a NumPy integer or bool to Python's type; return anything else unchanged.

    An array of one element is converted like its element, as NumPy does for an int.

    Examples
    --------
    >>> from chainer_fast import _numbers
    >>> -_numbers.plain(np.uint8(1))
    -1
    >>> _numbers.plain(np.array([2]))
    2
    >>> _numbers.plain(2.)
    2.0
    """
    if type(value) is int:
        return value
    if isinstance(value, (numpy.integer, numpy.bool_)):
        return value.item()
    if isinstance(value, numpy.ndarray) and (
            value.size == 1 and value.dtype.kind in 'iub'):
        return value.item()
    return value


def one(value: Any) -> Any:
    """Return the only number of a sequence or an array, or anything else unchanged.

    Examples
    --------
    >>> from chainer_fast import _numbers
    >>> _numbers.one((0.5,))
    0.5
    """
    if isinstance(value, (tuple, list, numpy.ndarray)):
        return numpy.asarray(value).item()
    return value


def plain_all(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return a tuple of numbers, each converted by :func:`plain`.

    Examples
    --------
    >>> from chainer_fast import _numbers
    >>> _numbers.plain_all(np.array([6, 4]))
    (6, 4)
    """
    if type(values) is tuple:
        # A loop, since it is faster than a comprehension and `all`.
        for each in values:
            if type(each) is not int:
                break
        else:
            return values
    return tuple([plain(each) for each in values])


def pair(values: Any, name: str) -> tuple[Any, Any]:
    """Return a pair of numbers, each converted by :func:`plain`.

    Raises
    ------
    ValueError
        If there are not two numbers; ``name`` is the argument's name for the message.

    Examples
    --------
    >>> from chainer_fast import _numbers
    >>> _numbers.pair([6, np.int8(4)], 'ksize')
    (6, 4)
    """
    if not hasattr(values, '__iter__'):
        raise TypeError('%s must have two numbers, one for the height and one for the '
                        'width, but is %r' % (name, values))
    numbers = plain_all(values)
    if len(numbers) != 2:
        raise ValueError(
            '%s must have two numbers, one for the height and one for the width, but '
            'has %d: %r' % (name, len(numbers), values))
    return numbers


def both(value: Any, name: str) -> tuple[Any, Any]:
    """Return the numbers of both axes from a pair or from one number for both.

    Raises
    ------
    ValueError
        If there are not two numbers; ``name`` is the argument's name for the message.

    Examples
    --------
    >>> from chainer_fast import _numbers
    >>> _numbers.both(3, 'ksize')
    (3, 3)
    """
    if type(value) is tuple and len(value) == 2 and (
            type(value[0]) is int and type(value[1]) is int):
        return value
    if not hasattr(value, '__getitem__'):
        return value, value
    if isinstance(value, numpy.integer):        # it has the method, too
        return int(value), int(value)
    return pair(value, name)


def shape(array: numpy.ndarray) -> tuple[Any, ...]:
    """Return a shape whose lengths are the elements of an array.

    Examples
    --------
    >>> from chainer_fast import _numbers
    >>> _numbers.shape(np.array([6, 4]))
    (6, 4)
    >>> _numbers.shape(np.array(6))
    (6,)
    """
    return tuple(numpy.atleast_1d(array).tolist())


def whole(value: Any) -> Any:
    """Convert an integral float to an int, and anything else by :func:`plain`.

    NaN and infinity remain floats, so that later comparisons with them fail.

    Examples
    --------
    >>> from chainer_fast import _numbers
    >>> _numbers.whole(2.)
    2
    >>> _numbers.whole(2.5)
    2.5
    >>> _numbers.whole(float('inf'))
    inf
    """
    if isinstance(value, (float, numpy.floating)) and value.is_integer():
        return int(value)
    return plain(value)
