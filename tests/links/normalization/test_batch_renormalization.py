import numpy as np
import pytest

from chainer_fast import Variable, initializers, mixed16, using_config
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.serializers import DictionarySerializer, NpzDeserializer
from chainer_fast.utils import type_check
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients

uniform = gradients.uniform


def link_with_averages(device, size=3, dtype=None, **options):
    link = L.BatchRenormalization(size, 2., 1., dtype=dtype, **options)
    link.avg_mean[...] = uniform(link.avg_mean.shape, 1)
    link.avg_var[...] = uniform(link.avg_var.shape, 2, low=.1, high=2.)
    return device.send(link)


def renormalized(x, axis, mean, var, rmax=2., dmax=1., eps=2e-5):
    def std(v):
        return np.sqrt(v + eps)

    batch_mean, batch_var = x.mean(axis), x.var(axis)
    r = np.clip(std(batch_var) / std(var), 1 / rmax, rmax)
    d = np.clip((batch_mean - mean) / std(var), -dmax, dmax)
    shape = [1 if i in axis else n for i, n in enumerate(x.shape)]
    batch_mean, batch_std, r, d = [
        np.reshape(v, shape) for v in (batch_mean, std(batch_var), r, d)]
    return (x - batch_mean) / batch_std * r + d


@pytest.mark.parametrize('shape, size, axis', [
    ((5, 3), 3, (0,)), ((5, 3, 4), 3, (0, 2)), ((5, 3, 4), (3, 4), (0,))])
def test_training_and_testing(device, shape, size, axis):
    link = link_with_averages(device, size, decay=.75, initial_gamma=2, initial_beta=1)
    mean, var = to_cpu((link.avg_mean.copy(), link.avg_var.copy()))
    x = uniform(shape, 0, 'f')
    compare.assert_allclose(
        link(device.send(x)).array, 2 * renormalized(x, axis, mean, var) + 1, rtol=1e-4,
        atol=1e-5)
    count = x.size // mean.size
    compare.assert_allclose(
        link.avg_mean, .75 * mean + x.mean(axis) / 4, rtol=1e-4)
    compare.assert_allclose(
        link.avg_var, .75 * var + x.var(axis) / 4 * count / (count - 1), rtol=1e-4)

    with using_config('train', False):
        y = link(device.send(x), finetune=True)
    assert link.N == 0
    compare.assert_allclose(y.array, F.fixed_batch_normalization(
        device.send(x), link.gamma, link.beta, link.avg_mean, link.avg_var).array)


def test_defaults_are_batch_normalization(device):
    x = device.send(uniform((5, 3), 0, 'f'))
    link = device.send(L.BatchRenormalization(3))
    link.avg_mean[...] = 7
    compare.assert_allclose(
        link(x).array, device.send(L.BatchNormalization(3))(x).array, rtol=1e-5)


def test_fine_tuning(device):
    link = link_with_averages(device)
    xs = uniform((3, 5, 3), 0, 'f')
    for x in xs:
        link(device.send(x), True)
    assert link.N == 3
    compare.assert_allclose(link.avg_mean, xs.mean((0, 1)), rtol=1e-5)
    link.start_finetuning()
    assert link.N == 0


def test_what_is_computed_again_has_the_same_corrections(device):
    link, again = link_with_averages(device), link_with_averages(device)
    x, x_again = [Variable(device.send(uniform((5, 3), 0, 'f'))) for _ in range(2)]
    gy = uniform((5, 3), 3, 'f')
    for each, y in (link, link(x)), (again, F.forget(again, x_again)):
        y.grad = device.send(gy)
        each.cleargrads()
        y.backward()
    compare.assert_allclose(x_again.grad, x.grad, rtol=1e-5)
    compare.assert_allclose(again.gamma.grad, link.gamma.grad, rtol=1e-5)
    compare.assert_array_equal(again.avg_mean, link.avg_mean)
    compare.assert_array_equal(again.avg_var, link.avg_var)


def test_initial_values_and_absent_parameters(device):
    link = device.send(L.BatchRenormalization(
        3, use_gamma=False, initial_beta=5, initial_avg_mean=2,
        initial_avg_var=np.full(3, 4.)))
    assert link.gamma is None and link.axis is None
    assert sorted(p.name for p in link.params()) == ['beta']
    with using_config('train', False):
        y = link(device.send(np.full((2, 3), 4, 'f')))
    compare.assert_allclose(y.array, np.full((2, 3), 6), rtol=1e-4)


@pytest.mark.parametrize('dtype, expected', [
    (np.float16, 'e'), (None, 'f'), (np.float64, 'd'), (mixed16, 'f')])
def test_dtypes(device, dtype, expected):
    link = link_with_averages(device, dtype=dtype)
    for array in link.gamma, link.beta, link.avg_mean, link.avg_var:
        assert array.dtype == expected
    for other in 'efd':
        assert link(device.send(uniform((4, 3), 0, other))).dtype == other


def test_serialization(device):
    link, other = link_with_averages(device), device.send(L.BatchRenormalization(3))
    stored = {}
    link(device.send(uniform((4, 3), 0, 'f')), True)
    link.serialize(DictionarySerializer(stored))
    assert set(stored) == {'gamma', 'beta', 'avg_mean', 'avg_var', 'N'}
    other.serialize(NpzDeserializer(stored))
    compare.assert_array_equal(other.avg_mean, link.avg_mean)
    assert other.N == 1


def test_errors(device):
    with pytest.raises(RuntimeError, match='size'):
        L.BatchRenormalization(None)
    link, x = device.send(L.BatchRenormalization(3)), uniform((4, 3), 0, 'f')
    with pytest.raises(TypeError):
        link(device.send(x), test=True)
    with pytest.raises(type_check.InvalidType):
        link(device.send(x[:, :2]))


def test_order_of_random_numbers():
    normal = initializers.Normal()
    for options in {'size': 2}, {'axis': 0}:
        np.random.seed(0)
        link = L.BatchNormalization(
            initial_gamma=normal, initial_beta=normal, initial_avg_mean=normal,
            initial_avg_var=normal, **options)
        with using_config('train', False):
            link(np.zeros((1, 2), 'f'))
        np.random.seed(0)
        for array in link.avg_mean, link.avg_var, link.gamma.array, link.beta.array:
            expected = np.random.normal(0, .05, 2)
            compare.assert_array_equal(array, expected.astype('f'))
