"""Arrays of what may have rows of different lengths."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.types import NdArray


def as_numpy(values: tp.Any, min_ndim: int = 0) -> NdArray:
    """Return values as a NumPy array, of objects where rows differ in length.

    NumPy 1 made one of objects by itself, and programs take it apart again.

    Parameters
    ----------
    values : object
        What :func:`numpy.asarray` takes.
    min_ndim : int
        Number of axes that an array of objects has to have at least.

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    ValueError
        If it would have fewer axes, or if not even objects fit, as for arrays that
        differ in later axes alone.
    """
    try:
        return numpy.asarray(values)
    except ValueError:
        array = numpy.array(values, object)
        if array.ndim < min_ndim:
            raise
        return array
