"""Conversion between values of objects and what files hold."""
import numpy

from chainer_fast.backends import _cpu

_NUMBERS = int, float, complex


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


def fits_by_broadcasting(shape, target):
    """Whether NumPy assigns an array of one shape to an array of another."""
    extra = max(len(shape) - len(target), 0)
    if any(length != 1 for length in shape[:extra]):
        return False
    shape = shape[extra:]
    return all(length in (1, wanted) for length, wanted
               in zip(shape, target[len(target) - len(shape):], strict=True))


def check_array(array, shape, dtype, what):
    """Check that an array of NumPy can be filled with an array that was saved.

    Parameters
    ----------
    array : numpy.ndarray
        The array to be filled.
    shape : tuple of int
        Shape of what was saved.
    dtype : numpy.dtype
        Its dtype.
    what : str
        How to call it.

    Raises
    ------
    ValueError
        If the shape does not fit, or nothing can be written into the array.
    TypeError
        If the dtype does not fit.
    """
    if not array.flags.writeable:
        raise ValueError('%s is to fill an array that is read-only' % what)
    # NumPy 1 went by the value of an integer without dimensions, see `narrowed`.
    if not (numpy.can_cast(dtype, array.dtype, 'same_kind')
            or (shape == () and dtype.kind in 'iu' and array.dtype.kind in 'iu')):
        raise TypeError(
            "%s has dtype %s, which cannot be cast to %s of the object according to "
            "the rule 'same_kind'" % (what, dtype, array.dtype))
    if not fits_by_broadcasting(shape, array.shape):
        raise ValueError(
            '%s has shape %s, which could not be broadcast into shape %s of the '
            'object' % (what, shape, array.shape))


def narrowed(loaded):
    """Return an integer without dimensions in the narrowest dtype, others as they are.
    """
    if loaded.ndim == 0 and loaded.dtype.kind in 'iu':
        return loaded.astype(numpy.min_scalar_type(loaded[()]))
    return loaded


def check_scalar(value, shape, dtype, what):
    """Check that what was saved can take the place of a value that is no array.

    Parameters
    ----------
    value : object
        The present value.
    shape, dtype, what :
        As in :func:`check_array`.

    Raises
    ------
    TypeError
        If a number would lose its fractional part, its sign or its range; or if it is
        not one number.
    """
    value_type = type(value)
    if dtype.kind in 'biufc' and not _can_hold(value_type, dtype):
        raise TypeError(
            'Cannot safely deserialize %s from numpy array with dtype=%s into a '
            'variable of type %s.' % (what, dtype, value_type))
    if issubclass(value_type, _NUMBERS):
        check_is_one(value_type, shape, what)


def check_is_one(value_type, shape, what):
    """Raise an error if an array has not just one element."""
    if any(length != 1 for length in shape):
        error = ValueError if value_type is bool else TypeError
        raise error(
            '%s has shape %s, but only arrays of length 1 can be converted to %s'
            % (what, shape, value_type))


def to_type_of(value, loaded):
    """Return a loaded array as a scalar, or whatever, of the type of the old value.

    Parameters
    ----------
    value : object
        The old value.
    loaded : numpy.ndarray
        What was loaded.
    """
    value_type = type(value)
    if issubclass(value_type, _NUMBERS) and loaded.size == 1:
        return value_type(loaded.item())
    if value_type is str and loaded.dtype.kind == 'S' and loaded.ndim == 0:
        return loaded.item().decode('utf-8', 'replace')     # a text of Python 2
    return value_type(loaded)


def _can_hold(value_type, dtype):
    """Whether a type holds all numbers of a dtype."""
    if issubclass(value_type, (bool, numpy.bool_)):
        return dtype.kind == 'b'
    if issubclass(value_type, int):
        return dtype.kind in 'biu'
    if issubclass(value_type, numpy.number):
        return numpy.can_cast(dtype, value_type, 'safe')
    if issubclass(value_type, float):
        return dtype.kind != 'c'
    return True
