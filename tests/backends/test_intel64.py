import subprocess
import sys

import numpy
import pytest

import chainer_fast
from chainer_fast import backend, functions, links, optimizers
from chainer_fast.backends import _cpu, cuda, intel64
from chainer_fast.backends._onednn import library


@pytest.fixture
def missing(monkeypatch):
    """A machine without oneDNN."""
    monkeypatch.setattr(library, 'available', lambda: False)
    monkeypatch.setattr(library, 'reason', lambda: 'the package is not installed')


def test_not_available(missing):
    assert intel64.is_ideep_available() is False
    message = r'iDeep.*the package is not installed.*pip install .*onednn'
    with pytest.raises(RuntimeError, match=message):
        intel64.check_ideep_available()
    with pytest.raises(RuntimeError, match=message):
        backend.Intel64Device()
    with pytest.raises(RuntimeError, match=message):
        chainer_fast.get_device('@intel64')


@pytest.mark.parametrize('value', [None, 1, (), numpy.zeros(2)])
def test_from_array(value):
    assert intel64.Intel64Device.from_array(value) is None


@pytest.mark.parametrize('level', ['==always', '>=auto', 'nonsense'])
def test_nothing_asks_for_what_is_missing(missing, level):
    with chainer_fast.using_config('use_ideep', 'always'):
        assert intel64.should_use_ideep(level) is False
    assert intel64.inputs_all_ready([numpy.zeros((2, 2), numpy.float32)]) is False


@pytest.fixture
def ideep(monkeypatch):
    """A machine with oneDNN, as far as only that is asked."""
    monkeypatch.setattr(library, 'available', lambda: True)


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


@pytest.mark.parametrize('shape', [(3,), (2, 3), (2, 3, 4, 5)])
def test_arrays_of_the_device(ideep, shape):
    device, cpu = backend.Intel64Device(), backend.CpuDevice()
    source = numpy.ones(shape, 'f')
    array = device.send(source)
    assert type(array) is numpy.ndarray     # so that compiled code takes it
    assert isinstance(array, intel64.mdarray)
    assert device.send(array) is array
    assert backend.get_device_from_array(array) == device
    assert device.is_array_supported(array)
    assert not cpu.is_array_supported(array)
    assert cpu.from_array(array) is None
    assert not isinstance(source, intel64.mdarray)

    back = cpu.send(array)
    assert not isinstance(back, intel64.mdarray)
    numpy.testing.assert_array_equal(back, source)
    assert cuda.to_cpu(array).shape == shape
    numpy.testing.assert_array_equal(array + array, 2 * source)


@pytest.mark.parametrize('array', [
    numpy.zeros(()), numpy.zeros((2, 3, 4), 'f'), numpy.zeros((2, 3)),
    numpy.zeros((2, 0), 'f'), numpy.zeros((1,) * 5, 'f'), numpy.zeros(3, 'i')])
def test_arrays_that_stay_numpys(ideep, array):
    assert backend.Intel64Device().send(array) is array
    with pytest.raises(ValueError, match='float32'):
        intel64.ideep.array(array)


def test_marks_end_with_their_arrays(ideep):
    before = len(_cpu._of_other_device)
    arrays = [intel64.mdarray(numpy.zeros(2, 'f')) for _ in range(100)]
    assert len(_cpu._of_other_device) == before + 100
    del arrays
    assert len(_cpu._of_other_device) == before


def test_a_program_ends_in_silence(ideep):
    program = '''
import chainer_fast.links as L
link = L.Linear(2, 3)
link.to_intel64()
'''
    ended = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, check=True)
    assert ended.stderr == ''


def test_strides_are_kept(ideep):
    source = numpy.zeros((4, 6), 'f')[::2, ::2]
    assert backend.Intel64Device().send(source).strides == source.strides


def test_variables_and_links(ideep):
    x = chainer_fast.Variable(numpy.ones((2, 3), 'f'))
    x.grad = numpy.ones((2, 3), 'f')
    x.to_intel64()
    assert isinstance(x.array, intel64.mdarray)
    assert isinstance(x.grad, intel64.mdarray)
    assert x.device == backend.Intel64Device()
    array = x.array
    x.to_intel64()
    assert x.array is array
    x.to_cpu()
    assert x.device == backend.CpuDevice()

    link = links.Linear(3, 2)
    optimizer = optimizers.Adam().setup(link)
    link.to_device('@intel64')
    assert isinstance(link.W.array, intel64.mdarray)
    for _ in range(2):
        link.cleargrads()
        functions.sum(link(x)).backward()
        optimizer.update()
    assert isinstance(link.W.array, intel64.mdarray)
    assert link.device == backend.Intel64Device()
