import subprocess
import sys

import numpy
import pytest

import chainer_fast
from chainer_fast import backend, chainerx

NATIVE = chainer_fast.get_device('native:0')


def test_is_not_imported_until_a_device_is_asked_for():
    code = '''
import sys, numpy, chainer_fast, chainer_fast.links as L
name = 'chainer_fast.chainerx'
model = L.Linear(2, 2)
model(numpy.ones((1, 2), 'f')).array
assert not isinstance(model.device, chainer_fast.backend.ChainerxDevice)
assert name not in sys.modules
chainer_fast.get_device('native')
assert name in sys.modules
'''
    subprocess.run([sys.executable, '-c', code], check=True)


@pytest.mark.parametrize('spec', ['native', 'native:0', chainerx.get_device('native')])
def test_specifiers(spec):
    device = chainer_fast.get_device(spec)
    assert device == NATIVE
    assert hash(device) == hash(NATIVE)
    assert device.name == str(device) == 'native:0'
    assert device.xp is chainerx
    assert device.supported_array_types == (chainerx.ndarray,)
    assert repr(device) == '<ChainerxDevice native:0>'


def test_other_devices():
    assert chainer_fast.get_device('native:1') != NATIVE
    with pytest.raises(chainerx.DeviceError):
        chainer_fast.get_device('native:foo')
    with pytest.raises(TypeError, match=r'chainerx\.Device'):
        backend.ChainerxDevice('native:0')


def test_fallback():
    assert NATIVE.fallback_device == backend.CpuDevice()
    assert backend.ChainerxDevice.from_fallback_device(backend.CpuDevice()) == NATIVE
    with pytest.raises(ValueError, match='@intel64'):
        backend.ChainerxDevice.from_fallback_device(backend.Intel64Device.__new__(
            backend.Intel64Device))


def test_current_device():
    other = chainer_fast.get_device('native:1')
    with chainer_fast.using_device(other):
        assert chainerx.get_default_device() is other.device
        NATIVE.use()
        assert chainerx.get_default_device() is NATIVE.device


@pytest.mark.parametrize('value', [None, 1, (), numpy.zeros(2)])
def test_from_array(value):
    assert backend.ChainerxDevice.from_array(value) is None


def test_arrays_share_memory():
    plain = numpy.zeros(2)
    array = backend.to_chx(plain)
    assert type(array) is chainerx.ndarray
    plain[0] = 3
    assert backend.from_chx(array)[0] == 3
    assert backend.to_chx(array) is array
    assert backend.from_chx([None, plain])[1] is plain
    assert backend.to_chx([None, plain])[0] is None
    assert backend.get_array_module(plain, array) is chainerx
    assert backend.get_device_from_array(array) == NATIVE
    assert NATIVE.is_array_supported(array)
    assert not NATIVE.is_array_supported(plain)
    assert not chainer_fast.get_device('native:1').is_array_supported(array)
    assert chainer_fast.is_arrays_compatible([array, None, array])
    assert not chainer_fast.is_arrays_compatible([array, plain])
    for convert in backend.to_chx, backend.from_chx:
        with pytest.raises(TypeError, match='expected an array'):
            convert(3)


@pytest.mark.parametrize('names', [
    ('native:0', '@numpy'), ('@numpy', 'native:0'), ('native:0', 'native:1')])
def test_copyto(names):
    to, origin = [chainer_fast.get_device(name) for name in names]
    target = to.send(numpy.zeros(2, 'f'))
    backend.copyto(target, origin.send(numpy.array([1, 2], 'f')))
    assert backend.CpuDevice().send(target).tolist() == [1, 2]
