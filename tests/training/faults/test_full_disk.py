"""Full and read-only disks are reported, and the last snapshot stays whole."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import numpy
import pytest

from chainer_fast import serializers
from chainer_fast.training.extensions import _snapshot, snapshot_writers
from tests.training.faults import killing
from tests.training.faults.small import in_child, run

resource = pytest.importorskip('resource')


pytestmark = [
    pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning'),
    pytest.mark.posix('the program is forked')]


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
@pytest.mark.parametrize('writer', killing.WRITERS)
def test_full_disk(tmp_path, writer, n_retains):
    told = in_child(run, tmp_path, 5, writer, save_with_limit, None, n_retains)
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


def fill_up(out, writer):
    """Train until a disk of 100 kB is full, and go on when there is room again."""
    told = [in_child(run, out, 12, writer)]
    names = snapshots_in_order(out)
    killing.check_files(out)
    told += [names, in_child(run, out, 1 + 2 * len(names))]
    for name in names[:-1]:
        os.remove(os.path.join(out, name))
    told += [in_child(run, out, 12, writer, serializers.save_npz, None, 1)]
    print(json.dumps(told + [snapshots_in_order(out)]))


def snapshots_in_order(out):
    return [name for _, name in _snapshot._find_snapshot_files('snapshot_{}', out)]


@pytest.mark.parametrize('writer', killing.WRITERS)
def test_small_disk(tmp_path, writer):
    mounted = subprocess.run(
        ['unshare', '-rm', 'mount', '-t', 'tmpfs', 'none', tmp_path],
        capture_output=True).returncode == 0 if shutil.which('unshare') else False
    if not mounted:
        pytest.skip('disks cannot be mounted here; the limit of files is tested above')
    process = subprocess.run(
        ['unshare', '-rm', 'sh', '-c',
         'mount -t tmpfs -o size=100k none "$0" && exec "$@"', tmp_path,
         sys.executable, '-c',
         'import sys; from tests.training.faults import test_full_disk as test; '
         'test.fill_up(*sys.argv[1:])', tmp_path, writer],
        env=dict(os.environ, PYTHONPATH=killing.ROOT, OMP_NUM_THREADS='1'),
        capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    first, names, again, resumed, left = json.loads(process.stdout)
    # Three are as many as there is room for.
    assert names == ['snapshot_iter_%d' % i for i in (2, 4, 6)]
    cause = "OSError: [Errno 28] No space left on device: '%s/snapshot_iter_%d'"
    if writer == 'SimpleWriter':
        assert ': '.join(first['error']) == cause % (tmp_path, 8)
    else:
        assert first['warnings'] == [
            'a snapshot was not written: snapshot_iter_%d: ' % i + cause % (tmp_path, i)
            for i in (8, 10, 12)]
    assert again == {'result': 6, 'error': None, 'warnings': []}
    assert resumed == {'result': 6, 'error': None, 'warnings': []}
    assert left == ['snapshot_iter_12']


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


@pytest.mark.parametrize('writer', killing.WRITERS)
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
