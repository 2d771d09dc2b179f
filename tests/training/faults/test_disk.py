"""Full, read-only and damaged disks are reported, and the last snapshot is whole."""
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import stat
import tempfile
import time
import traceback
import warnings

import numpy
import pytest

from chainer_fast import serializers
from chainer_fast.training import extensions
from chainer_fast.training.extensions import _scratch, _snapshot, snapshot_writers
from tests.training import stubs
from tests.training.faults import killing

pytestmark = [
    pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning'),
    pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs fork')]

WRITERS = killing.WRITERS


class Payload:
    """Extension with a state that does not compress."""

    name = 'payload'
    trigger = (1, 'iteration')

    def __init__(self):
        self.data = numpy.zeros(20000, numpy.uint8)

    def __call__(self, trainer):
        self.data = numpy.random.RandomState(trainer.updater.iteration).bytes(20000)
        self.data = numpy.frombuffer(self.data, numpy.uint8).copy()

    def serialize(self, serializer):
        self.data = serializer('data', self.data)


def run(out, n, writer='SimpleWriter', savefun=serializers.save_npz, *, do=None,
        **kwargs):
    """Train, doing something in each iteration; return the one at which it began."""
    trainer = stubs.make_trainer((n, 'iteration'), out=out)
    trainer.extend(Payload())
    trainer.extend(
        extensions.snapshot(writer=getattr(snapshot_writers, writer)(savefun),
                            autoload=True, **kwargs), trigger=(2, 'iteration'))
    begin = []

    def note(trainer):
        begin.append(trainer.updater.iteration)
        if do is not None:
            do(begin[-1])

    trainer.extend(note)
    trainer.run(show_loop_exception_msg=False)
    return begin[0] - 1


def in_child(function, *args):
    """Call a function in another process; return its warnings, error and result."""
    reader, pipe = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            told = {'result': None, 'error': None}
            with warnings.catch_warnings(record=True) as record:
                warnings.simplefilter('always')
                warnings.filterwarnings('ignore', '.*fork.*', DeprecationWarning)
                try:
                    told['result'] = function(*args)
                except BaseException as error:
                    told['error'] = [type(error).__name__, str(error)]
            told['warnings'] = [str(warning.message) for warning in record]
            os.write(pipe, json.dumps(told).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(pipe)
    with open(reader) as f:
        text = f.read()
    os.waitpid(pid, 0)
    return json.loads(text)


def save_with_limit(path, target):
    """Save; the disk is full for the snapshot of the fourth iteration."""
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN
    if path.endswith('_4'):
        old = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, old[1]))
        try:
            serializers.save_npz(path, target)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, old)
    else:
        serializers.save_npz(path, target)


@pytest.mark.parametrize('n_retains', [-1, 1])
@pytest.mark.parametrize('writer', WRITERS)
def test_full_disk(tmp_path, writer, n_retains):
    told = in_child(run, tmp_path, 5, writer, save_with_limit)
    cause = "[Errno 27] File too large: '%s'" % (tmp_path / 'snapshot_iter_4')
    if writer == 'SimpleWriter':    # the training stops
        assert told['error'] == ['OSError', cause]
        assert told['warnings'] == []
    else:                           # the training goes on
        assert told['error'] is None
        assert told['warnings'] == [
            'a snapshot was not written: snapshot_iter_4: OSError: ' + cause]
    assert os.listdir(tmp_path) == ['snapshot_iter_2']
    # When there is room again, it goes on from there.
    told = in_child(run, tmp_path, 6)
    assert told == {'result': 2, 'error': None, 'warnings': []}


def test_device_that_is_full():
    if not os.path.exists('/dev/full'):
        return
    with pytest.raises(OSError, match='No space left on device'):
        serializers.save_npz('/dev/full', {'x': numpy.zeros(9)})


def lose_rights_and_run(out, *args):
    os.umask(0o022)
    for n in 2, 3:
        run(out, n, *args)      # everything that it takes is imported
    os.chmod(out, 0o555)
    if not os.getuid():
        os.setuid(65534)    # root may write everywhere
    return run(out, 5, *args)


