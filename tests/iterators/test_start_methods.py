"""MultiprocessIterator in programs of their own, with each way to start processes."""
import multiprocessing
import re
import subprocess

import pytest

from tests.iterators.processes import start_program

METHODS = multiprocessing.get_all_start_methods()
# What a program with several threads would see of forks, were it not hidden.
QUIET = '-Werror', '-Wignore:.*multi-threaded:DeprecationWarning'

SCRIPT = '''
import atexit, multiprocessing, os, pickle, signal, sys, time
import numpy
from chainer_fast.iterators import MultiprocessIterator

class Data:
    def __init__(self):
        self.content = {content}
    def __len__(self):
        return 9
    def __getitem__(self, i):
        return numpy.full(1000, i), i

class Unreadable:
    def __reduce__(self):
        return fail, ()

def fail():
    atexit.register(time.sleep, 1.2)    # a process that takes its time to end
    raise LookupError('it cannot be read')

def main():
    multiprocessing.set_start_method({method!r}, force=True)
    begin = time.monotonic()
    it = MultiprocessIterator(Data(), 4, shuffle=False, repeat={repeat}, n_processes=2)
    try:
        {body}
    except Exception as error:
        if __name__ != '__main__':
            raise  # a copy of the program in a worker
        print(type(error).__name__, '-', error)
        assert time.monotonic() - begin < 10
        assert not multiprocessing.active_children()

{guard}main()
'''
READ = 'print([[int(i) for _, i in batch] for batch in it])'


def run(path, method, body=READ, content='None', guarded=True, options=QUIET,
        repeat=False):
    """Return what a program prints, and what goes to its standard error output."""
    path.write_text(SCRIPT.format(
        method=method, body=body, content=content, repeat=repeat,
        guard="if __name__ == '__main__': " if guarded else ''))
    with start_program(path, *options, stderr=subprocess.PIPE, text=True) as process:
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return output, errors


@pytest.mark.parametrize('method', METHODS)
def test_examples_arrive_and_nothing_is_said(method, tmp_path):
    assert run(tmp_path / 'script.py', method) == (
        '[[0, 1, 2, 3], [4, 5, 6, 7], [8]]\n', '')


@pytest.mark.parametrize('method', METHODS)
def test_iterator_that_is_not_finalized(method, tmp_path):
    # The pool is closed at exit. After that goes the iterator, as part of a cycle.
    body = 'it.itself = it; print(len(next(it)))'
    assert run(tmp_path / 'program.py', method, body) == ('4\n', '')


@pytest.mark.parametrize('method', METHODS)
def test_worker_that_is_killed(method, tmp_path):
    body = '''it.next()
        multiprocessing.active_children()[0].kill()
        while True:
            it.next()'''
    output, _ = run(tmp_path / 'script.py', method, body, repeat=True)
    # Windows reports SIGTERM.
    assert re.match('RuntimeError - .*(by the signal|server .*was killed)', output)


@pytest.mark.posix('there is a server that forks')
def test_server_that_is_killed(tmp_path):
    body = '''it.next()
        from multiprocessing import forkserver
        os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)
        while True:
            it.next()'''
    output, _ = run(tmp_path / 'script.py', 'forkserver', body, repeat=True)
    assert re.match('RuntimeError - .*or the server process that forks', output)


@pytest.mark.parametrize('method', METHODS)
def test_iterator_without_a_guard(method, tmp_path):
    output, errors = run(tmp_path / 'script.py', method, guarded=False)
    if method == 'fork':
        assert (output, errors) == ('[[0, 1, 2, 3], [4, 5, 6, 7], [8]]\n', '')
        return
    # The processes run the script as well, and Python says what is wrong.
    assert "if __name__ == '__main__':" in errors
    assert re.search(r'RuntimeError - .*\bstandard error output shows the '
                     r'reason', output)


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('content, message', [
    ('lambda: None', r'(Attribute|Pickling)Error - .*lambda'),
    ('Unreadable()', r'RuntimeError - .* before it had read the data set'),
])
def test_data_set_that_cannot_be_copied(method, content, message, tmp_path):
    output, errors = run(tmp_path / 'script.py', method, content=content)
    if method == 'fork':
        assert (output, errors) == ('[[0, 1, 2, 3], [4, 5, 6, 7], [8]]\n', '')
        return
    assert re.match(message, output)
    assert ('it cannot be read' in errors) is (content == 'Unreadable()')


@pytest.mark.parametrize('method', METHODS)
def test_data_set_with_a_lock(method, tmp_path):
    # It can be pickled only while a process is started.
    output, _ = run(tmp_path / 'script.py', method, content='multiprocessing.Lock()')
    assert output == '[[0, 1, 2, 3], [4, 5, 6, 7], [8]]\n'


@pytest.mark.posix('workers are forked')
def test_a_fork_of_several_threads_is_warned_of_by_python_alone(tmp_path):
    # It is hidden unless asked for.
    body = 'import threading; threading.Timer(1, print).start(); ' + READ
    output, errors = run(tmp_path / 'script.py', 'fork', body, options=())
    assert output.strip() == '[[0, 1, 2, 3], [4, 5, 6, 7], [8]]'
    assert not errors
