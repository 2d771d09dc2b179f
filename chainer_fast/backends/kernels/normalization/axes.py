"""Axes of batches: aggregated axes, and axes of the parameters."""
from __future__ import annotations

import functools
import typing as tp


def _compute_axis(x_ndim, gamma_ndim=1, axis=None):
    """Return the axes to aggregate: by default those that the parameters lack.

    The parameters then have the axes after the first one, which is that of the batch.
    """
    if axis is None:
        return (0, *range(gamma_ndim + 1, x_ndim))
    return axis


def _compute_key_axis(x_ndim, gamma_ndim=1, axis=None):
    """Return the axes of the parameters."""
    axis = _compute_axis(x_ndim, gamma_ndim, axis)
    return tuple([i for i in range(x_ndim) if i not in axis])


@functools.lru_cache(maxsize=256)
def batch_axes(
        x_ndim: int, gamma_ndim: int,
        axis: tuple[int | None, ...]) -> tuple[tuple[tp.Any, ...], ...]:
    """Return the axes of a function and the index that broadcasts its parameters.

    Parameters
    ----------
    x_ndim, gamma_ndim : int
        Number of axes of the values and of the parameters.
    axis : tuple of int or None
        Axes to aggregate, if given by the user.

    Returns
    -------
    tuple of tuple
        Axes to aggregate, axes of the parameters, and an index that makes parameters
        broadcast to the values.
    """
    key_axis = _compute_key_axis(x_ndim, gamma_ndim, axis)
    expander = tuple([slice(None) if i in key_axis else None for i in range(x_ndim)])
    return _compute_axis(x_ndim, gamma_ndim, axis), key_axis, expander


def kept_shape(shape: tuple[int, ...], axis: tp.Collection[int]) -> tuple[int, ...]:
    """Return ``shape`` with length one along ``axis``, for broadcasting."""
    return tuple([1 if i in axis else n for i, n in enumerate(shape)])
