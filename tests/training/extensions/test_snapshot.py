import os
import time

import numpy
import pytest

import chainer_fast
from chainer_fast import serializers, training
from chainer_fast.training import extensions
from chainer_fast.training.extensions import _snapshot, snapshot_writers
from tests.training import stubs


class Target:

    def __init__(self, value=0.):
        self.value = numpy.full(3, value)

    def serialize(self, serializer):
        self.value = serializer('value', self.value)


@pytest.fixture
def trainer(tmp_path):
    return stubs.make_trainer(out=tmp_path)


def files(trainer):
    return sorted(os.listdir(trainer.out))


WRITERS = [snapshot_writers.SimpleWriter, snapshot_writers.ThreadWriter,
           snapshot_writers.ProcessWriter, snapshot_writers.ThreadQueueWriter,
           snapshot_writers.ProcessQueueWriter]


@pytest.mark.parametrize('writer', WRITERS)
@pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning')
def test_every_writer_saves_what_was_there_at_the_call(trainer, writer):
    target = Target()

    def change(trainer):
        target.value += 1

    trainer.extend(change)
    trainer.extend(extensions.snapshot_object(
        target, 'x_{.updater.iteration}', writer=writer()), trigger=(2, 'iteration'))
    trainer.run()
    assert files(trainer) == ['x_2', 'x_4']
    for i in 2, 4:
        loaded = Target()
        serializers.load_npz(os.path.join(trainer.out, 'x_%d' % i), loaded)
        assert loaded.value.tolist() == [i] * 3


@pytest.mark.parametrize('writer', [
    snapshot_writers.ThreadWriter, snapshot_writers.ThreadQueueWriter])
def test_writer_can_be_used_again_after_it_was_finalized(tmp_path, writer):
    done = []

    def slow(path, target):
        time.sleep(.05)
        done.append(target)
        open(path, 'w').close()

    writer = writer(slow)
    for i in range(2 if isinstance(writer, snapshot_writers.ThreadWriter) else 1):
        writer('f', str(tmp_path), i)
        writer.finalize()
        assert done == list(range(i + 1))
    writer.finalize()


def test_queue_survives_a_failure(tmp_path, capsys):
    def save(path, target):
        if target == 1:
            raise OSError('disk full')
        open(path, 'w').close()

    writer = snapshot_writers.ThreadQueueWriter(save)
    writer('a', str(tmp_path), 1)
    writer('b', str(tmp_path), 2)
    writer.finalize()
    assert os.listdir(tmp_path) == ['b']
    assert 'disk full' in capsys.readouterr().err


def test_failed_save_leaves_nothing(tmp_path):
    def save(path, target):
        open(path, 'w').close()
        raise OSError('disk full')

    with pytest.raises(OSError, match='disk full'):
        snapshot_writers.SimpleWriter(save)('a', str(tmp_path), {})
    assert os.listdir(tmp_path) == []


def test_arguments_for_the_saving_function(tmp_path):
    calls = []

    def save(path, target, **kwargs):
        calls.append((os.path.basename(path), target, kwargs))
        open(path, 'w').close()

    for writer in snapshot_writers.SimpleWriter, snapshot_writers.ThreadWriter:
        w = writer(save, level=3)
        w('name', str(tmp_path), {})
        w.finalize()
    assert calls == [('name', {}, {'level': 3})] * 2


def test_bases_of_writers():
    for call in (lambda: snapshot_writers.Writer()('a', '.', {}),
                 lambda: snapshot_writers.StandardWriter()('a', '.', {}),
                 snapshot_writers.QueueWriter):
        with pytest.raises(NotImplementedError, match='has to define'):
            call()


def test_default_is_the_trainer_once_an_epoch(trainer):
    trainer.extend(extensions.snapshot())
    trainer.run()
    assert files(trainer) == ['snapshot_iter_2', 'snapshot_iter_4']
    other = stubs.make_trainer()
    serializers.load_npz(os.path.join(trainer.out, 'snapshot_iter_2'), other)
    assert other.updater.iteration == 2
    snapshot = trainer.get_extension('_Snapshot')
    assert (snapshot.trigger, snapshot.priority) == ((1, 'epoch'), -100)


