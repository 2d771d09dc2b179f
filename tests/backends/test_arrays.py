import numpy
import pytest

import chainer_fast
from chainer_fast.backends import cuda, intel64

ARR = numpy.zeros(3)

without_gpu = pytest.mark.skipif(cuda.available, reason='there is a GPU')


@without_gpu
def test_array_types():
    kinds = chainer_fast.get_array_types()
    assert [k for k in kinds if k.__module__ != 'chainerx'] == [numpy.ndarray]
    assert chainer_fast.get_cpu_array_types() == (numpy.ndarray,)


@pytest.mark.parametrize('arrays, expected', [
    ([], True), ([ARR], True), ((ARR, ARR), True), ((ARR, None), True), ([None], True),
    ([3], False), ([ARR, 3], False), ([[ARR]], False), ([numpy.float32(3)], False),
    ([chainer_fast.Variable(ARR)], False),
    ([intel64.mdarray(numpy.zeros(3, 'f'))], True)])
def test_compatible_arrays(arrays, expected):
    assert chainer_fast.is_arrays_compatible(arrays) is expected
    assert chainer_fast.is_arrays_compatible(iter(arrays)) is expected


@without_gpu
def test_arrays_of_two_backends():
    assert chainer_fast.is_arrays_compatible([cuda.ndarray()])
    assert not chainer_fast.is_arrays_compatible([ARR, cuda.ndarray()])
