import numpy as np
import pytest

import chainer_fast
from chainer_fast import links
from tests import compare
from tests.devices import to_cpu


def test_parameters():
    link = links.Linear(3, 2)
    assert (link.in_size, link.out_size) == (3, 2)
    assert link.W.shape == (2, 3)
    compare.assert_array_equal(link.b.array, np.zeros(2, 'f'))
    assert str(link) == 'Linear(in_size=3, out_size=2, nobias=False)'


def test_known_values():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    compare.assert_array_equal(links.Linear(2, 2).W.array, np.array(
        [[1.2473733, 0.2829539], [0.6920723, 1.5845507]], 'f'))


def test_initializers():
    link = links.Linear(3, 2, initialW=2, initial_bias=np.array([1, 2]))
    compare.assert_array_equal(link.W.array, np.full((2, 3), 2, 'f'))
    compare.assert_array_equal(link.b.array, [1, 2])
    with pytest.raises(TypeError, match='list'):
        links.Linear(3, 2, initialW=[1])
    with chainer_fast.using_config('dtype', np.dtype('d')):
        assert links.Linear(3, 2).W.dtype == np.float64


def test_without_bias(device):
    link = device.send(links.Linear(3, 2, nobias=True))
    assert link.b is None
    assert link._params == {'W'}
    x = np.ones((1, 3), 'f')
    compare.assert_allclose(link(device.send(x)).array, x @ to_cpu(link.W.array).T)


@pytest.mark.parametrize('args', [(2,), (None, 2)])
@pytest.mark.parametrize('shape, axes, in_size', [
    ((4, 3), 1, 3), ((4, 3, 5), 1, 15), ((4, 3, 5), 2, 5)])
def test_input_size_is_found_out(device, args, shape, axes, in_size):
    link = device.send(links.Linear(*args))
    assert not link.W.is_initialized
    x = np.random.randn(*shape).astype('f')
    y = link(device.send(x), n_batch_axes=axes)
    assert link.W.shape == (2, in_size)
    assert link.in_size is None
    expected = x.reshape(-1, in_size) @ to_cpu(link.W.array).T
    compare.assert_allclose(
        y.array, expected.reshape(shape[:axes] + (2,)), rtol=1e-5, atol=1e-6)


def test_gradients(device):
    link = device.send(links.Linear(3, 2))
    x = np.random.randn(4, 3).astype('f')
    y = link(device.send(x))
    y.grad = device.send(np.ones((4, 2), 'f'))
    link.cleargrads()
    y.backward()
    compare.assert_allclose(link.W.grad, np.ones((2, 4)) @ x, rtol=1e-5)
    compare.assert_array_equal(link.b.grad, [4, 4])


def test_wrong_input(device):
    with pytest.raises(chainer_fast.utils.type_check.InvalidType):
        device.send(links.Linear(3, 2))(device.send(np.ones((4, 2), 'f')))
    with pytest.raises(ZeroDivisionError):
        device.send(links.Linear(2))(device.send(np.ones((2, 0), 'f')))


@pytest.mark.parametrize('wrap', [np.asarray, chainer_fast.Variable])
def test_from_params(wrap):
    W, b = np.arange(6.).reshape(2, 3), np.array([1., 2.])
    link = links.Linear.from_params(wrap(W), wrap(b))
    assert (link.in_size, link.out_size) == (3, 2)
    assert link.W.array is not W
    compare.assert_array_equal(link.W.array, W)
    compare.assert_array_equal(link.b.array, b)
    assert links.Linear.from_params(wrap(W), nobias=True).b is None
    compare.assert_array_equal(links.Linear.from_params(wrap(W)).b.array, 0)
