import io

import numpy as np
import pytest

from chainer_fast import (
    Parameter,
    Sequential,
    as_variable,
    mixed16,
    optimizers,
    serializers,
    using_config,
)
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.link_hooks import SpectralNormalization, WeightNormalization
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients
from tests.onnx import exported

uniform = gradients.uniform


def normalized(weight, scale, axis=0):
    others = tuple([i for i in range(weight.ndim) if i != axis])
    norms = np.sqrt((weight.astype('d') ** 2).sum(others, keepdims=True))
    return weight / norms * scale.reshape(norms.shape)


LAYERS = {
    # link, shape of the input, number of outputs, their axis
    'Linear': (lambda n: L.Linear(n, 5), (2, 3), 5, 0),
    'Convolution2D': (lambda n: L.Convolution2D(n, 5, 2), (2, 3, 4, 4), 5, 0),
    'Deconvolution2D': (lambda n: L.Deconvolution2D(n, 5, 2), (2, 3, 4, 4), 5, 1),
    'Deconvolution1D': (lambda n: L.Deconvolution1D(n, 5, 2), (2, 3, 4), 5, 1),
}


@pytest.mark.parametrize('in_size', [3, None])
@pytest.mark.parametrize('name', LAYERS)
def test_values(device, name, in_size):
    make, shape, length, axis = LAYERS[name]
    x = device.send(uniform(shape, 0, 'f'))
    layer = device.send(make(in_size))
    plain = layer(x).array if in_size else None
    layer.add_hook(hook := WeightNormalization())
    y = layer(x=x).array
    assert hook.axis == axis and layer.W_g.shape == (length,)
    weight = layer.W
    if plain is not None:       # at first the hook changes nothing
        compare.assert_allclose(y, plain, rtol=1e-4, atol=1e-5)
    layer.W_g.array[...] = device.send(np.arange(1, length + 1, dtype='f'))
    expected = normalized(to_cpu(weight.array), np.arange(1., length + 1), axis)
    compare.assert_allclose(
        hook.normalize_weight(layer).array, expected, rtol=1e-4, atol=1e-5)
    other = device.send(make(3))
    other.W.array[...] = device.send(expected.astype('f'))
    y = layer(x)
    compare.assert_allclose(y.array, other(x).array, rtol=1e-4, atol=1e-5)
    assert layer.W is weight and hook.original_weight is weight


