"""Kernels that the driver launches: results, device and stream as if CuPy did."""
import ctypes
import datetime
import threading

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast._core.devices import launches
from chainer_fast._core.graphs import graph
from chainer_fast.backends import _cuda_kernel, _launches, cuda
from chainer_fast.functions.activation.elu import ELU
from chainer_fast.functions.math.basic_math import Add, Div
from tests.ways import called_methods

pytestmark = pytest.mark.gpu


def record(cls):
    return graph.registered(cls)[0]


@pytest.fixture
def by_cupy(monkeypatch):
    """Names of elements whose kernels CuPy launches."""
    names = []

    def noted(loop):
        form = loop.on_device
        monkeypatch.setattr(
            loop, 'on_device', lambda *args: names.append(loop.name) or form(*args))

    noted(record(ELU).loop)
    noted(record(ELU).gradients[0][0])
    noted(record(Add).loop)
    noted(record(Div).gradients)
    return names


@pytest.fixture
def bind():
    """Change what launches need, for the time of a test."""
    yield lambda **needs: launches.bind(array=cuda.ndarray, **needs)
    launches.bind(array=cuda.ndarray, **_launches.needs())


@pytest.fixture
def stand_in():
    """The driver of the stand-in."""
    from tests.doubles.host_cupy import array, driver
    if cuda.ndarray is not array.ndarray:
        pytest.skip('a real driver would fault')
    return driver


def elu_and_gradient(x, alpha=.3):
    x = chainer.Variable(x)
    y = F.elu(x, alpha)
    with y.array.device:
        y.grad = cuda.cupy.full_like(y.array, .7)
    y.backward()
    return y.array, x.grad


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(3, 130), (1,), (), (0, 4)])
def test_same_bits_as_launched_by_cupy(device, by_cupy, monkeypatch, dtype, shape):
    x = np.asarray(np.random.RandomState(0).randn(*shape), dtype)
    found = elu_and_gradient(device.send(x))
    found += elu_and_gradient(device.send(np.stack([x, x], -1))[..., 0])
    assert by_cupy == []
    for loop in record(ELU).loop, record(ELU).gradients[0][0]:
        monkeypatch.setattr(loop, 'kernels', None)
    expected = elu_and_gradient(device.send(x))
    if x.size:
        assert by_cupy == ['ELU::of', 'ELU::grad']
    for a, b in zip(found, expected * 2, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape) == (x.dtype, x.shape)
        np.testing.assert_array_equal(a.get(), b.get())


def test_two_inputs_and_gradients(device, by_cupy):
    a, b = [chainer.Variable(device.send(np.array(x, 'f')))
            for x in ([1, 2, 3], [4, 5, 8])]
    y, = Div().apply((a + b, b))
    y.grad = device.xp.ones_like(y.array)
    y.backward()
    np.testing.assert_allclose(a.grad.get(), [.25, .2, .125])
    np.testing.assert_allclose(b.grad.get(), [-1 / 16, -2 / 25, -3 / 64], 1e-6)
    assert by_cupy == []


def test_device_of_the_arrays(device):
    if cuda.cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip('needs two devices')
    with cuda.Device(1):
        x = device.xp.asarray(device.xp.ones((2, 3), 'f'))
    for current in 0, 1, 0:
        with cuda.Device(current):
            y, gx = elu_and_gradient(x)
            assert y.device.id == gx.device.id == 1
            assert cuda.Device().id == current
    y0, _ = elu_and_gradient(device.xp.ones((2, 3), 'f'))
    assert y0.device.id == 0


def test_devices_of_threads(device):
    count = min(4, cuda.cupy.cuda.runtime.getDeviceCount())
    found = {}

    def run(number):
        with cuda.Device(number):
            for _ in range(5):
                y, gx = elu_and_gradient(device.xp.full((3,), -1, 'f'))
            found[number] = y.device.id, gx.device.id, y.get()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, (*devices, y) in found.items():
        assert devices == [number, number]
        np.testing.assert_allclose(y, .3 * np.expm1(-np.ones(3)), 1e-6)
    assert len(found) == count


@pytest.mark.parametrize('as_capsule', [True, False])
def test_current_stream(device, by_cupy, bind, as_capsule):
    needs = _launches.needs()
    assert needs['stream_capsule'] is not None
    if not as_capsule:
        # One with another signature, which must not be called.
        bind(**{**needs, 'stream_capsule': datetime.datetime_CAPI})
    x = device.xp.ones((2, 3), 'f')
    stream = cuda.cupy.cuda.Stream(non_blocking=True)
    with stream:
        y, _ = elu_and_gradient(x)
    stream.synchronize()
    assert y.get().tolist() == [[1] * 3] * 2
    assert by_cupy == []


def test_without_a_driver_the_methods_run(device, bind):
    bind()
    with called_methods(ELU) as called:
        y, _ = elu_and_gradient(device.xp.ones((2, 3), 'f'))
    assert y.get().tolist() == [[1] * 3] * 2
    assert called == {'forward', 'backward'}


