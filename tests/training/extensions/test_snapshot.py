import functools
import multiprocessing
import os
import pickle
import signal
import stat
import time

import numpy
import pytest

import chainer_fast
from chainer_fast import serializers, training
from chainer_fast.training import extensions
from chainer_fast.training.extensions import _snapshot, snapshot_writers
from tests.training import stubs
from tests.training.faults.small import in_child


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


def write_without_forks(folder, writer):
    multiprocessing.set_start_method('spawn', force=True)
    for save in serializers.save_npz, _fail:
        w = writer(save)
        w._add_cleanup_hook(functools.partial(print, 'a hook'))
        w(save.__name__, str(folder), Target().__dict__)
        w.finalize()


@pytest.mark.parametrize('writer', [
    snapshot_writers.ProcessWriter, snapshot_writers.ProcessQueueWriter])
@pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning')
def test_processes_that_are_not_forked(tmp_path, writer, capfd):
    told = in_child(write_without_forks, tmp_path, writer)
    assert told == {'result': None, 'error': None, 'warnings': [
        'a snapshot was not written: _fail: OSError: disk full']}
    assert os.listdir(tmp_path) == ['save_npz']
    assert capfd.readouterr().out == 'a hook\n'


@pytest.mark.parametrize('writer', [
    snapshot_writers.ThreadWriter, snapshot_writers.ThreadQueueWriter])
def test_writer_can_be_used_again_after_it_was_finalized(tmp_path, writer):
    done = []

    def slow(path, target):
        time.sleep(.05)
        done.append(target)
        open(path, 'w').close()

    writer = writer(slow)
    for i in range(2):
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
    writer._queue.join()
    with pytest.warns(RuntimeWarning, match='not written: a: OSError: disk full'):
        writer('b', str(tmp_path), 2)
    writer('c', str(tmp_path), 1)
    with pytest.warns(RuntimeWarning, match='not written: c: OSError: disk full'):
        writer.finalize()
    assert os.listdir(tmp_path) == ['b']
    assert 'disk full' in capsys.readouterr().err


def _fail(path, target):
    raise OSError('disk full')


def _exit(path, target):
    os._exit(3)


def _be_killed(path, target):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning')
@pytest.mark.parametrize('writer, savefun, message', [
    (snapshot_writers.ThreadWriter, _fail, 'a: OSError: disk full'),
    (snapshot_writers.ProcessWriter, _fail, 'a: OSError: disk full'),
    (snapshot_writers.ProcessWriter, _be_killed, 'a: the process .* signal 9'),
    (snapshot_writers.ProcessWriter, _exit, 'a: the process .* exit code 3'),
    (snapshot_writers.ProcessQueueWriter, _fail, 'a: OSError: disk full'),
    (snapshot_writers.ProcessQueueWriter, _be_killed, 'signal 9, and the')])
def test_failure_is_reported(tmp_path, writer, savefun, message, capfd):
    writer = writer(savefun)
    for _ in range(2):  # it can be used again
        writer('a', str(tmp_path), {})
        with pytest.warns(RuntimeWarning, match='not written: .*' + message):
            writer.finalize()
    assert savefun is not _fail or 'disk full' in capfd.readouterr().err


@pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning')
def test_killed_process_is_replaced(tmp_path):
    writer = snapshot_writers.ProcessQueueWriter()
    writer._consumer.kill()
    writer._consumer.join()
    with pytest.warns(RuntimeWarning, match='killed by signal 9'):
        writer('a', str(tmp_path), {})
    writer.finalize()
    assert os.listdir(tmp_path) == ['a']


@pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning')
def test_task_that_cannot_be_sent(tmp_path):
    writer = None
    with pytest.raises((AttributeError, pickle.PicklingError)):
        # A process that is not forked receives the function when it starts.
        writer = snapshot_writers.ProcessQueueWriter(lambda path, target: None)
        writer('a', str(tmp_path), {})
    if writer is not None:
        writer.finalize()


