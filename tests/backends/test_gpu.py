"""Choosing GPUs and moving arrays, with a stand-in for CuPy."""
import pickle

import numpy
import pytest

import chainer_fast
from tests.doubles import fake_cupy

ARR = numpy.arange(3, dtype=numpy.float32)


def on_gpu(number, array=ARR):
    with fake_cupy.Device(number):
        return fake_cupy.array(array)


def host(array):
    with array.device:
        return array.get()


def test_module(gpus):
    cuda = gpus.cuda
    assert cuda.available
    assert cuda.cupy is fake_cupy.module
    assert cuda.ndarray is fake_cupy.ndarray
    assert cuda._cupy_major == 13
    assert cuda.cuda is fake_cupy.module.cuda
    assert cuda.cublas is fake_cupy.module.cuda.cublas
    assert cuda.cupyx is fake_cupy.cupyx
    assert cuda.memory_pool == 'the pool'
    assert not hasattr(cuda, 'cudnn')
    cuda.check_cuda_available()


# Devices
#

@pytest.mark.parametrize('number', [0, 2, numpy.int32(1), numpy.uint8(2), 9999])
def test_gpu_device(gpus, number):
    device = gpus.cuda.GpuDevice.from_device_id(number)
    assert device.device == fake_cupy.Device(number)
    assert str(device) == device.name == '@cupy:%d' % number
    assert repr(device) == '<GpuDevice (cupy):%d>' % number
    assert device.xp is fake_cupy.module
    assert device == gpus.backend.get_device('@cupy:%d' % number)
    assert hash(device) == hash(gpus.backend.get_device(int(number)))
    assert device != gpus.backend.CpuDevice()
    assert device != gpus.cuda.GpuDevice.from_device_id(int(number) + 1)
    assert pickle.loads(pickle.dumps(device)) == device


@pytest.mark.parametrize('number', [None, -1, (), 0.0, numpy.float32(0), '0'])
def test_no_gpu_device(gpus, number):
    with pytest.raises(ValueError, match='Invalid CUDA device'):
        gpus.cuda.GpuDevice.from_device_id(number)
    with pytest.raises(TypeError, match=r'cupy\.cuda\.Device'):
        gpus.cuda.GpuDevice(number)


@pytest.mark.parametrize('spec, name', [
    ('@cupy:0', '@cupy:0'), ('@cupy:12', '@cupy:12'), (1, '@cupy:1'), ('1', '@cupy:1'),
    (True, '@cupy:1'), (numpy.int64(2), '@cupy:2'), (fake_cupy.Device(1), '@cupy:1'),
    (-1, '@numpy'), ('-1', '@numpy'), ('@numpy', '@numpy')])
def test_get_device(gpus, spec, name):
    device = gpus.backend.get_device(spec)
    assert device.name == name
    assert gpus.backend.get_device(device) is device


@pytest.mark.parametrize('spec', ['@cupy', '@cupy:', '@cupy:x', '@cupy::0', '@cupy:-1'])
def test_get_device_errors(gpus, spec):
    with pytest.raises(ValueError):
        gpus.backend.get_device(spec)


def test_using_device(gpus):
    assert fake_cupy.current_device() == 0
    with gpus.backend.using_device(2):
        assert fake_cupy.current_device() == 2
        with gpus.backend.using_device('@numpy'):
            assert fake_cupy.current_device() == 2
        device = gpus.backend.get_device(1)
        with device.create_context(), device.create_context():
            assert fake_cupy.current_device() == 1
        assert fake_cupy.current_device() == 2
        device.use()
        assert fake_cupy.current_device() == 1
    assert fake_cupy.current_device() == 0
    with pytest.raises(RuntimeError, match='using_device'), device:
        pass


def test_devices_of_arrays(gpus):
    arr = on_gpu(1)
    assert gpus.cuda.get_device_from_array(None, ARR, arr, on_gpu(2)) == arr.device
    assert gpus.cuda.get_device_from_array(ARR, None) is gpus.cuda.DummyDevice
    assert gpus.backend.get_device_from_array(arr).name == '@cupy:1'
    assert gpus.backend.get_device_from_array(ARR, arr).name == '@cupy:1'
    assert gpus.backend.get_device_from_array(None, arr).name == '@cupy:1'
    assert gpus.cuda.GpuDevice.from_array(arr).name == '@cupy:1'
    assert gpus.cuda.GpuDevice.from_array(ARR) is None
    assert gpus.backend.CpuDevice.from_array(arr) is None
    supported = gpus.backend.get_device(1).is_array_supported
    assert supported(arr)
    assert not supported(on_gpu(0))
    assert not supported(ARR)


