"""Scores of a few classes out of many, for losses that draw samples.

Each sample has candidates, the rows of ``ids``: numbers of rows of a matrix ``W``,
counted from the end if negative. If ``counted`` is given, samples for which it is false
are excluded.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.negative_sampling import compiled
from chainer_fast.backends.kernels.negative_sampling import cuda as device
from chainer_fast.types import NdArray


@kernel(device=device.sample)
def sample(
        threshold: NdArray, values: NdArray, shape: int | tuple[int, ...]) -> NdArray:
    """Draw values by the alias method, see :class:`~chainer_fast.utils.WalkerAlias`.

    Parameters
    ----------
    threshold, values : array
        Heights, own values and aliases of the buckets.
    shape : int or tuple of int
        Shape of the samples.

    Returns
    -------
    array
    """
    random = get_array_module(threshold).random
    return in_buckets(threshold, values, random.uniform(0, len(threshold), shape))


@kernel(compiled=compiled.in_buckets)
def in_buckets(threshold: NdArray, values: NdArray, heights: tp.Any) -> NdArray:
    """Return the values at heights above the bottom of the first bucket."""
    xp = get_array_module(threshold)
    heights = xp.asarray(heights)
    buckets = heights.astype(numpy.int32)
    # Heights in the buckets have the precision of the thresholds.
    inside = heights.astype(threshold.dtype) - buckets
    is_alias = threshold[buckets] < inside
    return values[2 * buckets + is_alias]


@kernel(device=device.put_targets)
def put_targets(t: NdArray, samples: NdArray, ignore_label: int) -> NdArray:
    """Write targets to the first column, and return whether each of them counts."""
    samples[:, 0] = t
    return t != ignore_label


def _kept(counted, *arrays):
    return arrays if counted is None else [a[counted] for a in arrays]


def _placed(rows, counted, n):
    """Rows for all of ``n`` samples, zero for excluded ones."""
    if counted is None:
        return rows
    xp = get_array_module(rows)
    out = xp.zeros((n, *rows.shape[1:]), rows.dtype)
    out[counted] = rows
    return out


def _wide(x):
    # Halves are multiplied and summed in single precision.
    return x.astype(numpy.float32) if x.dtype.char == 'e' else x


@kernel(compiled=compiled.scores, device=device.scores)
def scores(x: NdArray, W: NdArray, ids: NdArray, counted: NdArray) -> NdArray:
    """Products of each sample with the rows of its candidates.

    Parameters
    ----------
    x : array, shape (samples, width)
    W : array, shape (classes, width)
    ids : array of integers, shape (samples, n)
    counted : array of bool, shape (samples,), or None

    Returns
    -------
    array, shape (samples, n)
    """
    kept, rows = _kept(counted, x, ids)
    xp = get_array_module(x)
    # Not by a BLAS, which may raise the flag for invalid numbers without any.
    products = xp.einsum('ijk,ik->ij', _wide(W[rows]), _wide(kept))
    dtype = xp.result_type(x, W)
    return _placed(products.astype(dtype, copy=False), counted, len(ids))


@kernel(compiled=compiled.sum_rows, device=device.sum_rows)
def sum_rows(g: NdArray, W: NdArray, ids: NdArray, counted: tp.Any) -> NdArray:
    """Sum the rows of each sample's candidates.

    Parameters
    ----------
    g : array, shape (samples, n)
        Factors.
    W, ids, counted
        As for :func:`scores`.

    Returns
    -------
    array, shape (samples, width)
        In the dtype of ``g``.
    """
    kept, rows = _kept(counted, g, ids)
    xp = get_array_module(g)
    sums = xp.einsum('ij,ijk->ik', _wide(kept), _wide(W[rows]))
    return _placed(sums.astype(g.dtype, copy=False), counted, len(ids))


@kernel(compiled=compiled.spread_rows, device=device.spread_rows)
def spread_rows(
        g: NdArray, x: NdArray, ids: NdArray, counted: tp.Any, rows: int) -> NdArray:
    """Add each sample to the rows of its candidates.

    Parameters
    ----------
    g : array, shape (samples, n)
        Factors.
    x, ids, counted
        As for :func:`scores`.
    rows : int
        Number of classes.

    Returns
    -------
    array, shape (rows, width)
        In the dtype of ``g``.
    """
    xp = get_array_module(g)
    g_kept, x_kept, ids = _kept(counted, g, x, ids)
    products = _wide(g_kept)[:, :, None] * _wide(x_kept)[:, None, :]
    out = xp.zeros((rows, x.shape[1]), products.dtype)
    xp.add.at(out, ids, products)
    return out.astype(g.dtype, copy=False)


def _signed(scores):
    """Return the scores with the sign of the target's reversed."""
    signed = scores.copy()
    signed[:, 0] *= -1
    return signed