@pytest.mark.parametrize('writer', WRITERS)
def test_folder_that_is_read_only(writer):
    with tempfile.TemporaryDirectory() as out:
        os.chmod(out, 0o777)
        told = in_child(lose_rights_and_run, out, writer)
        os.chmod(out, 0o700)
        cause = "[Errno 13] Permission denied: '%s'" % (out + '/snapshot_iter_4')
        if writer == 'SimpleWriter':
            assert told['error'] == ['PermissionError', cause]
        else:
            assert told['warnings'] == ['a snapshot was not written: snapshot_iter_4: '
                                        'PermissionError: ' + cause]
            assert told['result'] == 2
        assert os.listdir(out) == ['snapshot_iter_2']
        assert run(out, 3) == 2


def test_file_in_place_of_a_folder(tmp_path):
    path = tmp_path / 'file'
    path.write_text('')
    with pytest.raises(NotADirectoryError, match="'%s'" % (path / 'x')):
        snapshot_writers.SimpleWriter()('x', str(path), {})


class Target:

    def __init__(self, value=0):
        self.numbers = numpy.full(7, value, 'f')
        self.n = value
        self.text = str(value)

    def serialize(self, serializer):
        for name in ('numbers', 'n', 'text'):
            setattr(self, name, serializer(name, getattr(self, name)))

    def state(self):
        return self.numbers.tolist(), self.n, self.text


def load_latest(out):
    """Autoload; return what was loaded and the warnings."""
    target = Target()
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter('always')
        _snapshot._load_latest('x_{}', str(out), target)
    return target.state(), [str(warning.message) for warning in record]


SAVES = {
    'compressed': serializers.save_npz,
    'stored': lambda path, target: serializers.save_npz(path, target, False),
    'hdf5': serializers.save_hdf5,
}


def make_two(out, save):
    """Save two snapshots; return the path and the contents of the newer one."""
    for i in 1, 2:
        path = os.path.join(out, 'x_%d' % i)
        save(path, Target(i))
        os.utime(path, (i, i))
    with open(path, 'rb') as f:
        return path, f.read()


@pytest.mark.parametrize('kind', SAVES)
def test_every_cut_is_noticed(tmp_path, kind):
    path, data = make_two(tmp_path, SAVES[kind])
    step = 101 if kind == 'hdf5' else 5
    for size in [*range(0, len(data), step), len(data) - 1]:
        with open(path, 'wb') as f:
            f.write(data[:size])
        os.utime(path, (2, 2))
        found, told = load_latest(tmp_path)
        assert found == Target(1).state(), size
        assert len(told) == 1
        assert 'passes over the snapshot x_2 in %s' % tmp_path in told[0]
        assert '(%d bytes)' % size in told[0]


@pytest.mark.parametrize('kind', ['compressed', 'stored'])
def test_flipped_bits_do_no_harm(tmp_path, kind):
    path, data = make_two(tmp_path, SAVES[kind])
    bits = random.Random(0)
    n_passed_over = 0
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 1 << bits.randrange(8)
        with open(path, 'wb') as f:
            f.write(flipped)
        os.utime(path, (2, 2))
        found, told = load_latest(tmp_path)
        if told:
            n_passed_over += 1
            assert 'passes over the snapshot x_2' in told[0]
        # Some bits mean nothing, such as those of dates.
        assert found == Target(1 if told else 2).state(), place
    assert n_passed_over > len(data) / 2


