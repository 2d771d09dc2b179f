import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import using_config
from chainer_fast.links.normalization import decorrelated_batch_normalization as module
from chainer_fast.serializers import DictionarySerializer, NpzDeserializer
from chainer_fast.utils import type_check
from tests import compare
from tests.functions import gradients

uniform = gradients.uniform


def projection(rows, eps=2e-5):
    values, vectors = np.linalg.eigh(np.cov(rows.T, bias=True) + eps * np.eye(
        rows.shape[1]))
    return (vectors / np.sqrt(values)) @ vectors.T


def test_training_and_testing(device):
    link = device.send(
        L.DecorrelatedBatchNormalization(4, groups=2, decay=.75, dtype='d'))
    x = uniform((7, 4))
    y = link(device.send(x)).array
    for group in range(2):
        part = slice(2 * group, 2 * group + 2)
        rows = x[:, part]
        p = projection(rows)
        compare.assert_allclose(y[:, part], (rows - rows.mean(0)) @ p, rtol=1e-8)
        compare.assert_allclose(np.cov(y[:, part].T, bias=True), np.eye(2),
                                   atol=1e-3)
        compare.assert_allclose(link.avg_mean[group], rows.mean(0) / 4)
        compare.assert_allclose(
            link.avg_projection[group], .75 * np.eye(2) + p / 4 * 7 / 6)

    old = link.avg_projection.copy()
    with using_config('train', False):
        y = link(device.send(x), finetune=True)
    expected = F.fixed_decorrelated_batch_normalization(
        device.send(x), link.avg_mean, link.avg_projection, groups=2)
    compare.assert_array_equal(y.array, expected.array)
    compare.assert_array_equal(link.avg_projection, old)
    assert link.N == 0


def test_fine_tuning(device):
    link = device.send(L.DecorrelatedBatchNormalization(2, 1, dtype='d'))
    xs = uniform((3, 5, 2))
    for x in xs:
        link(device.send(x), finetune=True)
    assert link.N == 3
    compare.assert_allclose(link.avg_mean[0], xs.mean((0, 1)))
    link.start_finetuning()
    assert link.N == 0


def test_what_is_computed_again_counts_once(device):
    link = device.send(L.DecorrelatedBatchNormalization(2, 1))
    y = F.forget(lambda x: link(x, finetune=True), device.send(uniform((5, 2), 0, 'f')))
    mean = link.avg_mean.copy()
    with using_config('in_recomputing', True):
        link(device.send(uniform((5, 2), 1, 'f')), finetune=True)
    assert link.N == 1 and y.shape == (5, 2)
    compare.assert_array_equal(link.avg_mean, mean)


def test_structure():
    link = L.DecorrelatedBatchNormalization(6, 2, dtype=np.float64)
    assert list(link.params()) == []
    stored = {}
    link.serialize(DictionarySerializer(stored))
    assert {name: (a.shape, a.dtype.char) for name, a in stored.items()} == {
        'avg_mean': ((2, 3), 'd'), 'avg_projection': ((2, 3, 3), 'd'), 'N': ((), 'l')}
    assert L.DecorrelatedBatchNormalization(16).groups == 16
    assert L.DecorrelatedBatchNormalization(16).avg_mean.dtype == 'f'


def stored(*lead):
    return {
        'avg_mean': uniform((*lead, 2)), 'avg_projection': uniform((*lead, 2, 2)),
        'N': np.array(3)}


def test_loading(device):
    link = device.send(L.DecorrelatedBatchNormalization(4, 2))
    arrays = link.avg_mean, link.avg_projection
    source = stored(2)
    link.serialize(NpzDeserializer(source))
    # The arrays are filled, and keep their type.
    assert link.avg_mean is arrays[0] and link.avg_projection is arrays[1]
    compare.assert_array_equal(link.avg_mean, source['avg_mean'].astype('f'))
    compare.assert_array_equal(
        link.avg_projection, source['avg_projection'].astype('f'))
    assert link.N == 3


def test_loading_averages_without_groups(device, recwarn):
    link = device.send(L.DecorrelatedBatchNormalization(2, 1))
    source = stored()
    link.serialize(NpzDeserializer(source))
    assert not recwarn
    compare.assert_array_equal(link.avg_mean[0], source['avg_mean'].astype('f'))

    link = device.send(L.DecorrelatedBatchNormalization(4, 2))
    with pytest.warns(UserWarning, match='all 2 groups'):
        link.serialize(NpzDeserializer(source))
    compare.assert_array_equal(
        link.avg_projection, [source['avg_projection'].astype('f')] * 2)


def test_loading_what_does_not_fit():
    link = L.DecorrelatedBatchNormalization(3, 1)
    with pytest.raises(ValueError):
        link.serialize(NpzDeserializer(stored(1)))
    assert link.avg_mean.shape == (1, 3)
    link.serialize(NpzDeserializer({}, strict=False))
    with pytest.raises(KeyError):
        link.serialize(NpzDeserializer({}))
    compare.assert_array_equal(link.avg_projection, [np.eye(3)])
    with pytest.raises(ValueError, match='avg_mean'):
        module.fix_avg_mean(np.zeros((1, 2, 3)), 1)
    with pytest.raises(ValueError, match='avg_projection'):
        module.fix_avg_projection(np.zeros(3), 1)


def test_wrong_calls(device):
    link = device.send(L.DecorrelatedBatchNormalization(4, 2))
    x = uniform((5, 4), 0, 'f')
    for call in (
            lambda: link(device.send(x), True),
            lambda: link(device.send(x), test=True)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(type_check.InvalidType):
        link(device.send(x[:, :3]))
    with using_config('train', False), pytest.raises(type_check.InvalidType):
        link(device.send(x.astype('d')))


def test_more_groups_than_channels():
    link = L.DecorrelatedBatchNormalization(6, groups=2 ** 40)
    assert link.avg_projection.shape == (2 ** 40, 0, 0)
    with pytest.raises(type_check.InvalidType, match='%'):
        link(np.ones((8, 6), 'f'))
