import copy
import pickle

import numpy
import pytest

import chainer_fast
from chainer_fast.backends import cuda, intel64

ARR = numpy.zeros(3)

without_gpu = pytest.mark.skipif(cuda.available, reason='there is a GPU')


@without_gpu
def test_array_types():
    assert chainer_fast.get_array_types() == (numpy.ndarray,)
    assert chainer_fast.get_cpu_array_types() == (numpy.ndarray,)


@pytest.mark.parametrize('arrays, expected', [
    ([], True), ([ARR], True), ((ARR, ARR), True), ((ARR, None), True), ([None], True),
    ([3], False), ([ARR, 3], False), ([[ARR]], False), ([numpy.float32(3)], False),
    ([chainer_fast.Variable(ARR)], False), ([intel64.mdarray()], False)])
def test_compatible_arrays(arrays, expected):
    assert chainer_fast.is_arrays_compatible(arrays) is expected
    assert chainer_fast.is_arrays_compatible(iter(arrays)) is expected


@without_gpu
def test_arrays_of_two_backends():
    assert chainer_fast.is_arrays_compatible([cuda.ndarray()])
    assert not chainer_fast.is_arrays_compatible([ARR, cuda.ndarray()])


@pytest.mark.parametrize('name', ['Fallback', 'mixed16'])
def test_there_is_one_of_each(name):
    value = getattr(chainer_fast, name)
    assert pickle.loads(pickle.dumps(value)) is value
    assert copy.copy(value) is value
    assert copy.deepcopy(value) is value


def test_representations():
    assert repr(chainer_fast.Fallback) == 'Fallback'
    assert repr(chainer_fast.mixed16) == str(chainer_fast.mixed16) == "dtype('mixed16')"


def test_debug_mode():
    assert not chainer_fast.is_debug()
    chainer_fast.set_debug(True)
    try:
        assert chainer_fast.is_debug() is True
        with pytest.deprecated_call(match='DebugMode'):
            mode = chainer_fast.DebugMode(False)
        with mode:
            assert chainer_fast.is_debug() is False
        assert chainer_fast.is_debug() is True
    finally:
        chainer_fast.set_debug(False)
    assert chainer_fast.is_debug() is False


def test_debug_mode_ends_with_an_exception_and_can_be_nested():
    with pytest.deprecated_call():
        mode = chainer_fast.DebugMode(True)
    with pytest.raises(KeyError), mode, mode:
        raise KeyError
    assert not chainer_fast.is_debug()


@pytest.mark.parametrize('setting', [
    numpy.float16, numpy.float32, numpy.float64, 'e', numpy.dtype('f')])
def test_dtype_of_the_configuration(setting):
    with chainer_fast.using_config('dtype', setting):
        assert chainer_fast.get_dtype() == numpy.dtype(setting)
        assert chainer_fast.get_dtype(map_mixed16='d') == numpy.dtype(setting)
        assert chainer_fast.get_dtype(numpy.int8) == numpy.int8


def test_mixed16():
    assert numpy.zeros(2, chainer_fast.mixed16).dtype == numpy.float16
    with chainer_fast.using_config('dtype', chainer_fast.mixed16):
        assert chainer_fast.get_dtype() == numpy.float16
        assert chainer_fast.get_dtype(map_mixed16=numpy.float32) == numpy.float32
        assert chainer_fast.get_dtype('d', map_mixed16=numpy.float32) == numpy.float64
    assert chainer_fast.get_dtype(chainer_fast.mixed16, numpy.float32) == numpy.float32
    assert isinstance(chainer_fast.get_dtype(chainer_fast.mixed16), numpy.dtype)


@pytest.mark.parametrize('wrong', ['mixed16', 'nonsense', 3])
def test_no_dtype(wrong):
    with pytest.raises(TypeError):
        chainer_fast.get_dtype(wrong)


def test_compute_mode():
    assert chainer_fast.get_compute_mode() is None
    with chainer_fast.using_config('compute_mode', 'cudnn_fast'):
        assert chainer_fast.get_compute_mode() == 'cudnn_fast'
