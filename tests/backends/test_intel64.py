import numpy
import pytest

import chainer_fast
from chainer_fast import backend
from chainer_fast.backends import intel64


def test_never_available():
    assert intel64.is_ideep_available() is False
    with pytest.raises(RuntimeError, match='iDeep'):
        intel64.check_ideep_available()
    with pytest.raises(RuntimeError, match='iDeep'):
        backend.Intel64Device()
    with pytest.raises(RuntimeError, match='iDeep'):
        chainer_fast.get_device('@intel64')


@pytest.mark.parametrize('value', [None, 1, (), numpy.zeros(2)])
def test_from_array(value):
    assert intel64.Intel64Device.from_array(value) is None


@pytest.mark.parametrize('level', ['==always', '>=auto', 'nonsense'])
def test_nothing_asks_for_it(level):
    with chainer_fast.using_config('use_ideep', 'always'):
        assert intel64.should_use_ideep(level) is False
    assert intel64.inputs_all_ready([numpy.zeros((2, 2), numpy.float32)]) is False


@pytest.fixture
def ideep(monkeypatch):
    monkeypatch.setattr(intel64, '_ideep_version', '2.0')


@pytest.mark.parametrize('level, setting, expected', [
    ('==always', 'always', True), ('==always', 'auto', False),
    ('==always', 'never', False), ('>=auto', 'always', True),
    ('>=auto', 'auto', True), ('>=auto', 'never', False)])
def test_levels(ideep, level, setting, expected):
    with chainer_fast.using_config('use_ideep', setting):
        assert intel64.should_use_ideep(level) is expected


def test_wrong_levels(ideep):
    with pytest.raises(ValueError, match="iDeep use level: '==auto'"):
        intel64.should_use_ideep('==auto')
    with chainer_fast.using_config('use_ideep', True), \
            pytest.raises(ValueError, match='use_ideep configuration: True'):
        intel64.should_use_ideep('>=auto')


@pytest.mark.parametrize('arrays, expected', [
    ([numpy.zeros((2, 2), 'f'), numpy.zeros((1, 1, 1, 1), 'f')], True),
    ([numpy.zeros((2, 2), 'f'), numpy.zeros((2, 2), 'd')], False),
    ([numpy.zeros(2, 'f')], False), ([], True), ([3.0], False)])
def test_inputs_all_ready(ideep, arrays, expected):
    assert intel64.inputs_all_ready(arrays) is expected


def test_device_where_it_exists(ideep):
    device = backend.Intel64Device()
    assert (repr(device), str(device)) == ('<Intel64Device>', '@intel64')
    assert device == chainer_fast.get_device('@intel64')
    assert device != backend.CpuDevice()
    arr = numpy.zeros(2)
    assert device.send(arr) is arr
    assert device.is_array_supported(arr)
    assert not device.is_array_supported(3)
