"""Cross entropy between the softmax of scores and labels, along axis 1.

Losses and gradients of a sample are computed in one pass over its scores. In addition
to the losses, the kernels return values of the scores that the gradient needs: the
softmax, or on a GPU the values from which :func:`shares` computes it. For float16, the
losses are computed and returned in single precision.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel, softmax
from chainer_fast.backends.kernels.common import (
    exponential,
    halves,
    ignored,
    negative,
)
from chainer_fast.backends.kernels.cross_entropy import compiled
from chainer_fast.backends.kernels.cross_entropy import cuda as device
from chainer_fast.types import DTypeSpec, NdArray


def _index(labels):
    """Index of the labels' elements in an array of scores."""
    xp = get_array_module(labels)
    ndim = labels.ndim
    grid = [
        xp.arange(n).reshape((n,) + (1,) * (ndim - d - 1))
        for d, n in enumerate(labels.shape)]
    return (grid[0], labels, *grid[1:])


def _softmax(x):
    """The softmax of scores, and its logarithm."""
    log_y = softmax.log_softmax(x, 1)
    return exponential.exp(log_y), log_y


def _classes(t, ignore_label):
    """Labels, with the ignored ones replaced by 0, a class that always exists."""
    xp = get_array_module(t)
    counted = t != ignore_label
    return xp.where(counted, t, 0), counted


def _wide(x):
    # float16 is precise enough for scores, but not for sums.
    return halves.cast(x, numpy.promote_types(x.dtype, numpy.float32))


@kernel(device=device.shares)
def shares(x: NdArray, kept: tp.Any) -> NdArray:
    """Return the softmax of scores from the values kept of them."""
    return kept


def _losses_on_host(form, x, *args):
    result = form(_wide(x), *args)
    if result is NotImplemented:
        return NotImplemented
    losses, y = result
    return losses, halves.cast(y, x.dtype)


def _hard_losses_on_host(x, t, class_weight, ignore_label):
    ignored_label = ignored.as_integer(ignore_label)
    if ignored_label is NotImplemented:
        return NotImplemented
    return _losses_on_host(compiled.hard_losses, x, t, class_weight, ignored_label)


@kernel(compiled=_hard_losses_on_host, device=device.hard_losses)
def hard_losses(
        x: NdArray, t: NdArray, class_weight: NdArray,
        ignore_label: int | None) -> tuple[NdArray, NdArray | tuple[NdArray, ...]]:
    """Losses of labels.

    Parameters
    ----------
    x : array of floats, shape (n, classes, ...)
        Scores.
    t : array of integers, shape (n, ...)
        Labels.
    class_weight : array, shape (classes,), or None
        Weight of each class.
    ignore_label : int or None
        Label to ignore; it need not be a class.

    Returns
    -------
    losses : array
        Of the shape of ``t``, zero for ignored labels.
    kept : array or tuple of array
        Values of the scores for the gradient.
    """
    xp = get_array_module(x)
    y, log_y = _softmax(_wide(x))
    labels, counted = _classes(t, ignore_label)
    losses = -log_y[_index(labels)]
    negative.warn('t', t, ignore_label, x.shape[1], 'classes')
    if class_weight is not None:
        losses *= class_weight.astype(losses.dtype, copy=False)[labels]
    losses = xp.where(counted, losses, losses.dtype.type(0))
    return losses, halves.cast(y, x.dtype)


@kernel(device=device.factors)
def factors(
        x: NdArray, t: NdArray, class_weight: NdArray | None,
        ignore_label: int | None) -> tuple[NdArray, NdArray]:
    """Classes of labels, and the factors from their log probabilities to losses.

    Parameters
    ----------
    x, t, class_weight, ignore_label
        As for :func:`hard_losses`.

    Returns
    -------
    classes : array
        Labels, clipped to the range of classes.
    factors : array
        Negative weights, zero for ignored labels, in the dtype of ``x``.
    """
    negative.warn('t', t, ignore_label, x.shape[1], 'classes', clipped=True)
    classes = get_array_module(t).clip(t, 0, x.shape[1] - 1)
    results = -(t != ignore_label).astype(x.dtype)
    if class_weight is not None:
        results *= class_weight.astype(x.dtype, copy=False)[classes]
    return classes, results


def _mean_factor(xp, count):
    """Return the factor that turns a sum into a mean, at most 1."""
    if xp is numpy:
        return 1. / max(int(count), 1)
    # The factor stays on the GPU, so that the host does not wait for it.
    return 1. / xp.maximum(count, 1)


