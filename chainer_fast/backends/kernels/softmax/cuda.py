"""Softmax on a GPU: one launch for the sums of all rows, one for the elements.

The sums of half floats are taken in single precision. All kernels have several arrays:
CuPy would pass a reduction of one array to another library, which requires memory
without gaps.
"""
from __future__ import annotations

import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.reduction.cuda import wide
from chainer_fast.types import NdArray

PREAMBLE = header('chainer_fast/backends/kernels/softmax/elements.hpp')


def exponentials(
        in_params: str, out_params: str, term: str, post_map: str, name: str,
        kind: str = 'S', preamble: str = '') -> tp.Callable[..., tp.Any]:
    """Return a reduction to a sum of exponentials relative to the largest term.

    Parameters
    ----------
    in_params, out_params, name : str
        As for :func:`~chainer_fast.backends.cuda.reduce`.
    term : str
        Expression for a term.
    post_map : str
        Expression that sets the outputs, given the largest term ``a.top`` and the sum
        ``a.total``.
    kind : str
        Type of the sum.
    preamble : str
        Code for the kernel beside that of the sums.
    """
    pair = 'chainer_fast::softmax::Exponentials<%s>' % kind
    return cuda.reduce(
        in_params, out_params, '%s(%s)' % (pair, term),
        'chainer_fast::softmax::join(a, b)', post_map, '', name, reduce_type=pair,
        preamble=PREAMBLE + preamble)


def _sums(x, axis, out_params, post_map, name):
    """Return the two results of each row, or None where there is no code for it."""
    if x.dtype.kind != 'f' or not x.size or not x.ndim:
        return None
    axes = range(x.ndim) if axis is None else axis if type(axis) is tuple else (axis,)
    axes = [a % x.ndim for a in axes]
    shape = [1 if i in axes else n for i, n in enumerate(x.shape)]
    out = [cuda.cupy.empty(shape, wide(x.dtype)) for _ in range(2)]
    exponentials('T x', out_params, 'x', post_map, name)(
        x, *out, axis=axis, keepdims=True)
    return out


def _logsumexp(x, axis, result='log(a.total) + a.top', name='log_of_sums'):
    sums = _sums(x, axis, 'S top, S result',
                 'top = a.top, result = ' + result, name)
    return sums and sums[1]


def logsumexp(x: NdArray, axis: int) -> NdArray:
    result = _logsumexp(
        x, axis, 'a.top == chainer_fast::infinity() ? a.top : log(a.total) + a.top',
        'logsumexp')
    return NotImplemented if result is None else result.astype(x.dtype, copy=False)


def logsumexp_grad(x: NdArray, y: NdArray, g: NdArray) -> NdArray:
    if x.dtype.kind != 'f' or not x.dtype == y.dtype == g.dtype:
        return NotImplemented
    return cuda.elementwise(
        'T x, T y, T g', 'T gx',
        'using R = decltype(T() + T()); const bool whole = R(x) == R(y) '
        '&& fabs(R(y)) == R(chainer_fast::infinity()); '
        'gx = R(g) * (whole ? R(1) : R(exp(R(x) - R(y))))',
        'logsumexp_grad', preamble=PREAMBLE)(x, y, g)


def softmax(x: NdArray, axis: int) -> NdArray:
    sums = _sums(x, axis, 'S top, S total', 'top = a.top, total = a.total',
                 'softmax_sums')
    if sums is None:
        return NotImplemented
    return cuda.elementwise(
        'T x, S top, S total', 'T y', 'y = exp(S(x) - top) / total',
        'softmax')(x, *sums)


def log_softmax(x: NdArray, axis: int) -> NdArray:
    total = _logsumexp(x, axis)
    if total is None:
        return NotImplemented
    return cuda.elementwise('T x, S total', 'T y', 'y = S(x) - total', 'log_softmax')(
        x, total)


def _have_code(y, gy):
    return y.dtype.kind == 'f' and (y.dtype, y.shape) == (gy.dtype, gy.shape) and y.size


def softmax_grad(y: NdArray, gy: NdArray, axis: int) -> NdArray:
    if not _have_code(y, gy):
        return NotImplemented
    total = cuda.cupy.empty(
        [1 if i == axis % y.ndim else n for i, n in enumerate(y.shape)], wide(y.dtype))
    cuda.reduce(
        'T y, T gy', 'S total', 'S(y) * S(gy)', 'a + b', 'total = a', '0',
        'softmax_grad_sums')(y, gy, total, axis=axis, keepdims=True)
    return cuda.elementwise(
        'T y, T gy, S total', 'T gx', 'gx = S(y) * S(gy) - S(y) * total',
        'softmax_grad')(y, gy, total)


def log_softmax_grad(y: NdArray, gy: NdArray, axis: int) -> NdArray:
    if not _have_code(y, gy):
        return NotImplemented
    total = gy.sum(axis=axis, keepdims=True, dtype=wide(y.dtype))
    return cuda.elementwise(
        'T y, T gy, S total', 'T gx', 'gx = S(gy) - exp(S(y)) * total',
        'log_softmax_grad')(y, gy, total)
