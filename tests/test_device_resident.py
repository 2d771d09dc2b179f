import abc
import warnings

import numpy
import pytest

import chainer_fast
from chainer_fast import backend, device_resident
from chainer_fast.backends import cuda
from chainer_fast.backends._onednn import library
from tests.doubles import fake_cupy
from tests.doubles.fake_gpus import gpus  # noqa: F401

DEPRECATED = pytest.mark.filterwarnings('ignore::DeprecationWarning')

without_gpu = pytest.mark.skipif(cuda.available, reason='there is a GPU')


def make_box(base):
    """Return a class of residents with an array and inner residents."""
    class Box(base):

        def __init__(self, *inner):
            super().__init__()
            self.array = numpy.arange(3)
            self.inner = inner

        def device_resident_accept(self, visitor):
            super().device_resident_accept(visitor)
            self.array = visitor.visit_array(self.array)
            for resident in self.inner:
                resident.device_resident_accept(visitor)

    return Box


def overriding(base, method, calls):
    """Return a subclass that replaces a retired method, and notes its calls."""
    def replacement(self, *args, **kwargs):
        calls.append((method, args, kwargs))
        return getattr(super(cls, self), method)(*args, **kwargs)

    with pytest.warns(DeprecationWarning, match='Overriding method %r' % method):
        cls = type('Overriding', (base,), {method: replacement})
    return cls


Box = make_box(chainer_fast.DeviceResident)


def test_new_residents_are_on_the_cpu():
    box = Box()
    assert box.device == backend.CpuDevice()
    assert box.xp is numpy
    assert box._overridden_to_methods == ()
    assert isinstance(Box, abc.ABCMeta)


def test_to_device_cpu():
    box = Box(Box())
    array = box.array
    assert box.to_device('@numpy') is box
    assert box.array is array
    assert box.inner[0].device == backend.CpuDevice()


def test_to_cpu_is_deprecated():
    box = Box()
    with pytest.warns(DeprecationWarning,
                      match=r"to_cpu is deprecated.*to_device\('@numpy'\)"):
        assert box.to_cpu() is box


@without_gpu
def test_devices_that_are_not_available(monkeypatch):
    monkeypatch.setattr(library, 'available', lambda: False)
    with pytest.raises(RuntimeError, match='CUDA'):
        Box().to_gpu()
    with pytest.raises(RuntimeError, match='CUDA'):
        Box().to_device('@cupy:0')
    with pytest.raises(RuntimeError, match='iDeep'):
        Box().to_intel64()
    box = Box()
    assert box.from_chx() is box


@pytest.mark.parametrize('method', ['to_device', 'to_chx', 'from_chx'])
def test_final_methods(method):
    with pytest.raises(TypeError, match='%r is final' % method):
        type('Overriding', (Box,), {method: lambda self: None})


@pytest.mark.parametrize('method', ['to_cpu', 'to_gpu', 'to_intel64'])
def test_overridden_methods_are_known(method):
    cls = overriding(Box, method, [])
    assert cls()._overridden_to_methods == (method,)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        subclass = type('Subclass', (cls,), {})
    assert subclass()._overridden_to_methods == (method,)


def test_a_mixin_overrides_too():
    class Mixin:
        def to_cpu(self):
            return self

    assert type('Mixed', (Mixin, Box), {})()._overridden_to_methods == ('to_cpu',)
    assert type('Mixed', (Box, Mixin), {})()._overridden_to_methods == ()


@DEPRECATED
def test_overridden_to_cpu_is_called():
    calls = []
    cls = overriding(Box, 'to_cpu', calls)
    for move in (lambda box: box.to_cpu(), lambda box: box.to_device('@numpy')):
        for box in (cls(), Box(cls())):
            move(box)
            assert calls == [('to_cpu', (), {})]
            calls.clear()


def test_base_visitor_has_nothing_to_say():
    visitor = device_resident.DeviceResidentsVisitor()
    for method in ('visit_device_resident', 'visit_array', 'visit_variable'):
        with pytest.raises(NotImplementedError):
            getattr(visitor, method)(None)
    with pytest.raises(NotImplementedError):
        chainer_fast.DeviceResident().device_resident_accept(visitor)


