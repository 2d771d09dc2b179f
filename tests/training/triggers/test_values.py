"""MaxValueTrigger, MinValueTrigger, BestValueTrigger and EarlyStoppingTrigger."""
import operator

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast.training import triggers
from tests.training import stubs

values = st.lists(st.integers(-5, 5), min_size=8, max_size=8)


@given(values, st.integers(1, 3), st.integers(0, 8))
@pytest.mark.parametrize('cls, better', [
    (triggers.MaxValueTrigger, operator.gt), (triggers.MinValueTrigger, operator.lt)])
def test_fires_at_a_new_best_mean(cls, better, values, period, interruption):
    trainer = stubs.Observation()
    trigger = cls('x', (period, 'iteration'))
    best = None
    for i, value in enumerate(values):
        if i == interruption:
            trigger = stubs.load(cls('x', (period, 'iteration')), stubs.save(trigger))
        fired = trigger(trainer.step(x=numpy.float32(value)))
        expected = False
        if (i + 1) % period == 0:
            mean = numpy.mean(values[i + 1 - period:i + 1])
            expected = best is None or better(mean, best)
            best = mean if expected else best
        assert fired == expected


def test_value_may_be_a_variable():
    trainer = stubs.Observation(1)
    trigger = triggers.MaxValueTrigger('x')
    assert trigger(trainer.step(x=chainer_fast.Variable(numpy.array(2., 'f'))))
    assert trigger._best_value == 2


def test_value_that_is_not_reported():
    with pytest.raises(KeyError):
        triggers.MinValueTrigger('x')(stubs.Observation(1).step())


def test_comparison_of_ones_own():
    trainer = stubs.Observation(1)
    trigger = triggers.BestValueTrigger('x', lambda best, new: new > 2 * best)
    assert [trigger(trainer.step(x=x)) for x in (1, 2, 3, 5, 7)] == [
        True, False, True, False, True]
    assert sorted(stubs.save(trigger)) == [
        'best_value', 'interval_trigger/previous_epoch_detail',
        'interval_trigger/previous_iteration', 'summary/_names']


def stops(values, key='loss', length=1, **kwargs):
    trainer = stubs.Observation(length)
    trigger = triggers.EarlyStoppingTrigger(monitor=key, **kwargs)
    return [trigger(trainer.step(**{key: numpy.float32(v)})) for v in values]


def test_early_stopping():
    assert stops([5, 4, 6, 7, 3, 8, 8, 8], patience=2) == [
        False, False, False, True, False, False, True, True]
    assert stops([1, 2, 2, 2, 2, 2]) == [False] * 3 + [True] * 3


@pytest.mark.parametrize('key, mode, up', [
    ('loss', 'auto', False), ('accuracy', 'auto', True), ('loss', 'max', True),
    ('accuracy', 'min', False), ('loss', 'other', False)])
def test_which_way_is_better(key, mode, up):
    assert stops([1, 2, 3], key, patience=1, mode=mode) == (
        [False] * 3 if up else [False, True, True])


def test_early_stopping_compares_means():
    assert stops([5, 4, 6, 7, 3, 8, 8, 8], patience=2, check_trigger=(2, 'epoch')) == [
        False] * 5 + [True, False, True]


@pytest.mark.parametrize('unit', ['epoch', 'iteration'])
def test_early_stopping_has_an_end(unit):
    assert stops([3, 2, 1, 0], max_trigger=(3, unit)) == [False, False, True, False]
    trigger = triggers.EarlyStoppingTrigger(max_trigger=(3, unit))
    assert trigger.get_training_length() == (3, unit)


def test_early_stopping_without_the_value():
    trigger = triggers.EarlyStoppingTrigger()
    with pytest.warns(UserWarning, match='main/loss is not in observation'):
        assert not trigger(stubs.Observation(1).step())


@pytest.mark.parametrize('interruption', range(7))
def test_early_stopping_goes_on_from_a_snapshot(interruption):
    values = [5, 4, 6, 4.5, 7, 3, 8, 8, 8, 8, 8, 8]

    def make():
        return triggers.EarlyStoppingTrigger(
            (2, 'iteration'), 'x', 1, max_trigger=(9, 'iteration'))

    def run(restart):
        trainer, trigger = stubs.Observation(3), make()
        for i, value in enumerate(values):
            if i == restart:
                trigger = stubs.load(make(), stubs.save(trigger))
            yield trigger(trainer.step(x=numpy.float32(value)))

    assert list(run(interruption)) == list(run(None))


def test_early_stopping_loads_a_snapshot_that_lacks_its_state():
    trigger = triggers.EarlyStoppingTrigger(mode='max')
    trigger.count, trigger.best = 2, 3.
    stubs.load(trigger, {})
    assert (trigger.count, trigger.best) == (2, 3.)


def test_early_stopping_tells(capsys):
    assert stops([1, 2], patience=1, verbose=True) == [False, True]
    assert capsys.readouterr().out == (
        'early stopping: operator is less\nEpoch 2: early stopping\n')


def test_early_stopping_on_ones_own_condition(capsys):
    class Patient(triggers.EarlyStoppingTrigger):
        def _stop_condition(self):
            return self.count > self.patience

    trigger = Patient((1, 'iteration'), 'x', 1, verbose=True)
    trainer = stubs.Observation()
    assert [trigger(trainer.step(x=x)) for x in (1, 2, 3)] == [False, False, True]
    assert capsys.readouterr().out.endswith('Epoch 1: early stopping\n')


def test_former_name_of_patience():
    assert triggers.EarlyStoppingTrigger(patients=5).patience == 5
    with pytest.raises(TypeError, match='patients'):
        triggers.EarlyStoppingTrigger(patience=5, patients=5)
    with pytest.raises(TypeError):
        triggers.EarlyStoppingTrigger(foo=5)
