"""Walker's alias method."""
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chainer_fast.utils import walker_alias


def shares(sampler):
    """Return the probabilities that the buckets of a sampler add up to."""
    n = len(sampler.threshold)
    own, alias = sampler.values.reshape(n, 2).T
    heights = np.minimum(sampler.threshold.astype('d'), 1)
    return (np.bincount(own, heights, n) + np.bincount(alias, 1 - heights, n)) / n


@given(st.lists(st.integers(0, 100) | st.floats(0, 1e4), min_size=1, max_size=30))
def test_buckets_hold_the_probabilities(weights):
    assume(sum(weights) > 1e-3)
    sampler = walker_alias.WalkerAlias(weights)
    np.testing.assert_allclose(
        shares(sampler), np.array(weights) / sum(weights), rtol=0, atol=1e-6)
    assert (sampler.threshold.dtype, sampler.values.dtype) == (np.float32, np.int32)


# What Chainer 7.8.1 makes of these weights, and draws with this seed.
KNOWN = [
    ([5, 3, 4, 1, 2],
     [0.3333333432674408, 0.6666666865348816, 0.3333333730697632,
      0.33333346247673035, 1.000000238418579],
     [3, 1, 4, 2, 1, 2, 2, 0, 0, 0], [2, 0, 2, 2, 1, 2]),
    ([0.1, 0.2, 0.7], [0.30000001192092896, 0.6000000238418579, 1],
     [0, 2, 1, 2, 2, 0], [2, 2, 2, 2, 1, 2]),
    ([1, 1], [1, 1], [0, 0, 1, 0], [1, 1, 1, 1, 0, 1]),
    ([0, 1], [0, 1], [0, 1, 1, 0], [1, 1, 1, 1, 1, 1]),
]


@pytest.mark.parametrize('weights, threshold, values, sample', KNOWN, ids=str)
def test_known_samplers(weights, threshold, values, sample):
    sampler = walker_alias.WalkerAlias(weights)
    np.testing.assert_array_equal(sampler.threshold, np.array(threshold, 'f'))
    np.testing.assert_array_equal(sampler.values, values)
    np.random.seed(0)
    np.testing.assert_array_equal(sampler.sample((2, 3)).ravel(), sample)


def test_shapes_of_samples():
    sampler = walker_alias.WalkerAlias([1, 2, 3])
    for shape in ((), (4,), (2, 0), (2, 3)):
        assert sampler.sample(shape).shape == shape
    assert sampler.sample(5).shape == (5,)
    assert sampler.sample(5).dtype == np.int32
    assert sampler.sample_xp(np, (2,)).shape == (2,)


def test_frequencies():
    weights = np.array([5, 3, 4, 1, 2])
    np.random.seed(0)
    counts = np.bincount(walker_alias.WalkerAlias(weights).sample(30000))
    np.testing.assert_allclose(counts / 30000, weights / 15, atol=.01)


def test_a_uniform_number_chooses_the_bucket():
    sampler = walker_alias.WalkerAlias([1] * 7)
    np.random.seed(0)
    sample = sampler.sample(1000)
    np.random.seed(0)
    np.testing.assert_array_equal(sample, np.random.uniform(0, 7, 1000).astype('i'))


def test_one_number_a_sample():
    np.random.seed(0)
    walker_alias.WalkerAlias([1, 2]).sample((2, 3))
    after = np.random.rand()
    np.random.seed(0)
    np.random.rand(6)
    assert after == np.random.rand()


def test_device():
    sampler = walker_alias.WalkerAlias([1, 2])
    assert not sampler.use_gpu
    assert sampler.xp is np

    class Visitor:
        def visit_device_resident(self, resident):
            assert resident is sampler

        def visit_array(self, array):
            return array.copy()

    before = sampler.threshold, sampler.values
    sampler.device_resident_accept(Visitor())
    for old, new in zip(before, (sampler.threshold, sampler.values), strict=True):
        assert old is not new
        np.testing.assert_array_equal(old, new)


def test_heights_are_as_precise_as_thresholds(monkeypatch):
    sampler = walker_alias.WalkerAlias([3, 1, 2, 7, 5] * 200)
    # Less than the threshold by less than single precision tells; Chainer 7.8.1 draws
    # the alias.
    height = 696.6666626008931
    assert height - 696 < sampler.threshold[696]
    monkeypatch.setattr(np.random, 'uniform', lambda *args: np.array([height]))
    assert sampler.sample(1) == sampler.values[2 * 696 + 1] == 663
