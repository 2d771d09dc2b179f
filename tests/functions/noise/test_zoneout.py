import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad, using_config
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(3, 4), (), (0, 2)])
def test_mixes_by_uniform_numbers(dtype, shape):
    h, x = gradients.uniform(shape, 0, dtype), gradients.uniform(shape, 1, dtype)
    np.random.seed(3)
    y = F.zoneout(h, x, .4)
    np.random.seed(3)
    kept = np.asarray(np.random.rand(*shape) < .4)
    assert y.dtype == dtype
    compare.assert_array_equal(y.array, np.where(kept, h, x))
    compare.assert_array_equal(y.creator.flag_h, kept)
    compare.assert_array_equal(y.creator.flag_x, ~kept)


@pytest.mark.parametrize(
    'ratio, first', [(0, False), (1, True), (2., True), (-1, False)])
def test_bounds(device, ratio, first):
    h, x = gradients.uniform((3, 4), 0), gradients.uniform((3, 4), 1)
    compare.assert_array_equal(
        F.zoneout(device.send(h), device.send(x), ratio).array, h if first else x)


def test_gradients(device, monkeypatch):
    drawn = device.send(np.random.rand(3, 4))
    monkeypatch.setattr(device.xp.random, 'rand', lambda *shape, **options: drawn)
    gradients.check(device, lambda h, x: F.zoneout(h, x) ** 2,
                    gradients.uniform((3, 4), 0), gradients.uniform((3, 4), 1))


def test_without_training_the_next_state_passes(device):
    x = Variable(device.send(np.ones((2, 3), 'f')))
    with using_config('train', False):
        assert F.zoneout(device.send(np.zeros((2, 3), 'f')), x) is x


def test_arguments(device):
    x = device.send(np.ones((2, 3), 'f'))
    with pytest.raises(ValueError, match='train'):
        F.zoneout(x, x, train=False)
    with pytest.raises(TypeError, match='other'):
        F.zoneout(x, x, other=1)


@pytest.mark.parametrize('shapes', [
    ((2, 1), (2, 3)), ((3,), (2, 3)), ((2, 3), (1, 3)), ((), (2, 3))])
@pytest.mark.parametrize('dtypes', ['fd', 'df', 'ef', 'if', 'fi'])
@pytest.mark.parametrize('double', [False, True])
def test_gradients_fit_what_they_are_of(device, shapes, dtypes, double):
    h, x = [Variable(device.send(np.ones(shape, dtype)))
            for shape, dtype in zip(shapes, dtypes, strict=True)]
    y = F.zoneout(h, x)
    floats = [v for v in (h, x) if v.dtype.kind == 'f']
    gs = grad([F.sum(y)], floats, enable_double_backprop=double)
    for v, g in zip(floats, gs, strict=True):
        assert (g.shape, g.dtype) == (v.shape, v.dtype)
    assert sum([float(F.sum(g).array) for g in gs]) <= 6
