"""Convolutions that the graph engine computes on a GPU without their methods."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.backends import cuda
from chainer_fast.functions.connection.convolution_2d import Convolution2DFunction
from chainer_fast.functions.connection.deconvolution_2d import Deconvolution2DFunction
from tests.ways import called_methods

pytestmark = pytest.mark.gpu

TOLERANCES = {'e': 5e-2, 'f': 1e-5, 'd': 1e-10}
CLASSES = {F.convolution_2d: Convolution2DFunction,
           F.deconvolution_2d: Deconvolution2DFunction}


def arrays(function, dtype='f', groups=1, bias=True, ksize=(3, 2), n=2):
    """Return images, filters and bias of six channels in all, or four."""
    rs = np.random.RandomState(0)
    shape = (4, 6 // groups) if function is F.convolution_2d else (6, 4 // groups)
    found = [rs.uniform(-1, 1, (n, 6, 7, 5)), rs.uniform(-1, 1, (*shape, *ksize)),
             rs.uniform(-1, 1, 4)]
    return [array.astype(dtype) for array in found[:2 + bias]]


def differentiate(function, inputs, **options):
    """Return the output and the gradients of all inputs."""
    xs = [chainer.Variable(x) for x in inputs]
    y = function(*xs, **options)
    xp = chainer.backend.get_array_module(y.array)
    y.grad = xp.asarray(
        np.random.RandomState(1).uniform(-1, 1, y.shape).astype(y.dtype))
    y.backward()
    return [chainer.backends.cuda.to_cpu(a) for a in (y.array, *[x.grad for x in xs])]


def check(device, function, inputs, **options):
    expected = differentiate(
        function, [x.astype('d') for x in inputs], **options)
    dtype = inputs[0].dtype
    for found, right in zip(
            differentiate(function, device.send(inputs), **options), expected,
            strict=True):
        assert found.dtype == dtype
        tolerance = TOLERANCES[dtype.char]
        np.testing.assert_allclose(found, right, tolerance, 10 * tolerance)


@pytest.mark.parametrize('function', CLASSES)
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('bias', [False, True])
@pytest.mark.parametrize('options', [
    {}, {'groups': 2}, {'stride': 2, 'pad': 1}, {'stride': (1, 2), 'pad': (2, 0)},
    {'dilate': 2}], ids=str)
def test_results_and_gradients(device, function, dtype, bias, options):
    inputs = arrays(function, dtype, options.get('groups', 1), bias)
    with called_methods(CLASSES[function]) as called:
        check(device, function, inputs, **options)
    assert not called


@pytest.mark.parametrize('function, options', [
    (F.convolution_2d, {'cover_all': True, 'stride': 2}),
    (F.deconvolution_2d, {'outsize': (14, 9), 'stride': 2, 'pad': 1})])
def test_places(device, function, options):
    with called_methods(CLASSES[function]) as called:
        check(device, function, arrays(function), **options)
    assert not called


@pytest.mark.parametrize('function', CLASSES)
def test_arrays_in_any_order(device, function):
    """cuDNN's form and ours copy what they cannot take as it is."""
    x, W, b = arrays(function)
    expected = differentiate(function, [x, W, b])
    spread = device.xp.zeros((2, 6, 14, 5), 'f')[:, :, ::2]
    spread[...] = device.send(x)
    last = device.send(np.ascontiguousarray(W.transpose(2, 3, 0, 1)))
    found = differentiate(
        function, [spread, last.transpose(2, 3, 0, 1), device.send(b)])
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, 1e-5, 1e-5)


@pytest.mark.parametrize('function', CLASSES)
def test_wanted_gradients_alone(device, function):
    x, W, b = device.send(arrays(function))
    W = chainer.Parameter(W)
    with called_methods(CLASSES[function]) as called:
        F.sum(function(x, W, b)).backward()
    assert not called
    assert W.grad.shape == W.shape


@pytest.mark.parametrize('function', CLASSES)
def test_gradients_of_gradients(device, function):
    inputs = arrays(function, bias=False)

    def second(inputs):
        x, W = [chainer.Variable(array) for array in inputs]
        y = function(x, W)
        gx, = chainer.grad([F.sum(y * y)], [x], enable_double_backprop=True)
        F.sum(gx * gx).backward()
        return cuda.to_cpu(W.grad)
    np.testing.assert_allclose(
        second(device.send(inputs)), second([x.astype('d') for x in inputs]), 1e-4)


@pytest.mark.parametrize('change, error', [
    (lambda x, W, b: (x, W.astype('d'), b), None),
    (lambda x, W, b: (x[:0], W, b), None),
    (lambda x, W, b: (x, W, b[:3]), chainer.utils.type_check.InvalidType),
    (lambda x, W, b: (x, W, b.astype('d')), chainer.utils.type_check.InvalidType),
    (lambda x, W, b: (x[:, :5], W, b), chainer.utils.type_check.InvalidType),
    (lambda x, W, b: (x[:, :, :2], W, b), AssertionError),
    (lambda x, W, b: (x[0], W, b), chainer.utils.type_check.InvalidType)])
def test_what_the_methods_do(device, change, error):
    inputs = change(*device.send(arrays(F.convolution_2d)))
    with called_methods(Convolution2DFunction) as called:
        if error is None:
            assert F.convolution_2d(*inputs).shape[1:] == (4, 5, 4)
            assert 'forward' in called
        else:
            with pytest.raises(error):
                F.convolution_2d(*inputs)


@pytest.mark.parametrize('function', CLASSES)
def test_arrays_on_another_device(device, function):
    if cuda.cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip('needs two devices')
    x, W, b = arrays(function)
    expected = differentiate(function, (x, W, b))
    with cuda.Device(1):
        inputs = [device.xp.asarray(array) for array in (x, W, b)]
    variables = [chainer.Variable(array) for array in inputs]
    y = function(*variables)
    assert y.array.device.id == 1
    with cuda.Device(1):
        y.grad = device.xp.asarray(
            np.random.RandomState(1).uniform(-1, 1, y.shape).astype('f'))
    y.backward()
    for variable, right in zip(variables, expected[1:], strict=True):
        assert variable.grad.device.id == 1
        np.testing.assert_allclose(variable.grad.get(), right, 1e-4, 1e-4)
