"""Programs that ask for a GPU where there is none."""
import sys
import types

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import legacy
from chainer_fast import links as L
from chainer_fast.backends import cuda
from chainer_fast.legacy._cpu import cupy as cupy_part
from chainer_fast.legacy._cpu import devices
from chainer_fast.legacy._patches import Patches

pytestmark = pytest.mark.host


@pytest.fixture
def cpu():
    legacy.enable('cpu')
    yield
    legacy.disable()


@pytest.mark.parametrize('spec', [0, '0', 1, '@cupy:0', np.int64(0)])
def test_devices_are_the_processor(cpu, spec, used):
    assert chainer.get_device(spec) == chainer.get_device('@numpy')
    assert used() == {'without a GPU: device': 1}


def test_bad_devices_stay_bad(cpu):
    with pytest.raises(ValueError):
        chainer.get_device('@cupy:-1')
    with pytest.raises(ValueError):
        chainer.get_device('@nothing:0')


def test_devices_of_cuda(cpu, used):
    x = np.zeros(3)
    for arguments in ((-1,), (x,), (None,), (True,), ()):
        assert cuda.get_device(*arguments) is cuda.DummyDevice
    assert cuda.get_device_from_id(-1) is cuda.DummyDevice
    assert not used()
    with cuda.get_device(2) as device:
        assert (device.id, int(device)) == (2, 2)
    cuda.Device(1).use()
    assert cuda.get_device(device) == device != cuda.Device(0)
    with cuda.Stream(non_blocking=True) as stream:
        stream.synchronize()
    cuda.Stream.null.synchronize()
    cuda.Event().record()
    cuda.check_cuda_available()
    assert not cuda.available


def test_transfers(cpu):
    x = np.arange(3.0)
    assert cuda.to_gpu(x) is x and cuda.to_gpu(x, device=0) is x
    pair = cuda.to_gpu([x, x, None])
    assert pair[0] is x and pair[2] is None
    assert cuda.to_gpu(np.float32(2)).shape == ()
    with pytest.raises(TypeError, match='an array or a scalar of NumPy'):
        cuda.to_gpu('text')
    assert cuda.to_cpu(cuda.to_gpu(x)) is x
    copy = cuda.copy(x)
    assert copy is not x and copy.tolist() == x.tolist()
    assert cuda.copy(x, out=np.zeros(3)).tolist() == x.tolist()
    variable = chainer.Variable(x)
    variable.to_gpu()
    assert variable.array is x


