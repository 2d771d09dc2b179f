"""Windows on a GPU; see :mod:`chainer_fast.backends.kernels.pooling`.

Halves are summed up in single precision. Sums are divided by a number or, if that is
zero, by the number of elements of the image that each window has.
"""
from __future__ import annotations

import typing as tp

from chainer_fast.backends import _image_orders, cuda
from chainer_fast.backends.kernels.common import cuda_text as text
from chainer_fast.backends.kernels.pooling import cuda_windows
from chainer_fast.backends.kernels.pooling.windows import check_index_dtype, places
from chainer_fast.types import NdArray


class MaxPoolingNDKernelForward(cuda_windows.PoolingNDKernelForward):
    """Maximum of a window, and its index there; the first one, or NaN."""

    _name = 'max_pool'
    _out_params = ('S index',)
    _before = '''
        T largest = T(-chainer_fast::infinity());
        int found = 0;'''
    _after = '''
        out = largest;
        index = found;'''

    def main(self, offset: str, xs: tp.Sequence[str]) -> str:
        return '''
            const T seen = in[%s];
            if (chainer_fast::pooling::exceeds(seen, largest)) {
            largest = seen;
            found = at;
            }''' % offset


class MaxPoolingNDKernelBackward(cuda_windows.PoolingNDKernelBackward):
    """Sum of the gradients of the windows whose maximum is here."""

    _name = 'max_pool_put'
    _in_params = ('raw S indexes',)
    _before = 'chainer_fast::pooling::Total<T>::type sum = 0;'
    _after = 'gx = T(sum);'

    def main(self, offset: str, xs: tp.Sequence[str], out_xs: tp.Sequence[str]) -> str:
        return '''
            const ptrdiff_t window = %s;
            if (indexes[window] == at) sum += gy[window];''' % offset


class MaxPoolingNDKernelForwardWithIndexes(cuda_windows.PoolingNDKernelForward):
    """Element of a window that an index names; zero if that is in the padding."""

    _name = 'max_pool_pick'
    _in_params = ('S index',)
    _before = 'T picked = T(0);'
    _after = 'out = picked;'

    def main(self, offset: str, xs: tp.Sequence[str]) -> str:
        return 'if (at == index) picked = in[%s];' % offset


class MaxPoolingNDKernelForwardWithIndexes1(MaxPoolingNDKernelForward):
    """Element of images ``ggx`` in the place where the images ``in`` are largest."""

    _name = 'max_pool_pick_largest'
    _in_params = ('raw T ggx',)
    _out_params = ()
    _before = MaxPoolingNDKernelForward._before + '''
        T picked = T(0);'''
    _after = 'out = picked;'

    def main(self, offset: str, xs: tp.Sequence[str]) -> str:
        return super().main(offset, xs) + '''
            if (found == at) picked = ggx[%s];''' % offset


class AveragePoolingNDKernelForward(cuda_windows.PoolingNDKernelForward):
    """Sum of a window, divided by a number."""

    _name = 'average_pool'
    _in_params = ('float64 divisor',)
    _before = '''
        typedef chainer_fast::pooling::Total<T>::type A;
        A sum = A(0);
        int seen = 0;'''
    _after = 'out = T(sum / A(divisor > 0 ? divisor : seen));'

    def main(self, offset: str, xs: tp.Sequence[str]) -> str:
        return '''
            sum += A(in[%s]);
            ++seen;''' % offset


class AveragePoolingNDKernelBackward(cuda_windows.PoolingNDKernelBackward):
    """Sum of the gradients of all windows that see an element, divided by a number."""

    _name = 'average_pool_spread'
    _in_params = ('float64 divisor',)
    _before = '''
        typedef chainer_fast::pooling::Total<T>::type A;
        A sum = A(0);'''
    _after = 'gx = T(sum / A(divisor > 0 ? divisor : 1));'

    def main(self, offset: str, xs: tp.Sequence[str], out_xs: tp.Sequence[str]) -> str:
        spans = [
            '(min({1} * {2} - {3} + {4}, {0}) - max({1} * {2} - {3}, 0))'.format(*each)
            for each in zip(*[text.vars(name, len(xs)) for name in (
                'd', 'place', 's', 'p', 'k')], strict=True)]
        return 'sum += A(gy[%s]) / A(divisor > 0 ? 1 : %s);' % (
            offset, ' * '.join(spans))


def max_pool(
        x: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], cover_all: bool) -> tuple[NdArray, ...]:
    outs = places(x.shape[2:], ksize, stride, pad, cover_all)
    last = _image_orders.keeps(x)
    y, indexes = [_image_orders.empty(x.shape[:2] + outs, dtype, last)
                  for dtype in (x.dtype, 'i')]
    MaxPoolingNDKernelForward.launch(
        x, x.shape[2:], outs, (ksize, stride, pad), (), (y, indexes), last)
    return y, indexes


def put(
        gy: NdArray, indexes: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], lengths: tuple[int, ...],
        channels_last: bool = False) -> NdArray:
    check_index_dtype(indexes)
    indexes = cuda.cupy.asarray(indexes)    # they may be in host memory
    last = channels_last or _image_orders.keeps(gy)
    gx = _image_orders.empty(gy.shape[:2] + tuple(lengths), gy.dtype, last)
    MaxPoolingNDKernelBackward.launch(
        gy, lengths, gy.shape[2:], (ksize, stride, pad), (indexes,), (gx,), last)
    return gx


def pick(
        x: NdArray, indexes: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...]) -> NdArray:
    check_index_dtype(indexes)
    indexes = cuda.cupy.asarray(indexes)    # they may be in host memory
    last = _image_orders.keeps(x)
    y = _image_orders.empty(indexes.shape, x.dtype, last)
    MaxPoolingNDKernelForwardWithIndexes.launch(
        x, x.shape[2:], y.shape[2:], (ksize, stride, pad), (indexes,), (y,), last)
    return y


def window_sum(
        x: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], outs: tuple[int, ...], divisor: int = 1) -> NdArray:
    last = _image_orders.keeps(x)
    y = _image_orders.empty(x.shape[:2] + tuple(outs), x.dtype, last)
    AveragePoolingNDKernelForward.launch(
        x, x.shape[2:], outs, (ksize, stride, pad), (divisor,), (y,), last)
    return y


def window_spread(
        gy: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], lengths: tuple[int, ...], divisor: int = 1,
        channels_last: bool = False) -> NdArray:
    last = channels_last or _image_orders.keeps(gy)
    gx = _image_orders.empty(gy.shape[:2] + tuple(lengths), gy.dtype, last)
    AveragePoolingNDKernelBackward.launch(
        gy, lengths, gy.shape[2:], (ksize, stride, pad), (divisor,), (gx,), last)
    return gx


def window_mean(
        x: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], outs: tuple[int, ...]) -> NdArray:
    return window_sum(x, ksize, stride, pad, outs, 0)


def mean_spread(
        gy: NdArray, ksize: tuple[int, ...], stride: tuple[int, ...],
        pad: tuple[int, ...], lengths: tuple[int, ...],
        channels_last: bool = False) -> NdArray:
    return window_spread(gy, ksize, stride, pad, lengths, 0, channels_last)
