"""Locks between processes, on each system by its own functions."""
import subprocess
import sys
import threading

import pytest

from chainer_fast.dataset import _locks

HOLD = '''
import sys
from chainer_fast.dataset import _locks
with _locks.locked(sys.argv[1]):
    print('held', flush=True)
    sys.stdin.read()
'''


@pytest.mark.parametrize('ends', ['normally', 'killed'])
def test_lock_of_another_process_is_waited_for(ends, tmp_path):
    path = str(tmp_path / 'lock')
    is_held = threading.Event()

    def hold():
        with _locks.locked(path):
            is_held.set()

    with subprocess.Popen([sys.executable, '-c', HOLD, path], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline().strip() == b'held'
        thread = threading.Thread(target=hold)
        thread.start()
        waits = not is_held.wait(1)
        if ends == 'killed':
            holder.kill()
        else:
            holder.stdin.close()
        thread.join(30)
    assert waits and is_held.is_set()


def test_lock_is_released_by_an_error(tmp_path):
    path = str(tmp_path / 'lock')
    with pytest.raises(KeyError), _locks.locked(path):
        raise KeyError
    with _locks.locked(path):
        assert (tmp_path / 'lock').read_bytes() == b''
