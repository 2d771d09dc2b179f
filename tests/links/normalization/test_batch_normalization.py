import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import using_config
from chainer_fast.serializers import DictionarySerializer, NpzDeserializer
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients

uniform = gradients.uniform


def normalized(x, axis, eps=2e-5):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(
        x.var(axis, keepdims=True) + eps)


@pytest.mark.parametrize('shape, options, axis', [
    ((5, 3), {'size': 3}, 0), ((5, 3, 4), {'size': 3}, (0, 2)),
    ((5, 3, 4), {'size': (3, 4)}, 0), ((5, 3), {'axis': 0}, 0),
    ((5, 3, 4), {'axis': (0, 1)}, (0, 1)), ((5, 3), {'axis': 1, 'size': 5}, 1)])
def test_training_and_testing(device, shape, options, axis):
    link = device.send(
        L.BatchNormalization(decay=.75, initial_gamma=2, initial_beta=1, **options))
    x = uniform(shape, 0, 'f')
    compare.assert_allclose(
        link(device.send(x)).array, 2 * normalized(x, axis) + 1, rtol=1e-4, atol=1e-5)
    mean, var = x.mean(axis), x.var(axis)
    count = x.size // mean.size
    assert link.gamma.shape == link.beta.shape == link.avg_mean.shape == mean.shape
    compare.assert_allclose(link.avg_mean, mean / 4, rtol=1e-4)
    compare.assert_allclose(
        link.avg_var, .75 + var / 4 * count / (count - 1), rtol=1e-4)

    old = link.avg_mean.copy()
    with using_config('train', False):
        y = link(device.send(x))
    expected = F.fixed_batch_normalization(
        device.send(x), link.gamma, link.beta, link.avg_mean, link.avg_var, axis=axis)
    compare.assert_array_equal(y.array, expected.array)
    compare.assert_array_equal(link.avg_mean, old)


def test_fine_tuning(device):
    link = device.send(L.BatchNormalization(3))
    xs = uniform((3, 5, 3), 0, 'f')
    for x in xs:
        link(device.send(x), finetune=True)
    assert link.N == 3
    compare.assert_allclose(link.avg_mean, xs.mean((0, 1)), rtol=1e-5)
    compare.assert_allclose(link.avg_var, xs.var(1).mean(0) * 5 / 4, rtol=1e-5)
    with using_config('train', False):
        link(device.send(xs[0]), finetune=True)
    assert link.N == 3
    link.start_finetuning()
    assert link.N == 0


def test_what_is_computed_again_counts_once(device):
    link = device.send(L.BatchNormalization(3))
    x = chainer_fast.Variable(device.send(uniform((5, 3), 0, 'f')))
    y = F.forget(lambda x: link(x, finetune=True), x)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert link.N == 1
    compare.assert_allclose(link.avg_mean, x.array.mean(0), rtol=1e-5)


@pytest.mark.parametrize('name, value', [('gamma', 1), ('beta', 0)])
def test_without_parameters(device, name, value):
    link = device.send(L.BatchNormalization(3, **{'use_' + name: False}))
    assert getattr(link, name) is None
    assert name not in {p.name for p in link.params()}
    x = device.send(uniform((4, 3), 0, 'f'))
    compare.assert_array_equal(
        link(x).array, device.send(L.BatchNormalization(3))(x).array)


@pytest.mark.parametrize('dtype, expected', [
    (np.float16, 'e'), (None, 'f'), (np.float64, 'd'), (chainer_fast.mixed16, 'f')])
def test_dtypes(device, dtype, expected):
    link = device.send(L.BatchNormalization(3, dtype=dtype))
    for array in link.gamma, link.beta, link.avg_mean, link.avg_var:
        assert array.dtype == expected
    with using_config('dtype', dtype or np.float32):
        assert device.send(L.BatchNormalization(3)).gamma.dtype == expected
    for other in 'efd':
        assert link(device.send(uniform((4, 3), 0, other))).dtype == other


def test_initial_averages(device):
    link = device.send(L.BatchNormalization(
        axis=0, initial_avg_mean=2, initial_avg_var=np.full(3, 5.)))
    with using_config('train', False):
        link(device.send(np.zeros((2, 3), 'f')))
    compare.assert_array_equal(link.avg_mean, [2] * 3)
    compare.assert_array_equal(link.avg_var, [5] * 3)
    assert link.avg_var.dtype == 'f'


@pytest.mark.parametrize('options', [{'axis': (0,)}, {'size': 3}])
def test_serialization(device, options):
    link = device.send(L.BatchNormalization(**options))
    other = device.send(L.BatchNormalization(**options))
    link(device.send(uniform((4, 3), 0, 'f')), finetune=True)
    stored = {}
    link.serialize(DictionarySerializer(stored))
    assert set(stored) == {'gamma', 'beta', 'avg_mean', 'avg_var', 'N'}
    other.serialize(NpzDeserializer(stored))
    compare.assert_array_equal(other.avg_mean, link.avg_mean)
    compare.assert_array_equal(other.gamma.array, link.gamma.array)
    assert other.N == 1


def test_text():
    assert str(L.BatchNormalization(3)) == (
        'BatchNormalization(size=3, decay=0.9, eps=2e-05, dtype=float32, '
        'use_gamma=True, use_beta=True)')
    assert 'size=None' in str(L.BatchNormalization(axis=0, use_beta=False))


def test_errors(device):
    with pytest.raises(RuntimeError, match='size or axis'):
        L.BatchNormalization()
    with pytest.raises(TypeError):
        L.BatchNormalization({})
    link, x = device.send(L.BatchNormalization(3)), uniform((4, 3), 0, 'f')
    with pytest.raises(ValueError, match='using_config'):
        link(device.send(x), test=True)
    with pytest.raises(TypeError):
        link(device.send(x), other=1)
    with pytest.raises(TypeError):
        link(device.send(x), True)
    with pytest.raises(type_check.InvalidType):
        link(device.send(x[:, :2]))
