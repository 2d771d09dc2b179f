"""The host's benchmark runs, on tiny steps, and its null device has CuPy's shapes."""
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.host import __main__ as program
from benchmarks.host import ledger, null_creation, null_cuda, null_kernels, rows

pytestmark = [
    pytest.mark.posix('the null device is a driver for Linux'),
    pytest.mark.skipif(
        np.lib.NumpyVersion(np.__version__) < '2.1.0',
        reason='the null device needs NumPy 2.1')]


# Launches that go through CuPy's launchers, at most, where the rest goes past them.
BY_CUPY = {'small': 1, 'perceptron': 8, 'perceptron_static': 3, 'resnet50_static': 3}
# Other calls of CuPy in a recorded step, at most, whatever the number of gradients.
CALLS_OF_RECORDINGS = 4


@pytest.fixture(scope='module')
def null():
    process = program.start('null', sys.executable)
    yield process
    process.close()


@pytest.mark.parametrize('row', rows.ROWS)
def test_steps_run_on_the_null_device(null, row):
    answer = null.ask('make', row, 'tiny')
    assert answer == []
    assert null.ask('time', 2) > 0
    launches, calls, by_driver = null.ask('counts')
    assert sum(launches.values()) + by_driver > 0
    if row in BY_CUPY:
        assert sum(launches.values()) <= BY_CUPY[row] < by_driver
    assert sum(calls.values()) > 0
    assert ('Graph.launch' in launches) == row.endswith('_static')
    if row.endswith('_static'):
        assert sum(calls.values()) <= CALLS_OF_RECORDINGS
    # A recorded step is a launch of a graph or two.
    assert any(name.startswith('cudnn') for name in launches) == (row == 'resnet50')
    assert 'tottime' in null.ask('profile', 1)


# Of a step of the tiny ResNet, which has 17 convolutions and batch normalizations, at
# most: launches by CuPy, other calls of CuPy, memory taken, and calls of functions in
# Python.
RESNET = 10, 22, 303, 800


def test_calls_of_a_network_by_cudnn(null):
    assert null.ask('make', 'resnet50', 'tiny') == []
    launches, calls, _ = null.ask('counts')
    found = (
        sum([n for name, n in launches.items() if not name.startswith('cudnn')]),
        sum(calls.values()) - calls['alloc'], calls['alloc'], null.ask('frames'))
    assert all([n <= most for n, most in zip(found, RESNET, strict=True)]), found


def test_steps_run_on_the_processor():
    process = program.start('processor', sys.executable)
    for row in 'small', 'small_static', 'perceptron', 'perceptron_static':
        assert process.ask('make', row, 'tiny') == []
        assert process.ask('time', 2) > 0
    process.close()


def test_driver_counts():
    subprocess.run([sys.executable, '-c', '''
import ctypes
from benchmarks.host import null_cupy
counter, _ = null_cupy.install()
import cupy
from chainer_fast.backends._cupy import load_cuda_driver
driver = load_cuda_driver()
f = cupy.RawModule(code="").get_function("f").kernel.ptr
assert f != cupy.RawKernel("", "f").kernel.ptr > 0
one = ctypes.c_uint(1)
for _ in range(3):
    assert not driver.cuLaunchKernel(
        ctypes.c_void_p(f), *[one] * 6, 0, cupy.cuda.Stream.null.ptr, None, None)
assert [counter.null_launches() for _ in range(2)] == [3, 0]
context = ctypes.c_void_p()
assert not driver.cuCtxGetCurrent(ctypes.byref(context)) and context.value
try:
    cupy.no_such_name
except AttributeError as error:
    assert str(error) == 'the null device has no cupy.no_such_name'
'''], check=True)


# Arrays
#

def check(x, expected, at=None, base=None):
    """Compare an array with NumPy's, and where it begins in those it was made of."""
    assert (x.shape, x.dtype, x.strides, x.size, x.nbytes, x.ndim) == (
        expected.shape, expected.dtype, expected.strides, expected.size,
        expected.nbytes, expected.ndim)
    for name in 'c_contiguous', 'f_contiguous':
        assert getattr(x.flags, name) == getattr(expected.flags, name)
    if at is not None:
        assert x.data.ptr - at.data.ptr == (
            expected.ctypes.data - base.ctypes.data)
        assert type(x.data.ptr) is int


def test_new_arrays():
    for shape in (), (3,), (2, 1, 3):
        for order in 'CF':
            x = null_creation.empty(shape, 'e', order)
            check(x, np.empty(shape, 'e', order))
            assert x.data.ptr % 512 == 0
    assert null_creation.empty((2, 0)).size == 0
    whole = null_creation.empty(8, 'f')
    half = null_creation.ndarray((2, 2), 'e', whole.data + 4, (8, 2))
    check(half, np.ndarray((2, 2), 'e', bytes(16), 4, (8, 2)))
    assert half.data.ptr == whole.data.ptr + 4
    x, y = null_creation.zeros(100), null_creation.zeros_like(x)
    assert y.data.ptr != x.data.ptr
    x = null_creation.empty((2, 3, 4), 'f').transpose(0, 2, 1)
    for function in 'empty_like', 'zeros_like', 'ones_like':
        for dtype in None, 'd':
            check(getattr(null_creation, function)(x, dtype),
                  np.empty((2, 3, 4), dtype or 'f').transpose(0, 2, 1))
    check(null_creation.asarray(np.arange(6).reshape(2, 3)), np.zeros((2, 3), int))


