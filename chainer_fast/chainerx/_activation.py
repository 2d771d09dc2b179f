"""Activation functions; results are float32 for integers."""
from __future__ import annotations

from chainer_fast import functions as F
from chainer_fast.chainerx import _functions, _routines
from chainer_fast.chainerx._array import ndarray
from chainer_fast.chainerx._functions import _Axis

__all__ = [
    'clipped_relu', 'crelu', 'elu', 'leaky_relu', 'log_softmax', 'relu', 'sigmoid',
    'softmax', 'softplus']


def relu(x: ndarray) -> ndarray:
    """Return ``max(0, x)``."""
    return _functions.apply(F.relu, x)


def clipped_relu(x: ndarray, z: float) -> ndarray:
    """Return ``min(max(0, x), z)``."""
    return _functions.apply(lambda v: F.clipped_relu(v, z), x)


def crelu(x: ndarray, axis: int = 1) -> ndarray:
    """Return ``max(0, x)`` and ``max(0, -x)``, joined along an axis.

    Raises
    ------
    DimensionError
        If the axis does not exist.
    """
    _routines.check(x)
    axis, = _functions.axes(x, axis) or (1,)
    return _functions.apply(lambda v: F.crelu(v, axis), x)


def leaky_relu(x: ndarray, slope: float = 0.2) -> ndarray:
    """Return ``x`` where it is not negative, and ``slope * x`` elsewhere."""
    return _functions.apply(lambda v: F.leaky_relu(v, slope), x)


def elu(x: ndarray, alpha: float = 1.0) -> ndarray:
    """Return ``x`` where it is not negative, and ``alpha * expm1(x)`` elsewhere."""
    return _functions.apply(lambda v: F.elu(v, alpha), x)


def sigmoid(x: ndarray) -> ndarray:
    """Return ``1 / (1 + exp(-x))``."""
    return _functions.apply(F.sigmoid, x)


def softplus(x: ndarray, beta: float = 1.0) -> ndarray:
    """Return ``log(1 + exp(beta * x)) / beta``."""
    return _functions.apply(lambda v: F.softplus(v, beta), x)


def softmax(x: ndarray, axis: _Axis = None) -> ndarray:
    """Return the exponentials, divided by their sums over axes.

    Parameters
    ----------
    x : ndarray
    axis : int or tuple of int, optional
        By default the second one.

    Raises
    ------
    DimensionError
        If an axis does not exist, or is repeated.
    """
    _routines.check(x)
    found = _functions.axes(x, 1 if axis is None else axis)
    if len(found) == 1:
        return _functions.apply(lambda v: F.softmax(v, found[0]), x)
    return _functions.apply(
        lambda v: F.exp(_log_softmax(v, x, found)), x)


def log_softmax(x: ndarray, axis: _Axis = None) -> ndarray:
    """Return the logarithms of the softmax, without underflow: see :func:`softmax`."""
    _routines.check(x)
    found = _functions.axes(x, 1 if axis is None else axis)
    if len(found) == 1:
        return _functions.apply(lambda v: F.log_softmax(v, found[0]), x)
    return _functions.apply(lambda v: _log_softmax(v, x, found), x)


def _log_softmax(v, x, axis):
    """Return the logarithms of the softmax of a variable over several axes."""
    total = F.logsumexp(v, axis)
    return v - F.reshape(total, _functions.kept_shape(x, axis))