# With the stand-in for CuPy
#

@pytest.fixture
def gpu_box(gpus):  # noqa: F811
    return make_box(gpus.device_resident.DeviceResident)


def where(box):
    return box.array.device.id


@pytest.mark.parametrize('device, number', [
    (None, 0), (0, 0), (2, 2), (numpy.int32(1), 1), (fake_cupy.Device(1), 1)])
def test_to_gpu(gpu_box, device, number):
    box = gpu_box(gpu_box())
    with pytest.warns(DeprecationWarning, match=r"to_device\('@cupy:N'\)"):
        assert box.to_gpu(device) is box
    assert box.device.name == box.inner[0].device.name == '@cupy:%d' % number
    assert where(box) == where(box.inner[0]) == number
    assert box.xp is fake_cupy.module


@DEPRECATED
@pytest.mark.parametrize('device', [-1, 'x', 1.5])
def test_to_gpu_of_no_gpu(gpu_box, device):
    with pytest.raises(ValueError, match='Invalid CUDA device'):
        gpu_box().to_gpu(device)


@DEPRECATED
def test_to_gpu_leaves_arrays_on_other_gpus(gpu_box):
    box = gpu_box().to_gpu(0)
    array = box.array
    box.to_gpu(0)
    with pytest.warns(RuntimeWarning, match='GPU-0, not GPU-2'):
        box.to_gpu(2)
    assert box.array is array
    assert box.device.name == '@cupy:2'
    box.to_device('@cupy:2')
    assert where(box) == 2
    box.to_cpu()
    assert isinstance(box.array, numpy.ndarray)
    assert box.device.name == '@numpy'


@DEPRECATED
def test_warnings_about_other_gpus_can_be_collected(gpu_box, gpus):  # noqa: F811
    box = gpu_box(gpu_box())
    local = gpus.device_resident._thread_local
    assert local.flag_gpu_to_gpu is None
    local.flag_gpu_to_gpu = False
    try:
        box.to_gpu(0)
        assert local.flag_gpu_to_gpu is False
        box.to_gpu(1)
        assert local.flag_gpu_to_gpu is True
    finally:
        local.flag_gpu_to_gpu = None


@DEPRECATED
def test_overridden_to_gpu_is_called(gpu_box):
    calls = []
    cls = overriding(gpu_box, 'to_gpu', calls)
    gpu_box(cls()).to_device('@cupy:1')
    assert calls == [('to_gpu', (), {'device': 1})]
    calls.clear()
    box = gpu_box(cls()).to_gpu(2)
    assert calls == [('to_gpu', (), {'device': fake_cupy.Device(2)})]
    assert where(box) == where(box.inner[0]) == 2
    calls.clear()
    cls().to_gpu(1)
    assert calls == [('to_gpu', (1,), {})]


class FakeVariable:

    def __init__(self, device):
        self.device = device
        self.moves = []

    def to_device(self, device):
        self.moves.append(device)


@DEPRECATED
def test_variables_are_moved(gpus):  # noqa: F811
    cpu, gpu_0, gpu_1 = (gpus.backend.get_device(number) for number in (-1, 0, 1))
    visitor = gpus.device_resident._ToDeviceVisitor(gpu_1)
    for device in (cpu, gpu_0, gpu_1):
        var = FakeVariable(device)
        visitor.visit_variable(var)
        assert var.moves == [gpu_1]
    visitor = gpus.device_resident._ToDeviceVisitor(
        gpu_1, ('to_gpu', {}), skip_between_cupy_devices=True)
    for device, moves in ((cpu, [gpu_1]), (gpu_1, [])):
        var = FakeVariable(device)
        visitor.visit_variable(var)
        assert var.moves == moves
    var = FakeVariable(gpu_0)
    with pytest.warns(RuntimeWarning, match='GPU-0, not GPU-1'):
        visitor.visit_variable(var)
    assert var.moves == []
