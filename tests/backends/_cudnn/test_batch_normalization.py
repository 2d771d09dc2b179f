"""Batch normalization by cuDNN, against the reference of the kernels."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import testing
from chainer_fast.backends import _image_orders, cuda
from chainer_fast.backends._cudnn import batch_normalization
from chainer_fast.backends.kernels import normalization as kernels
from tests.doubles.host_cupy import ledger

pytestmark = pytest.mark.gpu

SHAPES = [(6, 5), (4, 5, 3), (3, 4, 2, 5), (2, 3, 2, 3, 4)]


def arrays(shape, dtype):
    random = np.random.RandomState(0)
    x, gy = [random.uniform(-2, 3, shape).astype(dtype) for _ in range(2)]
    gamma, beta = [random.uniform(.5, 2, shape[1]).astype('f') for _ in range(2)]
    return x, gy, gamma, beta, (0, *range(2, len(shape)))


@pytest.mark.parametrize('shape', SHAPES, ids=str)
@pytest.mark.parametrize('dtype', 'fe')
@pytest.mark.parametrize('last', [False, True])
def test_forms(frontend, shape, dtype, last):
    x, gy, gamma, beta, axis = arrays(shape, dtype)
    on_gpu = [cuda.to_gpu(a) for a in (x, gy, gamma, beta)]
    on_gpu[:2] = [_image_orders.dense(a, last) for a in on_gpu[:2]]
    expected = kernels.batch_forward.reference(x, gamma, beta, axis, 1e-3)
    found = batch_normalization.batch_forward(
        on_gpu[0], *on_gpu[2:], axis, 1e-3)
    tolerance = 1e-5 if dtype == 'f' else 5e-3
    for a, b in zip(found, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        testing.assert_allclose(a, b, tolerance, tolerance)
    _, mean, _, inv_std = found
    expected = kernels.batch_backward.reference(
        x, gamma, gy, mean.get(), inv_std.get(), axis, False)
    found = batch_normalization.batch_backward(
        on_gpu[0], on_gpu[2], on_gpu[1], mean, inv_std, axis, False)
    for a, b in zip(found, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        testing.assert_allclose(a, b, tolerance * 10, tolerance)
    assert [names for _, names, _ in frontend.ran] == [
        ['batchnorm'], ['batchnorm_backward']]


@pytest.mark.parametrize('shape, dtypes, axis', [
    ((4, 3, 2, 2), 'dd', (0, 2, 3)), ((4, 3, 2, 2), 'ee', (0, 2, 3)),
    ((4, 3, 2, 2), 'ff', (0, 1, 2)), ((1, 3), 'ff', (0,)),
    ((2, 3, 2, 2, 2, 2), 'ff', (0, 2, 3, 4, 5))])
def test_what_cudnn_is_not_asked(frontend, shape, dtypes, axis):
    x = cuda.cupy.ones(shape, dtypes[0])
    parameter = cuda.cupy.ones(
        [n for i, n in enumerate(shape) if i not in axis], dtypes[1])
    assert batch_normalization.batch_forward(
        x, parameter, parameter, axis, .1) is NotImplemented
    assert batch_normalization.batch_backward(
        x, parameter, x, parameter, parameter, axis, False) is NotImplemented
    assert frontend.planned == 0
    y = kernels.batch_forward(x, parameter, parameter, axis, .1)[0]
    testing.assert_allclose(y, np.ones(shape))


def steps(device, dtype='f'):
    x, gy, gamma, beta, _ = arrays((4, 3, 5, 2), dtype)
    x, gamma, beta = [
        chainer_fast.Variable(device.send(a)) for a in (x, gamma, beta)]
    running = [device.send(np.full(3, n, 'f')) for n in (1, 2)]
    with ledger.record() as forward:
        y = F.batch_normalization(
            x, gamma, beta, running_mean=running[0], running_var=running[1], decay=.75)
    y.grad = device.send(gy)
    with ledger.record() as backward:
        y.backward()
    for counts in forward, backward:
        assert not counts.synchronisations and not counts.to_device
    found = [y.array, *running, x.grad, gamma.grad, beta.grad]
    return found, forward.launches, backward.launches


@pytest.mark.parametrize('dtype', 'fe')
def test_function(frontend, dtype):
    steps(chainer_fast.get_device('@cupy:0'))       # makes the zeros
    found, forward, backward = steps(chainer_fast.get_device('@cupy:0'), dtype)
    assert forward == ['cudnn batchnorm', 'normalization_update_running']
    assert backward == ['cudnn batchnorm_backward']
    expected, _, _ = steps(chainer_fast.get_device('@numpy'), dtype)
    tolerance = 1e-5 if dtype == 'f' else 1e-2
    for a, b in zip(found, expected, strict=True):
        testing.assert_allclose(a, b, tolerance, tolerance)


def test_never(frontend):
    with chainer_fast.using_config('use_cudnn', 'never'):
        _, forward, _ = steps(chainer_fast.get_device('@cupy:0'))
    assert not frontend.ran and forward
