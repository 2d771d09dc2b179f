"""Arguments of functions on regions of interest."""
import numbers

import numpy

from chainer_fast import _numbers
from chainer_fast.configuration import config
from chainer_fast.utils import type_check


def positive_pair(name, value):
    """Return two positive integers from one or two; raise ``TypeError`` for others."""
    first, second = (
        _numbers.pair(value, name) if hasattr(value, '__iter__') else (value, value))
    for number in (first, second):
        if not _is_positive_integer(number):
            raise TypeError(
                '%s must be a positive integer or a pair of them, but is %r'
                % (name, value))
    return _numbers.plain_all((first, second))


def _is_positive_integer(number):
    return (isinstance(number, numbers.Integral) and not isinstance(number, bool)
            and number > 0)  # type: ignore[operator]    # unknown to typeshed


def positive_float(name, value):
    """Return a positive number as float; raise ``TypeError`` for others."""
    if isinstance(value, numbers.Real):
        value = float(value)
        if value > 0:
            return value
    raise TypeError('%s must be a positive number, but is %r' % (name, value))


def sampling_pair(value):
    """Return two numbers of samples from one or two; each may be None."""
    # An array of no dimensions has the method, too.
    several = hasattr(value, '__iter__') and not isinstance(value, str) and (
        getattr(value, 'ndim', 1) > 0)
    pair = _numbers.pair(value, 'sampling_ratio') if several else (value, value)
    for number in pair:
        if number is not None and not (
                isinstance(number, numbers.Integral)
                and number >= 1):  # type: ignore[operator]
            raise TypeError(
                'sampling_ratio must be an integer of at least 1, None, or a pair of '
                'these, but is %r' % (value,))
    return _numbers.plain_all(pair)


def arrays(inputs):
    """Return images, regions, and the index of the image of each region.

    If types are not checked, the indices may be of another type, or too many.
    """
    if config.type_check:
        return inputs
    x, rois, roi_indices = inputs
    if roi_indices.dtype.kind not in 'iu':
        roi_indices = roi_indices.astype(numpy.intp)
    return x, rois, roi_indices[:len(rois)]


def check_types(in_types, dtype=None):
    """Expect images, regions, and the indices of their images.

    Images and regions have a common floating dtype, which may be given.
    """
    type_check._argname(in_types, ('x', 'rois', 'roi_indices'))
    x_type, roi_type, index_type = in_types
    if dtype is None:
        type_check.expect(
            x_type.dtype.kind == 'f', roi_type.dtype == x_type.dtype)
    else:
        type_check.expect(x_type.dtype == dtype, roi_type.dtype == dtype)
    type_check.expect(
        x_type.ndim == 4,
        roi_type.ndim == 2,
        index_type.dtype == numpy.int32,
        index_type.ndim == 1,
    )
    type_check.expect(
        roi_type.shape[1] == 4,
        roi_type.shape[0] == index_type.shape[0],
    )
