import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import chainer_fast
from chainer_fast import _backend, backend
from chainer_fast.backends import cuda

ARR = numpy.arange(3, dtype=numpy.float32)

without_gpu = pytest.mark.skipif(cuda.available, reason='there is a GPU')


@pytest.mark.parametrize('spec', [
    '@numpy', -1, '-1', -2, '-2', numpy.int32(-1), backend.CpuDevice()])
def test_cpu_specifiers(spec):
    assert backend.get_device(spec) == backend.CpuDevice()
    context = backend.using_device(spec)
    with context, context:
        pass


@pytest.mark.parametrize('spec', [
    '@', '@foo', '@foo:0', '@cupy', '@numpy:', '@numpy:0', '@:numpy', '@intel64:0'])
def test_wrong_specifiers(spec):
    for function in (backend.get_device, backend.using_device):
        with pytest.raises(ValueError, match='no device is called %r' % spec):
            function(spec)


@pytest.mark.parametrize('spec', ['@cupy::0', '@cupy:x'])
def test_wrong_numbers(spec):
    with pytest.raises(ValueError):
        backend.get_device(spec)


@pytest.mark.parametrize('spec', ['foo', '', 'foo:0', 'Native'])
def test_what_is_no_specifier_of_chainerx(spec):
    with pytest.raises(RuntimeError, match='ChainerX has no device'):
        backend.get_device(spec)


@pytest.mark.parametrize('spec', [
    None, 3.0, (), ('native', 0), (numpy, 0), numpy, b'@numpy', cuda.DummyDevice,
    backend.CpuDevice, object()])
def test_what_is_no_specifier(spec):
    with pytest.raises(TypeError, match='a device is named by'):
        backend.get_device(spec)


@without_gpu
@pytest.mark.parametrize('spec', [0, '0', '@cupy:0', True, numpy.uint8(3), ' 1'])
def test_gpus_that_are_not_there(spec):
    with pytest.raises(RuntimeError, match='CUDA'):
        backend.get_device(spec)


@pytest.mark.parametrize('arg', [numpy.int64(1), None, 1, (), object(), ARR])
def test_device_from_array(arg):
    assert backend.get_device_from_array(arg) == backend.CpuDevice()
    assert backend.get_device_from_array(None, arg) == backend.CpuDevice()


def test_array_module():
    assert backend.get_array_module(ARR) is numpy
    assert backend.get_array_module(chainer_fast.Variable(ARR), 3) is numpy
    assert backend.get_array_module() is numpy


@given(hnp.arrays(st.sampled_from([numpy.float16, numpy.float32, numpy.int16]),
                  hnp.array_shapes(max_dims=3), elements=st.integers(-9, 9)),
       st.sampled_from([numpy.float32, numpy.float64]))
def test_copyto(src, dtype):
    dst = numpy.empty(src.shape, dtype)
    backend.copyto(dst, src)
    assert dst.dtype == dtype
    numpy.testing.assert_array_equal(dst, src)
    backend.copyto(dst, src.dtype.type(3))
    assert (dst == 3).all()


@pytest.mark.parametrize('dst, src', [
    (ARR, None), (None, ARR), (ARR.astype('i'), ARR), (ARR, chainer_fast.Variable(ARR)),
    (chainer_fast.Variable(ARR), ARR)])
def test_copyto_errors(dst, src):
    with pytest.raises(TypeError):
        backend.copyto(dst, src)


@pytest.mark.parametrize('array, expected', [
    (ARR, False), (numpy.array([1, numpy.nan]), True), (numpy.array([1, 2]), False),
    (numpy.array([1, numpy.nan], numpy.complex64), True), (numpy.zeros(0), False),
    (numpy.array([True]), False)])
def test_contains_nan(array, expected):
    assert bool(backend._contains_nan(array)) is expected


# A device of somebody else's
#

class Tape(_backend.Device):

    name = '@tape'
    xp = numpy
    supported_array_types = (numpy.ndarray,)

    def send_array(self, array):
        return ('sent', array)


def test_a_device_of_somebody_elses():
    tape = Tape()
    assert str(tape) == '@tape'
    assert hash(tape) == hash('@tape')
    assert tape.send([ARR, None, ARR]) == [('sent', ARR), None, ('sent', ARR)]
    assert backend.get_device(tape) is tape
    with backend.using_device(tape):
        pass


@pytest.mark.parametrize('use', [
    lambda d: d.xp, lambda d: d.name, lambda d: d.supported_array_types, str, hash,
    lambda d: d == d, lambda d: d != d, lambda d: d.send(ARR),
    lambda d: d.is_array_supported(ARR)])
def test_what_a_device_has_to_define(use):
    with pytest.raises(NotImplementedError):
        use(_backend.Device())


def test_a_device_is_no_context():
    with pytest.raises(RuntimeError, match='using_device'), backend.CpuDevice():
        pass
