"""Signals during a write, what they leave behind, and two programs at once."""
import contextlib
import os
import signal
import time
import traceback
import warnings

import pytest

from chainer_fast import serializers
from chainer_fast.training.extensions import _scratch, _snapshot, snapshot_writers
from tests.training.faults import killing
from tests.training.faults.small import in_child, run

pytestmark = [
    pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning'),
    pytest.mark.posix('the program is forked')]


def test_relics_are_removed_but_not_what_is_in_use(tmp_path):
    reader, pipe = os.pipe()
    pid = os.fork()
    if not pid:
        def save(path, target):
            serializers.save_npz(path, target)
            os.write(pipe, b'x')
            time.sleep(60)

        run(tmp_path, 2, savefun=save)
    os.read(reader, 1)
    relic, = os.listdir(tmp_path)
    assert relic.startswith('tmpsnapshot_iter_2')
    assert os.listdir(tmp_path / relic) == ['snapshot_iter_2']
    try:
        run(tmp_path, 1)
        assert os.listdir(tmp_path) == [relic]
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    # A pattern that fits anything does not take it either.
    assert _snapshot._find_snapshot_files('{}', tmp_path) == []
    (tmp_path / 'tmpfile.being_written').write_text('no folder')
    (tmp_path / 'tmpfolder').mkdir()
    assert run(tmp_path, 1) == 0
    assert sorted(os.listdir(tmp_path)) == ['tmpfile.being_written', 'tmpfolder']


def test_folder_that_is_taken_for_a_relic(tmp_path, monkeypatch):
    # Another program may look for relics before a folder has its name.
    looked = []

    def lock(path, lock=_scratch._lock):
        locked = lock(path)
        if len(looked) < 3:
            looked.append(path)
            _scratch.remove_relics(tmp_path)
        return locked

    monkeypatch.setattr(_scratch, '_lock', lock)
    with _scratch.temporary_folder(tmp_path, 'x') as folder:
        assert len(looked) == 3
        _scratch.remove_relics(tmp_path)
        assert os.path.isdir(folder)
    assert os.listdir(tmp_path) == []


def test_folder_of_a_program_that_was_killed_before_the_lock(tmp_path):
    (tmp_path / 'tmpx.new').mkdir()
    (tmp_path / 'x.new').mkdir()
    _scratch.remove_relics(tmp_path)
    assert os.listdir(tmp_path) == ['x.new']


def test_two_trainings_in_one_folder(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        run(tmp_path, 4, n_retains=2)
    assert sorted(os.listdir(tmp_path)) == ['snapshot_iter_2', 'snapshot_iter_4']
    other = tmp_path / 'snapshot_iter_77'

    def save(path, target):
        if path.endswith('_6'):
            other.write_text('')
        serializers.save_npz(path, target)

    with pytest.warns(RuntimeWarning) as record:
        run(tmp_path, 10, savefun=save, n_retains=2)
    message, = [str(warning.message) for warning in record]
    assert message.startswith('the snapshot %s was not written by this '
                              'training' % other)


def run_slowly(out, n_retains):
    def save(path, target):
        serializers.save_npz(path, target)
        time.sleep(.002)

    warnings.filterwarnings('ignore', '.*was not written by this training')
    run(out, 20, 'ThreadWriter', savefun=save, n_retains=n_retains)


def test_two_trainings_at_once(tmp_path):
    pid = os.fork()
    if not pid:
        with contextlib.suppress(BaseException):
            run_slowly(tmp_path, 1)
            os._exit(0)
        traceback.print_exc()
        os._exit(1)
    run_slowly(tmp_path, 1)
    assert os.waitpid(pid, 0)[1] == 0
    killing.check_files(str(tmp_path))
    assert os.listdir(tmp_path) == ['snapshot_iter_20']
    assert in_child(run, tmp_path, 21) == {'result': 20, 'error': None, 'warnings': []}


def interrupt(out, writer, number):
    """Send a signal to all processes of a program that is writing its second snapshot.

    Returns
    -------
    status : int
    """
    reader, pipe = os.pipe()
    pid = os.fork()
    if not pid:
        os.setpgid(0, 0)
        os.close(reader)

        def save(path, target):
            serializers.save_npz(path, target)
            if path.endswith('_4'):
                os.write(pipe, b'x')
                time.sleep(.3)

        try:
            run(out, 5, writer, savefun=save,
                do=lambda i: i == 5 and time.sleep(5))  # the signal comes now
        except KeyboardInterrupt:
            os._exit(7)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    os.close(pipe)
    os.read(reader, 1)
    time.sleep(.05)
    os.killpg(pid, number)
    _, status = os.waitpid(pid, 0)
    while os.read(reader, 1):   # until all have ended
        pass
    os.close(reader)
    return status


@pytest.mark.parametrize('writer', ['SimpleWriter', 'ThreadWriter', 'ProcessWriter'])
def test_ctrl_c_while_a_file_is_written(tmp_path, writer):
    status = interrupt(tmp_path, writer, signal.SIGINT)
    assert os.WEXITSTATUS(status) == 7
    # Threads and processes finish what they are at.
    expected = ['snapshot_iter_2', 'snapshot_iter_4'][:1 + (writer != 'SimpleWriter')]
    assert sorted(os.listdir(tmp_path)) == expected
    killing.check_files(str(tmp_path))
    assert run(tmp_path, 7) == 2 * len(expected)


@pytest.mark.parametrize('writer', ['SimpleWriter', 'ThreadWriter', 'ProcessWriter'])
def test_termination_while_a_file_is_written(tmp_path, writer):
    status = interrupt(tmp_path, writer, signal.SIGTERM)
    assert os.WTERMSIG(status) == signal.SIGTERM
    assert len(os.listdir(tmp_path)) == 2     # the other one is a relic
    killing.check_files(str(tmp_path))
    assert run(tmp_path, 4) == 2
    assert sorted(os.listdir(tmp_path)) == ['snapshot_iter_2', 'snapshot_iter_4']


def test_process_with_a_queue_ends_with_its_parent():
    reader, pipe = os.pipe()
    pid = os.fork()
    if not pid:
        writer = snapshot_writers.ProcessQueueWriter()
        os.write(pipe, b'%d\n' % writer._consumer.pid)
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(pipe)
    os.waitpid(pid, 0)
    with open(reader) as f:
        assert int(f.readline())
        assert f.read() == ''   # comes when the last process has closed its end
