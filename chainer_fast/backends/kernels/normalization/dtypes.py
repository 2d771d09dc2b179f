"""Dtypes of the computations of normalization."""
from __future__ import annotations

import functools
import typing as tp

import numpy

from chainer_fast.backends.kernels.common import halves
from chainer_fast.types import DTypeSpec, NdArray


def interm(x: NdArray, gamma: tp.Any) -> numpy.dtype[tp.Any]:
    """Return the common dtype of values and parameters, at least single precision.

    The squares of halves do not fit in halves, nor do sums of more than a few of them.
    """
    dtype = x.dtype
    if dtype == gamma.dtype and dtype.kind == 'f' and dtype.itemsize > 2:
        return dtype
    return numpy.promote_types(
        numpy.promote_types(dtype, gamma.dtype), numpy.float32)


def cast_all(arrays: tp.Iterable[NdArray], dtype: DTypeSpec) -> list[NdArray]:
    """Return arrays cast to a dtype, without copying arrays that already have it."""
    return [a if a.dtype == dtype else halves.cast(a, dtype) for a in arrays]


def by_interm(count: int, results: str) -> tp.Callable[..., tp.Any]:
    """Make a decorator of kernels whose arrays may differ in dtype.

    The reference and the compiled form support only one dtype, single or double. Such
    a kernel casts the arrays and its results if needed; the device form must do so
    itself.

    Parameters
    ----------
    count : int
        Number of arrays, which are the first arguments. The first two determine the
        dtype of computations.
    results : str
        A character for each result: the index of the array whose dtype it gets, or
        ``-`` for that of computations.

    Returns
    -------
    callable
        Decorator of a :class:`~chainer_fast.backends.kernels.Kernel`.
    """
    def decorate(kernel):
        single = kernel.reference

        @functools.wraps(single)
        def reference(*args):
            arrays, options = args[:count], args[count:]
            dtype = interm(*(arrays * 2)[:2])
            if all([a.dtype == dtype for a in arrays]):
                return single(*args)
            found = kernel(*cast_all(arrays, dtype), *options)
            if len(results) == 1:
                found = found,
            cast = [
                each if i == '-' else halves.cast(each, arrays[int(i)].dtype)
                for i, each in zip(results, found, strict=True)]
            return cast[0] if len(results) == 1 else tuple(cast)

        kernel.reference = reference
        return kernel

    return decorate