def test_get_device_from_id(gpus):
    assert gpus.cuda.get_device_from_id(1) == fake_cupy.Device(1)
    assert gpus.cuda.get_device_from_id(numpy.int8(1)) == fake_cupy.Device(1)
    assert gpus.cuda.get_device_from_id(-1) is gpus.cuda.DummyDevice


@pytest.mark.parametrize('args, number', [
    ((2,), 2), ((None, 1), 1), ((fake_cupy.Device(1),), 1), ((True,), -1), ((), -1),
    ((ARR,), -1), ((1.0,), -1)])
def test_get_device_of_anything(gpus, args, number):
    with pytest.warns(DeprecationWarning, match='get_device is deprecated'):
        assert int(gpus.cuda.get_device(*args)) == number


def test_get_device_of_an_array(gpus):
    with pytest.warns(DeprecationWarning):
        assert gpus.cuda.get_device(ARR, on_gpu(2)) == fake_cupy.Device(2)


def test_array_module(gpus):
    for get_array_module in (gpus.cuda.get_array_module, gpus.backend.get_array_module):
        assert get_array_module(ARR, on_gpu(0)) is fake_cupy.module
        assert get_array_module(ARR, None) is numpy
        assert get_array_module(chainer_fast.Variable(ARR)) is numpy
    variable = type('Variable', (), {'raw_array': on_gpu(0)})()
    assert gpus.backend.get_array_module(variable) is fake_cupy.module
    assert gpus.backend._guess_device_from_array_module(fake_cupy.module).name == (
        '@cupy:0')
    assert gpus.backend._guess_device_from_array_module(numpy).name == '@numpy'


def test_contains_nan(gpus):
    assert not gpus.backend._contains_nan(on_gpu(1))
    assert gpus.backend._contains_nan(on_gpu(1, numpy.array([1, numpy.nan])))


# Moving arrays
#

@pytest.mark.parametrize('device, number', [
    (None, 0), (1, 1), (numpy.uint16(2), 2), (fake_cupy.Device(1), 1)])
def test_to_gpu(gpus, device, number):
    sent = gpus.cuda.to_gpu(ARR, device)
    assert isinstance(sent, fake_cupy.ndarray)
    assert sent.device.id == number
    assert sent.dtype == ARR.dtype
    numpy.testing.assert_array_equal(host(sent), ARR)
    assert gpus.cuda.to_gpu(sent, device) is sent
    assert fake_cupy.current_device() == 0


def test_to_gpu_takes_the_dummy_for_the_current_device(gpus):
    assert gpus.cuda.to_gpu(ARR, gpus.cuda.DummyDevice).device.id == 0


def test_to_gpu_between_gpus(gpus):
    arr = on_gpu(2)
    sent = gpus.cuda.to_gpu(arr)
    assert sent is not arr
    assert sent.device.id == 0
    numpy.testing.assert_array_equal(host(sent), ARR)
    with fake_cupy.Device(2):
        assert gpus.cuda.to_gpu(arr) is arr


@pytest.mark.parametrize('sequence', [list, tuple])
def test_to_gpu_of_sequences(gpus, sequence):
    on_0 = on_gpu(0)
    sent = gpus.cuda.to_gpu(sequence([ARR, None, on_0, ARR, numpy.float16(2)]))
    assert type(sent) is sequence
    assert sent[0] is sent[3]
    assert sent[1] is None
    assert sent[2] is on_0
    assert sent[4].dtype == numpy.float16


@pytest.mark.parametrize('device', [-1, 'x', 1.0, ()])
def test_to_gpu_of_no_device(gpus, device):
    with pytest.raises(ValueError, match='Invalid CUDA device'):
        gpus.cuda.to_gpu(ARR, device)


@pytest.mark.parametrize('wrong', [3, 2.5, 'x', {}, [[ARR]]])
def test_to_gpu_of_no_array(gpus, wrong):
    with pytest.raises(TypeError, match='an array or a scalar of NumPy'):
        gpus.cuda.to_gpu(wrong)


def test_to_gpu_of_a_variable(gpus):
    with pytest.raises(TypeError, match=r'pass its `\.array`'):
        gpus.cuda.to_gpu(chainer_fast.Variable(ARR))


def test_to_gpu_on_a_stream(gpus):
    stream = fake_cupy.Stream()
    with pytest.warns(DeprecationWarning, match='stream'):
        sent = gpus.cuda.to_gpu(ARR, 1, stream=stream)
    assert sent.device.id == 1
    assert fake_cupy.calls() == [('asarray', stream)]
    with pytest.warns(DeprecationWarning, match='stream'):
        gpus.cuda.to_gpu(sent, 0, stream=stream)
    assert fake_cupy.calls() == [('synchronize', 1), ('asarray', stream)]


