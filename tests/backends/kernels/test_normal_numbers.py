"""Normal numbers against numpy.random: the numbers, and the state left behind."""
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends.kernels import noise
from tests import forced
from tests.backends.kernels.random_states import BEFORE, sizes
from tests.in_thread import in_threads


def normal_numbers(shape, dtype, deviation, compiled=True):
    def draw():
        if deviation is None:
            return np.random.standard_normal(shape)
        return np.random.normal(0., deviation, shape)
    if compiled:
        return noise.normals(shape, dtype, deviation, draw)
    return draw().astype(dtype)


@settings(max_examples=150, deadline=None)
@given(n=sizes | st.integers(100, 105), dtype=st.sampled_from(['f', 'd', 'e', '>f4']),
       deviation=st.sampled_from([None, .05, np.float64(1 / 3), 7]),
       seed=st.integers(0, 99), before=st.sampled_from(sorted(BEFORE)))
def test_normal_stream_of_numpy(n, dtype, deviation, seed, before):
    results = []
    for compiled in True, False:
        np.random.seed(seed)
        BEFORE[before]()
        results.append((
            normal_numbers((n,), dtype, deviation, compiled), np.random.get_state(),
            np.random.standard_normal(3)))
    (got, state, after), (expected, expected_state, expected_after) = results
    assert got.dtype == expected.dtype
    # Bits, so that zeros have signs.
    assert got.tobytes() == expected.tobytes()
    for a, b in zip(state, expected_state, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(after, expected_after)


def test_normal_numbers_between_those_of_other_functions():
    def numbers(compiled):
        np.random.seed(2)
        for n in 101, 3, 500, 1, 1001:
            yield normal_numbers((n, 3), 'd', None, compiled)
            yield np.random.rand(n)
            yield np.random.gamma(2., size=3)      # by the normal numbers of pairs
            yield np.random.randint(9, size=n)
            yield normal_numbers((n,), 'f', .1, compiled)
        yield np.random.get_state()[1]
    for a, b in zip(list(numbers(True)), list(numbers(False)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize('deviation', [
    0, 0., -0., -1., np.nan, np.inf, 1e40, 1e-320, np.full(300, .5), 'x'])
def test_other_deviations_are_those_of_numpy(deviation):
    results = []
    for compiled in True, False:
        np.random.seed(1)
        try:
            with np.errstate(over='ignore'):
                results.append(
                    normal_numbers((300,), 'f', deviation, compiled).tobytes())
        except (ValueError, TypeError) as error:
            results.append(repr(error))
    assert results[0] == results[1]


@pytest.mark.parametrize('dtype', 'efd')
def test_it_is_the_compiled_form_that_runs(dtype):
    drawn = noise._compiled.normal((20, 20), np.dtype(dtype), .5)
    assert (drawn is NotImplemented) == forced.GENERAL
    # NumPy is faster for a few numbers.
    assert noise._compiled.normal((20,), np.dtype(dtype), .5) is NotImplemented


def test_normal_numbers_of_a_numpy_that_computes_differently():
    # Such as one with fused multiply-adds: then NumPy draws all numbers.
    program = """
import numpy as np
class Other(np.random.RandomState):
    def standard_normal(self, size):
        return np.nextafter(super().standard_normal(size), 9)
np.random.RandomState = Other
from chainer_fast.backends.kernels.noise import compiled
print(compiled.normal((300,), np.dtype('f'), None))
"""
    done = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, check=True)
    assert done.stdout == 'NotImplemented\n'


def test_replaced_functions_of_numpy(monkeypatch):
    monkeypatch.setattr(
        np.random, 'normal', lambda mean, deviation, shape: np.full(shape, deviation))
    monkeypatch.setattr(
        np.random, 'standard_normal', lambda shape: np.full(shape, 8., 'e'))
    assert (normal_numbers((300,), 'f', .25) == .25).all()
    assert (noise.standard_normal(np.empty((20, 30), 'f')) == 8).all()


@pytest.mark.parametrize('make', [np.random.PCG64, np.random.MT19937])
@pytest.mark.parametrize('before', [0, 1])
def test_another_generator(make, before):
    if not hasattr(np.random, 'set_bit_generator'):
        pytest.skip('this NumPy has one global generator only')
    original = np.random.get_bit_generator()
    numbers = []
    try:
        for compiled in True, False:
            np.random.set_bit_generator(make(3))
            np.random.standard_normal(before)
            numbers += [normal_numbers((501,), 'd', None, compiled),
                        np.random.standard_normal(2)]
    finally:
        np.random.set_bit_generator(original)
    np.testing.assert_array_equal(numbers[0], numbers[2])
    np.testing.assert_array_equal(numbers[1], numbers[3])


def test_threads_share_the_normal_numbers():
    results = []
    sizes = 40001, 301, 1, 1000

    def draw():
        for n in sizes:
            results.append(normal_numbers((n,), 'd', None))
    np.random.seed(0)
    in_threads([draw] * 4)
    state = np.random.get_state()
    np.random.seed(0)
    expected = np.random.standard_normal(4 * sum(sizes))
    # Each number once.
    np.testing.assert_array_equal(
        np.sort(np.concatenate(results)), np.sort(expected))
    np.testing.assert_array_equal(state[1], np.random.get_state()[1])
