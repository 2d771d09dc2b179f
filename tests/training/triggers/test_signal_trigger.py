import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from chainer_fast.training import triggers
from tests.training import stubs

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def handlers():
    """Checks that each test leaves the handlers as they were."""
    names = signal.SIGTERM, signal.SIGINT
    before = [signal.getsignal(name) for name in names]
    yield
    after = [signal.getsignal(name) for name in names]
    for name, handler in zip(names, before, strict=True):
        signal.signal(name, handler)
    assert after == before


def run(trigger, at, tmp_path, stop=(5, 'iteration'), name=signal.SIGTERM):
    """Raise a signal in some iterations, and return those in which a trigger fires."""
    fired = []
    trainer = stubs.make_trainer(stop, out=tmp_path)

    def send(trainer):
        assert trainer.updater.iteration < 20   # or the training does not end
        if trainer.updater.iteration in at:
            signal.raise_signal(name)

    trainer.extend(send, name='raise', priority=300)
    trainer.extend(lambda trainer: fired.append(trainer.updater.iteration),
                   name='fired', trigger=trigger)
    trainer.run()
    return fired, trainer.updater.iteration


def test_fires_once_for_each_iteration_with_a_signal(tmp_path):
    assert run(triggers.SignalTrigger('SIGTERM'), [2, 4], tmp_path) == ([2, 4], 5)


@pytest.mark.parametrize('given', [
    'SIGINT', signal.SIGINT, int(signal.SIGINT), ('SIGTERM', 'SIGINT')])
def test_names(given, tmp_path):
    trigger = triggers.SignalTrigger(given)
    assert signal.SIGINT in trigger.signals
    assert run(trigger, [3], tmp_path, name=signal.SIGINT) == ([3], 5)


def test_one_trigger_saves_and_stops(tmp_path):
    trigger = triggers.SignalTrigger('SIGTERM', max_trigger=(5, 'iteration'))
    assert trigger.get_training_length() == (5, 'iteration')
    assert run(trigger, [3], tmp_path, stop=trigger) == ([3], 3)
    trigger = triggers.SignalTrigger('SIGTERM', max_trigger=(5, 'iteration'))
    assert run(trigger, [], tmp_path, stop=trigger) == ([5], 5)


def test_a_signal_between_extension_and_end_is_of_the_next_iteration(tmp_path):
    """Otherwise the training would end without the snapshot."""
    trigger = triggers.SignalTrigger('SIGTERM', max_trigger=(5, 'iteration'))
    trainer = stubs.make_trainer(trigger, out=tmp_path)
    saved = []
    trainer.extend(lambda trainer: saved.append(trainer.updater.iteration),
                   trigger=trigger, name='save')
    trainer.extend(
        lambda trainer: trainer.updater.iteration == 2 and signal.raise_signal(
            signal.SIGTERM), name='raise', priority=-300)
    trainer.run()
    assert saved == [3] and trainer.updater.iteration == 3


def test_several_triggers_of_a_signal(tmp_path):
    trainer = stubs.make_trainer(
        triggers.SignalTrigger('SIGTERM'), out=tmp_path)
    fired = []
    for name in 'ab':
        trainer.extend(lambda trainer, name=name: fired.append(name),
                       trigger=triggers.SignalTrigger('SIGTERM'), name=name)
    trainer.extend(
        lambda trainer: trainer.updater.iteration == 2 and signal.raise_signal(
            signal.SIGTERM), name='raise', priority=300)
    trainer.run()
    assert fired == ['a', 'b'] and trainer.updater.iteration == 2


def test_former_handler_after_an_error(tmp_path):
    called = []
    former = signal.signal(signal.SIGTERM, lambda *args: called.append(args))
    trainer = stubs.make_trainer(triggers.SignalTrigger('SIGTERM'), out=tmp_path)
    trainer.extend(lambda trainer: 1 / 0, name='fails')
    with pytest.raises(ZeroDivisionError):
        trainer.run(show_loop_exception_msg=False)
    signal.raise_signal(signal.SIGTERM)
    assert len(called) == 1
    signal.signal(signal.SIGTERM, former)


def test_handler_that_a_program_sets_meanwhile_stays(tmp_path):
    own = lambda *args: None    # noqa: E731
    former = signal.getsignal(signal.SIGTERM)
    trigger = triggers.SignalTrigger('SIGTERM')
    signal.signal(signal.SIGTERM, own)
    run(trigger, [], tmp_path)
    assert signal.getsignal(signal.SIGTERM) is own
    signal.signal(signal.SIGTERM, former)


def test_snapshots_have_the_state_of_the_other_trigger():
    trigger = triggers.SignalTrigger('SIGTERM', max_trigger=(2, 'iteration'))
    trainer = stubs.make_trainer(trigger)
    for _ in range(3):
        trainer.updater.update()
        trigger(trainer)
    saved = stubs.save(trigger)
    assert saved['max_trigger/previous_iteration'] == 3
    trigger._end()
    other = triggers.SignalTrigger('SIGTERM', max_trigger=(2, 'iteration'))
    stubs.load(other, saved)
    assert not other(trainer)
    trainer.updater.update()
    assert other(trainer)
    other._end()


@pytest.mark.posix('the program is forked')
def test_a_forked_process_ends_by_the_signal():
    trigger = triggers.SignalTrigger('SIGTERM')
    pid = os.fork()
    if not pid:
        signal.raise_signal(signal.SIGTERM)
        os._exit(3)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM
    assert not trigger._received
    trigger._end()


def test_a_job_that_is_ended_goes_on(tmp_path):
    for at, expected in (2, '2'), (4, '4'), (0, '6'):
        done = subprocess.run(
            [sys.executable, '-m', 'tests.training.triggers.ended_job',
             str(tmp_path / 'out'), str(at)], check=True, cwd=ROOT,
            capture_output=True, text=True, timeout=120)
        assert done.stdout.split() == [expected]


def test_errors():
    with pytest.raises(ValueError, match="no signal 'SIGNONE'; it has .*SIGTERM"):
        triggers.SignalTrigger('SIGNONE')
    with pytest.raises(ValueError, match='no signal 4000'):
        triggers.SignalTrigger(4000)
    with pytest.raises((OSError, ValueError)):      # it exists on POSIX alone
        triggers.SignalTrigger('SIGKILL')
    errors = []

    def in_a_thread():
        with pytest.raises(ValueError, match='main thread') as caught:
            triggers.SignalTrigger('SIGTERM')
        errors.append(caught)

    thread = threading.Thread(target=in_a_thread)
    thread.start()
    thread.join()
    assert len(errors) == 1