@kernel(device=device.mean)
def mean(
        losses: NdArray, t: tp.Any, ignore_label: int, n: tp.Any,
        dtype: DTypeSpec) -> tuple[NdArray, float | NdArray]:
    """Mean of losses.

    Parameters
    ----------
    losses : array
        Losses of any shape.
    t : array or None
        Labels of these losses. They are not used if ``n`` is given.
    ignore_label : int or None
        Label to ignore.
    n : int or None
        Divisor, instead of the number of labels that are not ignored.
    dtype : dtype
        Type of the mean.

    Returns
    -------
    mean : array, shape ()
    factor : float or array
        Factor of the losses, at most 1.
    """
    xp = get_array_module(losses)
    if n is None:
        counted = t != ignore_label
        n = numpy.count_nonzero(counted) if xp is numpy else counted.sum()
    factor = _mean_factor(xp, n)
    total = losses.sum()
    return xp.asarray(
        total * xp.asarray(factor, dtype=total.dtype), dtype=dtype), factor


def _shares_and_scale(x, kept, g, factor):
    y = _wide(softmax.softmax(_wide(x), 1) if kept is None else kept)
    # The factor of a mean may be below the range of float16.
    scale = halves.cast(g, y.dtype)
    if factor is not None:
        scale = scale * get_array_module(x).asarray(factor, dtype=y.dtype)
    return y, scale


def _hard_gradient_on_host(x, kept, t, class_weight, ignore_label, g, factor):
    ignored_label = ignored.as_integer(ignore_label)
    if ignored_label is NotImplemented:
        return NotImplemented
    y, scale = _shares_and_scale(x, kept, g, factor)
    gx = compiled.hard_gradient(y, t, class_weight, ignored_label, scale)
    return gx if gx is NotImplemented else halves.cast(gx, x.dtype)


@kernel(compiled=_hard_gradient_on_host, device=device.hard_gradient)
def hard_gradient(
        x: NdArray, kept: NdArray | None, t: NdArray, class_weight: NdArray | None,
        ignore_label: int, g: NdArray, factor: float | NdArray | None) -> NdArray:
    """Gradient of :func:`hard_losses`.

    Parameters
    ----------
    x, t, class_weight, ignore_label
        As for the losses.
    kept : array or None
        Values of the scores from the forward pass, if any.
    g : array
        Gradients of the losses, of a shape that broadcasts to theirs.
    factor : float, array or None
        Factor of these gradients.

    Returns
    -------
    array
        Gradient of the scores.
    """
    y, scale = _shares_and_scale(x, kept, g, factor)
    xp = get_array_module(y)
    labels, counted = _classes(t, ignore_label)
    gx = y.copy()
    gx[_index(labels)] -= 1
    if class_weight is not None:
        scale = scale * class_weight.astype(y.dtype, copy=False)[labels]
    gx *= xp.where(counted, scale, 0).astype(y.dtype, copy=False)[:, None]
    return halves.cast(gx, x.dtype)


def _soft_losses_on_host(x, t, eps):
    if eps is not None:
        return NotImplemented
    return _losses_on_host(compiled.soft_losses, x, _wide(t))


@kernel(compiled=_soft_losses_on_host, device=device.soft_losses)
def soft_losses(
        x: NdArray, t: NdArray,
        eps: float | None) -> tuple[NdArray, NdArray | tuple[NdArray, ...]]:
    """Losses of soft labels.

    Parameters
    ----------
    x : array of floats, shape (n, classes, ...)
        Scores.
    t : array of floats, shape (n, classes, ...)
        Probability of each class.
    eps : float or None
        Number that keeps the logarithm of a probability finite. If it is given, the
        losses are Kullback-Leibler divergences, otherwise cross entropies.

    Returns
    -------
    losses : array
        Of the shape of ``x`` without axis 1.
    kept : array or tuple of array
        Values of the scores for the gradient.
    """
    t = _wide(t)
    y, log_y = _softmax(_wide(x))
    if eps is None:
        losses = -(t * log_y).sum(axis=1)
    else:
        xp = get_array_module(x)
        losses = (t * (xp.log(t + t.dtype.type(eps)) - log_y)).sum(axis=1)
    return losses, halves.cast(y, x.dtype)


def _soft_gradient_on_host(x, kept, t, g, factor):
    y, scale = _shares_and_scale(x, kept, g, factor)
    gx = compiled.soft_gradient(y, halves.cast(t, y.dtype), scale)
    return gx if gx is NotImplemented else halves.cast(gx, x.dtype)


@kernel(compiled=_soft_gradient_on_host, device=device.soft_gradient)
def soft_gradient(
        x: NdArray, kept: tp.Any, t: NdArray, g: NdArray, factor: float) -> NdArray:
    """Gradient of :func:`soft_losses`, if the labels of a sample sum to one.

    Parameters
    ----------
    x, t
        As for the losses.
    kept, g, factor
        As for the gradient of labels.

    Returns
    -------
    array
        Gradient of the scores.
    """
    y, scale = _shares_and_scale(x, kept, g, factor)
    gx = (y - halves.cast(t, y.dtype)) * (
        scale[:, None] if scale.ndim else scale)
    return halves.cast(gx, x.dtype)
