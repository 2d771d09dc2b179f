"""CUDA kernels of max pooling."""
from __future__ import annotations

import typing as tp

from chainer_fast.functions.pooling import pooling_nd_kernel


class MaxPoolingNDKernelForward(pooling_nd_kernel.PoolingNDKernelForward):
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
            if (chainer_fast::exceeds(seen, largest)) {
            largest = seen;
            found = at;
            }''' % offset


class MaxPoolingNDKernelBackward(pooling_nd_kernel.PoolingNDKernelBackward):
    """Sum of the gradients of the windows whose maximum is here."""

    _name = 'max_pool_put'
    _in_params = ('raw S indexes',)
    _before = 'chainer_fast::Total<T>::type sum = 0;'
    _after = 'gx = T(sum);'

    def main(self, offset: str, xs: tp.Sequence[str], out_xs: tp.Sequence[str]) -> str:
        return '''
            const ptrdiff_t window = %s;
            if (indexes[window] == at) sum += gy[window];''' % offset


class MaxPoolingNDKernelForwardWithIndexes(pooling_nd_kernel.PoolingNDKernelForward):
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
