"""Memory layouts of variables: the position of the channel axis.

A variable has a *semantic* shape, in which the channels come second, and its array has
a *raw* shape. They differ for variables with a non-standard layout, in which channels
are last, which is faster with cuDNN.
"""
from __future__ import annotations

from typing import Any

#: Layout of activations with the channels second: the standard, ``None``.
CUDNN_CHANNEL_FIRST_X = None
#: Layout of filters with the input channels second: the standard, ``None``.
CUDNN_CHANNEL_FIRST_W = None
#: Layout of activations with the channels last.
CUDNN_CHANNEL_LAST_X = 'CUDNN_CHANNEL_LAST_X'
#: Layout of filters with the input channels last.
CUDNN_CHANNEL_LAST_W = 'CUDNN_CHANNEL_LAST_W'

_CHANNEL_LAST = (CUDNN_CHANNEL_LAST_X, CUDNN_CHANNEL_LAST_W)


class _Unspecified:
    """Type of the default of arguments that may be ``None``."""

    def __repr__(self) -> str:
        return '<unspecified>'


_unspecified = _Unspecified()


def get_raw_shape(arr_or_var: Any) -> tuple[int, ...]:
    """Return the shape of an array, or of the array of a variable.

    Parameters
    ----------
    arr_or_var : array or Variable
        The array or variable.

    Returns
    -------
    tuple of int
        Shape of the array in memory.
    """
    return _raw_array(arr_or_var).shape


def get_semantic_shape(
        arr_or_var: Any, *,
        assumed_layout: str | None = _unspecified) -> tuple[int, ...]:
    """Return the shape of an array or a variable in the standard layout.

    Parameters
    ----------
    arr_or_var : array or Variable
        The array or variable.
    assumed_layout : str or None, optional
        Layout of an array; the standard one by default. For a variable, it must be the
        layout of the variable.

    Returns
    -------
    tuple of int
        Shape in the plain layout.

    Raises
    ------
    ValueError
        If a variable does not have the assumed layout.
    """
    layout = getattr(arr_or_var, 'layout', _unspecified)
    if layout is _unspecified:
        layout = None if assumed_layout is _unspecified else assumed_layout
    elif assumed_layout not in (_unspecified, layout):
        raise ValueError('expected a variable with the layout %r, but got one with %r'
                         % (assumed_layout, layout))
    return _transpose_shape(get_raw_shape(arr_or_var), layout, None)


def _raw_array(arr_or_var):
    # Arrays have no layout; only variables have one.
    return arr_or_var.raw_array if hasattr(arr_or_var, 'layout') else arr_or_var


def _get_layout_transpose_axes(ndim, src_layout, dst_layout, inverse=False):
    """Return the axes of the transposition from one layout to another.

    Parameters
    ----------
    ndim : int
        Number of dimensions of the array.
    src_layout, dst_layout : str or None
    inverse : bool
        If ``True``, return the axes of the inverse transposition.

    Returns
    -------
    tuple of int or None
        ``None`` if the layouts are the same.

    Raises
    ------
    ValueError
        If the conversion does not exist, or does not support the number of dimensions.
    """
    if src_layout == dst_layout:
        return None
    if src_layout is None and dst_layout in _CHANNEL_LAST:
        to_last = not inverse
    elif dst_layout is None and src_layout in _CHANNEL_LAST:
        to_last = inverse
    else:
        raise ValueError('cannot convert the layout %r to %r'
                         % (src_layout, dst_layout))
    if ndim < 3:
        raise ValueError('arrays of a layout with channels last have 3 dimensions or '
                         'more, got %d' % ndim)
    if to_last:
        return (0, *range(2, ndim), 1)
    return (0, ndim - 1, *range(1, ndim - 1))


def _transpose_array(arr, src_layout, dst_layout):
    """Return a view of an array in another layout."""
    axes = _get_layout_transpose_axes(arr.ndim, src_layout, dst_layout)
    return arr if axes is None else arr.transpose(axes)


def _transpose_shape(shape, src_layout, dst_layout):
    """Return the shape of an array after conversion to another layout."""
    axes = _get_layout_transpose_axes(len(shape), src_layout, dst_layout)
    return shape if axes is None else tuple([shape[axis] for axis in axes])
