"""Connectionist temporal classification.

A path through the times of a sample is a sequence of states: the labels, with blanks
around them and between them. From one time to the next it keeps its state, moves to the
next one, or skips a blank between two different labels. Probabilities are kept as
logarithms.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.cross_entropy import compiled
from chainer_fast.backends.kernels.ctc import cuda as device
from chainer_fast.types import NdArray

# Finite, for the difference of two infinities is not a number; sums with it are still
# far from any logarithm of a probability.
LOG_ZERO = -1e30


def paths(labels: NdArray, blank: int) -> NdArray:
    """Insert blanks around labels and between them.

    Parameters
    ----------
    labels : array of integers, shape (batch, n)
    blank : int

    Returns
    -------
    array, shape (batch, 2 n + 1)
    """
    xp = get_array_module(labels)
    batch, n = labels.shape
    path = xp.full((batch, 2 * n + 1), blank, dtype=labels.dtype)
    path[:, 1::2] = labels
    return path


def _came_from(states, bar):
    """Probabilities of states, summed over the possible previous states of a path."""
    xp = get_array_module(states)
    total = states.copy()
    total[:, 1:] = xp.logaddexp(states[:, 1:], states[:, :-1])
    total[:, 2:] = xp.logaddexp(total[:, 2:], states[:, :-2] + bar[:, 2:])
    return total


def _goes_to(states, bar):
    """Probabilities of states, summed over the possible next states of a path."""
    xp = get_array_module(states)
    total = states.copy()
    total[:, :-1] = xp.logaddexp(states[:, :-1], states[:, 1:])
    total[:, :-2] = xp.logaddexp(total[:, :-2], states[:, 2:] + bar[:, 2:])
    return total


def path_probabilities(
        log_p: NdArray, path: NdArray, last: NdArray,
        path_length: NdArray) -> tuple[NdArray, ...]:
    """Probabilities of all paths that are in a state at a time.

    Parameters
    ----------
    log_p : array, shape (time, batch, states)
        Logarithm of the probability of each state's symbol at each time.
    path : array of integers, shape (batch, states)
        Symbols of the states.
    last : array of integers, shape (batch,)
        Time at which a path has to be at its end; -1 means that there is no such time.
    path_length : array of integers, shape (batch,)
        Number of states.

    Returns
    -------
    tuple of array
        Logarithms of shapes ``(time, batch, states)`` and ``(batch,)``: for each state
        and in all. Those of zero are about :data:`LOG_ZERO`, or below.
    """
    xp = get_array_module(log_p)
    steps, batch, states = log_p.shape
    bar = xp.full((batch, states), LOG_ZERO)
    bar[:, 3::2][path[:, 3::2] != path[:, 1:-2:2]] = 0
    state = xp.arange(states)
    is_last = (state == path_length[:, None] - 1) | (state == path_length[:, None] - 2)
    last_row = xp.where(is_last, 0, LOG_ZERO)

    before = xp.empty(log_p.shape)
    start = xp.where(state < 2, 0, LOG_ZERO)
    for t in range(steps):
        row = start if t == 0 else _came_from(before[t - 1], bar)
        before[t] = row + log_p[t]

    result = xp.empty(log_p.shape)
    after = xp.full((batch, states), LOG_ZERO)
    for t in reversed(range(steps)):
        if t < steps - 1:
            after = _goes_to(after + log_p[t + 1], bar)
        after = xp.where((last == t)[:, None], last_row, after)
        result[t] = before[t] + after
    # Every path is in some state at any time up to the last, so the first one is used.
    largest = result[0].max(axis=1)
    total = largest + xp.log(xp.exp(result[0] - largest[:, None]).sum(axis=1))
    return result, total


def sum_by_class(
        shares: NdArray, path: NdArray, path_length: NdArray, classes: int) -> NdArray:
    """Sum the shares of states by their symbols.

    Parameters
    ----------
    shares : array, shape (time, batch, states)
    path : array of integers, shape (batch, states)
        Symbols of the states.
    path_length : array of integers, shape (batch,)
        Number of states to use.
    classes : int
        Number of symbols.

    Returns
    -------
    array, shape (time, batch, classes)
    """
    xp = get_array_module(shares)
    steps, batch, states = shares.shape
    counted = xp.where(xp.arange(states) < path_length[:, None], shares, 0)
    total = xp.zeros((steps, batch, classes), shares.dtype)
    index = (xp.arange(steps)[:, None, None], xp.arange(batch)[:, None], path)
    # A tuple: before NumPy 2 the function returns a list, which is another index.
    xp.add.at(total, tuple(xp.broadcast_arrays(*index)), counted)
    return total


@kernel(compiled=compiled.ctc, device=device.ctc)
def ctc(
        x: NdArray, labels: NdArray, blank: int, input_length: NdArray,
        label_length: NdArray, backprop: bool) -> tuple[tp.Any, ...]:
    """Losses of connectionist temporal classification, and their gradients.

    Parameters
    ----------
    x : array of floats, shape (time, batch, classes)
        Scores, before any softmax.
    labels : array of int32, shape (batch, n)
        Labels from ``-classes`` up to ``classes - 1``. Negative ones count from the
        end, but are not equal to any other label.
    blank : int
        The class that means no label.
    input_length : array of int32, shape (batch,)
        Number of times of each sample. For the loss, one below 1 counts from the end
        of all times; the gradient is zero. With one above the number of times, no
        labels are possible.
    label_length : array of int32, shape (batch,)
        Number of labels of each sample, from 0 to ``n``.
    backprop : bool
        Whether to compute the gradient.

    Returns
    -------
    tuple
        Losses, an array of doubles of shape ``(batch,)``, infinite for those samples
        whose labels are impossible; and the gradient of each, in the shape and dtype of
        ``x``, or None. It is zero where the loss is infinite.
    """
    xp = get_array_module(x)
    steps, batch, classes = x.shape
    scores = x.astype(numpy.float64)
    if not x.size:
        return xp.zeros(batch), xp.zeros_like(x) if backprop else None
    largest = scores.max(axis=2, keepdims=True)
    # If all scores are minus infinity, no class is possible.
    scores -= xp.where(largest == -numpy.inf, 0, largest)
    y = xp.exp(scores)
    total = y.sum(axis=2, keepdims=True)
    total += total == 0
    y /= total
    path = paths(labels, blank)
    symbols = xp.where(path < 0, path + classes, path)
    log_y = scores - xp.log(total)
    # No score is larger than the largest; minus infinity is a zero probability.
    log_p = xp.maximum(xp.take_along_axis(log_y, symbols[None], axis=2), LOG_ZERO)

    last = input_length - 1
    last = xp.where(last < 0, last + steps, last)
    path_length = 2 * label_length + 1
    result, log_likelihood = path_probabilities(log_p, path, last, path_length)
    # This comparison is false for NaN, which does not mean impossible.
    impossible = log_likelihood < LOG_ZERO / 2
    losses = xp.where(impossible, numpy.inf, -log_likelihood)
    if not backprop:
        return losses, None
    time = xp.arange(steps)[:, None]
    shares = xp.exp(result - xp.where(impossible, 0, log_likelihood)[:, None])
    gx = y - sum_by_class(shares, symbols, path_length, classes)
    gx *= ((time < input_length) & ~impossible)[:, :, None]
    return losses, gx.astype(x.dtype, copy=False)
