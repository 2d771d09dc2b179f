"""CUDA kernels of average pooling.

Halves are summed up in single precision.
"""
from chainer_fast.functions.pooling import pooling_nd_kernel


class AveragePoolingNDKernelForward(pooling_nd_kernel.PoolingNDKernelForward):
    """Sum of a window, divided by a number."""

    _name = 'average_pool'
    _in_params = ('float64 divisor',)
    _before = '''
        typedef chainer_fast::Total<T>::type A;
        A sum = A(0);'''
    _after = 'out = T(sum / A(divisor));'

    def main(self, offset, xs):
        return 'sum += A(in[%s]);' % offset


class AveragePoolingNDKernelBackward(pooling_nd_kernel.PoolingNDKernelBackward):
    """Sum of the gradients of all windows that see an element, divided by a number."""

    _name = 'average_pool_spread'
    _in_params = ('float64 divisor',)
    _before = '''
        typedef chainer_fast::Total<T>::type A;
        A sum = A(0);'''
    _after = 'gx = T(sum / A(divisor));'

    def main(self, offset, xs, out_xs):
        return 'sum += A(gy[%s]);' % offset
