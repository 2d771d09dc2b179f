"""Shapes of arrays."""
from __future__ import annotations

import warnings

import numpy

from chainer_fast import _numbers
from chainer_fast.backend import get_array_module
from chainer_fast.backends.arrays import get_array_types, size_of_shape  # noqa: F401
from chainer_fast.backends.kernels import reduction
from chainer_fast.types import NdArray


def _deprecated(name, instead, purpose):
    warnings.warn(
        'chainer.utils.array.%s is deprecated. Please refer to numpy.%s or other array '
        'backend functions to %s.' % (name, instead, purpose),
        DeprecationWarning, stacklevel=2)


def as_vec(x: NdArray) -> NdArray:
    """Return an array with all axes flattened into one.

    .. deprecated:: 3.0
        Use ``x.ravel()``.
    """
    _deprecated('as_vec', 'ravel', 'flatten ndarrays')
    return x if x.ndim == 1 else x.ravel()


def as_mat(x: NdArray) -> NdArray:
    """Return an array with all axes except the first one flattened into one.

    .. deprecated:: 3.0
        Use ``x.reshape(len(x), -1)``.
    """
    _deprecated('as_mat', 'reshape', 'reshape ndarrays')
    return x if x.ndim == 2 else x.reshape(len(x), -1)


def empty_like(x: NdArray) -> NdArray:
    """Return an uninitialized array with the shape and dtype of another one.

    .. deprecated:: 3.0
        Use ``xp.empty_like(x)``.
    """
    _deprecated('empty_like', 'empty_like', 'initialize empty arrays')
    return get_array_module(x).empty_like(x)


def sum_to(x: NdArray, shape: tuple[int, ...]) -> NdArray:
    """Sum an array to a shape that could be broadcast to that of the array.

    This is the adjoint of broadcasting: the gradient of ``broadcast_to(a, x.shape)``
    with respect to ``a`` is ``sum_to(x, a.shape)``.

    Parameters
    ----------
    x : array
        The array.
    shape : tuple of int
        Shape of the sum.

    Returns
    -------
    array
        The sum: ``x`` itself if it already has the shape.

    Examples
    --------
    >>> chainer.utils.sum_to(np.ones((2, 3)), (1, 3))
    array([[2., 2., 2.]])
    """
    if type(shape) is not tuple and isinstance(shape, numpy.ndarray):
        shape = _numbers.shape(shape)
    if x.shape == shape:
        return x
    extra = x.ndim - len(shape)
    stretched = [i + extra for i, length in enumerate(shape) if length == 1]
    try:
        y = reduction.total(x, (*range(extra), *stretched), True)
    except AttributeError:
        if isinstance(x, get_array_types()):
            raise
        raise TypeError('utils.sum_to takes an array, but got %s: functions.sum_to '
                        'takes variables' % (type(x),)) from None
    return y.reshape(y.shape[extra:]) if extra > 0 else y
