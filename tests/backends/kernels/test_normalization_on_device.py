"""Batch normalization that the graph engine computes on a GPU without its methods."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.backends import cuda
from chainer_fast.functions.normalization.batch_normalization import (
    BatchNormalization,
)
from tests.ways import called_methods

pytestmark = pytest.mark.gpu


def arrays(shape=(4, 3, 5, 2), axis=(0, 2, 3), dtype='f', own=None):
    rs = np.random.RandomState(0)
    channels = [n for i, n in enumerate(shape) if i not in axis]
    own = own or dtype
    return [rs.uniform(-1, 1, shape).astype(dtype),
            rs.uniform(.5, 1, channels).astype(own),
            rs.uniform(-1, 1, channels).astype(own)]


def differentiate(inputs, running=None, **options):
    """Return the output, the gradients of all inputs, and the running statistics."""
    xs = [chainer.Variable(x) for x in inputs]
    xp = chainer.backend.get_array_module(inputs[0])
    if running:
        shape, dtype = xs[1].shape, xs[1].dtype
        options['running_mean'] = xp.full(shape, .25, dtype)
        options['running_var'] = xp.full(shape, 2, dtype)
    y = F.batch_normalization(*xs, **options)
    y.grad = xp.asarray(
        np.random.RandomState(1).uniform(-1, 1, y.shape).astype(y.dtype))
    y.backward()
    found = [y.array, *[x.grad for x in xs]]
    if running:
        found += [options['running_mean'], options['running_var']]
    return [cuda.to_cpu(array) for array in found]


@pytest.mark.parametrize('types', ['e', 'f', 'd', 'ef'])
@pytest.mark.parametrize('running', [False, True])
@pytest.mark.parametrize('shape, axis', [
    ((4, 3, 5, 2), (0, 2, 3)), ((6, 3), (0,)), ((3, 5, 2), (0, 2)),
    ((3, 4, 2), (0, 1)), ((5, 2, 3), (0,))])
def test_results_and_gradients(device, types, running, shape, axis):
    inputs = arrays(shape, axis, types[0], types[-1])
    options = {'axis': axis, 'eps': 1e-3, 'decay': .75, 'running': running}
    expected = differentiate([x.astype('d') for x in inputs], **options)
    with called_methods(BatchNormalization) as called:
        results = differentiate(device.send(inputs), **options)
    assert not called
    tolerance = {'e': 2e-2, 'f': 1e-4, 'd': 1e-10}[types[0]]
    for found, right, like in zip(
            results, expected, [inputs[0], *inputs, *inputs[1:]], strict=False):
        assert found.dtype == like.dtype
        np.testing.assert_allclose(found, right, tolerance, tolerance)


def test_attributes(device):
    inputs = arrays()
    functions = []
    for each in (inputs, device.send(inputs)):
        y = F.batch_normalization(*map(chainer.Variable, each))
        functions.append(y.creator)
    host, other = functions
    for name in 'mean', 'var', 'inv_std':
        np.testing.assert_allclose(
            getattr(other, name).get(), getattr(host, name), 1e-5)
    for name in 'axis', 'key_axis', 'expander', 'eps', 'forward_data':
        assert getattr(host, name) == getattr(other, name)
    assert type(host._impl) is type(other._impl)


def test_an_implementation_of_the_users(device):
    class Impl(BatchNormalization._default_impl):
        def get_mean_and_var(self, axis, gamma, x, xp, interm_dtype):
            return xp.zeros(3, 'f'), xp.ones(3, 'f')
    inputs = device.send(arrays())
    function = BatchNormalization(impl_selector=lambda *args: Impl())
    y, = function.apply(inputs)
    x, gamma, beta = [array.get() for array in inputs]
    np.testing.assert_allclose(
        y.array.get(), x * gamma[:, None, None] + beta[:, None, None], 1e-4, 1e-4)


def test_one_element_for_each_parameter(device):
    x, gamma, beta = device.send(arrays((1, 3, 1, 1)))
    with pytest.warns(UserWarning, match='no more than one sample'):
        y = F.batch_normalization(x, gamma, beta)
    assert y.array.get().ravel().tolist() == beta.get().tolist()


@pytest.mark.parametrize('change', [
    lambda x, gamma, beta: (x, gamma, beta[:2]),
    lambda x, gamma, beta: (x, gamma.astype('d'), beta),
    lambda x, gamma, beta: (x, gamma[:2], beta[:2]),
    lambda x, gamma, beta: (x.astype('i'), gamma, beta)])
def test_inputs_that_do_not_fit(device, change):
    with pytest.raises(chainer.utils.type_check.InvalidType):
        F.batch_normalization(*change(*device.send(arrays())))


def test_arrays_on_another_device(device):
    if cuda.cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip('needs two devices')
    inputs = arrays()
    expected = F.batch_normalization(*inputs).array
    with cuda.Device(1):
        x, gamma, beta = [device.xp.asarray(array) for array in inputs]
    x = chainer.Variable(x)
    y = F.batch_normalization(x, gamma, beta)
    F.sum(y * y).backward()
    assert y.array.device.id == x.grad.device.id == 1
    np.testing.assert_allclose(y.array.get(), expected, 1e-5, 1e-5)
