"""Means over whole arrays on a GPU, in one launch; two if the arrays are long."""
from __future__ import annotations

import math
import typing as tp

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.types import DTypeSpec, NdArray

# More terms than this are summed along the last axis first, which occupies many blocks
# of threads: a sum over everything has only one.
_MANY = 1 << 14

_PREAMBLE = header('chainer_fast/backends/kernels/reduction/elements.hpp')


def wide(dtype: tp.Any) -> numpy.dtype[tp.Any]:
    """Return the dtype in which arrays are summed, at least single precision."""
    return numpy.promote_types(dtype, numpy.float32)


def _reduce(params, outputs, terms, post_map, name, preamble):
    return cuda.reduce(
        params, outputs, terms, 'chainer_fast::join(a, b)', post_map, '', name,
        reduce_type='chainer_fast::Counted<S>', preamble=_PREAMBLE + preamble)


def mean(
        params: str, term: str, counts: str, args: tuple[tp.Any, ...], n: int | None,
        dtype: DTypeSpec, name: str, inverse: bool = False,
        preamble: str = '') -> tuple[NdArray, NdArray]:
    """Return the mean of some terms, and the number by which their sum is divided.

    Parameters
    ----------
    params : str
        Arguments of the terms in CuPy's notation, two at least.
    term : str
        Expression for a term.
    counts : str
        Expression for whether it counts.
    args : tuple
        Arguments. The first has the shape of the terms and is not empty.
    n : int or None
        Number by which to divide the sum, instead of that of the terms that count, or
        1 if there are none.
    dtype : dtype
        Type of the mean.
    name : str
        Name of the kernel.
    inverse : bool
        Whether to return the inverse of the number.
    preamble : str
        Code ahead of the kernel.

    Returns
    -------
    mean, number : cupy.ndarray
        The number has the type of the sum.
    """
    first = args[0]
    kind = wide(first.dtype)
    terms = 'chainer_fast::Counted<S>(%s, %s)' % (term, counts)
    if math.prod(first.shape) > _MANY and first.ndim > 1:
        total = cuda.cupy.empty(first.shape[:-1], kind)
        count = cuda.cupy.empty(first.shape[:-1], 'q')
        _reduce(params, 'S total, int64 count', terms,
                'total = a.total, count = a.count', name + '_sums', preamble)(
                    *args, total, count, axis=-1)
        params, args = 'S total, int64 count', (total, count)
        terms = 'chainer_fast::Counted<S>(total, count)'
    result, number = cuda.cupy.empty((), dtype), cuda.cupy.empty((), kind)
    _reduce(
        params + ', int64 n', 'R mean, S number', terms,
        'number = S(n >= 0 ? n : a.count > 0 ? a.count : 1), mean = a.total / number'
        + (', number = S(1) / number' if inverse else ''),
        name, preamble)(*args, -1 if n is None else n, result, number)
    return result, number
