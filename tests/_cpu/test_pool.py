"""The pool of threads that help the one which calls.

How long anything waits depends on the system, and is measured, not tested: see
docs/notebook/threads.md.
"""
import glob
import multiprocessing
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast._cpu import shared
from tests.backends.kernels import forms
from tests.compat import processes

pytestmark = pytest.mark.skipif(
    sys.platform != 'linux', reason='there are no threads for loops elsewhere')
N = 1 << 20
ROOT = Path(__file__).parents[2]


def helpers():
    """Return how many threads of this process are helpers, by their names."""
    names = []
    for path in glob.glob('/proc/self/task/*/comm'):
        try:
            with open(path) as file:
                names.append(file.read().strip())
        except OSError:
            pass    # it has just ended
    return names.count('chainer_fast')


def long_loops(threads, times=1):
    """Return the bits of some loops and of a product that is cut."""
    random = np.random.RandomState(0)
    x = chainer.Variable(random.standard_normal(N).astype('f'))
    a, b = random.standard_normal((2, 200, 200))
    found = set()
    with chainer.using_config('num_threads', threads):
        for _ in range(times):
            y = F.sum(F.tanh(x) * x)
            y.backward()
            product = F.matmul(a, b).array
            found.add((y.array.tobytes(), x.grad.tobytes(), product.tobytes()))
            x.cleargrad()
    return found


def in_a_new_process(function, *args):
    """Return what a function returns in a process that knows nothing of this one."""
    # ``multiprocessing`` would leave a process behind, its tracker of resources.
    code = ('import pickle, sys; f, args = pickle.load(sys.stdin.buffer); '
            'pickle.dump(f(*args), sys.stdout.buffer)')
    process = subprocess.run(
        [sys.executable, '-c', code], input=pickle.dumps((function, args)),
        stdout=subprocess.PIPE, check=True, timeout=120, cwd=ROOT)
    return pickle.loads(process.stdout)


