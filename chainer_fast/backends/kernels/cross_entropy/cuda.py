"""Cross entropy on a GPU: one launch each for losses, their mean and the gradient.

The softmax itself is not written to memory: only the largest score of each sample is
kept, and the sum of the exponentials relative to it.
"""
from __future__ import annotations

import math
import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.common import ignored
from chainer_fast.backends.kernels.reduction import cuda as reduction
from chainer_fast.backends.kernels.softmax.cuda import PREAMBLE, exponentials
from chainer_fast.types import DTypeSpec, NdArray

_PREAMBLE = ''.join([
    header('chainer_fast/backends/kernels/' + name)
    for name in ('cross_entropy/elements.hpp', 'common/labels.hpp')])


def _empty(shape, x):
    return cuda.cupy.empty(shape, reduction.wide(x.dtype))


def _samples(x):
    return x.shape[:1] + x.shape[2:]


def _label_args(x, t, class_weight, ignore_label):
    weighted = class_weight is not None
    # Without weights, any array is passed instead.
    return t, class_weight if weighted else x, ignore_label, int(weighted), x.shape[1]


@ignored.on_device
def hard_losses(
        x: NdArray, t: NdArray, class_weight: NdArray | None,
        ignore_label: int) -> tuple[NdArray, tuple[NdArray, NdArray]]:
    if x.dtype.kind != 'f' or not x.shape[1]:
        return NotImplemented
    losses, top, total = [_empty(t.shape, x) for _ in range(3)]
    # CuPy supports raw arrays only if the axes to reduce come first.
    scores = cuda.cupy.moveaxis(x, 1, 0)
    label = 'chainer_fast::class_of(labels[_i], classes)'
    exponentials(
        'T x, raw T scores, raw L labels, raw W weights, int64 ignored, '
        'int32 weighted, int64 classes',
        'S losses, S top, S total', 'x',
        'top = a.top, total = a.total, losses = labels[_i] == ignored ? S(0)'
        ' : chainer_fast::cross_entropy::label_loss<S>('
        'S(scores[%s * _out_ind.size() + _i]) - a.top, log(a.total), '
        'weighted ? S(weights[%s]) : S(1))' % (label, label),
        'cross_entropy_losses', preamble=_PREAMBLE)(
            scores, scores, *_label_args(x, t, class_weight, ignore_label),
            losses, top, total, axis=0)
    return losses, (top, total)


def soft_losses(
        x: NdArray, t: NdArray, eps: float) -> tuple[NdArray, tuple[NdArray, NdArray]]:
    if x.dtype.kind != 'f' or not x.shape[1]:
        return NotImplemented
    losses, top, total = [_empty(_samples(x), x) for _ in range(3)]
    cuda.reduce(
        'T x, U t, S eps, int32 divergence', 'S losses, S top, S total',
        'chainer_fast::softmax::Weighed<S>('
        'x, t, divergence ? S(t) * S(log(S(t) + eps)) : S(0))',
        'chainer_fast::softmax::join(a, b)',
        'top = a.scores.top, total = a.scores.total, '
        'losses = log(a.scores.total) * a.labels - a.products',
        '', 'soft_cross_entropy_losses',
        reduce_type='chainer_fast::softmax::Weighed<S>', preamble=PREAMBLE)(
            x, t, 0 if eps is None else eps, int(eps is not None), losses, top, total,
            axis=1)
    return losses, (top, total)


def shares(x: NdArray, kept: tp.Any) -> NdArray:
    """Return the softmax of scores."""
    return cuda.elementwise(
        'T x, S top, S total', 'T y', 'y = exp(S(x) - top) / total', 'softmax')(
            x, *[each[:, None] for each in kept])


@ignored.on_device
def factors(
        x: NdArray, t: NdArray, class_weight: NdArray | None,
        ignore_label: int) -> tuple[NdArray, NdArray]:
    if x.dtype.kind != 'f' or not x.shape[1]:
        return NotImplemented
    classes = cuda.cupy.empty(t.shape, t.dtype)
    results = cuda.cupy.empty(t.shape, x.dtype)
    cuda.elementwise(
        'L t, raw W weights, int64 ignored, int32 weighted, int64 n',
        'L label, T factor', '''
        using R = decltype(T() + T());
        label = t < 0 ? L(0) : t < n ? t : L(n - 1);
        factor = -(t == ignored ? R(0) : weighted ? R(T(weights[label])) : R(1));
        ''', 'factors_of_losses')(
            *_label_args(x, t, class_weight, ignore_label), classes, results)
    return classes, results


@ignored.on_device
def mean(
        losses: NdArray, t: NdArray, ignore_label: int, n: int,
        dtype: DTypeSpec) -> tuple[NdArray, NdArray]:
    if not losses.size:
        return NotImplemented
    if n is not None:
        t = losses      # instead of labels, which are not used
    return reduction.mean(
        'T loss, L t, int64 ignored', 'loss', 't != ignored', (losses, t, ignore_label),
        n, dtype, 'cross_entropy_mean', inverse=True)


def _gradient(params, operation, name, x, kept, g, factor, *args):
    gx = cuda.cupy.empty(x.shape, x.dtype)
    # The classes of one sample are `inner` elements apart.
    cuda.elementwise(
        'T x, raw S top, raw S total, G g, S factor, int64 classes, int64 inner, '
        + params, 'T gx', '''
            const ptrdiff_t at = i / (classes * inner) * inner + i % inner;
            const S y = exp(S(x) - top[at]) / total[at];
        ''' + operation, name, preamble=_PREAMBLE)(
            x, *kept, g[:, None] if g.ndim else g, 1 if factor is None else factor,
            x.shape[1], math.prod(x.shape[2:]), *args, gx)
    return gx


@ignored.on_device
def hard_gradient(
        x: NdArray, kept: tp.Any, t: NdArray, class_weight: NdArray | None,
        ignore_label: int, g: NdArray, factor: float) -> NdArray:
    if kept is None:
        kept = hard_losses(x, t, class_weight, ignore_label)[1]
    *args, _ = _label_args(x, t, class_weight, ignore_label)
    return _gradient(
        'raw L labels, raw W weights, int64 ignored, int32 weighted', '''
            const ptrdiff_t label = chainer_fast::class_of(labels[at], classes);
            const S scale = labels[at] == ignored ? S(0)
                : S(g) * factor * (weighted ? S(weights[label]) : S(1));
            gx = chainer_fast::cross_entropy::score_gradient<S>(
                y, S(i / inner % classes == label), scale);
        ''', 'cross_entropy_gradient', x, kept, g, factor, *args)


def soft_gradient(
        x: NdArray, kept: tp.Any, t: NdArray, g: NdArray, factor: float) -> NdArray:
    return _gradient(
        'U t',
        'gx = chainer_fast::cross_entropy::score_gradient<S>(y, t, S(g) * factor)',
        'soft_cross_entropy_gradient', x, kept, g, factor, t)
