"""Optimizers of version 1: methods on gradients, and classes that programs define."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import links as L
from chainer_fast.legacy import _report


@pytest.fixture(autouse=True)
def v1(enable):
    enable()


def make(optimizer):
    link = L.Linear(2, 3, initialW=1)
    optimizer.setup(link)
    optimizer.zero_grads()
    return link


def test_zero_grads():
    link = make(chainer.optimizers.SGD())
    for param in link.params():
        np.testing.assert_array_equal(param.grad, np.zeros_like(param.array))


def test_clip_grads_and_norm():
    optimizer = chainer.optimizers.SGD()
    link = make(optimizer)
    link.W.grad[...] = 2
    link.b.grad[...] = 1
    norm = optimizer.compute_grads_norm()
    assert type(norm) is float
    assert norm == pytest.approx(27 ** 0.5)
    optimizer.clip_grads(1)
    assert optimizer.compute_grads_norm() == pytest.approx(1)
    optimizer.clip_grads(10)
    assert optimizer.compute_grads_norm() == pytest.approx(1)


def test_weight_decay_and_accumulate_grads():
    optimizer = chainer.optimizers.SGD()
    link = make(optimizer)
    optimizer.weight_decay(0.5)
    np.testing.assert_allclose(link.W.grad, np.full((3, 2), 0.5))
    optimizer.accumulate_grads(
        [np.ones((3, 2), np.float32), np.full(3, 4, np.float32)])
    np.testing.assert_allclose(link.W.grad, np.full((3, 2), 1.5))
    np.testing.assert_allclose(link.b.grad, np.full(3, 4))


@pytest.mark.filterwarnings('ignore:Hook functions:DeprecationWarning')
@pytest.mark.filterwarnings('ignore:.*optimizer_hooks:DeprecationWarning')
def test_hooks_called_with_an_optimizer():
    optimizer = chainer.optimizers.SGD()
    link = make(optimizer)
    chainer.optimizer.WeightDecay(0.5)(optimizer)
    np.testing.assert_allclose(link.W.grad, np.full((3, 2), 0.5))
    chainer.optimizer.Lasso(1)(optimizer)
    np.testing.assert_allclose(link.W.grad, np.full((3, 2), 1.5))
    chainer.optimizer.GradientHardClipping(-1, 1)(optimizer)
    np.testing.assert_allclose(link.W.grad, np.full((3, 2), 1))
    # The way of today goes on.
    chainer.optimizer.WeightDecay(0.5)(link.W.update_rule, link.W)
    np.testing.assert_allclose(link.W.grad, np.full((3, 2), 1.5))


# ---- classes that programs define

class Counting(chainer.GradientMethod):

    def __init__(self):
        self.lr = 0.5

    def init_state_cpu(self, param, state):
        state['n'] = np.zeros_like(param.data)

    def update_one(self, param, state):
        state['n'] += 1
        param.data -= self.lr * param.grad * self.t


def test_own_gradient_method(tmp_path):
    optimizer = Counting()
    link = make(optimizer)
    assert set(optimizer._states) == {'/W', '/b'}
    link.W.grad[...] = 1
    optimizer.update()
    optimizer.update()
    np.testing.assert_allclose(link.W.array, np.full((3, 2), -0.5))
    np.testing.assert_array_equal(optimizer._states['/b']['n'], np.full(3, 2))

    chainer.serializers.save_npz(tmp_path / 'optimizer.npz', optimizer)
    other = Counting()
    make(other)
    chainer.serializers.load_npz(tmp_path / 'optimizer.npz', other)
    assert other.t == 2
    np.testing.assert_array_equal(other._states['/b']['n'], np.full(3, 2))


def test_own_methods_are_counted_where_they_are_defined():
    _report.clear()
    make(Counting())
    uses = _report.uses()
    places = [place for what in ('init_state_cpu',)
              for place in uses['chainer.Optimizer.' + what]]
    code = Counting.init_state_cpu.__code__
    assert places == [(code.co_filename, code.co_firstlineno)]
    assert 'chainer.GradientMethod.update_one' in uses
    assert 'chainer.GradientMethod.update_one_cpu' not in uses


def test_own_optimizer_that_prepares_states():
    class Own(chainer.Optimizer):
        def init_state(self, param, state):
            state['sum'] = 0.

        def update(self, lossfun=None, *args):
            self.prepare()
            self.t += 1
            for name, param in self.target.namedparams():
                self._states[name]['sum'] += float(param.grad.sum())

    optimizer = Own()
    link = make(optimizer)
    link.W.grad[...] = 1
    optimizer.update()
    optimizer.update()
    assert optimizer._states == {'/W': {'sum': 12.}, '/b': {'sum': 0.}}


def test_a_class_that_defines_nothing():
    class Empty(chainer.GradientMethod):
        pass

    optimizer = Empty()
    make(optimizer)
    with pytest.raises(NotImplementedError, match='Empty defines neither update_one'):
        optimizer.update()


def test_states_of_todays_optimizers():
    optimizer = chainer.optimizers.MomentumSGD()
    make(optimizer)
    assert set(optimizer._states['/W']) == {'v'}
    optimizer.prepare()
    optimizer.update()
    assert optimizer.t == 1


class Halved(chainer.optimizers.MomentumSGD):

    def init_state(self, param, state):
        super().init_state(param, state)
        state['n'] = 0

    def update_one_cpu(self, param, state):
        super().update_one_cpu(param, state)
        state['n'] += 1
        param.data *= 0.5


def test_classes_derived_from_todays_optimizers():
    link, plain = L.Linear(2, 3, initialW=1), L.Linear(2, 3, initialW=1)
    halved = Halved(lr=0.5, momentum=0.5).setup(link)
    optimizer = chainer.optimizers.MomentumSGD(lr=0.5, momentum=0.5).setup(plain)
    for _ in range(2):
        for target in (link, plain):
            target.cleargrads()
            for param in target.params():
                param.grad = np.ones_like(param.array)
        halved.update()
        optimizer.update()
        plain.W.array *= 0.5
    np.testing.assert_array_equal(link.W.array, plain.W.array)
    assert halved._states['/W']['n'] == 2
    np.testing.assert_array_equal(
        halved._states['/W']['v'], plain.W.update_rule.state['v'])


def test_states_are_made_by_setup():
    link = make(Halved())
    assert link.W.update_rule.state['n'] == 0
    assert make(chainer.optimizers.MomentumSGD()).W.update_rule.state is None


def test_prepare_comes_after_the_hooks():
    calls = []

    class Own(chainer.optimizers.SGD):
        def prepare(self):
            calls.append(('prepare', self.t))

    optimizer = Own()
    make(optimizer)
    optimizer.add_hook(lambda optimizer: calls.append(('hook', optimizer.t)), 'hook')
    optimizer.update()
    assert calls == [('prepare', 0), ('hook', 0), ('prepare', 0)]
    assert optimizer.t == 1