def test_links(cpu):
    class Own(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.l = L.Linear(2, 3)

        def to_gpu(self, device=None):
            super().to_gpu(device)
            self.moved = True
            return self

    model = Own()
    assert model.to_gpu(0) is model and model.moved
    assert model.xp is np
    assert model.to_device(0) is model
    assert model.copy().to_gpu().l.W.shape == (3, 2)


def test_cupy(cpu, load, used):
    module = load('''
import cupy
import cupy as xp
from cupy import cuda
import cupyx
x = cupy.asarray([1.0, 2.0], dtype='f')
host = x.get()
back = cupy.asnumpy(x)
x.set(host * 2)
total = x.sum().get()
module = cupy.get_array_module(x)
noise = xp.random.uniform(-1, 1, (2,), dtype=xp.float32), cupy.random.randn(2)
pool = cupy.get_default_memory_pool()
pool.free_all_blocks()
cupy.cuda.set_allocator(cupy.cuda.MemoryPool().malloc)
cupyx.scatter_add(x, [0, 0], 1)
d = {}.get('a', 3)
''')
    assert isinstance(module.x, module.cupy.ndarray)
    assert module.host is not module.x and module.host.tolist() == [1, 2]
    assert module.x.tolist() == [4, 4] and module.total == 6
    assert module.module is np and module.d == 3
    assert module.noise[0].dtype == np.float32 and module.pool.used_bytes() == 0
    assert used() == {'without a GPU: cupy': 2, 'without a GPU: array.get': 2,
                      'without a GPU: array.set': 1}


def test_seeds_are_numpys(cpu):
    cuda.cupy.random.seed(3)
    drawn = cuda.cupy.random.rand(2)
    np.random.seed(3)
    assert drawn.tolist() == np.random.rand(2).tolist()


def test_unknown_name(cpu):
    with pytest.raises(AttributeError):
        _ = cuda.cupy.nothing_of_this_name
    with pytest.raises(AttributeError, match='no cupy.cuda.nccl'):
        _ = cuda.cupy.cuda.nccl


@pytest.mark.parametrize('make', [
    lambda: cuda.elementwise('T x', 'T y', 'y = x', 'same'),
    lambda: cuda.reduce('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'same'),
    lambda: cuda.cupy.ElementwiseKernel('T x', 'T y', 'y = x', 'same'),
    lambda: cuda.cupy.RawKernel('code', 'same')])
def test_kernels_refuse(cpu, make):
    kernel = make()
    with pytest.raises(RuntimeError, match='kernel .* is CUDA code'):
        kernel(np.zeros(1))


def test_a_fallback_of_its_own(cpu, load):
    module = load('try:\n    import cupy\nexcept ImportError:\n    cupy = None\n')
    assert module.cupy is None


@pytest.mark.parametrize('part', [cupy_part, devices])
def test_nothing_with_a_gpu(monkeypatch, part):
    monkeypatch.setattr(cuda, 'available', True)
    before = dict(vars(cuda)), list(sys.meta_path)
    part.install(Patches({'cpu'}, frozenset()))
    assert (dict(vars(cuda)), list(sys.meta_path)) == before


def test_cupy_that_finds_no_gpu(monkeypatch):
    """An installed CuPy gives way, and comes back."""
    installed = types.ModuleType('cupy')
    monkeypatch.setitem(sys.modules, 'cupy', installed)
    legacy.enable('cpu')
    try:
        found = {}
        exec('import cupy', found)
        assert found['cupy'].ndarray is np.ndarray
    finally:
        legacy.disable()
    assert sys.modules['cupy'] is installed


def test_parts_of_cupy_go_with_it():
    legacy.enable('cpu')
    exec('import cupy.cuda.runtime, cupyx', {'__name__': 'program'})
    legacy.disable()
    assert not {'cupy', 'cupy.cuda', 'cupy.cuda.runtime', 'cupyx'} & set(sys.modules)
    assert not hasattr(cuda.cupy, 'ndarray')


def test_training(cpu):
    data = [(np.ones(2, 'f'), np.int32(i % 2)) for i in range(4)]
    model = L.Classifier(L.Linear(2, 2)).to_gpu()
    optimizer = chainer.optimizers.SGD().setup(model)
    for updater in (
            chainer.training.StandardUpdater(
                chainer.iterators.SerialIterator(data, 2), optimizer, device=0),
            chainer.training.updaters.ParallelUpdater(
                chainer.iterators.SerialIterator(data, 2), optimizer,
                devices={'main': 0, 'second': 1})):
        updater.update()
        assert updater.iteration == 1
    batch = chainer.dataset.concat_examples(data, 0)
    assert [type(array) for array in batch] == [np.ndarray] * 2


@pytest.mark.parametrize('axis', [range(1, 3), [1, 2]])
def test_axes_in_any_sequence(axis, enable, used):
    a = np.arange(24.0).reshape(2, 3, 4)
    enable('cpu')
    xp = chainer.backend.get_array_module(a)
    for module in xp, cuda.cupy:
        assert module.max(a, axis).tolist() == [11, 23]
        assert module.sum(a, axis=axis, keepdims=True).shape == (2, 1, 1)
        assert module.mean(a, axis).tolist() == [5.5, 17.5]
    assert used()['without a GPU: axes in a list or range'] == 6
    assert np.sum(a, (1, 2)).tolist() == [66, 210] and np.max(a, 1).shape == (2, 4)


def test_versions_of_cupy(cpu, load):
    # Programs print them at their start.
    module = load('''
import cupy
import cupy.cuda
from cupy.cuda import cudnn
versions = (cupy.__version__, cupy.cuda.runtime.runtimeGetVersion(),
            cupy.cuda.runtime.driverGetVersion(), cudnn.getVersion())
''')
    assert module.versions == ('7.8.0', 0, 0, 0)
