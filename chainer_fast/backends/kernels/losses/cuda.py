"""Losses on a GPU; see the package for what the kernels compute."""
from __future__ import annotations

import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.common import ignored
from chainer_fast.backends.kernels.reduction import cuda as reduction
from chainer_fast.types import NdArray

_PREAMBLE = ''.join([
    header('chainer_fast/backends/kernels/' + name) for name in (
        'activation/elements.hpp', 'common/labels.hpp', 'losses/elements.hpp')])
# Operators on float16 return single precision.
_WIDE = 'decltype(T() + T())'


def _fit(*arrays):
    """Return whether the kernels support floating-point arrays: they must be alike."""
    first = arrays[0]
    return first.dtype.kind == 'f' and first.size and all([
        (a.dtype, a.shape) == (first.dtype, first.shape) for a in arrays])


def _elementwise(in_params, out_params, operation, name):
    return cuda.elementwise(
        in_params, out_params, 'using R = %s; %s' % (_WIDE, operation), name,
        preamble=_PREAMBLE)


def _mean(params, term, counts, args, n, name):
    term = term.replace('R(', _WIDE + '(').replace('<R>', '<%s>' % _WIDE)
    return reduction.mean(params, term, counts, args, n, args[0].dtype, name,
                          preamble=_PREAMBLE)


# ----------------------------------------------------------------- errors of two arrays

def squared_error(x0: NdArray, x1: NdArray) -> NdArray:
    if not _fit(x0, x1):
        return NotImplemented
    return _mean('T a, T b', '(R(a) - R(b)) * (R(a) - R(b))', '1', (x0, x1), x0.size,
                 'mean_squared_error')[0]


def squared_error_grad(x0: NdArray, x1: NdArray, g: NdArray) -> NdArray:
    if not _fit(x0, x1):
        return NotImplemented
    return _elementwise(
        'T a, T b, T g, float64 factor', 'T gx',
        'gx = (R(a) - R(b)) * R(g) * R(factor)', 'mean_squared_error_grad')(
            x0, x1, g, 2. / x0.size)


def absolute_mean(x: NdArray) -> NdArray:
    if not _fit(x):
        return NotImplemented
    return _mean('T x, int32 unused', 'fabs(R(x))', '1', (x, 0), x.size,
                 'absolute_mean')[0]


def absolute_mean_grad(x: NdArray, g: NdArray) -> NdArray:
    if not _fit(x):
        return NotImplemented
    return _elementwise(
        'T x, T g, float64 n', 'T gx',
        'gx = (R(x) > R(0) ? R(1) : R(x) < R(0) ? R(-1) : R(x)) * R(g) / R(n)',
        'absolute_mean_grad')(x, g, x.size)


def huber_loss(x: NdArray, t: NdArray, delta: float) -> NdArray:
    if not _fit(x, t) or x.ndim < 2:
        return NotImplemented
    out = cuda.cupy.empty(x.shape[:1] + x.shape[2:], x.dtype)
    cuda.reduce(
        'T x, T t, float64 delta', 'T loss',
        'chainer_fast::losses::huber<_type_reduce>(x, t, delta)', 'a + b', 'loss = a',
        '0', 'huber_loss', reduce_type=_WIDE, preamble=_PREAMBLE)(
            x, t, delta, out, axis=1)
    return out


def huber_grad(x: NdArray, t: NdArray, g: NdArray, delta: float) -> NdArray:
    if not _fit(x, t):
        return NotImplemented
    return _elementwise(
        'T x, T t, T g, float64 delta', 'T gx',
        'gx = chainer_fast::losses::huber_grad<R>(x, t, g, delta)', 'huber_grad')(
            x, t, g, delta)


# ------------------------------------------------------------------------------- labels

_SIGMOID = '(t == ignored ? R(0) : chainer_fast::losses::sigmoid_loss<R>(x, t))'
_SIGMOID_PARAMS = 'T x, L t, int64 ignored'


@ignored.on_device
def sigmoid_losses(x: NdArray, t: NdArray, ignore_label: int) -> NdArray:
    return _elementwise(
        _SIGMOID_PARAMS, 'T loss', 'loss = ' + _SIGMOID, 'sigmoid_cross_entropy')(
            x, t, ignore_label)


@ignored.on_device
def sigmoid_mean(
        x: NdArray, t: NdArray, ignore_label: int, n: int) -> tuple[NdArray, NdArray]:
    if not x.size:
        return NotImplemented
    return _mean(_SIGMOID_PARAMS, _SIGMOID, 't != ignored', (x, t, ignore_label), n,
                 'sigmoid_cross_entropy_mean')


@ignored.on_device
def sigmoid_gradient(
        x: NdArray, t: NdArray, g: NdArray, ignore_label: int,
        number: tp.Any) -> NdArray:
    # A number that is not an array does not affect the type.
    kind = 'S' if isinstance(number, cuda.ndarray) else 'float64'
    return _elementwise(
        _SIGMOID_PARAMS + ', T g, %s number' % kind, 'T gx', '''
            gx = t == ignored ? R(0)
                : chainer_fast::losses::sigmoid_loss_grad<R>(
                    chainer_fast::activation::Sigmoid::of<R>(x), t, g, number);
        ''', 'sigmoid_cross_entropy_grad')(x, t, ignore_label, g, number)


def _margin(place):
    """Expression for how far a score is from the right side of its margin."""
    return 'chainer_fast::losses::margin<R>(x, %s)' % _is_class(place)


def _is_class(place):
    return place + ' % classes == chainer_fast::class_of(t, classes)'


def hinge_losses(x: NdArray, t: NdArray, squared: bool) -> NdArray:
    return _elementwise(
        'T x, L t, int64 classes, int32 squared', 'T loss',
        'const R m = %s; loss = squared ? m * m : m' % _margin('i'), 'hinge')(
            x, t[:, None], x.shape[1], int(squared))


def hinge_mean(x: NdArray, t: NdArray, squared: bool) -> NdArray:
    if not x.size:
        return NotImplemented
    margin = _margin('_J')
    return _mean(
        'T x, L t, int64 classes', margin + (' * ' + margin if squared else ''), '1',
        (x, t[:, None], x.shape[1]), len(x), 'hinge_mean')[0]


def hinge_gradient(
        x: NdArray, t: NdArray, g: NdArray, squared: bool, n: int) -> NdArray:
    return _elementwise(
        'T x, L t, int64 classes, T g, int32 squared, float64 n', 'T gx', '''
            gx = chainer_fast::losses::hinge_grad<R>(%s, %s ? -R(g) : R(g), n, squared);
        ''' % (_margin('i'), _is_class('i')), 'hinge_grad')(
            x, t[:, None], x.shape[1], g, int(squared), n)