def test_statuses_are_errors(device, stand_in, monkeypatch):
    elu = record(ELU).loop
    compiled = []

    class Function:
        ptr = 12345

    def launch(made):
        monkeypatch.setattr(elu, 'kernels', (launches.DeviceKernel(made),))
        with pytest.raises(cuda.cupy.cuda.driver.CUDADriverError) as caught:
            F.elu(device.xp.ones((2, 3), 'f'))
        return caught.value.status

    assert launch(lambda letter: compiled.append(letter) or Function) == (
        stand_in.INVALID_HANDLE)
    assert compiled == ['f']
    # It has an array more, and no constant.
    add = record(Add).loop.kernels[0]
    assert launch(add.make) == stand_in.INVALID_VALUE


def test_other_threads_run_meanwhile(device, stand_in):
    x = device.xp.ones((2, 3), 'f')
    F.elu(x)        # compiled
    pause = ctypes.c_int.in_dll(stand_in.library(), 'host_pause')
    ticks, ended = [], threading.Event()

    def tick():
        while not ended.wait(.005):
            ticks.append(None)

    thread = threading.Thread(target=tick)
    thread.start()
    pause.value = 200000
    try:
        before = len(ticks)
        F.elu(x)
        assert len(ticks) > before + 5
    finally:
        pause.value = 0
        ended.set()
        thread.join()


def test_compiled_once(device, monkeypatch):
    elu = record(ELU).loop
    letters = []
    make = elu.kernels[0].make
    monkeypatch.setattr(elu, 'kernels', (launches.DeviceKernel(
        lambda letter: letters.append(letter) or make(letter)),))
    for dtype in 'fefd':
        F.elu(device.xp.ones((2, 3), dtype))
    assert letters == ['f', 'e', 'd']


def test_sums_of_gradients(device, by_cupy):
    x = chainer.Variable(device.xp.array([1, 2, 3], 'f'))
    twice = chainer.Variable(device.xp.array([4, 5, 6], 'f'))
    with called_methods(Add) as called:
        F.sum(x * twice + x * x).backward()
    assert not called and by_cupy == []
    assert x.grad.get().tolist() == [6, 9, 12]
    x = chainer.Variable(device.xp.ones((2, 3), 'f'))
    with called_methods(Add) as called:
        (F.sum(x) + F.sum(F.transpose(F.transpose(x) * 2))).backward()
    assert not called and by_cupy == []
    assert x.grad.get().tolist() == [[3] * 3] * 2
    for spoilt in (lambda a: a.astype('d'), lambda a: device.xp.ones(2, 'f')):
        table = chainer._core.backward.backprop.GradTable()
        table.accumulate(x.node, chainer.Variable(x.array))
        with pytest.raises(chainer.utils.type_check.InvalidType):
            table.accumulate(x.node, chainer.Variable(spoilt(x.array)))


# Kernels that are called from Python
#

def move(letter):
    """Compile a kernel that adds a multiple of an array to another one."""
    number = 'double' if letter == 'd' else 'float'
    return _cuda_kernel.raw(
        f'extern "C" __global__ void move({number} *x, const {number} *y, '
        f'long long n, {number} c) {{ '
        'const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; '
        'if (i < n) x[i] += c * y[i]; }', 'move').kernel


@pytest.mark.parametrize('dtype', 'fd')
def test_flat_kernels(device, dtype):
    kernel = launches.FlatKernel(move)
    x, y = [device.send(np.arange(6, dtype=dtype).reshape(2, 3)) for _ in range(2)]
    assert kernel((x, y), 2) is True
    np.testing.assert_array_equal(x.get(), 3 * y.get())


def test_flat_kernels_decline(device):
    kernel = launches.FlatKernel(move)
    x = device.send(np.ones((2, 3), 'f'))
    for y in (x.get(), None, x.astype('d'), x.astype('i'), x[:, :2], x.T,
              device.send(np.ones((3, 2), 'f')).T, device.send(np.ones(6, 'f'))):
        assert kernel((x, y), 2) is kernel((y, x), 2) is False
    np.testing.assert_array_equal(x.get(), 1)
    if cuda.cupy.cuda.runtime.getDeviceCount() > 1:
        with cuda.Device(1):
            assert kernel((x, x), 2) is False


def test_flat_kernels_without_a_driver(device, bind):
    x = device.send(np.ones((2, 3), 'f'))
    bind()
    assert launches.FlatKernel(move)((x, x), 2) is False


@pytest.mark.parametrize('shape', [
    (2, 3, 4, 5), (2, 3, 4), (2, 3, 4, 5, 6), (1, 3, 4, 4), (2, 1, 4, 4), (2, 3, 1, 1),
    (2, 3, 1, 5), (2, 3, 0, 5), (3, 4), (5,), (), (1, 1, 1, 1)], ids=str)
def test_channels_last(device, shape):
    host = np.zeros(shape, 'f')
    orders = [device.send(host)]
    if len(shape) > 2:
        orders += [device.send(host.transpose(0, *range(2, host.ndim), 1)).transpose(
            0, host.ndim - 1, *range(1, host.ndim - 1))]
    if host.ndim == 4:
        orders += [x[:, :, ::-1] for x in orders] + [x[:, :, :, ::2] for x in orders]
        orders += [x[:, ::2] for x in orders]
        orders += [x.transpose(0, 1, 3, 2) for x in orders]
    for x in orders:
        raw = x.transpose(0, *range(2, x.ndim), 1) if x.ndim > 2 else x
        assert launches.is_channels_last(x) == (
            not x.flags.c_contiguous and x.ndim > 2 and raw.flags.c_contiguous)
