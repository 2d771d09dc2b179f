"""Conditional random fields of chains of labels.

Chains are sorted by their lengths, the longest first, and described by ``sizes``:
the number of chains that have a label at each time, none larger than the previous
one. The scores of labels are rows of a matrix, time after time.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.cross_entropy import compiled
from chainer_fast.backends.kernels.crf import cuda as device
from chainer_fast.types import NdArray


def _split(rows, sizes):
    """Rows by time."""
    ends = numpy.cumsum([0, *sizes]).tolist()
    return [rows[i:j] for i, j in zip(ends[:-1], ends[1:], strict=True)]


def _log_sum(x, axis):
    xp = get_array_module(x)
    top = x.max(axis=axis, keepdims=True)
    # If nothing is possible, zero can be the reference.
    top = xp.where(top == -numpy.inf, 0, top)
    total = xp.exp(x - top).sum(axis=axis)
    with numpy.errstate(divide='ignore'):
        return xp.log(total) + top.squeeze(axis)


@kernel(compiled=compiled.crf_forth, device=device.forth)
def forth(x: NdArray, cost: NdArray, sizes: tp.Sequence[int]) -> tuple[NdArray, ...]:
    """Sum up over all labellings that begin a chain.

    Parameters
    ----------
    x : array of floats, shape (sum(sizes), labels)
        Scores of labels.
    cost : array, shape (labels, labels)
        Scores of the pairs of a label and the next.
    sizes : list of int
        Number of chains at each time.

    Returns
    -------
    tuple of array
        In double precision, the logarithms of the sums of ``exp(score)``: over all
        beginnings that end in a label, of the shape of ``x``; and over all labellings
        of each chain, of shape ``(sizes[0],)``.
    """
    xp = get_array_module(x)
    cost = cost.astype(numpy.float64)
    before = x.astype(numpy.float64)
    totals = xp.empty(sizes[0])
    last = None
    for t, row in enumerate(_split(before, sizes)):
        if last is not None:
            row += _log_sum(last[:len(row), :, None] + cost, axis=1)
        end = sizes[t + 1] if t + 1 < len(sizes) else 0
        totals[end:len(row)] = _log_sum(row[end:], axis=1)
        last = row
    return before, totals


@kernel(compiled=compiled.crf_back, device=device.back)
def back(
        x: NdArray, cost: NdArray, sizes: tp.Sequence[int], before: NdArray,
        totals: NdArray, g: NdArray) -> tuple[NdArray, ...]:
    """Gradients of the second result of :func:`forth`.

    Parameters
    ----------
    x, cost, sizes
        As for :func:`forth`.
    before, totals : array
        Results of :func:`forth`.
    g : array, shape (sizes[0],)
        Gradients of ``totals``.

    Returns
    -------
    tuple of array
        Gradients of ``x`` and ``cost``, in their dtypes.
    """
    xp = get_array_module(x)
    gx = xp.empty_like(x)
    gcost = xp.zeros(cost.shape)
    cost = cost.astype(numpy.float64)
    times = list(zip(*[_split(rows, sizes) for rows in (x, before, gx)], strict=True))
    # All paths from a label to the end, with the scores of both.
    ahead = xp.empty((0, x.shape[1]))
    for row, here, grow in reversed(times):
        n = len(ahead)
        pairs = cost + ahead[:, None, :]
        after = xp.zeros(row.shape)
        after[:n] = _log_sum(pairs, axis=2)
        shares = here[:n, :, None] + pairs - totals[:n, None, None]
        gcost += (xp.exp(shares) * g[:n, None, None]).sum(axis=0)
        grow[...] = xp.exp(here + after - totals[:len(row), None]) * g[:len(row), None]
        ahead = after + row
    return gx, gcost.astype(x.dtype, copy=False)


@kernel(compiled=compiled.crf_best_paths)
def best_paths(
        x: NdArray, cost: NdArray, sizes: tp.Sequence[int]) -> tuple[NdArray, ...]:
    """Find the labelling of each chain that has the largest score.

    Parameters
    ----------
    x, cost, sizes
        As for :func:`forth`.

    Returns
    -------
    tuple of array
        Scores, in the dtype of ``x`` and of shape ``(sizes[0],)``; and the labels, of
        dtype int32, for each row of ``x``.
    """
    xp = get_array_module(x)
    rows = _split(x, sizes)
    origins = []
    last = None
    for t, row in enumerate(rows):
        if last is not None:
            scores = last[:len(row), :, None] + cost
            origins.append(scores.argmax(axis=1))
            row = rows[t] = row + scores.max(axis=1)
        last = row

    best_scores = xp.empty(sizes[0], x.dtype)
    path = xp.empty(len(x), numpy.int32)
    labels = xp.empty(0, numpy.int32)
    here = len(x)
    for t in reversed(range(len(rows))):
        row, n = rows[t], len(labels)
        best_scores[n:len(row)] = row[n:].max(axis=1)
        ends = row[n:].argmax(axis=1)
        if n:
            ends = xp.concatenate([origins[t][xp.arange(n), labels], ends])
        labels = ends
        path[here - len(row):here] = labels
        here -= len(row)
    return best_scores, path


@kernel(device=device.path_scores)
def path_scores(
        cost: NdArray, xs: tp.Sequence[NdArray], ys: tp.Sequence[NdArray]) -> NdArray:
    """Sum the scores of given labels and of pairs of them for each chain.

    Parameters
    ----------
    cost : array, shape (labels, labels)
        As for :func:`forth`.
    xs : list of array, shape (chains, labels)
        Scores of labels at each time.
    ys : list of array of integers, shape (chains,)
        The labels of these times, or of the first ones.

    Returns
    -------
    array
        Sums in double precision.
    """
    xp = get_array_module(cost)
    scores = xp.zeros(len(xs[0]))
    last = None
    for x, y in zip(xs, ys, strict=False):
        n = len(y)
        scores[:n] += x[xp.arange(n), y]
        if last is not None:
            scores[:n] += cost[last[:n], y]
        last = y
    return scores


@kernel(device=device.subtract_paths)
def subtract_paths(
        gx: NdArray, gcost: NdArray, ys: tp.Sequence[NdArray], g: NdArray) -> None:
    """Subtract the gradients of :func:`path_scores` in place.

    Parameters
    ----------
    gx : array
        Gradients of scores, whose rows are those of all times.
    gcost : array
        Gradient of the cost.
    ys : list of array
        Labels, of the first times at least.
    g : array
        Gradients of the sums.
    """
    xp = get_array_module(gx)
    labels = xp.concatenate(ys)
    gx[xp.arange(len(labels)), labels] -= xp.concatenate([g[:len(y)] for y in ys])
    last = None
    for y in ys:
        if last is not None:
            xp.add.at(gcost, (last[:len(y)], y), -g[:len(y)])
        last = y
