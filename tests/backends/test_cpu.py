import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import backend
from chainer_fast.backends import _cpu

ARR = numpy.arange(3, dtype=numpy.float32)


def test_device():
    device = backend.CpuDevice()
    assert device.xp is numpy
    assert device.supported_array_types == (numpy.ndarray,)
    assert (str(device), repr(device)) == ('@numpy', '<CpuDevice (numpy)>')
    assert device == backend.CpuDevice()
    assert hash(device) == hash(backend.CpuDevice())
    assert device != '@numpy'
    assert device.use() is None


@pytest.mark.parametrize('value, expected', [
    (ARR, True), (None, False), (1, False), ((), False), (numpy.float32(1), False)])
def test_from_array(value, expected):
    assert (backend.CpuDevice.from_array(value) is not None) is expected
    assert backend.CpuDevice().is_array_supported(value) is expected


def test_send_keeps_arrays_of_numpy():
    assert backend.CpuDevice().send(ARR) is ARR
    assert backend.CpuDevice().send(None) is None


@pytest.mark.parametrize('scalar', [3, 2.5, 1j, True, numpy.float16(3)])
def test_send_makes_arrays_of_scalars(scalar):
    sent = backend.CpuDevice().send(scalar)
    assert isinstance(sent, numpy.ndarray)
    assert sent.shape == ()
    assert sent.dtype == numpy.asarray(scalar).dtype
    assert sent == scalar


@pytest.mark.parametrize('wrong', [{}, object(), [[ARR]], (ARR, [ARR])])
def test_send_refuses_what_is_no_array(wrong):
    with pytest.raises(TypeError, match='expected an array'):
        backend.CpuDevice().send(wrong)


def test_send_of_a_variable_tells_the_way_out():
    with pytest.raises(TypeError, match=r'pass its `\.array`'):
        backend.CpuDevice().send(chainer_fast.Variable(ARR))


@given(st.lists(st.sampled_from([None, 0, 1, 2])), st.sampled_from([list, tuple]))
def test_sent_lists_keep_type_order_and_identity(picks, sequence):
    pool = [numpy.full(2, i) for i in range(3)]
    arrays = sequence([None if i is None else pool[i] for i in picks])
    sent = _cpu._to_cpu(arrays)
    assert type(sent) is sequence
    assert len(sent) == len(arrays)
    assert all(a is b for a, b in zip(sent, arrays, strict=True))


def test_converted_lists_convert_each_array_once():
    converted = []

    def convert(array):
        converted.append(array)
        return array.copy()

    a, b = ARR, ARR + 1
    out = chainer_fast._backend._convert_arrays([a, b, None, a], convert)
    assert [id(x) for x in converted] == [id(a), id(b)]
    assert out[0] is out[3]
    assert out[0] is not a
    assert out[2] is None