def test_condition_and_savefun(trainer):
    answers = iter([False, True])
    saved = []

    def save(path, target):
        saved.append(sorted(target))
        open(path, 'w').close()

    trainer.extend(extensions.snapshot(save, 'f', condition=lambda: next(answers)))
    trainer.run()
    assert saved == [[
        '_snapshot_elapsed_time', 'extension_triggers/_Snapshot/previous_epoch_detail',
        'extension_triggers/_Snapshot/previous_iteration',
        'stop_trigger/previous_epoch_detail', 'stop_trigger/previous_iteration',
        'updater/iteration']]


def test_savefun_and_writer_exclude_each_other():
    with pytest.raises(TypeError, match='together'):
        extensions.snapshot(savefun=max, writer=max)
    with pytest.raises(TypeError, match='together'):
        extensions.snapshot_object(Target(), 'f', savefun=max, writer=max)
    with pytest.raises(TypeError):
        extensions.snapshot(trigger=(1, 'epoch'))


def test_name_from_a_function(trainer):
    trainer.extend(extensions.snapshot_object(
        Target(), lambda t: 'f%d' % t.updater.iteration, n_retains=1, autoload=True))
    trainer.run()
    assert files(trainer) == ['f2', 'f4']


def test_snapshot_on_error(trainer):
    @training.make_extension()
    def fail(trainer):
        raise KeyError

    trainer.extend(fail)
    trainer.extend(extensions.snapshot_object(Target(), 'never'))
    trainer.extend(extensions.snapshot_object(
        Target(), 'at_error', snapshot_on_error=True))
    with pytest.raises(KeyError):
        trainer.run(show_loop_exception_msg=False)
    assert files(trainer) == ['at_error']


def touch(folder, *names):
    for i, name in enumerate(names):
        path = os.path.join(folder, name)
        open(path, 'w').close()
        os.utime(path, (i, i))


@pytest.mark.parametrize('fmt, found', [
    ('s_{}', ['s_2', 's_10', 's_1', 's_{}']),
    ('s_{.updater.iteration}', ['s_2', 's_10', 's_1', 's_{}']),
    ('{0.updater.iteration:03d}_s', ['1_s']),
    ('s_{{}}', ['s_{}']),
    ('s.{}', []), ('s_2', ['s_2'])])
def test_finding_files(tmp_path, fmt, found):
    touch(tmp_path, 's_2', 's_10', 's_1', '1_s', 's_{}', 'as_1')
    assert [name for _, name in _snapshot._find_snapshot_files(fmt, tmp_path)] == found
    assert _snapshot._find_latest_snapshot(fmt, tmp_path) == (
        found[-1] if found else None)
    for n in 1, 2, 9:
        assert _snapshot._find_stale_snapshots(fmt, tmp_path, n) == found[:-n]


@pytest.mark.parametrize('writer', [
    snapshot_writers.SimpleWriter, snapshot_writers.ThreadQueueWriter])
def test_old_snapshots_are_removed(tmp_path, writer):
    trainer = stubs.make_trainer((6, 'iteration'), out=tmp_path)
    touch(tmp_path, 'other', 'snapshot_iter_0')
    trainer.extend(
        extensions.snapshot(n_retains=2, writer=writer()), trigger=(1, 'iteration'))
    trainer.extend(lambda t: time.sleep(.02), priority=-200)  # for distinct times
    trainer.run()
    assert files(trainer) == ['other', 'snapshot_iter_5', 'snapshot_iter_6']


def test_autoload(tmp_path):
    def make(n, **kwargs):
        trainer = stubs.make_trainer((n, 'iteration'), out=tmp_path)
        trainer.extend(extensions.snapshot(**kwargs))
        iterations = []
        trainer.extend(lambda t: iterations.append(t.updater.iteration))
        trainer.run()
        return iterations

    assert make(4, autoload=True) == [1, 2, 3, 4]
    assert make(6, autoload=True) == [5, 6]
    assert make(2) == [1, 2]


def test_autoload_of_an_object(trainer):
    model = chainer_fast.links.Linear(2, 2)
    serializers.save_npz(os.path.join(trainer.out, 'model_3'), model)
    other = chainer_fast.links.Linear(2, 2)
    trainer.extend(extensions.snapshot_object(other, 'model_{}', autoload=True))
    trainer.get_extension('_Snapshot').initialize(trainer)
    numpy.testing.assert_array_equal(other.W.array, model.W.array)
