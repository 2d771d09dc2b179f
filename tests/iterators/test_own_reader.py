"""A first batch that stalls, fails or is interrupted."""
import os
import signal
import subprocess
import sys
import threading

import numpy
import pytest

from chainer_fast.iterators import MultiprocessIterator, _hang_watch
from tests.iterators.processes import nothing_is_left

pytestmark = [
    # Newer versions of Python warn of a fork beside other threads.
    pytest.mark.filterwarnings('ignore:.*multi-threaded:DeprecationWarning'),
    pytest.mark.usefixtures(nothing_is_left.__name__)]


class Waiting:
    """Data whose example 1 waits for an event, and which counts the readings."""

    def __init__(self):
        self.go_on = threading.Event()
        self.read = []

    def __reduce__(self):   # where a worker is not forked, it has an event of its own
        return type(self), ()

    def __len__(self):
        return 6

    def __getitem__(self, i):
        self.read.append(int(i))
        if i == 1:
            self.go_on.wait()
        return i


def make(data, **kwargs):
    return MultiprocessIterator(data, 2, shuffle=False, n_processes=1, **kwargs)


def test_slow_first_batch_is_warned_of_and_arrives():
    data = Waiting()
    with make(data, dataset_timeout=.05) as it:
        timer = threading.Timer(.3, data.go_on.set)
        timer.start()
        with pytest.warns(MultiprocessIterator.TimeoutWarning,
                          match='this process, .* indices 0, 1') as caught:
            assert it.next() == [0, 1]
        # Python 3.12 may warn of a fork beside the timer's thread, too.
        assert [warning.filename for warning in caught if issubclass(
            warning.category, MultiprocessIterator.TimeoutWarning)] == [__file__]
        it.dataset_timeout = None       # the worker may be slow to begin
        assert it.next() == [2, 3]
        timer.join()
    assert data.read == [0, 1]


def test_first_batch_that_hangs_is_an_error(monkeypatch):
    for name, value in ('_SHORTEST_LIMIT', .4), ('INTERVAL', .05):
        monkeypatch.setattr(_hang_watch, name, value)
    data = Waiting()
    with make(data, dataset_timeout=.01) as it:
        for _ in range(2):
            with pytest.warns(MultiprocessIterator.TimeoutWarning), pytest.raises(
                    RuntimeError, match='this process.* not finished an example'):
                it.next()
            assert it.current_position == 0
        it.dataset_timeout = None
        data.go_on.set()
        assert [it.next(), it.next()] == [[0, 1], [2, 3]]
    # The second reading was given up before it began.
    assert data.read == [0, 1, 0, 1]


def test_interrupt_during_the_first_batch():
    data = Waiting()
    numpy.random.seed(0)
    with make(data) as it:
        threading.Timer(.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            it.next()
        data.go_on.set()
        assert [it.next(), it.next()] == [[0, 1], [2, 3]]
    assert data.read == [0, 1]


def test_reset_after_an_interrupt_reads_the_first_batch_again():
    data = Waiting()
    with make(data) as it:
        threading.Timer(.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            it.next()
        it.reset()
        assert data.read == [0, 1]      # still in the hands of the first thread
        data.go_on.set()
        assert [it.next(), it.next()] == [[0, 1], [2, 3]]
    assert data.read == [0, 1, 0, 1]


class Failing:
    def __init__(self, error):
        self.error = error

    def __len__(self):
        return 6

    def __getitem__(self, i):
        if i == 1:
            raise self.error
        return i


@pytest.mark.parametrize('error', [KeyError('missing'), SystemExit(3)])
def test_error_of_the_first_batch(error):
    with make(Failing(error)) as it:
        with pytest.raises(type(error)) as caught:
            it.next()
        assert caught.value is error
        assert it.next() == [2, 3]


def test_finalize_while_the_first_batch_is_waited_for():
    data = Waiting()
    it = make(data)
    timer = threading.Timer(.1, it.finalize)
    timer.start()
    with pytest.raises(RuntimeError, match='cancelled'):
        it.next()
    timer.join()
    data.go_on.set()


@pytest.mark.posix('the program is forked')
def test_fork_of_the_program_during_the_first_batch():
    data = Waiting()
    with make(data) as it:
        threading.Timer(.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            it.next()
        pid = os.fork()
        if not pid:
            code = 1
            try:
                data.go_on = threading.Event()
                data.go_on.set()
                code = 0 if it.next() == [0, 1] else 2
                it.finalize()
            finally:
                os._exit(code)
        assert os.waitpid(pid, 0)[1] == 0
        data.go_on.set()
        assert it.next() == [0, 1]


def test_program_ends_while_its_first_batch_hangs(tmp_path):
    path = tmp_path / 'script.py'
    path.write_text('''
import os, signal, threading
from chainer_fast.iterators import MultiprocessIterator
class Data(list):
    def __getitem__(self, i):
        threading.Event().wait()
it = MultiprocessIterator(Data(range(4)), 2, n_processes=1)
threading.Timer(.1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    it.next()
except KeyboardInterrupt:
    print('interrupted')
''')
    done = subprocess.run([sys.executable, path], capture_output=True, timeout=20)
    assert done.returncode == 0 and done.stdout == b'interrupted\n', done.stderr
