"""IntervalTrigger and ManualScheduleTrigger."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import training
from tests.training import stubs

lengths = st.sampled_from([.5, 1, 2, 2.5, 3, 7])
units = st.sampled_from(['iteration', 'epoch'])
periods = st.sampled_from([1, 2, 3, 1.5])
calls = st.lists(st.booleans(), min_size=12, max_size=12)
interruptions = st.integers(0, 12)


def position(trainer, unit):
    updater = trainer.updater
    return updater.iteration if unit == 'iteration' else updater.epoch_detail


def run(make, length, unit, calls, interruption):
    """Yield (before, now, fired) for each call of a trigger that is resumed once."""
    trainer, trigger, before = stubs.Observation(length), make(), 0
    for i, call in enumerate(calls):
        if i == interruption:
            trigger = stubs.load(make(), stubs.save(trigger))
        trainer.step()
        if call:
            now = position(trainer, unit)
            yield before, now, trigger(trainer), trigger
            before = now


@given(lengths, units, periods, calls, interruptions)
def test_interval_fires_once_a_multiple_is_reached(
        length, unit, period, calls, interruption):
    def make():
        return training.triggers.IntervalTrigger(period, unit)

    for before, now, fired, _ in run(make, length, unit, calls, interruption):
        multiples = [k * period for k in range(1, 50)]
        assert fired == any(before < m <= now for m in multiples)


@given(lengths, units, st.lists(st.sampled_from([1, 2, 2.5, 5]), max_size=3), calls,
       interruptions)
def test_schedule_fires_once_a_point_is_reached(
        length, unit, points, calls, interruption):
    def make():
        return training.triggers.ManualScheduleTrigger(points, unit)

    for before, now, fired, trigger in run(make, length, unit, calls, interruption):
        assert fired == any(before < p <= now for p in points)
        assert trigger.finished == (bool(points) and now >= max(points))


@pytest.mark.parametrize('points', [[0], [0, -1], [np.int8(0)]])
def test_a_schedule_that_never_fires_is_not_finished(points):
    trainer = stubs.Observation()
    trigger = training.triggers.ManualScheduleTrigger(points, 'iteration')
    for _ in range(3):
        trainer.step()
        assert not trigger(trainer)
        assert trigger.finished is False


def test_a_point_in_an_array():
    trainer = stubs.Observation()
    trigger = training.triggers.ManualScheduleTrigger([np.array([1])], 'iteration')
    trainer.step()
    assert trigger(trainer) is True
    assert trigger.finished is True


def test_does_not_fire_before_the_first_iteration():
    trainer = stubs.Observation()
    assert not training.triggers.IntervalTrigger(1, 'epoch')(trainer)
    assert not training.triggers.ManualScheduleTrigger(1, 'epoch')(trainer)


def test_attributes():
    trigger = training.triggers.IntervalTrigger(1.5, 'epoch')
    assert trigger.get_training_length() == (1.5, 'epoch')
    assert str(trigger) == "IntervalTrigger(1.5, 'epoch')"
    assert training.triggers.ManualScheduleTrigger(3, 'epoch').points == [3]


def test_interval_counts_epochs():
    trainer = stubs.Observation(2)
    trigger = training.triggers.IntervalTrigger(1.5, 'epoch')
    for expected in (0, 0, 1, 1, 1, 2):
        trigger(trainer.step())
        assert trigger.count == expected


@pytest.mark.parametrize('cls', [
    training.triggers.IntervalTrigger, training.triggers.ManualScheduleTrigger])
def test_unknown_unit(cls):
    with pytest.raises(ValueError, match="'day'"):
        cls(1, 'day')


def test_names_in_snapshots():
    assert sorted(stubs.save(training.triggers.IntervalTrigger(1, 'epoch'))) == [
        'previous_epoch_detail', 'previous_iteration']
    assert sorted(stubs.save(training.triggers.ManualScheduleTrigger(1, 'epoch'))) == [
        'finished', 'previous_epoch_detail', 'previous_iteration']


@pytest.mark.parametrize('cls, n_warnings', [
    (training.triggers.IntervalTrigger, 2),
    (training.triggers.ManualScheduleTrigger, 3)])
@pytest.mark.parametrize('unit', ['iteration', 'epoch'])
@pytest.mark.parametrize('before, fires', [(1, True), (4, False)])
def test_empty_snapshot_assumes_a_call_at_the_last_iteration(
        cls, n_warnings, unit, before, fires):
    with pytest.warns(UserWarning) as caught:
        trigger = stubs.load(cls(2, unit), {})
    assert len(caught) == n_warnings
    trainer = stubs.Observation(1)
    trainer.updater.iteration = before
    assert trigger(trainer.step()) == fires


def test_iterations_need_no_epochs():
    class Updater:
        iteration = 1

    class Trainer:
        updater = Updater()

    assert training.triggers.IntervalTrigger(1, 'iteration')(Trainer())
