"""Products of matrices that the graph engine asks cuBLAS for."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.backends import cuda
from chainer_fast.backends.kernels.matmul import compiled
from chainer_fast.functions.connection.linear import LinearFunction
from chainer_fast.functions.math.matmul import MatMul
from tests.ways import called_methods

pytestmark = pytest.mark.gpu

TOLERANCES = {'e': 2e-2, 'f': 1e-5, 'd': 1e-12}


def matrix(shape, dtype, seed):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def in_order(device, x, order):
    """Return a matrix on the device with its columns, or parts of rows, together."""
    if order == 'F':
        return device.send(np.ascontiguousarray(x.T)).T
    if order == 'strided':
        return device.send(np.concatenate([x, x], axis=1))[:, :x.shape[1]]
    return device.send(x)


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('trans', range(8))
@pytest.mark.parametrize('orders', ['CC', 'CF', 'FC', 'FF'])
def test_products_and_gradients(device, dtype, trans, orders):
    trans_a, trans_b, trans_c = [bool(trans & bit) for bit in (1, 2, 4)]
    a = matrix((4, 3) if trans_a else (3, 4), dtype, 0)
    b = matrix((5, 4) if trans_b else (4, 5), dtype, 1)
    function = MatMul(trans_a, trans_b, trans_c)
    xs = [chainer.Variable(in_order(device, x, order))
          for x, order in zip((a, b), orders, strict=True)]
    with called_methods(MatMul) as called:
        y, = function.apply(tuple(xs))
        gy = matrix(y.shape, dtype, 2)
        y.grad = device.send(gy)
        y.backward()
    assert not called
    wide_a, wide_b, wide_gy = [x.astype('d') for x in (a, b, gy)]
    op_a, op_b = wide_a.T if trans_a else wide_a, wide_b.T if trans_b else wide_b
    g = wide_gy.T if trans_c else wide_gy
    ga, gb = g @ op_b.T, op_a.T @ g
    expected = [(op_a @ op_b).T if trans_c else op_a @ op_b,
                ga.T if trans_a else ga, gb.T if trans_b else gb]
    for found, right in zip([y.array, *[x.grad for x in xs]], expected, strict=True):
        assert found.dtype == dtype
        np.testing.assert_allclose(
            found.get(), right, TOLERANCES[dtype], TOLERANCES[dtype])


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('bias', [False, True])
@pytest.mark.parametrize('shape', [(1, 1, 1), (2, 3, 1), (3, 130, 7), (1, 5, 4)])
def test_linear(device, dtype, bias, shape):
    rows, depth, columns = shape
    arrays = [matrix((rows, depth), dtype, 0), matrix((columns, depth), dtype, 1)]
    arrays += [matrix((columns,), dtype, 2)] * bias
    gy = matrix((rows, columns), dtype, 3)
    xs = [chainer.Variable(x) for x in device.send(arrays)]
    with called_methods(LinearFunction) as called:
        y = F.linear(*xs)
        y.grad = device.send(gy)
        y.backward()
    assert not called
    x, w, g = [a.astype('d') for a in (arrays[0], arrays[1], gy)]
    expected = [x @ w.T + (arrays[2] if bias else 0), g @ w, g.T @ x, g.sum(axis=0)]
    for found, right in zip([y.array, *[x.grad for x in xs]], expected, strict=False):
        np.testing.assert_allclose(
            found.get(), right, TOLERANCES[dtype], depth * TOLERANCES[dtype])


@pytest.mark.parametrize('spoil', [
    lambda device, x, w: (in_order(device, x, 'strided'), device.send(w)),
    lambda device, x, w: (device.send(x), in_order(device, w, 'strided')),
    lambda device, x, w: (device.send(x[:0]), device.send(w)),
    lambda device, x, w: (device.send(x[:, :0]), device.send(w[:, :0]))])
def test_what_cublas_does_not_take_as_it_is(device, spoil):
    x, w = spoil(device, matrix((3, 4), 'f', 0), matrix((2, 4), 'f', 1))
    with called_methods(LinearFunction) as called:
        y = F.linear(x, w)
    assert called == {'forward'}
    np.testing.assert_allclose(y.array.get(), x.get() @ w.get().T, 1e-5, 1e-6)


def test_operands_that_do_not_fit(device):
    with pytest.raises(chainer.utils.type_check.InvalidType):
        F.linear(device.xp.ones((3, 4), 'f'), device.xp.ones((2, 5), 'f'))
    mixed = F.linear(device.xp.ones((3, 4), 'f'), device.xp.ones((2, 4), 'd'))
    assert mixed.dtype == 'f' and mixed.array.get().tolist() == [[4, 4]] * 3
    with pytest.raises(chainer.utils.type_check.InvalidType):
        F.linear(device.xp.ones((3, 4), 'f'), device.xp.ones((2, 4), 'f'),
                 device.xp.ones((3,), 'f'))


def test_stream_and_device(device):
    if cuda.cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip('needs two devices')
    with cuda.Device(1):
        x = device.xp.ones((2, 3), 'f')
    y = F.linear(x, x)
    assert y.array.device.id == 1
    stream = cuda.cupy.cuda.Stream(non_blocking=True)
    x = device.xp.ones((2, 3), 'f')
    with stream:
        y = F.linear(x, x)
    stream.synchronize()
    assert y.array.get().tolist() == [[3, 3], [3, 3]]


def test_status_is_an_error(device):
    """No workspace may begin at such an address."""
    x = device.xp.ones((2, 3), 'f')
    compiled.use_workspace(x.data.ptr | 1, 1024)
    try:
        with pytest.raises(cuda.cupy.cuda.cublas.CUBLASError):
            F.linear(x, x)
    finally:
        compiled.use_workspace(0, 0)
    assert F.linear(x, x).array.get().tolist() == [[3, 3], [3, 3]]
