"""CUDA kernels of average pooling.

Halves are summed up in single precision. Sums are divided by a number or, if that is
zero, by the number of elements of the image that each window has.
"""
from __future__ import annotations

import typing as tp

from chainer_fast.functions.pooling import pooling_nd_kernel
from chainer_fast.utils import conv_nd_kernel as text


class AveragePoolingNDKernelForward(pooling_nd_kernel.PoolingNDKernelForward):
    """Sum of a window, divided by a number."""

    _name = 'average_pool'
    _in_params = ('float64 divisor',)
    _before = '''
        typedef chainer_fast::Total<T>::type A;
        A sum = A(0);
        int seen = 0;'''
    _after = 'out = T(sum / A(divisor > 0 ? divisor : seen));'

    def main(self, offset: str, xs: tp.Sequence[str]) -> str:
        return '''
            sum += A(in[%s]);
            ++seen;''' % offset


class AveragePoolingNDKernelBackward(pooling_nd_kernel.PoolingNDKernelBackward):
    """Sum of the gradients of all windows that see an element, divided by a number."""

    _name = 'average_pool_spread'
    _in_params = ('float64 divisor',)
    _before = '''
        typedef chainer_fast::Total<T>::type A;
        A sum = A(0);'''
    _after = 'gx = T(sum / A(divisor > 0 ? divisor : 1));'

    def main(self, offset: str, xs: tp.Sequence[str], out_xs: tp.Sequence[str]) -> str:
        spans = [
            '(min({1} * {2} - {3} + {4}, {0}) - max({1} * {2} - {3}, 0))'.format(*each)
            for each in zip(*[text.vars(name, len(xs)) for name in (
                'd', 'place', 's', 'p', 'k')], strict=True)]
        return 'sum += A(gy[%s]) / A(divisor > 0 ? 1 : %s);' % (
            offset, ' * '.join(spans))
