import copy
import pickle

import numpy
import pytest

import chainer_fast


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


def test_there_is_one_mixed16():
    mixed16 = chainer_fast.mixed16
    assert b'cchainer_fast\nmixed16' in pickle.dumps(mixed16, 0)
    assert pickle.loads(pickle.dumps(mixed16)) is mixed16
    assert copy.copy(mixed16) is mixed16
    assert copy.deepcopy(mixed16) is mixed16
    assert repr(mixed16) == str(mixed16) == "dtype('mixed16')"
