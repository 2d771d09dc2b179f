"""Memory of large arrays, which waits for its next use."""
import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import chainer_fast
from chainer_fast._core.configuration.state import waiting_bytes

pytestmark = pytest.mark.skipif(
    sys.platform != 'linux', reason='other systems keep no large arrays')

MIB = 1 << 20
LARGE = 32 * MIB        # bytes of the smallest large array

# Of 24 GiB and more; smaller machines keep less. Windows has no `sysconf`; it
# imports this file, although it skips the tests.
LIMIT = 0 if sys.platform != 'linux' else min(
    os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGESIZE') // 16, 1 << 30)


def new(n_bytes):
    """Return an array whose every page has been written."""
    array = np.empty(n_bytes, np.uint8)
    array[:] = 7
    return array


def address(array):
    return array.ctypes.data


def start(code, **environment):
    """Return what a new process prints that runs some code after an import."""
    return subprocess.run(
        [sys.executable, '-c', 'import numpy as np, chainer_fast\n' + code],
        env={**os.environ, **environment}, check=True, capture_output=True,
        text=True).stdout.split()


@pytest.fixture(autouse=True)
def nothing_else_waits_or_is_freed():
    gc.collect()
    gc.disable()
    # Arrays of other tests may have left memory, which the next array that fits takes.
    taken = []
    size = LIMIT
    while waiting_bytes():
        before = waiting_bytes()
        array = np.empty(size, np.uint8)
        if waiting_bytes() < before:
            taken.append(array)
        else:
            assert size > LARGE
            size = max(LARGE, size * 4 // 5)
    yield
    del taken
    gc.enable()


@pytest.mark.parametrize('size', [LARGE, LARGE + 1, 40 * MIB, 100 * MIB])
def test_next_array_has_the_memory_of_the_last(size):
    array = new(size)
    place = address(array)
    del array
    waiting = waiting_bytes()
    again = np.empty(size, np.uint8)
    assert address(again) == place
    assert size <= waiting - waiting_bytes() < size + 2 * MIB


def test_memory_serves_arrays_that_are_a_little_smaller():
    array = new(100 * MIB)
    place = address(array)
    del array
    assert address(np.empty(81 * MIB, np.uint8)) == place
    assert address(np.empty(70 * MIB, np.uint8)) != place


def test_arrays_that_live_share_no_memory():
    arrays = [new(LARGE) for _ in range(3)]
    del arrays[1]
    arrays += [new(LARGE) for _ in range(2)]
    for i, array in enumerate(arrays):
        array[:] = i
    assert [set(array[::4096].tolist()) for array in arrays] == [{0}, {1}, {2}, {3}]


def test_zeros_are_zeros_where_others_wait():
    array = new(LARGE)
    del array
    assert not np.zeros(LARGE, np.uint8).any()


def test_small_arrays_do_not_wait():
    array = new(LARGE - 1)
    before = waiting_bytes()
    del array
    assert waiting_bytes() == before


@pytest.mark.parametrize('sizes', [
    (LARGE, LARGE + MIB), (LARGE, 100), (100, LARGE), (2 * LARGE, LARGE)])
def test_resized_arrays_keep_their_elements(sizes):
    array = np.arange(sizes[0], dtype=np.uint8)
    array.resize(sizes[1], refcheck=False)
    kept = min(sizes)
    np.testing.assert_array_equal(array[:kept], np.arange(kept, dtype=np.uint8))
    assert not array[kept:].any()
    array[:] = 1


def test_no_more_than_the_limit_waits():
    arrays = [np.empty(LIMIT // 3, np.uint8) for _ in range(5)]
    last = address(arrays[4])
    for i in range(5):
        arrays[i] = None
        assert waiting_bytes() <= LIMIT
    assert address(np.empty(LIMIT // 3, np.uint8)) == last


def test_memory_passes_from_thread_to_thread():
    found = []

    def make():
        import chainer_fast
        chainer_fast.get_function_hooks()       # what any function does
        found.append(new(LARGE))
    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    place = address(found[0])
    del found[0]
    assert address(np.empty(LARGE, np.uint8)) == place


@pytest.mark.posix('the program is forked')
def test_a_forked_process_has_the_memory_that_waits():
    array = new(LARGE)
    del array
    child = os.fork()
    if not child:
        status = 1
        try:
            status = int((new(LARGE) != 7).any())
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


NAME = '''
try:
    from numpy._core.multiarray import get_handler_name
except ImportError:
    from numpy.core.multiarray import get_handler_name
print(get_handler_name())
'''


def test_settings_of_the_user_stay():
    assert start(NAME) == ['chainer_fast']
    assert start(NAME, MALLOC_TRIM_THRESHOLD_='100000') == ['default_allocator']


def test_little_waits_where_the_process_may_have_little():
    code = '''
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
import numpy as np, chainer_fast
from chainer_fast._core.configuration.state import waiting_bytes
array = np.empty(200 << 20, np.uint8)
del array
print(waiting_bytes())
'''
    out = subprocess.run([sys.executable, '-c', code], check=True, capture_output=True,
                         text=True, env={**os.environ, 'OPENBLAS_NUM_THREADS': '1'})
    assert out.stdout.split() == ['0']


def test_what_waits_is_given_back_before_memory_runs_out():
    assert start('''
import resource
from chainer_fast._core.configuration.state import waiting_bytes
arrays = [np.empty(200 << 20, np.uint8) for _ in range(4)]
del arrays
used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
assert waiting_bytes() >= 200 << 20
resource.setrlimit(resource.RLIMIT_AS, (used + (50 << 20), -1))
array = np.empty(400 << 20, np.uint8)
print(waiting_bytes())
''') == ['0']


@pytest.mark.parametrize('shape', [
    (131071,), (131072,), (131073,), (3, 100001), (LARGE - 1,), (LARGE,), (0, 1 << 40)])
@pytest.mark.parametrize('threads', [1, 2, 3])
def test_arrays_of_zeros(shape, threads):
    with chainer_fast.using_config('num_threads', threads):
        for _ in range(3):
            # Memory that has been written is taken again.
            new(max(np.prod(shape), 1))
            array = np.zeros(shape, np.uint8)
            assert array.shape == shape and not array.any()


def test_too_many_zeros():
    for shape in (1 << 60,), (1 << 40, 1 << 20):
        with pytest.raises((MemoryError, ValueError)):
            np.zeros(shape)
