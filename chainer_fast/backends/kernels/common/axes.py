"""Axes that loops take at once."""
from __future__ import annotations


def adjacent(axis: int | tuple[int, ...] | None, ndim: int) -> list[tuple[int, ...]]:
    """Return groups of adjacent axes, the last one first.

    A loop for one group after the other reduces all. There is no group if an axis comes
    twice or is out of range: NumPy reports the error.

    Parameters
    ----------
    axis : int, tuple of int or None
        Axes of an array, all of them when None.
    ndim : int
        Number of axes of the array.
    """
    if axis is None:
        return [tuple(range(ndim))]
    axes = (axis,) if isinstance(axis, int) else axis
    named = sorted({each % ndim for each in axes if -ndim <= each < ndim})
    if len(named) < len(axes):
        return []
    groups: list[list[int]] = []
    for each in named:
        if groups and groups[-1][-1] == each - 1:
            groups[-1].append(each)
        else:
            groups.append([each])
    return [tuple(group) for group in reversed(groups)]
