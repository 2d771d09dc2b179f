"""Damaged, missing and rejuvenated files: autoload takes the newest whole one."""
import os
import random
import tempfile
import time
import warnings

import numpy
import pytest

from chainer_fast import serializers
from chainer_fast.training.extensions import _snapshot, snapshot_writers
from tests.training.faults import killing
from tests.training.faults.small import in_child, run

pytestmark = [
    pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning'),
    pytest.mark.posix('the program is forked')]


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
        assert 'skips the snapshot x_2 in %s' % tmp_path in told[0]
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
            assert 'skips the snapshot x_2' in told[0]
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
    assert told[2] == 'all 2 snapshots in %s are damaged; starting from the ' \
        'beginning' % tmp_path


def test_file_that_another_program_removes(tmp_path, monkeypatch):
    make_two(tmp_path, serializers.save_npz)
    find = _snapshot._find_snapshot_files
    monkeypatch.setattr(_snapshot, '_find_snapshot_files',
                        lambda *args: find(*args) + [(9, 'x_9')])
    assert load_latest(tmp_path) == (Target(2).state(), [])


def test_file_that_may_not_be_read():
    def load_without_rights(folder):
        load_latest(folder)     # everything that it takes is imported
        os.chmod(folder + '/x_2', 0)
        if not os.getuid():
            os.setuid(65534)    # root may read everything
        load_latest(folder)

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        make_two(folder, serializers.save_npz)
        assert in_child(load_without_rights, folder)['error'] == [
            'PermissionError', "[Errno 13] Permission denied: '%s/x_2'" % folder]


@pytest.mark.parametrize('writer', killing.WRITERS)
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