def test_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    events = []

    def fsync(descriptor):
        events.append('folder' if stat.S_ISDIR(os.fstat(descriptor).st_mode)
                      else 'file of %d bytes' % os.fstat(descriptor).st_size)

    def replace(source, target):
        events.append('move')
        rename(source, target)

    rename = os.replace
    monkeypatch.setattr(os, 'fsync', fsync)
    monkeypatch.setattr(os, 'replace', replace)

    def save(path, target):
        with open(path, 'w') as f:
            f.write('12345')

    snapshot_writers.SimpleWriter(save)('a', str(tmp_path), {})
    assert events == ['file of 5 bytes', 'move'] + ['folder'] * (
        snapshot_writers.os.name == 'posix')


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
        '_numpy_random_state', '_observation', '_python_random_state',
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
    snapshot_writers.SimpleWriter, snapshot_writers.ThreadQueueWriter,
    snapshot_writers.ProcessWriter, snapshot_writers.ProcessQueueWriter])
@pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning')
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


@pytest.mark.parametrize('debug', [True, False])
def test_autoload_says_in_debug_mode_what_it_found(tmp_path, capsys, debug):
    printed = []
    with chainer_fast.using_config('debug', debug):
        for _ in range(2):
            trainer = stubs.make_trainer((1, 'iteration'), out=tmp_path)
            trainer.extend(extensions.snapshot(autoload=True), trigger=(1, 'iteration'))
            trainer.run()
            printed += [capsys.readouterr().out]
    if debug:
        assert 'no snapshot named snapshot_iter_' in printed[0]
        assert printed[1] == 'autoload: continuing from %s\n' % (
            tmp_path / 'snapshot_iter_1')
    else:
        assert printed == ['', '']


def test_autoload_passes_over_what_is_damaged(trainer):
    paths = [os.path.join(trainer.out, 'x_%d' % i) for i in range(4)]
    for i, path in enumerate(paths):
        serializers.save_npz(path, Target(float(i)), compression=False)
    with open(paths[3], 'r+b') as f:
        f.truncate(f.seek(0, 2) // 2)
    with open(paths[2], 'r+b') as f:
        place = f.read().index(numpy.full(3, 2.).tobytes())
        f.seek(place)
        f.write(b'????')
    for i, path in enumerate(paths):
        os.utime(path, (i, i))
    os.mkdir(os.path.join(trainer.out, 'x_folder'))
    target = Target(9.)
    snapshot = extensions.snapshot_object(target, 'x_{}', autoload=True)
    with pytest.warns(UserWarning) as record:
        snapshot.initialize(trainer)
    assert target.value.tolist() == [1] * 3
    for warning, text in zip(record, ['x_3', 'x_2'], strict=True):
        assert 'skips the snapshot %s in' % text in str(warning.message)


def test_autoload_does_not_hide_that_something_is_missing(trainer):
    serializers.save_npz(os.path.join(trainer.out, 'x_1'), {'other': numpy.zeros(3)})
    snapshot = extensions.snapshot_object(Target(), 'x_{}', autoload=True)
    with pytest.raises(KeyError):
        snapshot.initialize(trainer)


def test_autoload_of_an_object(trainer):
    model = chainer_fast.links.Linear(2, 2)
    serializers.save_npz(os.path.join(trainer.out, 'model_3'), model)
    other = chainer_fast.links.Linear(2, 2)
    trainer.extend(extensions.snapshot_object(other, 'model_{}', autoload=True))
    trainer.get_extension('_Snapshot').initialize(trainer)
    numpy.testing.assert_array_equal(other.W.array, model.W.array)


@pytest.mark.parametrize('make', [
    extensions.snapshot, functools.partial(extensions.snapshot_object, Target(), 'f'),
    _snapshot._Snapshot])
class TestNumRetain:
    """``num_retain`` is the name that ``n_retains`` had."""

    @pytest.mark.parametrize('more', [{}, {'n_retains': 3}])
    def test_it_is_taken(self, make, more):
        with pytest.warns(
                DeprecationWarning,
                match='`num_retain` is deprecated. Please use `n_retains`'):
            assert make(num_retain=2, **more).n_retains == 2

    def test_other_names_are_refused(self, make):
        with pytest.raises(TypeError, match="'n_retain'; did you mean 'n_retains'"):
            make(n_retain=2)


@pytest.mark.filterwarnings('ignore:.*num_retain:DeprecationWarning')
def test_num_retain_removes_files(trainer):
    trainer.extend(extensions.snapshot(num_retain=2), trigger=(1, 'iteration'))
    trainer.run()
    assert len([name for name in files(trainer) if name.startswith('snapshot')]) == 2
