import contextlib
import inspect
import math
import types

import numpy as np
import pytest

from chainer_fast import backend, initializers
from tests import compare

# Class, distribution, and the spread of each for fans of (12, 8).
CASES = [
    (initializers.Normal, {}, 'normal', 0.05),
    (initializers.LeCunNormal, {}, 'normal', math.sqrt(1 / 12)),
    (initializers.GlorotNormal, {}, 'normal', math.sqrt(2 / 20)),
    (initializers.HeNormal, {}, 'normal', math.sqrt(2 / 12)),
    (initializers.HeNormal, {'fan_option': 'fan_out'}, 'normal', math.sqrt(2 / 8)),
    (initializers.Uniform, {}, 'uniform', 0.05),
    (initializers.LeCunUniform, {}, 'uniform', math.sqrt(3 / 12)),
    (initializers.GlorotUniform, {}, 'uniform', math.sqrt(6 / 20)),
    (initializers.HeUniform, {}, 'uniform', math.sqrt(6 / 12)),
]
CLASSES = list(dict.fromkeys(case[0] for case in CASES))
SHAPE = (2, 3, 4)


def draw(rng, distribution, spread, shape=SHAPE):
    if distribution == 'normal':
        return rng.normal(0, spread, shape)
    return rng.uniform(-spread, spread, shape)


@pytest.mark.parametrize('cls, options, distribution, spread', CASES)
@pytest.mark.parametrize('scale', [None, 7.3])
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('given', [True, pytest.param(False, marks=pytest.mark.host)])
def test_stream(device, cls, options, distribution, spread, scale, dtype, given):
    expected = np.random.RandomState(5)
    array = device.send(np.empty(SHAPE, dtype))
    if scale is not None:
        options = dict(options, scale=scale)
        spread *= scale / (0.05 if cls.__name__ in ('Normal', 'Uniform') else 1)
    if given:
        rng = np.random.RandomState(5)
        cls(rng=rng, **options)(array)
    else:
        rng = np.random
        rng.seed(5)
        cls(**options)(array)

    samples = draw(expected, distribution, spread)
    compare.assert_allclose(
        array, samples.astype(dtype), rtol=1e-3 if dtype == 'e' else 1e-7)
    # As many numbers are drawn: what programs draw afterwards is the same too.
    assert rng.random_sample() == expected.random_sample()


@pytest.mark.parametrize('cls', [*CLASSES, initializers.Orthogonal])
@pytest.mark.parametrize('dtype', ['e', 'f', 'd', '>f8', 'i'])
@pytest.mark.parametrize('shape', [(12, 5, 7), (31, 41), (0, 3)])
@pytest.mark.parametrize('order', 'CF')
def test_the_global_generator_draws_what_any_other_does(cls, dtype, shape, order):
    if cls is initializers.Orthogonal and not shape[0]:
        shape = 1, 300
    scale = {} if dtype != 'i' else {'scale': 99.}
    drawn, expected = [np.empty(shape, dtype, order) for _ in range(2)]
    rng = np.random.RandomState(5)
    np.random.seed(5)
    for _ in range(2):      # the first may leave one of a pair of normal numbers
        cls(**scale)(drawn)
        cls(rng=rng, **scale)(expected)
        compare.assert_array_equal(drawn, expected)
    assert np.random.standard_normal() == rng.standard_normal()


def test_known_values():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    array = np.empty((2, 3))
    initializers.HeNormal()(array)
    compare.assert_array_equal(array, [
        [1.4403427090601317, 0.3267269924654215, 0.7991362176464312],
        [1.829681635372184, 1.5248547136417043, -0.7979440475353865]])
    np.random.seed(0)
    initializers.GlorotUniform()(array)
    compare.assert_array_equal(array, [
        [0.10694502884745116, 0.47145628038967113, 0.22514327663930378],
        [0.09833412712013101, -0.16726395423736085, 0.319637986935267]])


@pytest.mark.parametrize('cls', CLASSES)
def test_attributes_and_arguments(cls):
    init = cls(2.0, 'd', rng=np.random)
    assert (init.scale, init.dtype, init.rng) == (2.0, 'd', np.random)
    assert cls().rng is None
    assert cls().dtype is None
    kind = inspect.signature(cls).parameters['rng'].kind
    assert kind is inspect.Parameter.KEYWORD_ONLY
    with pytest.raises(TypeError, match='seed'):
        cls(seed=3)


@pytest.mark.parametrize('cls', CLASSES)
def test_dtype_is_checked(device, cls):
    with pytest.raises(AssertionError, match='float64'):
        cls(dtype='f')(device.send(np.empty((2, 3))))


@pytest.mark.parametrize('cls', [initializers.Normal, initializers.Uniform])
def test_without_axes(device, cls):
    array = device.send(np.zeros(()))
    cls()(array)
    assert array != 0


@pytest.mark.parametrize('cls', [initializers.LeCunNormal, initializers.HeUniform])
def test_fans_need_two_axes(device, cls):
    with pytest.raises(ValueError, match='two axes'):
        cls()(device.send(np.empty(3)))
    with pytest.raises(ZeroDivisionError):
        cls()(device.send(np.empty((3, 0))))


def test_unknown_fan_option(device):
    init = initializers.HeNormal(fan_option='fan_avg')
    with pytest.raises(ValueError, match='fan_avg'):
        init(device.send(np.empty((2, 3))))


class Generator:
    """Draws ones, and keeps what it is asked for."""

    def normal(self, **asked):
        self.asked = asked
        return np.ones(asked['size'])


@pytest.fixture
def gpu(monkeypatch):
    """The module of the device that all arrays are said to be on."""
    xp = types.SimpleNamespace(random=Generator(), asarray=np.asarray)
    device = types.SimpleNamespace(xp=xp)
    monkeypatch.setattr(backend, 'get_device_from_array', lambda array: device)
    monkeypatch.setattr(backend, 'get_array_module', lambda array: xp)
    monkeypatch.setattr(backend, 'using_device', contextlib.nullcontext)
    return xp


@pytest.mark.parametrize('dtype, drawn', [('e', 'f'), ('f', 'f'), ('d', 'd')])
def test_gpu_draws_no_more_precision_than_it_needs(gpu, dtype, drawn):
    array = np.empty((2, 3), dtype)
    initializers.Normal(0.5)(array)
    assert gpu.random.asked == {
        'loc': 0, 'scale': 0.5, 'size': (2, 3), 'dtype': np.dtype(drawn)}
    compare.assert_array_equal(array, 1)


def test_generator_of_the_cpu_fills_an_array_of_a_gpu(gpu):
    rng = Generator()
    initializers.Normal(0.5, rng=rng)(np.empty(2, 'f'))
    assert rng.asked == {'loc': 0, 'scale': 0.5, 'size': (2,)}
    assert not hasattr(gpu.random, 'asked')
