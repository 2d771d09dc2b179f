import pytest

from chainer_fast.training import triggers
from tests.training import stubs


def test_once():
    trigger = triggers.OnceTrigger()
    assert [(trigger.finished, trigger(None)) for _ in range(3)] == [
        (False, True), (True, False), (True, False)]


@pytest.mark.parametrize('again', [False, True])
def test_once_after_resuming(again):
    trigger = triggers.OnceTrigger(again)
    trigger(None)
    assert list(stubs.save(trigger)) == ['_flag_first']
    resumed = stubs.load(triggers.OnceTrigger(again), stubs.save(trigger))
    assert resumed.finished == (not again)
    assert [resumed(None), resumed(None)] == [again, False]


def test_once_from_an_early_snapshot():
    with pytest.warns(UserWarning, match='OnceTrigger'):
        trigger = stubs.load(triggers.OnceTrigger(), {})
    assert trigger.finished


def test_a_period_that_is_no_number_never_ends():
    trainer = stubs.Observation()
    trainer.elapsed_time = 1.
    assert not triggers.TimeTrigger(float('nan'))(trainer)


def test_time():
    trainer = stubs.Observation()
    trigger = triggers.TimeTrigger(1)

    def at(time):
        trainer.elapsed_time = time
        return trigger(trainer)

    assert [at(time) for time in (.5, 1., 1.2, 1.3, 2.1, 2.2)] == [
        False, False, True, False, True, False]
    trigger = stubs.load(triggers.TimeTrigger(1), stubs.save(trigger))
    assert [at(time) for time in (2.9, 3.1)] == [False, True]