@pytest.mark.parametrize('name', LAYERS)
def test_gradients(device, name):
    make, shape, _, _ = LAYERS[name]
    with using_config('dtype', np.dtype('d')):
        layer = device.send(make(3).add_hook(WeightNormalization()))

    def f(x, weight, scale):
        layer.W, layer.W_g = as_variable(weight), as_variable(scale)
        return layer(x)

    gradients.check(
        device, f, uniform(shape, 1), uniform(layer.W.shape),
        uniform(layer.W_g.shape, 2), atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize('dtype, expected', [
    (np.float16, 'e'), (mixed16, 'e'), (np.float64, 'd')])
def test_dtypes(device, dtype, expected):
    with using_config('dtype', dtype):
        layer = device.send(L.Linear(3, 2, initialW=200).add_hook(
            WeightNormalization()))
    y = layer(device.send(np.ones((4, 3), expected)))
    assert y.dtype == layer.W_g.dtype == expected
    # The sum of the squares is beyond the largest half.
    compare.assert_allclose(y.array, 600, rtol=2e-3)


def test_weights_of_zeros_stay_zeros(device):
    layer = device.send(L.Linear(3, 2, initialW=0).add_hook(WeightNormalization()))
    compare.assert_array_equal(layer(device.send(np.ones((1, 3), 'f'))).array, [[0, 0]])


def test_other_weights(device):
    layer = device.send(L.EmbedID(4, 3).add_hook(WeightNormalization()))
    compare.assert_allclose(
        layer(device.send(np.arange(4, dtype='i'))).array, layer.W.array, rtol=1e-4)
    layer = device.send(L.Linear(3, 2).add_hook(
        WeightNormalization(weight_name='b', name='b')))
    layer.b.array[:] = 7
    assert layer.b_g.shape == (2,)
    layer.b_g.array[:] = 5
    compare.assert_allclose(
        layer(device.send(np.zeros((1, 3), 'f'))).array, [[5, 5]], rtol=1e-5)


@pytest.mark.parametrize('in_size', [3, None])
@pytest.mark.parametrize('comes_first', ['setup', 'hook'])
def test_scale_is_trained(comes_first, in_size):
    layer, optimizer = L.Linear(in_size, 4), optimizers.Adam()
    x = np.ones((2, 3), 'f')
    if comes_first == 'setup':
        optimizer.setup(layer)
        layer.W.update_rule.hyperparam.alpha = .5
        layer.add_hook(WeightNormalization())
    else:
        optimizer.setup(layer.add_hook(WeightNormalization()))
    layer(x)
    before = [layer.W.array.copy(), layer.W_g.array.copy()]
    for _ in range(2):
        optimizer.update(lambda: F.sum(layer(x) ** 2))
    assert (layer.W.array != before[0]).any() and (layer.W_g.array != before[1]).any()
    rule = layer.W_g.update_rule
    assert rule.t == 2 and rule.hyperparam.alpha == (
        layer.W.update_rule.hyperparam.alpha)


@pytest.mark.parametrize('in_size', [3, None])
def test_files_and_copies(device, in_size):
    make = lambda: device.send(L.Linear(in_size, 4).add_hook(  # noqa: E731
        WeightNormalization()))
    layer, x = make(), device.send(uniform((2, 3), 0, 'f'))
    layer(x)
    layer.W_g.array[...] = 5
    file = io.BytesIO()
    serializers.save_npz(file, layer)
    with np.load(io.BytesIO(file.getvalue())) as arrays:
        assert sorted(arrays) == ['W', 'W_g', 'b']
    loaded = make()
    serializers.load_npz(io.BytesIO(file.getvalue()), loaded)
    expected = layer(x).array
    for other in loaded, layer.copy('copy'), layer.copy():
        compare.assert_array_equal(other(x).array, expected)
    anew = layer.copy('init')
    anew(x)
    assert isinstance(anew.W_g, Parameter)
    compare.assert_allclose(
        anew.W_g.array, np.linalg.norm(to_cpu(anew.W.array), axis=1), rtol=1e-5)


def test_file_without_the_scale():
    file = io.BytesIO()
    serializers.save_npz(file, plain := L.Linear(3, 4))
    lazy = L.Linear(None, 4).add_hook(WeightNormalization())
    serializers.load_npz(io.BytesIO(file.getvalue()), lazy)
    x = uniform((2, 3), 0, 'f')
    compare.assert_allclose(lazy(x).array, plain(x).array, rtol=1e-5)
    with pytest.raises(KeyError, match='W_g'):
        serializers.load_npz(io.BytesIO(file.getvalue()), L.Linear(3, 4).add_hook(
            WeightNormalization()))


@pytest.mark.parametrize('in_size', [3, None])
def test_deletion(device, in_size):
    layer = device.send(L.Linear(in_size, 2).add_hook(hook := WeightNormalization()))
    x = device.send(uniform((4, 3), 0, 'f'))
    layer(x)
    layer.W_g.array[...] = 3
    expected = layer(x).array
    layer.W.array[...] = hook.normalize_weight(layer).array
    layer.delete_hook('WeightNormalization')
    assert not hasattr(layer, 'W_g') and layer._params == {'W', 'b'}
    compare.assert_allclose(layer(x).array, expected, rtol=1e-5)
    # There is nothing to delete yet.
    L.Linear(None, 2).add_hook(WeightNormalization()).delete_hook('WeightNormalization')


def test_with_another_hook_of_the_weight(device):
    layer = device.send(L.Linear(3, 2, nobias=True))
    weight = layer.W
    layer.add_hook(WeightNormalization()).add_hook(SpectralNormalization(50))
    y = layer(device.send(np.eye(3, dtype='f'))).array
    compare.assert_allclose(np.linalg.svd(to_cpu(y))[1][0], 1, rtol=1e-3)
    assert layer.W is weight


def test_export():
    model = exported.Model(
        lambda self, x: F.tanh(self.deconvolution(self.convolution(x))),
        convolution=L.Convolution2D(3, 4, 3).add_hook(WeightNormalization()),
        deconvolution=L.Deconvolution2D(4, 2, 3).add_hook(WeightNormalization()))
    model.convolution.W_g.array[...] = [1, 2, 3, 4]
    exported.check(model, [uniform((2, 3, 6, 6), 0, 'f')])


def test_errors():
    hook = WeightNormalization()
    with pytest.raises(NotImplementedError, match='add_hook'), hook:
        pass
    with pytest.raises(TypeError):
        WeightNormalization(1e-5)
    with pytest.raises(ValueError, match="'V'"):
        L.Linear(3, 2).add_hook(WeightNormalization(weight_name='V'))
    with pytest.raises(ValueError, match='Sequential'):
        Sequential(L.Linear(3, 2)).add_hook(hook)
