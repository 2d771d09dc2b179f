"""Arrays of values that may have rows of different lengths."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast.types import NdArray


def as_numpy(values: Any, min_ndim: int = 0) -> NdArray:
    """Return values as a NumPy array, which is of objects if rows differ in length.

    NumPy 1 created an array of objects by itself, and programs split it again.

    Parameters
    ----------
    values : object
        Any argument of :func:`numpy.asarray`.
    min_ndim : int
        Minimum number of axes of an array of objects.

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    ValueError
        If it would have fewer axes, or if an array of objects is impossible, as for
        arrays that differ only in later axes.
    """
    try:
        return numpy.asarray(values)
    except ValueError:
        array = numpy.array(values, object)
        if array.ndim < min_ndim:
            raise
        return array
