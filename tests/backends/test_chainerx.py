import numpy
import pytest

from chainer_fast import backend
from chainer_fast.alias import chainerx


def test_never_available():
    assert chainerx.is_available() is False
    assert chainerx._build_info.build_chainerx is False
    with pytest.raises(RuntimeError, match='not available'):
        chainerx.ndarray((2, 3))
    with pytest.raises(RuntimeError, match='not available'):
        backend.ChainerxDevice('native:0')
    with pytest.raises(RuntimeError, match='not available'):
        backend.ChainerxDevice.from_fallback_device(backend.CpuDevice())


@pytest.mark.parametrize('value', [None, 1, (), numpy.zeros(2)])
def test_from_array(value):
    assert backend.ChainerxDevice.from_array(value) is None


def test_from_chx_leaves_arrays_alone():
    arr = numpy.zeros(2)
    assert backend.from_chx(arr) is arr
    assert backend.from_chx([None, arr])[1] is arr
    with pytest.raises(TypeError, match='expected an array'):
        backend.from_chx(3)


def test_to_chx_fails_for_arrays():
    assert backend.to_chx(None) is None
    assert backend.to_chx([]) == []
    with pytest.raises(RuntimeError, match='not available'):
        backend.to_chx(numpy.zeros(2))
