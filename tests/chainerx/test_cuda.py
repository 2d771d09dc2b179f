"""Arrays on GPUs, also on one that is not the current one of CuPy."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import backend, chainerx, gradient_check, optimizers
from chainer_fast.backends import cuda
from chainer_fast.chainerx import _interop
from tests.chainerx.checks import uniform, values

pytestmark = pytest.mark.gpu


@pytest.fixture(params=[0, 1])
def gpu(request):
    """A device of ChainerX, while the first GPU is the current one of CuPy."""
    if request.param >= chainerx.get_backend('cuda').get_device_count():
        pytest.skip('needs two GPUs')
    yield chainerx.get_device('cuda', request.param)
    assert cuda.Device().id == 0


@pytest.fixture
def other(gpu):
    """Another device of ChainerX."""
    if chainerx.get_backend('cuda').get_device_count() < 2:
        pytest.skip('needs two GPUs')
    return chainerx.get_device('cuda', 1 - gpu.index)


def assert_on(gpu, x, expected=None):
    assert x.device is gpu
    assert x._array.device.id == gpu.index
    if expected is not None:
        np.testing.assert_allclose(values(x), expected, 1e-5, 1e-6)


def test_creation(gpu):
    for make in (
            lambda **kwargs: chainerx.array([1, 2], 'float32', **kwargs),
            lambda **kwargs: chainerx.full((2, 3), 4, **kwargs),
            lambda **kwargs: chainerx.arange(6, **kwargs),
            lambda **kwargs: chainerx.linspace(0, 1, 5, **kwargs),
            lambda **kwargs: chainerx.eye(3, **kwargs),
            lambda **kwargs: chainerx.fromiter(range(3), 'int32', **kwargs)):
        expected = values(make(device='native'))
        assert_on(gpu, make(device=gpu), expected)
        with chainerx.using_device(gpu):
            assert_on(gpu, make(), expected)
    assert_on(gpu, chainerx.ndarray((2,), 'int8', gpu))
    assert_on(gpu, chainerx.random.normal(size=3, device=gpu))


@pytest.mark.parametrize('function', [
    lambda x, w: x + 2 * w - 1, lambda x, w: x.T * w[0, 0], lambda x, w: x / w,
    lambda x, w: x ** 2, lambda x, w: -abs(x), lambda x, w: x[::-1, 1:],
    lambda x, w: x.reshape(-1), lambda x, w: x.sum(axis=0), lambda x, w: x.max(),
    lambda x, w: chainerx.dot(x, w.T), lambda x, w: chainerx.tanh(x),
    lambda x, w: chainerx.concatenate([x, w]), lambda x, w: x.astype('float64'),
    lambda x, w: chainerx.where(x > 0, x, w), lambda x, w: x.var(axis=1),
    lambda x, w: chainerx.log_softmax(x), lambda x, w: x.copy()])
def test_operations(gpu, function):
    given = [uniform(2, 3, seed=i).astype('f') for i in range(2)]
    native, own = [[chainerx.array(x, device=device) for x in given]
                   for device in ('native', gpu)]
    assert_on(gpu, function(*own), values(function(*native)))
    gradients = []
    for x, w in native, own:
        x.require_grad()
        for _ in range(2):
            (function(x, w) ** 2).sum().backward()
        gradients.append(x.grad)
    assert_on(gpu, gradients[1], values(gradients[0]))


def test_in_place(gpu):
    x = chainerx.zeros((2, 3), device=gpu)
    x += 3
    x *= chainerx.arange(3, dtype='float32', device=gpu)
    x[0] = 7
    x.fill(5)
    assert_on(gpu, x, np.full((2, 3), 5))


def test_several_graphs(gpu):
    with chainerx.backprop_scope('inner') as inner, chainerx.backprop_scope(
            'outer') as outer:
        x = chainerx.array([2.], 'float32', device=gpu).require_grad(inner)
        w = chainerx.array([3.], 'float32', device=gpu).require_grad(outer)
        for _ in range(2):
            (x * x * w).backward(inner)
        gx = x.get_grad(inner)
        assert_on(gpu, gx, [24])
        gx.backward(outer)
        assert_on(gpu, w.get_grad(outer), [8])


def test_gradients_are_added(gpu):
    x = chainerx.array([1., 2.], 'float32', device=gpu).require_grad()
    h = (x * 2).require_grad()
    for _ in range(2):
        (h * h).sum().backward()
    assert_on(gpu, h.grad, [8, 16])
    assert_on(gpu, x.grad, [16, 32])


def check_moves(begin, end):
    x = chainerx.array([1., 2.], device=begin).require_grad()
    y = x.to_device(end)
    assert y.device is end
    np.testing.assert_array_equal(values(y), [1, 2])
    (y * 3).sum().backward()
    assert x.grad.device is begin
    np.testing.assert_array_equal(values(x.grad), [3, 3])


def test_to_device(gpu):
    native = chainerx.get_device('native')
    check_moves(gpu, native)
    check_moves(native, gpu)


def test_to_another_gpu(gpu, other):
    check_moves(gpu, other)
    with cuda.Device(other.index):
        plain = cuda.cupy.ones(2)
    for copy in chainerx.from_dlpack(plain, gpu), chainerx.asarray(plain, device=gpu):
        assert_on(gpu, copy, [1, 1])


def test_memory_of_cupy(gpu):
    with cuda.Device(gpu.index):
        plain = cuda.cupy.arange(6, dtype='f').reshape(2, 3)
    x = backend.to_chx(plain)
    x += 1
    assert_on(gpu, x, plain.get())
    assert chainerx._to_cupy(x) is plain is backend.from_chx(x)
    part = plain[::-1, 1:]
    again = _interop._fromrawpointer(
        part.data.mem.ptr, part.shape, part.dtype, part.strides, gpu,
        part.data.ptr - part.data.mem.ptr, part)
    again += 1
    assert_on(gpu, again, part.get())
    assert_on(gpu, chainerx.frombuffer(plain, device=gpu), plain.get().ravel())
    assert_on(gpu, chainerx.from_dlpack(plain, gpu), plain.get())


def test_cupy_around_memory(gpu):
    x = chainerx.arange(12, dtype='float32', device=gpu).reshape(2, 6)[::-1, ::2]
    cupy = cuda.cupy
    memory = cupy.cuda.UnownedMemory(x.data_ptr, x.data_size, x)
    plain = cupy.ndarray(
        x.shape, x.dtype, cupy.cuda.MemoryPointer(memory, x.offset), x.strides)
    assert plain.device.id == gpu.index
    x += 1
    np.testing.assert_array_equal(plain.get(), values(x))


def check_refused(gpu, address, array):
    with pytest.raises(chainerx.ChainerxError):
        _interop._fromrawpointer(address, (3,), 'float32', (4,), gpu, 0, array)
    with pytest.raises(chainerx.ChainerxError):
        chainerx.frombuffer(array, device=gpu)


def test_memory_of_the_host(gpu):
    array = np.zeros(3, 'f')
    check_refused(gpu, array.ctypes.data, array)


def test_memory_of_another_gpu(gpu, other):
    with cuda.Device(other.index):
        array = cuda.cupy.zeros(3, 'f')
    check_refused(gpu, array.data.ptr, array)


def test_devices_must_be_equal(gpu):
    with pytest.raises(chainerx.DeviceError):
        chainerx.ones(3, device=gpu) + chainerx.ones(3, device='native')


class Net(chainer_fast.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.convolution = L.Convolution2D(2, 3, 3, nobias=True)
            self.norm = L.BatchNormalization(3)
            self.last = L.Linear(None, 2)

    def forward(self, x):
        return self.last(F.relu(self.norm(self.convolution(x))))


def trained(device):
    np.random.seed(0)
    model = Net()
    model.last(np.zeros((1, 12), 'f'))
    model.to_device(device)
    optimizer = optimizers.Adam().setup(model)
    optimizer.add_hook(chainer_fast.optimizer_hooks.GradientClipping(.5))
    optimizer.add_hook(chainer_fast.optimizer_hooks.WeightDecay(.1))
    x = model.device.send(uniform(4, 2, 4, 4).astype('f'))
    t = model.device.send(np.array([0, 1, 1, 0], 'i'))
    for _ in range(3):
        optimizer.update(lambda: F.softmax_cross_entropy(model(x), t))
    return [param.array for param in model.params()]


def test_training(gpu):
    for found, expected in zip(trained(gpu), trained('@numpy'), strict=True):
        assert_on(gpu, found)
        np.testing.assert_allclose(values(found), expected, 1e-4, 1e-5)


def test_variables(gpu):
    x = chainer_fast.Variable(chainerx.array([1., 2.], 'float32', device=gpu))
    for _ in range(2):
        F.sum(x * x).backward(loss_scale=4)
    assert_on(gpu, x.grad, [4, 8])
    x.cleargrad()
    chainer_fast.backward([y for _ in range(2) for y in F.split_axis(x * x, 2, 0)])
    gx, = chainer_fast.grad([F.sum(x ** 3)], [x], enable_double_backprop=True)
    assert_on(gpu, gx.array, [3, 12])
    gradient_check.check_backward(F.tanh, x.array, x.array + 1, atol=1e-2, rtol=1e-2)


def test_using_device(gpu):
    with chainer_fast.using_device(chainer_fast.get_device(gpu.name)):
        assert chainerx.get_default_device() is gpu
        # Functions of users fall back to arrays of CuPy, which they may make as well.
        assert cuda.Device().id == gpu.index
        assert_on(gpu, chainerx.ones(2) + 1, [2, 2])


def test_contexts(gpu):
    context = chainerx.Context()
    device = context.get_device(gpu.name)
    assert device is not gpu
    with chainerx.context_scope(context):
        x = chainerx.ones(2, device=gpu.name)
        assert_on(device, x + x, [2, 2])
