"""Losses per element or example."""
from __future__ import annotations

from chainer_fast import functions as F
from chainer_fast.chainerx import _errors, _functions, _running
from chainer_fast.chainerx._array import ndarray

__all__ = [
    'absolute_error', 'gaussian_kl_divergence', 'hinge', 'huber_loss',
    'sigmoid_cross_entropy', 'softmax_cross_entropy', 'squared_error']


def absolute_error(x1: ndarray, x2: ndarray) -> ndarray:
    """Return ``abs(x1 - x2)``."""
    return _functions.apply(F.absolute_error, x1, x2)


def squared_error(x1: ndarray, x2: ndarray) -> ndarray:
    """Return ``(x1 - x2) ** 2``."""
    return _functions.apply(F.squared_error, x1, x2)


def huber_loss(x: ndarray, t: ndarray, delta: float, reduce: str = 'no') -> ndarray:
    """Return half the squared error for small errors, and a linear function elsewhere.

    Parameters
    ----------
    x, t : ndarray
    delta : float
        The absolute error at which it becomes linear.
    reduce : {'no', 'sum_along_second_axis'}
    """
    return _functions.apply(
        lambda v, w: F.huber_loss(v, w, delta, reduce), x, t)


def gaussian_kl_divergence(mean: ndarray, ln_var: ndarray,
                           reduce: str = 'no') -> ndarray:
    """Return the KL divergence of normal distributions from the standard one.

    Parameters
    ----------
    mean, ln_var : ndarray
        Means, and logarithms of variances.
    reduce : {'no', 'sum', 'mean'}
    """
    return _functions.apply(
        lambda v, w: F.gaussian_kl_divergence(v, w, reduce), mean, ln_var)


def hinge(x: ndarray, t: ndarray, norm: float = 1.0) -> ndarray:
    """Return the hinge loss of scores and labels.

    Parameters
    ----------
    x : ndarray
        Scores, of the shape ``(batch, classes)``.
    t : ndarray of int
        Labels, of the shape ``(batch,)``.
    norm : {1.0, 2.0}
        Whether the loss is squared.

    Raises
    ------
    ValueError
        If ``norm`` is invalid.
    """
    if norm not in (1, 2):
        raise ValueError('norm must be 1.0 or 2.0, not %r' % (norm,))

    def function(v, labels):
        signs = x.device.xp.ones_like(v.array)
        signs[x.device.xp.arange(len(labels)), labels] = -1
        y = F.relu(v * signs + 1)
        return y if norm == 1 else y * y

    if x.ndim != 2 or t.shape != x.shape[:1]:
        raise _errors.DimensionError(
            'the shapes %s and %s do not match' % (x.shape, t.shape))
    return _with_labels(function, x, t)


def sigmoid_cross_entropy(x1: ndarray, x2: ndarray) -> ndarray:
    """Return the cross entropy of sigmoids and labels 0 and 1.

    Parameters
    ----------
    x1 : ndarray
    x2 : ndarray of int
        Labels, of the same shape; those of -1 are ignored.
    """
    return _with_labels(lambda v, labels: F.sigmoid_cross_entropy(
        v, labels, normalize=False, reduce='no'), x1, x2)


def softmax_cross_entropy(x1: ndarray, x2: ndarray) -> ndarray:
    """Return the cross entropy of softmaxes over the second axis and labels.

    Parameters
    ----------
    x1 : ndarray
        Scores, of the shape ``(batch, classes, ...)``.
    x2 : ndarray of int
        Labels, of the shape without classes; those of -1 are ignored.
    """
    return _with_labels(lambda v, labels: F.softmax_cross_entropy(
        v, labels, reduce='no', enable_double_backprop=v.requires_grad), x1, x2)


def _with_labels(function, x, t):
    """Apply a function of floats, which may be in graphs, and of integers."""
    _functions.expect_dtypes('f', x)
    _functions.expect_dtypes('iu', t)
    _running.common_device([x, t])
    return _functions.apply(lambda v: function(v, t._array), x)
