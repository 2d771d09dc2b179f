"""Conversion between the values of objects and the contents of files."""
import math
import warnings

import numpy

from chainer_fast._help import mistakes
from chainer_fast.backends import _cpu
from chainer_fast.utils import _ragged

_NUMBERS = int, float, complex


def to_numpy(value):
    """Return a value as a NumPy array, without a copy if it is one already.

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
    return _ragged.as_numpy(_cpu._to_cpu(value))


def fits_by_broadcasting(shape, target):
    """Return whether an array of one shape can be assigned to one of another."""
    extra = max(len(shape) - len(target), 0)
    if any(length != 1 for length in shape[:extra]):
        return False
    shape = shape[extra:]
    return all(length in (1, wanted) for length, wanted
               in zip(shape, target[len(target) - len(shape):], strict=True))


def warn_of_broadcasting(shape, target, what):
    """Warn if elements of a saved array are repeated to fill one of another shape.

    Chainer repeats them silently, even if the object was created with a wrong size.
    """
    if math.prod(shape) != math.prod(target):
        warnings.warn(
            '%s has shape %s; its elements are repeated to fill an array of the '
            'object with shape %s. Create the object with the saved size, or, if this '
            'is intended, save the array in the shape of the object' % (
                what, shape, target),
            stacklevel=mistakes.levels_to_the_caller())


def check_array(array, shape, dtype, what):
    """Check that a NumPy array can be filled with a saved array.

    Parameters
    ----------
    array : numpy.ndarray
        The array to be filled.
    shape : tuple of int
        Shape of the saved array.
    dtype : numpy.dtype
        Its dtype.
    what : str
        Its name for errors.

    Raises
    ------
    ValueError
        If the shape does not fit, or the array is read-only.
    TypeError
        If the dtype does not fit.

    Warns
    -----
    UserWarning
        If the saved array has fewer elements, which are repeated.
    """
    if not array.flags.writeable:
        raise ValueError('%s cannot fill an array that is read-only' % what)
    # For integers without dimensions NumPy 1 checked the value, see `narrowed`.
    if not (numpy.can_cast(dtype, array.dtype, 'same_kind')
            or (shape == () and dtype.kind in 'iu' and array.dtype.kind in 'iu')):
        raise TypeError(
            "%s has dtype %s, which cannot be cast to %s of the object according to "
            "the rule 'same_kind'" % (what, dtype, array.dtype))
    if not fits_by_broadcasting(shape, array.shape):
        raise ValueError(
            '%s has shape %s, which could not be broadcast into shape %s of the '
            'object' % (what, shape, array.shape))
    warn_of_broadcasting(shape, array.shape, what)


def narrowed(loaded):
    """Return an array, a 0-dimensional integer in the narrowest dtype.  """
    if loaded.ndim == 0 and loaded.dtype.kind in 'iu':
        return loaded.astype(numpy.min_scalar_type(loaded[()]))
    return loaded


def check_scalar(value, shape, dtype, what):
    """Check that a saved array can replace a value that is not an array.

    Parameters
    ----------
    value : object
        The present value.
    shape, dtype, what :
        As in :func:`check_array`.

    Raises
    ------
    TypeError
        If a number would lose its fractional part, its sign or its range, or if there
        is not exactly one number.
    """
    value_type = type(value)
    if dtype.kind in 'biufc' and not _can_hold(value_type, dtype):
        raise TypeError(
            'Cannot safely deserialize %s from numpy array with dtype=%s into a '
            'variable of type %s.' % (what, dtype, value_type))
    if issubclass(value_type, _NUMBERS):
        check_is_one(value_type, shape, what)


def check_is_one(value_type, shape, what):
    """Raise an error unless an array has exactly one element."""
    if any(length != 1 for length in shape):
        error = ValueError if value_type is bool else TypeError
        raise error(
            '%s has shape %s, but only arrays of length 1 can be converted to %s'
            % (what, shape, value_type))


def to_type_of(value, loaded):
    """Return a loaded array as a value of the type of the old one.

    Parameters
    ----------
    value : object
        The old value.
    loaded : numpy.ndarray
        The loaded array.
    """
    value_type = type(value)
    if issubclass(value_type, _NUMBERS) and loaded.size == 1:
        return value_type(loaded.item())
    if value_type is str and loaded.dtype.kind == 'S' and loaded.ndim == 0:
        return loaded.item().decode('utf-8', 'replace')     # text of Python 2
    return value_type(loaded)


def _can_hold(value_type, dtype):
    """Return whether a type holds all numbers of a dtype."""
    if issubclass(value_type, (bool, numpy.bool_)):
        return dtype.kind == 'b'
    if issubclass(value_type, int):
        return dtype.kind in 'biu'
    if issubclass(value_type, numpy.number):
        return numpy.can_cast(dtype, value_type, 'safe')
    if issubclass(value_type, float):
        return dtype.kind != 'c'
    return True
