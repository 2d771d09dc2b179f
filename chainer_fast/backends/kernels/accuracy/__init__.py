"""Comparisons of scores with labels."""
from __future__ import annotations

import numpy

import typing as tp

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.accuracy import cuda as device
from chainer_fast.backends.kernels.declared import declared
from chainer_fast.types import NdArray


def _predicted(y, t):
    return y.argmax(axis=1).reshape(t.shape)


@kernel(compiled=declared('accuracy'), device=device.accuracy)
def accuracy(y: NdArray, t: NdArray, ignore_label: int | None) -> NdArray:
    """Share of labels that have the highest score.

    Parameters
    ----------
    y : array of floats, shape (n, classes, ...)
        Scores.
    t : array of integers, shape (n, ...)
        Labels.
    ignore_label : int or None
        Label to ignore.

    Returns
    -------
    array, shape ()
        In the dtype of the scores; 0 if all labels are ignored.
    """
    xp = get_array_module(y)
    hit = _predicted(y, t) == t
    if ignore_label is None:
        # Halves cannot count beyond 2048.
        mean = hit.mean(dtype=numpy.promote_types(y.dtype, numpy.float32))
        return xp.asarray(mean, dtype=y.dtype)
    counted = t != ignore_label
    total = counted.sum()
    hits = (hit & counted).sum()
    share = xp.where(total == 0, 0., hits / xp.maximum(total, 1))
    return xp.asarray(share, dtype=y.dtype)


@kernel(device=device.binary_accuracy)
def binary_accuracy(y: NdArray, t: NdArray, ignore_label: int) -> NdArray:
    """Share of labels 0 and 1 that signs of scores predict; see :func:`accuracy`."""
    xp = get_array_module(y)
    # A comparison yields 0 or 1, so it never equals another label.
    hits = ((y >= 0) == t).sum()
    total = xp.maximum((t != ignore_label).sum(), 1)
    return xp.asarray(hits / total, dtype=y.dtype)


@kernel(device=device.counts)
def counts(y: NdArray, t: NdArray, n: int, ignore_label: int) -> tuple[NdArray, ...]:
    """Count labels and predictions.

    Parameters
    ----------
    y, t, ignore_label
        As for the accuracy.
    n : int
        Number of classes to count.

    Returns
    -------
    right, found, support : array, shape (n,)
        How often each class was predicted where it is the label, was predicted, and is
        the label.
    """
    xp = get_array_module(y)
    counted = t != ignore_label
    true, predicted = t[counted], _predicted(y, t)[counted]
    right = true == predicted
    if true.dtype.kind not in 'iu':
        # The type of labels was not checked; labels that are not integers are not
        # classes.
        whole = true.astype(numpy.intp)
        true, right = whole[whole == true], whole[right]
    else:
        right = true[right]
    # Otherwise all classes below one large label would be counted.
    return tuple([
        xp.bincount(labels[labels < n], minlength=n)
        for labels in (right, predicted, true)])


@kernel(device=device.shares)
def shares(
        right: NdArray, found: NdArray, support: NdArray,
        beta: float) -> tuple[NdArray, NdArray, NdArray]:
    """Precision, recall and F-score of classes, from :func:`counts`.

    They are NaN where a divisor is zero.
    """
    xp = get_array_module(right)
    precision, recall = [
        xp.where(whole == 0, xp.nan, right / xp.maximum(whole, 1))
        for whole in (found, support)]
    squared = beta * beta
    total = recall + precision * squared
    total[total == 0] = xp.nan
    return precision, recall, (1 + squared) * precision * recall / total