def in_a_fork(function, *args):
    """Return what a function returns in a process that is forked from this one."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context('fork').Process(
        target=_send, args=(there, function, *args), daemon=True)
    process.start()
    there.close()
    assert here.poll(120), 'the process hangs'
    result = here.recv()
    process.join()
    return result


def _send(pipe, function, *args):
    pipe.send(function(*args))


def _helpers_after(threads):
    before = helpers()
    long_loops(threads)
    return before, helpers()


@pytest.mark.parametrize('threads', [1, 2, 4])
def test_helpers_are_started_when_a_loop_wants_them(threads):
    assert in_a_new_process(_helpers_after, threads) == (0, threads - 1)


@pytest.mark.parametrize('threads', [1, 2, 3, 8])
def test_results_are_the_same_with_help_and_alone(threads):
    # The way that was slower is tried again and again.
    assert len(long_loops(threads, 100)) == 1


def _loops_of_a_thread():
    found = set()

    def work():
        # What loops have learnt may be that they need no help; they try again.
        for _ in range(300):
            found.update(long_loops(2))
            if helpers():
                break

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found, helpers()


@pytest.mark.posix('the program is forked')
def test_a_thread_of_a_forked_process_has_helpers_of_its_own():
    expected = long_loops(2)
    assert helpers()
    result, count = in_a_fork(_loops_of_a_thread)
    assert (result, count) == (expected, 1)


@pytest.mark.posix('the program is forked')
def test_a_forked_process_itself_has_none():
    # A product that is cut may have other bits: there is one thread after a fork.
    expected = long_loops(1)
    long_loops(2)
    assert in_a_fork(long_loops, 2) == expected
    assert in_a_fork(_helpers_after, 2) == (0, 0)


@pytest.mark.posix('the program is forked')
def test_forks_while_other_threads_have_the_helpers():
    # Without products of BLAS, which has its own trouble with forks.
    expected = long_loops(2)
    over = threading.Event()
    x = np.ones(N, 'f')

    def work():
        with chainer.using_config('num_threads', 2):
            while not over.is_set():
                F.relu(x)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            assert in_a_fork(_loops_of_a_thread)[0] == expected
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_more_threads_than_processors_come_to_the_same():
    with chainer.using_config('num_threads', 1):
        x = np.random.RandomState(1).standard_normal((64, 16, 24, 24)).astype('f')
        W = np.random.RandomState(2).standard_normal((16, 16, 3, 3)).astype('f')
        expected = F.convolution_2d(x, W, pad=1).array
    for threads in 2, 16, 40:
        with chainer.using_config('num_threads', threads):
            for _ in range(20):
                np.testing.assert_array_equal(
                    F.convolution_2d(x, W, pad=1).array, expected)


def test_errors_of_helpers_are_seen():
    x = np.ones(N, 'f')
    x[-1] = 0
    with chainer.using_config('num_threads', 2):
        for _ in range(20):
            with pytest.warns(RuntimeWarning, match='divide by zero'):
                _ = 1 / chainer.Variable(x)


def test_a_program_ends_while_daemons_compute(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text(textwrap.dedent('''
        import threading, time
        import numpy as np
        import chainer_fast.functions as F
        x = np.ones(1 << 20, 'f')
        started = threading.Barrier(3)

        def work():
            F.relu(x)
            started.wait()
            while True:
                F.relu(x)
                F.tanh(x)

        for _ in range(2):
            threading.Thread(target=work, daemon=True).start()
        started.wait()
        time.sleep(.05)
        '''))
    for _ in range(3):
        process = processes.start(script, timeout=120, env={'OMP_NUM_THREADS': '2'})
        assert (process.returncode, process.stderr) == (0, '')


@pytest.fixture
def noted():
    """A function that returns the loops since its last call."""
    shared.note_loops(True)
    yield shared.noted_loops
    shared.note_loops(False)


def test_loops_are_noted(noted):
    x = np.ones(N, 'f')
    with chainer.using_config('num_threads', 8):
        F.relu(x)
    (threads, pieces, took), = noted()
    assert (threads, pieces) == (8, min(4 * 8, N // 16384)) and took > 0
    assert noted() == []
    shared.note_loops(False)
    with chainer.using_config('num_threads', 8):
        F.relu(x)
    assert noted() == []


def test_an_update_has_the_threads_that_are_set(noted):
    link = chainer.Link()
    with link.init_scope():
        link.p = chainer.Parameter(np.ones(N, 'f'))
    link.p.grad = np.ones(N, 'f')
    optimizer = chainer.optimizers.Adam().setup(link)
    found = []
    for threads in 3, 8:
        with chainer.using_config('num_threads', threads):
            optimizer.update()
        found += [threads for threads, _, _ in noted()]
    assert found == [3, 8]


@pytest.mark.parametrize('size', [8, 14])
def test_convolutions_have_pieces_for_many_threads(size):
    random = np.random.RandomState(3)
    x = random.standard_normal((8, 256, size, size)).astype('f')
    W = random.standard_normal((256, 256, 1, 1)).astype('f')

    def results(threads):
        a, b = chainer.Variable(x), chainer.Variable(W)
        with chainer.using_config('num_threads', threads):
            y = F.convolution_2d(a, b)
            y.grad = y.array
            y.backward()
        return y.array, a.grad, b.grad
    expected, found = results(1), [results(5), results(16)]
    shared.note_loops(True)
    try:
        found.append(results(16))
        loops = shared.noted_loops()
    finally:
        shared.note_loops(False)
    for arrays in found:
        for one, other in zip(expected, arrays, strict=True):
            forms.assert_threads_agree(one, other)
    # Forward, and both gradients; without vectors, it is the BLAS that has threads.
    if shared.level() != 'base':
        assert len([pieces for _, pieces, _ in loops if pieces >= 16]) >= 3