def test_times_that_a_file_system_rounds(tmp_path, monkeypatch):
    utime = os.utime
    monkeypatch.setattr(os, 'utime', lambda path, ns: utime(
        path, ns=tuple(time // 2000000000 * 2000000000 for time in ns)))
    (tmp_path / 'x_9').write_text('')
    utime(tmp_path / 'x_9', (10**10, 10**10))
    for i in range(10, 13):
        snapshot_writers.SimpleWriter()('x_%d' % i, str(tmp_path), {})
        assert _snapshot._find_latest_snapshot('x_{}', tmp_path) == 'x_%d' % i


def test_no_folder(tmp_path):
    for folder in tmp_path / 'none', __file__:
        assert _snapshot._find_snapshot_files('{}', str(folder)) == []


def test_nothing_whole_is_left(tmp_path):
    for name in 'x_1', 'x_2':
        (tmp_path / name).write_text('')
    found, told = load_latest(tmp_path)
    assert found == Target().state()
    assert told[2] == 'none of the 2 snapshots in %s is whole; starting from the ' \
        'beginning' % tmp_path


def test_file_that_another_program_removes(tmp_path, monkeypatch):
    make_two(tmp_path, serializers.save_npz)
    find = _snapshot._find_snapshot_files
    monkeypatch.setattr(_snapshot, '_find_snapshot_files',
                        lambda *args: find(*args) + [(9, 'x_9')])
    assert load_latest(tmp_path) == (Target(2).state(), [])


def test_file_that_may_not_be_read(tmp_path):
    make_two(tmp_path, serializers.save_npz)

    def load_without_rights():
        load_latest(tmp_path)
        os.chmod(tmp_path / 'x_2', 0)
        if not os.getuid():
            for folder in tmp_path, *list(tmp_path.parents)[:-2]:
                os.chmod(folder, 0o755)
            os.setuid(65534)
        load_latest(tmp_path)

    modes = {folder: folder.stat().st_mode for folder in tmp_path.parents}
    error = in_child(load_without_rights)['error']
    for folder, mode in modes.items():
        if folder.stat().st_mode != mode:
            os.chmod(folder, stat.S_IMODE(mode))
    assert error == [
        'PermissionError', "[Errno 13] Permission denied: '%s'" % (tmp_path / 'x_2')]


def test_snapshot_on_error_and_the_way_back(tmp_path):
    def save(path, target):
        serializers.save_npz(path, target)
        if path.endswith('_4'):
            raise OSError('broken')

    # The writer fails, and once more when the error is to be saved.
    with pytest.raises(OSError, match='broken'):
        run(tmp_path, 6, savefun=save, snapshot_on_error=True)
    assert os.listdir(tmp_path) == ['snapshot_iter_2']

    with pytest.raises(ZeroDivisionError):
        run(tmp_path, 6, do=lambda i: 1 / (3 - i), snapshot_on_error=True)
    assert sorted(os.listdir(tmp_path)) == ['snapshot_iter_2', 'snapshot_iter_3']
    assert run(tmp_path, 4) == 3


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
    # Another program may look at it before it is locked.
    lock, taken = _scratch._lock, []

    def lock_too_late(path):
        if not taken:
            taken.append(path)
            shutil.rmtree(path)
        return lock(path)

    monkeypatch.setattr(_scratch, '_lock', lock_too_late)
    with _scratch.temporary_folder(tmp_path, 'x') as folder:
        assert os.path.isdir(folder)
        assert [folder] != taken
    assert os.listdir(tmp_path) == []


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
    assert message.startswith('the snapshot %s is not of this training' % other)


def run_slowly(out, n_retains):
    def save(path, target):
        serializers.save_npz(path, target)
        time.sleep(.002)

    warnings.filterwarnings('ignore', '.*is not of this training')
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


@pytest.mark.parametrize('writer', WRITERS)
def test_clock_that_was_set_back(tmp_path, writer):
    run(tmp_path, 8, n_retains=2)
    future = time.time() + 10**6
    os.utime(tmp_path / 'snapshot_iter_6', (future, future))
    (tmp_path / 'log').write_text('')
    os.utime(tmp_path / 'log', (2 * future, 2 * future))
    # Whatever the time, the file that was written last is the newest.
    assert run(tmp_path, 12, writer, n_retains=2) == 6
    assert sorted(os.listdir(tmp_path)) == [
        'log', 'snapshot_iter_10', 'snapshot_iter_12']
    assert run(tmp_path, 13) == 12
    assert (tmp_path / 'snapshot_iter_12').stat().st_mtime < 1.5 * future


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
