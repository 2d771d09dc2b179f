"""Comparisons of scores with labels on a GPU."""
from __future__ import annotations

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.common import ignored
from chainer_fast.backends.kernels.reduction import cuda as reduction
from chainer_fast.types import NdArray


def _predicted(y, t):
    return y.argmax(axis=1).reshape(t.shape)


@ignored.on_device
def accuracy(y: NdArray, t: NdArray, ignore_label: int) -> NdArray:
    if not t.size:
        return NotImplemented
    return reduction.mean(
        'P predicted, L t, int64 ignored', 'predicted == t && t != ignored ? 1 : 0',
        't != ignored', (_predicted(y, t), t, ignore_label), None, y.dtype,
        'accuracy')[0]


@ignored.on_device
def binary_accuracy(y: NdArray, t: NdArray, ignore_label: int) -> NdArray:
    if not t.size:
        return NotImplemented
    return reduction.mean(
        'T y, L t, int64 ignored', '(y >= T(0) ? 1 : 0) == t ? 1 : 0', 't != ignored',
        (y, t, ignore_label), None, y.dtype, 'binary_accuracy')[0]


@ignored.on_device
def counts(y: NdArray, t: NdArray, n: int, ignore_label: int) -> tuple[NdArray, ...]:
    out = cuda.cupy.zeros((3, n), 'q')
    cuda.elementwise(
        'P predicted, L t, int64 ignored, int64 n', 'raw C counts', '''
            if (t != ignored) {
                const bool exists = t >= 0 && t < n;
                if (exists)
                    atomicAdd(&counts[2 * n + t], C(1));
                if (predicted < n)
                    atomicAdd(&counts[n + predicted], C(1));
                if (exists && predicted == t)
                    atomicAdd(&counts[t], C(1));
            }
        ''', 'count_labels')(_predicted(y, t), t, ignore_label, n, out)
    return tuple(out)


def shares(
        right: NdArray, found: NdArray, support: NdArray,
        beta: float) -> tuple[NdArray, NdArray, NdArray]:
    return cuda.elementwise(
        'int64 right, int64 found, int64 support, float64 squared',
        'float64 precision, float64 recall, float64 score', '''
            const double nan = chainer_fast::infinity() - chainer_fast::infinity();
            precision = found ? double(right) / found : nan;
            recall = support ? double(right) / support : nan;
            const double total = recall + precision * squared;
            score = total == 0 ? nan : (1 + squared) * precision * recall / total;
        ''', 'classification_summary', preamble=header(
            'chainer_fast/_cpu/element.hpp'))(
                right, found, support, beta * beta)
