"""Workers that are forked while other threads of the program are at work."""
import subprocess
import sys
import threading
import types

import numpy
import pytest

from chainer_fast.iterators import MultiprocessIterator
from tests.iterators.processes import nothing_is_left, start_program

pytestmark = [
    pytest.mark.posix('workers are forked'),
    # Newer versions of Python warn of a fork beside other threads.
    pytest.mark.filterwarnings('ignore:.*multi-threaded:DeprecationWarning'),
    pytest.mark.usefixtures(nothing_is_left.__name__)]

SCRIPT = '''
import multiprocessing
import numpy
from chainer_fast.iterators import MultiprocessIterator

class Data:
    def __len__(self):
        return 64
    def __getitem__(self, i):
        {read}

multiprocessing.set_start_method('fork')
a = numpy.ones((400, 400), 'f')
with MultiprocessIterator(Data(), 4, n_processes=2, maxtasksperchild=2) as it:
    for _ in range(20):
        it.next()
        {compute}
print('done')
'''


@pytest.mark.parametrize('read, compute', [
    # OpenBLAS ends its threads when the process forks.
    ('return a.dot(a)[0]', 'for _ in range(10): a.dot(a)'),
    # The generator has a lock.
    ('return numpy.random.rand(3)', 'numpy.random.standard_normal(10 ** 6)'),
])
def test_workers_are_replaced_while_the_program_computes(read, compute, tmp_path):
    path = tmp_path / 'script.py'
    path.write_text(SCRIPT.format(read=read, compute=compute))
    with start_program(path, stderr=subprocess.PIPE, text=True) as process:
        try:
            output, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert output == 'done\n', errors


class Draws:
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return numpy.random.rand()


def test_another_thread_draws():
    is_over = threading.Event()

    def draw():
        while not is_over.is_set():
            numpy.random.standard_normal(10 ** 6)

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        for _ in range(5):
            with MultiprocessIterator(Draws(), 2, n_processes=2, shared_mem=100) as it:
                assert len(it.next()) == 2
    finally:
        is_over.set()
        thread.join()


class OpenCV(types.ModuleType):
    """Stands for cv2, of which tests need the number of threads alone."""

    number = 4

    def getNumThreads(self):
        return self.number

    def setNumThreads(self, number):
        self.number = number


class Threads:
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return sys.modules['cv2'].getNumThreads()


def test_opencv_has_no_threads_in_forks(monkeypatch):
    monkeypatch.setitem(sys.modules, 'cv2', OpenCV('cv2'))
    with MultiprocessIterator(Threads(), 2, n_processes=2, maxtasksperchild=1) as it:
        assert [it.next() for _ in range(4)] == [[4, 4], [0, 0], [0, 0], [0, 0]]
    assert sys.modules['cv2'].number == 4
    monkeypatch.delitem(sys.modules, 'cv2')
    with MultiprocessIterator([1, 2], 2, n_processes=1, shared_mem=100) as it:
        assert sorted(it.next()) == [1, 2]
