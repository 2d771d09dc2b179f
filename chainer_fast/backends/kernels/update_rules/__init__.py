"""Update rules of optimizers, and hooks that change gradients.

The reference of a rule is its ``_move`` in :mod:`chainer_fast.optimizers`; that of a
hook is its ``_change`` in :mod:`chainer_fast.optimizer_hooks`. This module has
functions of the arrays of many parameters, which a GPU processes a hundred at a
time.
"""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends import cuda as _cuda
from chainer_fast.backends.kernels.update_rules import cuda as _gpu
from chainer_fast.types import NdArray


def are_finite(arrays: tp.Sequence[NdArray]) -> list[bool]:
    """Return which arrays have neither infinite elements nor NaN.

    The host waits once for each GPU.

    Parameters
    ----------
    arrays : list of array
        Arrays of any kind.

    Returns
    -------
    list of bool
    """
    on_gpu = iter(_gpu.are_finite(
        [array for array in arrays if isinstance(array, _cuda.ndarray)]))
    return [
        next(on_gpu) if isinstance(array, _cuda.ndarray)
        else bool(numpy.isfinite(array).all()) for array in arrays]


def copy_arrays(pairs: tp.Iterable[tuple[NdArray, NdArray]]) -> None:
    """Copy arrays to others of the same shapes, which do not overlap with any.

    Parameters
    ----------
    pairs : iterable of (array, array)
        Sources and targets, both of a pair on one device. Dtypes are converted.
    """
    for source, target in _gpu.copy_arrays(pairs):
        target[...] = source
