"""`chainer_fast.backends.cuda` on a machine without a GPU."""
import copy
import pickle
import subprocess
import sys

import numpy
import pytest

import chainer_fast
from chainer_fast.backends import cuda

pytestmark = pytest.mark.skipif(cuda.available, reason='there is a GPU')

ARR = numpy.arange(3, dtype=numpy.float32)


def test_old_place_is_the_same_module():
    code = ('import chainer_fast.cuda as old\n'
            'from chainer_fast.backends import cuda\n'
            'import chainer_fast\n'
            'assert old is cuda is chainer_fast.cuda\n')
    subprocess.run([sys.executable, '-c', code], check=True)


def test_dummy_device():
    dummy = cuda.DummyDevice
    assert int(dummy) == dummy.id == -1
    assert dummy == cuda.DummyDeviceType()
    assert dummy != -1
    with dummy as entered:
        assert entered is dummy
    assert dummy.use() is None
    assert dummy.synchronize() is None
    assert pickle.loads(pickle.dumps(dummy)) == dummy
    with pytest.raises(TypeError):
        hash(dummy)


@pytest.mark.parametrize('call', [
    cuda.check_cuda_available,
    lambda: cuda.to_gpu(ARR),
    lambda: cuda.to_gpu(None),
    lambda: cuda.copy(ARR),
    lambda: cuda.get_device_from_id(0),
    lambda: cuda.GpuDevice(cuda.Device()),
    lambda: cuda.GpuDevice(3),
    lambda: cuda.GpuDevice.from_device_id(0),
    lambda: cuda.elementwise('', '', '', ''),
    lambda: cuda.reduce('', '', '', '', '', '', ''),
    lambda: cuda.raw('', ''),
    lambda: chainer_fast.get_device('@cupy:0'),
])
def test_what_needs_a_gpu_says_why_there_is_none(call):
    with pytest.raises(RuntimeError, match='CUDA environment is not correctly set up'):
        call()


def test_cupy_says_why_it_is_missing():
    assert cuda.cupy is not None
    with pytest.raises(AttributeError, match='CuPy is not available'):
        cuda.cupy.zeros((2, 3))
    for name in ('cuda', 'cudnn', 'cupyx', 'memory_pool', 'nonsense'):
        assert not hasattr(cuda, name)


def test_device_choice():
    assert cuda.get_device_from_id(None) is cuda.DummyDevice
    assert cuda.get_device_from_id(-1) is cuda.DummyDevice
    assert cuda.get_device_from_array(ARR, None, 3) is cuda.DummyDevice
    assert cuda.get_device_from_array() is cuda.DummyDevice
    assert cuda.GpuDevice.from_array(ARR) is None
    assert cuda.GpuDevice.from_array(cuda.ndarray()) is None
    with pytest.raises(TypeError):
        cuda.get_device_from_id('0')
    with pytest.warns(DeprecationWarning, match='get_device is deprecated'):
        assert cuda.get_device(ARR) is cuda.DummyDevice


def test_to_cpu():
    assert cuda.to_cpu(ARR) is ARR
    assert cuda.to_cpu(None) is None
    assert cuda.to_cpu(numpy.float16(2)).dtype == numpy.float16
    with pytest.raises(TypeError):
        cuda.to_cpu(chainer_fast.Variable(ARR))


def test_array_module():
    assert cuda.get_array_module() is numpy
    assert cuda.get_array_module(ARR, chainer_fast.Variable(ARR), None) is numpy


def test_stand_ins():
    assert not isinstance(ARR, cuda.ndarray)
    assert cuda.ndarray().shape is None
    assert cuda.ndarray().device is None
    with cuda.Device(0) as entered:
        assert entered is None
    for name in ('ndarray', 'Device', 'Event', 'Stream'):
        assert getattr(cuda, name).__module__ == cuda.__name__


def test_memoize_leaves_functions_alone():
    def function():
        return []
    assert cuda.memoize()(function) is function
    assert cuda.memoize(for_each_device=True)(function) is function
    assert cuda.clear_memo() is None


def test_fuse_leaves_functions_alone():
    def function():
        return []
    assert cuda.fuse(function) is function
    assert cuda.fuse()(function) is function
    assert cuda.fuse(kernel_name='name')(function) is function


def test_without_cudnn():
    assert cuda.cudnn_enabled is False
    with chainer_fast.using_config('use_cudnn', 'always'):
        assert cuda.should_use_cudnn('==always') is False
        assert chainer_fast.should_use_cudnn('>=auto', 5000) is False
    cuda.set_max_workspace_size(1024)
    assert cuda.get_max_workspace_size() == 0
    for function in (cuda.get_cudnn_dropout_states,
                     lambda: cuda.get_cudnn_dropout_states_core(0)):
        with pytest.raises(RuntimeError, match='cuDNN is not enabled'):
            function()


@pytest.mark.parametrize('setting, expected', [
    ('always', True), ('auto', False), ('never', False)])
def test_tensor_core(setting, expected):
    with chainer_fast.using_config('use_cudnn_tensor_core', setting):
        assert cuda.should_use_cudnn_tensor_core(numpy.float16) is expected


def test_tensor_core_settings_are_checked():
    with chainer_fast.using_config('use_cudnn_tensor_core', True), \
            pytest.raises(ValueError, match='use_cudnn_tensor_core configuration'):
        cuda.should_use_cudnn_tensor_core(numpy.float16)


@pytest.mark.parametrize('level, setting, expected', [
    ('==always', 'always', True), ('==always', 'auto', False),
    ('>=auto', 'auto', True), ('>=auto', 'never', False)])
def test_levels_of_cudnn(monkeypatch, level, setting, expected):
    monkeypatch.setattr('chainer_fast.backends._cudnn._cudnn_version', 9000)
    with chainer_fast.using_config('use_cudnn', setting):
        assert cuda.should_use_cudnn(level) is expected
        assert cuda.should_use_cudnn(level, 9000) is expected
        assert cuda.should_use_cudnn(level, 9001) is False


def test_wrong_levels_of_cudnn(monkeypatch):
    monkeypatch.setattr('chainer_fast.backends._cudnn._cudnn_version', 9000)
    with pytest.raises(ValueError, match="cuDNN use level: '==auto'"):
        cuda.should_use_cudnn('==auto')
    with chainer_fast.using_config('use_cudnn', 'on'), \
            pytest.raises(ValueError, match="use_cudnn configuration: 'on'"):
        cuda.should_use_cudnn('>=auto')


def test_installed_but_broken_cupy(broken_cupy):
    assert broken_cupy.cuda.available is False
    assert isinstance(broken_cupy.cuda._resolution_error, ImportError)
    with pytest.raises(RuntimeError, match='CUDA environment'):
        broken_cupy.cuda.check_cuda_available()


def test_the_placeholder_can_be_copied():
    assert repr(copy.deepcopy(cuda.cupy)) == '<cupy: not available>'
