"""Conversion between values of objects and what files hold."""
import numpy

from chainer_fast.backends import _cpu


def to_numpy(value):
    """Return a value as a NumPy array, which shares memory if it is one already.

    Parameters
    ----------
    value : array, scalar, str, bytes, None, or list of arrays
        Value to save.

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    TypeError
        If it is of another type.
    """
    return numpy.asarray(_cpu._to_cpu(value))


def to_type_of(value, loaded, safely=True):
    """Return a loaded array as a scalar, or whatever, of the type of the old value.

    Parameters
    ----------
    value : object
        The old value.
    loaded : numpy.ndarray
        What was loaded.
    safely : bool
        Refuse to convert numbers that may not fit.

    Raises
    ------
    TypeError
        If a number would lose its fractional part, its sign or its range.
    """
    value_type = type(value)
    if (safely and loaded.dtype.kind in 'biufc'
            and not _can_hold(value_type, loaded.dtype)):
        raise TypeError(
            'Cannot safely deserialize from numpy array with dtype=%s into a variable '
            'of type %s.' % (loaded.dtype, value_type))
    if issubclass(value_type, (int, float, complex)) and loaded.size == 1:
        return value_type(loaded.item())
    return value_type(loaded)


def _can_hold(value_type, dtype):
    """Whether a type holds all numbers of a dtype; any type holds what is no number."""
    if issubclass(value_type, (bool, numpy.bool_)):
        return dtype.kind == 'b'
    if issubclass(value_type, int):
        return dtype.kind in 'biu'
    if issubclass(value_type, numpy.number):
        return numpy.can_cast(dtype, value_type, 'safe')
    if issubclass(value_type, float):
        return dtype.kind != 'c'
    return True