@pytest.mark.parametrize('view', [
    lambda x: x[1], lambda x: x[1:, ::2], lambda x: x[..., -1],
    lambda x: x[:, None, 2:], lambda x: x[1, 2, 3], lambda x: x.T,
    lambda x: x.transpose(0, 2, 1), lambda x: x.reshape(6, -1),
    lambda x: x.reshape([2, 12])[:, 3:],
    lambda x: x.swapaxes(0, 1)[1], lambda x: x[:, :1].squeeze(1), lambda x: x.ravel()])
def test_views(view):
    x, host = null_creation.empty((2, 3, 4), 'f'), np.empty((2, 3, 4), 'f')
    expected = view(host)
    if not isinstance(expected, np.ndarray):
        expected = host[1:, 2:, 3:].reshape(())
    for _ in range(2):      # found, and remembered
        check(view(x), expected, x, host)


def test_copies():
    x = null_creation.empty((2, 3), 'f')
    turned = x.T.reshape(6)
    check(turned, np.empty(6, 'f'))
    assert turned.data.ptr != x.data.ptr
    assert null_creation.ascontiguousarray(x) is x
    check(null_creation.ascontiguousarray(x.T), np.empty((3, 2), 'f'))
    check(x.T.astype('d'), np.empty((3, 2)))


def test_values_do_not_exist():
    x = null_creation.zeros(1)
    for read in float, bool, np.asarray, lambda x: x.get(), lambda x: x[x > 0]:
        with pytest.raises((NotImplementedError, TypeError)):
            read(x)


@pytest.mark.parametrize('compute', [
    lambda x, y: x + y, lambda x, y: 2 * x, lambda x, y: np.float64(2) - x,
    lambda x, y: x > y, lambda x, y: -y, lambda x, y: x ** 2, lambda x, y: x / 3,
    lambda x, y: x.sum(), lambda x, y: y.sum(axis=0), lambda x, y: y.argmax(axis=-1),
    lambda x, y: x.mean(axis=(0, -1), keepdims=True), lambda x, y: (x > 0).sum(axis=1),
    lambda x, y: x.dot(y.T), lambda x, y: y @ x[0].T, lambda x, y: x.max()])
def test_results(compute):
    arrays = [((2, 3, 4), 'f'), ((3, 4), 'i')]
    expected = np.asarray(compute(*[np.ones(*each) for each in arrays]))
    found = compute(*[null_creation.empty(*each) for each in arrays])
    check(found, np.empty(expected.shape, expected.dtype))


def test_kernels():
    x = null_creation.empty((2, 3), 'f')
    y = null_creation.empty(3, 'f')
    kernel = null_kernels.ElementwiseKernel('T x, T y', 'T z, int32 n', '', 'both')
    ledger.clear()
    z, n = kernel(x, y)
    check(z, np.empty((2, 3), 'f'))
    check(n, np.empty((2, 3), 'i'))
    assert kernel(x, 2., z, n) == (z, n)
    assert ledger.counts()[0] == {'both': 2}
    kernel = null_kernels.ElementwiseKernel('raw T x, float64 c', 'T z', '')
    check(kernel(x, 1, size=7), np.empty(7, 'f'))
    kernel = null_kernels.ReductionKernel('T x, S y', 'S z', '', '', '', '0')
    check(kernel(x, y.astype('d'), axis=0), np.empty(3))
    assert kernel(x, y, y, axis=0) is y


def test_capture_refuses_what_cupy_refuses():
    x = null_creation.empty((2, 2), 'f')
    stream = null_cuda.Stream()
    stream.begin_capture()
    try:
        for forbidden in (lambda: x.dot(x), stream.synchronize,
                          lambda: null_creation.asarray(np.ones(2))):
            with pytest.raises(RuntimeError, match='not supported'):
                forbidden()
    finally:
        graph = stream.end_capture()
    ledger.clear()
    graph.launch()
    assert ledger.counts()[0] == {'Graph.launch': 1}


# The table
#

class Process:
    """A worker that answers from a script."""

    def __init__(self, name, times, answer=()):
        self.name, self.times, self.answer = name, iter([.01] * 3 + times), answer
        self.made = []

    def ask(self, command, *arguments):
        if command == 'time':
            return next(self.times)
        if command == 'counts':
            return {'tanh': 2, 'cudnn bias': 1}, {'empty': 4}, 5
        self.made += arguments
        return self.answer


def test_line():
    sides = [Process('null', [.01, .02, .03]), Process('processor', [.01, .01, .01]),
             Process('torch', [.02, .04, .06])]
    found = program.measure('small', sides, 3, .2)
    assert program.line('small', found) == [
        '750 small functions', '20.000 ms', '10.000 ms', '2.00 (2.5)', '40.000 ms',
        '0.50 (0.5)', '8', '1', '5', '4']
    assert program.names('small', found['counts'])[0][1:] == ['launch', 'tanh', '2']


def test_sides_that_are_not_asked():
    other = Process('processor', [])
    found = program.measure('resnet50', [Process('null', [.01]), other], 1, .2)
    assert other.made == []
    assert program.line('resnet50', found)[1:6] == ['10.000 ms', '', '', '', '']


def test_not_recorded():
    found = program.measure('small_static', [Process('null', [], 'why')], 1, .2)
    assert found == {'refusal': 'why'}
    cells = program.line('small_static', found)
    assert cells[1] == 'not recorded'
    assert len(cells) == len(program.HEADS)