def _sum_dtype(x):
    return numpy.float32 if x.dtype.char == 'e' else x.dtype


@kernel(device=device.losses)
def losses(scores: NdArray, counted: NdArray, each: bool) -> NdArray:
    """Losses of distinguishing the target, the first candidate, from noise.

    Parameters
    ----------
    scores : array, shape (samples, n)
    counted : array of bool, shape (samples,)
    each : bool
        Whether to return the losses of all samples, rather than their sum.

    Returns
    -------
    array, shape (samples,) or ()
        Zero for excluded samples.
    """
    xp = get_array_module(scores)
    losses = xp.logaddexp(_signed(scores), scores.dtype.type(0))
    # Excluded samples have zero scores, and the flags remove their loss.
    losses = losses.sum(axis=1, dtype=_sum_dtype(scores)) * counted
    return xp.asarray(losses if each else losses.sum(), dtype=scores.dtype)


@kernel(device=device.factors)
def factors(scores: NdArray, counted: tp.Any, g: NdArray) -> NdArray:
    """Gradient of :func:`losses` by the scores, given that of the losses.

    It is not defined for excluded samples.
    """
    xp = get_array_module(scores)
    # The sigmoid, written so that no exponential overflows.
    signed = _signed(scores)
    e = xp.exp(-abs(signed))
    factors = _signed(xp.where(signed > 0, 1, e) / (1 + e))
    factors *= g[:, None] if g.ndim else g
    return factors


@kernel(device=device.ways)
def ways(
        t: NdArray, begins: NdArray, paths: NdArray, codes: NdArray,
        longest: int) -> tuple[NdArray, NdArray]:
    """Steps from the root of a tree to leaves.

    Parameters
    ----------
    t : array of integers, shape (samples,)
        Leaves.
    begins : array of integers
        Positions in ``paths`` and ``codes`` at which the path to each leaf
        begins.
    paths, codes : array
        Nodes on the paths, and the turns at them: 1 or -1.
    longest : int
        Number of steps: the length of the longest path.

    Returns
    -------
    nodes, turns : array, shape (samples, longest)
        Shorter paths are padded with the last node and the turn 0.
    """
    xp = get_array_module(t)
    begin, end = begins[t][:, None], begins[t + 1][:, None]
    places = begin + xp.arange(longest, dtype=numpy.int32)
    inside = places < end
    places = xp.minimum(places, end - 1)
    return paths[places], codes[places] * inside


@kernel(device=device.tree_loss)
def tree_loss(scores: NdArray, turns: NdArray) -> NdArray:
    """Sum of the losses of the steps through a tree.

    Parameters
    ----------
    scores : array
        Scores of turning to the left.
    turns : array
        1 to the left, -1 to the right, 0 after the end of a path.

    Returns
    -------
    array, shape ()
    """
    xp = get_array_module(scores)
    signed = turns * scores
    losses = xp.logaddexp(-signed, signed.dtype.type(0))
    losses = xp.where(turns != 0, losses, losses.dtype.type(0))
    return xp.asarray(losses.sum(dtype=_sum_dtype(losses)), signed.dtype)


@kernel(device=device.tree_factors)
def tree_factors(scores: NdArray, turns: NdArray, g: NdArray) -> NdArray:
    """Gradient of :func:`tree_loss` by the scores, given that of the loss."""
    xp = get_array_module(scores)
    signed = turns * scores
    # The sigmoid of the negative scores, by exponentials that cannot overflow.
    e = xp.exp(-abs(signed))
    factors = -g * turns * xp.where(signed > 0, e, 1) / (1 + e)
    return xp.where(turns != 0, factors, 0).astype(scores.dtype)
