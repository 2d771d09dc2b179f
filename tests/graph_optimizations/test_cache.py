"""How many kinds of calls static chains keep, and which."""
import copy
import gc
import pickle
import tracemalloc
import weakref

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.graph_optimizations import _cache
from tests.graph_optimizations.static_chains import Model, assert_same, draw


class Scaled(Model):
    """A static chain of which an argument is a number."""

    def __init__(self):
        super().__init__(lambda chain, x, beta: F.tanh(F.linear(x, chain.w) * beta))

    @chainer.static_graph(max_cache_size=4)
    def forward(self, x, beta=1.):
        return super().forward(x, beta)


def kept(chain):
    """Return how many entries there are in anything that is kept for calls."""
    manager = chain.schedule_manager
    calls = manager.calls
    return max(map(len, (manager.schedules, calls._kept, calls._graphs, calls._kinds,
                         calls.refused, calls._renewals)))


def is_planned(y):
    return y.creator.label == 'static_graph'


def called(chain, n=4, beta=1., times=4):
    """Return whether the last of some calls is made by a plan."""
    for _ in range(times):
        y = chain(chainer.Variable(draw(0, n, 3)), beta)
        chain.cleargrads()
        y.grad = draw(1, n, 3)
        y.backward()
    return is_planned(y)


def test_a_number_that_grows_is_neither_kept_nor_recorded():
    chain, plain = Scaled(), Model(lambda chain, x, beta: F.tanh(
        F.linear(x, chain.w) * beta))
    for i in range(100):
        x = chainer.Variable(draw(i, 4, 3))
        y, expected = chain(x, i * 1e-2), plain(x.array, i * 1e-2)
        np.testing.assert_allclose(y.array, expected.array, rtol=1e-6)
        assert kept(chain) <= 4
    assert chain.seen.count == 100


def test_a_number_that_stays_is_planned_after_others():
    chain = Scaled()
    for i in range(50):
        called(chain, beta=float(i), times=1)
    assert called(chain, beta=50.)
    # And so is one of a few that come in turns.
    for _ in range(4):
        found = [called(chain, beta=beta, times=1) for beta in (51., 52., 53.)]
    assert all(found)


def test_memory_of_many_sizes():
    chain = Scaled()
    for n in range(1, 8):
        called(chain, n)
    gc.collect()
    tracemalloc.start()
    try:
        for n in range(8, 30):
            called(chain, n)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for n in range(30, 90):
            called(chain, n)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert kept(chain) <= 4 and called(chain, 90)
    assert grown < 60 * 2000


def test_the_kind_that_was_not_called_for_longest_is_forgotten():
    chain = Scaled()
    for n in (1, 2, 3, 4):
        assert called(chain, n)
    assert called(chain, 1, times=1)
    assert called(chain, 5)
    before = chain.seen.count
    assert called(chain, 1, times=1) and chain.seen.count == before
    called(chain, 2, times=1)
    assert chain.seen.count > before


def test_what_compiled_code_recognizes_counts_as_called():
    chain = Scaled()
    assert called(chain, 1)
    for n in range(2, 30):
        called(chain, n, times=1)       # calls that are not planned
        before = chain.seen.count
        assert called(chain, 1, times=1) and chain.seen.count == before


def test_kinds_are_forgotten_with_their_memory_and_without_the_collector():
    chain = Scaled()
    called(chain, 1)
    (planned,), = chain.schedule_manager.calls._kept.values()
    workspace = weakref.ref(planned)
    del planned
    gc.collect()
    gc.disable()
    try:
        for n in range(2, 30):
            called(chain, n)
        assert workspace() is None
    finally:
        gc.enable()


def test_results_outlive_their_kind():
    chain, plain = Scaled(), Model(lambda chain, x: F.tanh(F.linear(x, chain.w)))
    called(chain, 2)
    x = chainer.Variable(draw(5, 2, 3))
    y = chain(x, 1.)
    for n in range(3, 40):
        called(chain, n)
    chain.cleargrads()
    y.grad = draw(6, 2, 3)
    y.backward()
    z = chainer.Variable(x.array)
    expected = plain(z)
    expected.grad = draw(6, 2, 3)
    expected.backward()
    assert_same([expected.array, z.grad, plain.w.grad], [y.array, x.grad, chain.w.grad],
                False)


def test_more_kinds_than_can_be_kept_run_the_code():
    chain = Scaled()
    for _ in range(3):
        for n in range(1, 20):
            called(chain, n, times=1)
    before = chain.seen.count
    assert not called(chain, 1, times=1)
    assert chain.seen.count == before + 1 and kept(chain) <= 4


def test_refused_kinds_are_forgotten_as_well():
    chain = Scaled()
    chain.compute = lambda chain, x, beta: F.gaussian(x, x * beta)
    for n in range(1, 30):
        called(chain, n, times=3)
        assert kept(chain) <= 4


def test_zeros_of_another_sign_and_nan():
    chain = Scaled()
    chain.compute = lambda chain, x, beta: x * beta
    for beta in (0., -0., np.float32(0), np.float32(-0.), -0., 0.):
        for _ in range(4):
            y = chain(chainer.Variable(np.ones((2, 3), 'f')), beta)
        assert np.signbit(y.array).all() == np.signbit(beta)
    for _ in range(4):
        called(chain, beta=float('nan'), times=1)
    assert len([k for k in chain.schedule_manager.calls._kinds
                if 'nan' in str(k.others)]) == 1


def test_gradients_of_many_sets_of_inputs():
    chain = Model(lambda chain, *xs: sum(F.tanh(x) for x in xs))
    static = type('Static', (Model,), {'forward': chainer.static_graph(Model.forward)})(
        lambda chain, *xs: sum(F.tanh(x) for x in xs))
    for i in range(100):
        xs = [chainer.Variable(draw(i + j, 2, 3)) for j in range(7)]
        wanted = [x for j, x in enumerate(xs) if (i + 1) >> j & 1]
        got = chainer.grad([static(*xs)], wanted)
        expected = chainer.grad([chain(*xs)], wanted)
        assert_same([g.array for g in expected], [g.array for g in got], False)
    (planned,), = static.schedule_manager.calls._kept.values()
    assert 4 < len(planned._gradient_plans) <= 16


def test_the_limit():
    assert chainer.graph_optimizations.static_graph.ScheduleManager(
        ).max_cache_size == _cache.LIMIT == 64
    chain = Scaled()
    called(chain)
    for copied in (copy.deepcopy(chain.schedule_manager),
                   pickle.loads(pickle.dumps(chain.schedule_manager))):
        assert copied.max_cache_size == 4
    for wrong in (0, -1):
        with pytest.raises(ValueError, match='max_cache_size is %d' % wrong):
            chainer.static_graph(max_cache_size=wrong)(Model.forward)


def test_a_limit_of_one():
    class One(Scaled):
        @chainer.static_graph(max_cache_size=1)
        def forward(self, x, beta=1.):
            return self.compute(self, x, beta)

    chain = One()
    assert called(chain, 1) and called(chain, 2) and called(chain, 1)
    for i in range(20):
        called(chain, 1 + i % 2, times=1)
        assert kept(chain) <= 1


@pytest.mark.gpu
def test_recordings_of_many_kinds(device):
    if device.xp is np:
        pytest.skip('arrays of a GPU are recorded')
    chain = Scaled()
    device.send(chain)
    for i in range(40):
        x = chainer.Variable(device.send(draw(0, 1 + i % 20, 3)))
        chain(x, float(i))
        assert len(chain.schedule_manager.recordings._kept) <= 4
        assert kept(chain) <= 4