def test_to_cpu(gpus):
    arr = on_gpu(2)
    back = gpus.cuda.to_cpu(arr)
    assert isinstance(back, numpy.ndarray)
    numpy.testing.assert_array_equal(back, ARR)
    assert fake_cupy.calls() == [('get', None)]
    stream = fake_cupy.Stream()
    gpus.cuda.to_cpu([arr, arr, ARR, None], stream=stream)
    assert fake_cupy.calls() == [('get', stream)]
    numpy.testing.assert_array_equal(gpus.backend.CpuDevice().send(arr), ARR)


def test_send(gpus):
    device = gpus.backend.get_device(1)
    arr = on_gpu(1)
    assert device.send(arr) is arr
    assert [a.device.id for a in device.send([ARR, on_gpu(0)])] == [1, 1]
    assert device.send(None) is None


def test_copy(gpus):
    arr = on_gpu(1)
    same = gpus.cuda.copy(arr)
    assert same is not arr
    assert same.device.id == 1
    other = gpus.cuda.copy(arr, out_device=2)
    assert other.device.id == 2
    out = on_gpu(0, ARR * 0)
    assert gpus.cuda.copy(arr, out=out) is out
    for array in (same, other, out):
        numpy.testing.assert_array_equal(host(array), ARR)
    with pytest.raises(TypeError, match='stream'):
        gpus.cuda.copy(arr, stream=fake_cupy.Stream())


@pytest.mark.parametrize('make', [lambda: ARR, lambda: on_gpu(0), lambda: on_gpu(1)])
def test_copyto(gpus, make):
    dst = on_gpu(1, ARR * 0)
    gpus.backend.copyto(dst, make())
    numpy.testing.assert_array_equal(host(dst), ARR)
    out = ARR * 0
    gpus.backend.copyto(out, make())
    numpy.testing.assert_array_equal(out, ARR)


def test_copyto_of_no_array(gpus):
    for src in (None, 3, [1, 2, 3]):
        with pytest.raises(TypeError, match='array to copy from'):
            gpus.backend.copyto(on_gpu(0), src)
    with pytest.raises(TypeError, match='array to copy to'):
        gpus.backend.copyto(None, on_gpu(0))


# Kernels
#

@pytest.mark.parametrize('function, args, kind', [
    ('elementwise', ('T x', 'T y', 'y = x', 'copy'), 'ElementwiseKernel'),
    ('reduce', ('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'sum'), 'ReductionKernel'),
    ('raw', ('code', 'name', ('-O3',)), 'RawKernel')])
def test_kernels_are_made_once(gpus, function, args, kind):
    make = getattr(gpus.cuda, function)
    kernel = make(*args, no_return=True)
    assert type(kernel).__name__ == kind
    assert (kernel.args, kernel.kwargs) == (args, {'no_return': True})
    assert make(*args, no_return=True) is kernel
    assert make(*args).kwargs == {}
    assert make(*args) is make(*args)
    gpus.cuda.clear_memo()
    assert make(*args, no_return=True) is not kernel


def test_memoize(gpus):
    @gpus.cuda.memoize(for_each_device=True)
    def function(x):
        return [x]
    assert function(1) is function(1)
    first = function(1)
    with fake_cupy.Device(1):
        assert function(1) is not first


def test_fuse(gpus):
    assert gpus.cuda.fuse('function') == ('fused', 'function')
    assert gpus.cuda.fuse(kernel_name='name')('function') == ('fused', 'function')


# The rest of the package
#

def test_array_types(gpus):
    kinds = gpus.arrays.get_array_types()
    assert [k for k in kinds if k.__module__ != 'chainerx'] == [
        numpy.ndarray, fake_cupy.ndarray]
    assert gpus.arrays.get_cpu_array_types() == (numpy.ndarray,)
    compatible = gpus.arrays.is_arrays_compatible
    assert compatible([on_gpu(0), None, on_gpu(1)])
    assert compatible([ARR, None, ARR])
    assert not compatible([ARR, on_gpu(0)])


def test_runtime_info(gpus):
    info = str(gpus._runtime_info._get_runtime_info())
    assert ('CuPy:\n  CuPy Version : 13.6.0\n  CUDA Root : /cuda\n'
            'cuDNN: Not Available (No module') in info


@pytest.mark.parametrize('version, good', [
    ('13.0.0', True), ('13.6.0', True), ('14.0.0rc1', True), ('14.9', True),
    ('12.3.0', False), ('7.8.0', False), ('15.0.0', False), ('100.1', False)])
def test_environment_check(gpus, recwarn, version, good):
    gpus.cuda.cupy.__version__ = version
    gpus._environment_check.check()
    assert len(recwarn) == (0 if good else 1)
    if not good:
        message = str(recwarn.pop(UserWarning).message)
        assert version in message
        assert "pip install 'cupy-cuda13x>=13.0,<15.0'" in message
