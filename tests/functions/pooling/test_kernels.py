"""Classes of CUDA kernels under Chainer's names, which programs derive from."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast.backends import cuda
from tests.compare import assert_array_equal

kernels = chainer.functions.pooling


class LeastOf(kernels.pooling_nd_kernel.PoolingNDKernelForward):

    def name(self):
        return 'least_of'

    def in_params(self):
        return ['T limit']

    def before(self):
        return 'T least = limit;'

    def main(self, offset, xs):
        return 'least = min(least, in[%s]);' % offset

    def after(self, out_xs):
        return 'out = least;'


def test_arguments():
    in_params, out_params, _, name = LeastOf.generate(1)
    assert in_params == (
        'raw T in, int32 d_0, int32 out_0, int32 k_0, int32 s_0, int32 p_0, T limit')
    assert (out_params, name) == ('T out', 'least_of_1d')


@pytest.mark.gpu
def test_own_kernel(device):
    x = device.send(np.array([[[4, 3, 2, 5, 9, 8]]], 'f'))
    y = device.send(np.empty((1, 1, 3), 'f'))
    cuda.elementwise(*LeastOf.generate(1))(x, 6, 3, 2, 2, 0, 7, y)
    assert_array_equal(y, [[[3, 2, 7]]])


@pytest.mark.parametrize('module, name', [
    ('max_pooling_nd_kernel', 'MaxPoolingNDKernel'),
    ('average_pooling_nd_kernel', 'AveragePoolingNDKernel')])
@pytest.mark.parametrize('kind', ['Forward', 'Backward'])
def test_bases(module, name, kind):
    cls = getattr(getattr(kernels, module), name + kind)
    assert issubclass(cls, getattr(kernels.pooling_nd_kernel, 'PoolingNDKernel' + kind))
    assert cls.generate(2)[-1] == cls().name() + '_2d'
