"""Random masks against numpy.random: the numbers, and the state left behind."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends.kernels import negative_sampling, noise
from tests import devices, forced
from tests.backends.kernels.random_states import BEFORE, sizes
from tests.in_thread import in_threads


def outcome(kernel, seed, before, args):
    np.random.seed(seed)
    before()
    result = kernel(*args)
    return result if isinstance(result, tuple) else (result,), np.random.get_state()


def assert_same_stream(kernel, seed, before, *args):
    got, state = outcome(kernel, seed, before, args)
    expected, expected_state = outcome(kernel.reference, seed, before, args)
    for a, b in zip(got, expected, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_array_equal(a, b)
    for a, b in zip(state, expected_state, strict=True):
        np.testing.assert_array_equal(a, b)


ratios = st.one_of(
    st.sampled_from([0., 0, .5, .25, 1 - 2 ** -53, 2 ** -53, 1e-300]),
    st.floats(0, 1, exclude_max=True))


@settings(max_examples=100, deadline=None)
@given(n=sizes, dtype=st.sampled_from('fd'), ratio=ratios, seed=st.integers(0, 99),
       before=st.sampled_from(sorted(BEFORE)))
def test_stream_of_numpy(n, dtype, ratio, seed, before):
    x = np.random.RandomState(seed).normal(size=n).astype(dtype)
    before = BEFORE[before]
    assert_same_stream(noise.dropout, seed, before, x, ratio)
    assert_same_stream(noise.kept, seed, before, x, (n,), ratio)
    assert_same_stream(noise.uniform, seed, before, x, -1.5, 1 / 3)
    assert_same_stream(noise.gumbel, seed, before, x)


def test_ratio_of_a_number_that_is_drawn():
    # Just this number is kept, and the next larger ratio drops it.
    np.random.seed(0)
    ratio = float(np.random.rand(2000).max())
    for r, kept in (ratio, 1), (float(np.nextafter(ratio, 1)), 0):
        np.random.seed(0)
        form = noise.kept if forced.GENERAL else noise.kept.compiled
        flags = form(np.zeros(1), (2000,), r)
        assert flags.sum() == kept


@pytest.mark.parametrize('x', [
    np.ones((3, 4), 'f'), np.ones((4, 6))[::2], np.ones((4, 6), 'e')[:, ::2]])
def test_it_is_the_compiled_form_that_runs(x):
    for form in (noise.dropout.compiled(x, .5), noise.uniform.compiled(x, 0., 1.),
                 noise.kept.compiled(x, (2,), .5), noise.gumbel.compiled(x)):
        assert (form is NotImplemented) == forced.GENERAL


@pytest.mark.parametrize('x', [
    np.ones((40, 30), 'e'), np.ones((4, 6))[::2], np.float64(2.), np.ones((0, 3)),
    np.ones((2, 3), '>f')])
def test_other_arrays(x):
    x = np.asarray(x) if x.ndim else np.array(x)
    assert_same_stream(noise.dropout, 1, BEFORE['nothing'], x, .5)
    assert_same_stream(noise.uniform, 1, BEFORE['nothing'], x, 0., 2.)
    assert_same_stream(noise.gumbel, 1, BEFORE['nothing'], x)


@pytest.mark.parametrize('shape', [(300,), ()])
def test_numpy_tells_of_infinities(shape):
    x = np.full(shape, np.inf, 'f')
    np.random.seed(4)
    with pytest.warns(RuntimeWarning, match='invalid value'):
        y, mask = noise.dropout(x, .99)
    assert type(y) is type(mask) is np.ndarray
    assert (np.isnan(y) == (mask == 0)).all()
    state = np.random.get_state()
    np.random.seed(4)
    np.random.rand(*shape)
    np.testing.assert_array_equal(state[1], np.random.get_state()[1])


def test_a_state_that_is_put_back():
    x = np.ones(1000, 'f')
    np.random.rand(77)
    state = np.random.get_state()
    first = noise.dropout(x, .5)[0]
    np.random.set_state(state)
    np.testing.assert_array_equal(noise.dropout(x, .5)[0], first)


def test_replaced_functions_of_numpy(monkeypatch):
    monkeypatch.setattr(np.random, 'rand', lambda *shape: np.full(shape, .5))
    monkeypatch.setattr(
        np.random, 'uniform', lambda low, high, shape: np.full(shape, 9.))
    x = np.ones((2, 3), 'f')
    assert noise.kept(x, x.shape, .5).all()
    assert not noise.kept(x, x.shape, .6).any()
    assert (noise.dropout(x, .5)[0] == 2).all()
    assert (noise.uniform(x, 0., 1.) == 9).all()


def test_another_generator():
    if not hasattr(np.random, 'set_bit_generator'):
        pytest.skip('this NumPy has one global generator only')
    x = np.ones(500, 'f')
    original = np.random.get_bit_generator()
    try:
        for make in np.random.PCG64, np.random.MT19937:
            np.random.set_bit_generator(make(3))
            y = noise.dropout(x, .3)[1]
            np.random.set_bit_generator(make(3))
            np.testing.assert_array_equal(y > 0, np.random.rand(500) >= .3)
    finally:
        np.random.set_bit_generator(original)


def test_threads_share_the_stream():
    x = np.ones(50000, 'f')
    np.random.seed(0)
    in_threads([lambda: noise.dropout(x, .5)] * 4)
    state = np.random.get_state()
    np.random.seed(0)
    np.random.rand(4 * x.size)
    np.testing.assert_array_equal(state[1], np.random.get_state()[1])


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
def test_cuda_code_of_dropout(device, dtype):
    device.seed(0)
    x = np.random.RandomState(0).normal(size=(60, 70)).astype(dtype)
    y, mask = devices.to_cpu(noise.dropout.device(device.send(x), .3))
    assert y.dtype == mask.dtype == dtype
    np.testing.assert_array_equal(np.unique(mask), [0, mask.dtype.type(1 / .7)])
    np.testing.assert_allclose(y, x * mask, rtol=1e-3 if dtype == 'e' else 1e-6)
    assert .25 < (mask == 0).mean() < .35


def _uniform_numbers(device, shape, dtype):
    device.seed(5)
    drawn = device.xp.random.rand(*shape, dtype=dtype)
    device.seed(5)
    return drawn


@pytest.mark.gpu
def test_cuda_code_takes_the_numbers_of_cupy(device):
    x = device.send(np.random.RandomState(0).normal(size=(60, 70)).astype('f'))
    kept = _uniform_numbers(device, x.shape, 'f') >= .3
    assert ((noise.dropout.device(x, .3)[1] > 0) == kept).all()
    kept = _uniform_numbers(device, x.shape, 'd') >= .3
    assert (noise.zoneout.device(x, x, .3)[2] == kept).all()
    slopes = 1 + 2 * _uniform_numbers(device, x.shape, 'd')
    device.xp.testing.assert_allclose(noise.rrelu.device(x, 1., 3.)[1], slopes, 1e-6)
    heights = 5 * _uniform_numbers(device, x.shape, 'f')
    drawn = negative_sampling.sample.device(
        device.xp.full(5, .5, 'f'), device.xp.arange(10, dtype='i'), x.shape)
    assert (drawn == (2 * heights).astype('i')).all()


@pytest.mark.gpu
def test_cuda_code_turns_ones_into_zeros(device, monkeypatch):
    monkeypatch.setattr(
        device.xp.random.RandomState, '_random_sample_raw',
        lambda self, size, dtype: device.xp.ones(size, dtype))
    x = device.send(-np.ones((2, 3), 'f'))
    assert not noise.dropout.device(x, .3)[1].any()
    assert not noise.zoneout.device(x, x, .3)[2].any()
    assert (noise.rrelu.device(x, .25, 3.)[1] == .25).all()
    assert not negative_sampling.sample.device(
        device.xp.full(5, .5, 'f'), device.xp.arange(10, dtype='i'), (4,)).any()
