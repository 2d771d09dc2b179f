import sys

import numpy as np
import pytest

from chainer_fast import chainerx
from chainer_fast.chainerx import _interop
from tests.chainerx.checks import array, uniform, values
from tests.devices import to_cpu

pytestmark = pytest.mark.usefixtures('place')


def test_to_numpy():
    x = array(uniform(2, 3))
    own, shared = chainerx.to_numpy(x.T), chainerx.to_numpy(x, copy=False)
    assert type(own) is type(shared) is np.ndarray
    x += 1
    assert (values(x) != own.T).all()
    assert (shared == values(x)).all() == x.device.native
    assert np.asarray(x).dtype == 'float64'
    assert np.asarray(x, 'float32').dtype == 'float32'


def test_to_cupy():
    x = array(uniform(3))
    if x.device.native:
        with pytest.raises(chainerx.ChainerxError):
            chainerx._to_cupy(x)
        return
    plain = chainerx._to_cupy(x)
    plain += 1
    np.testing.assert_array_equal(to_cpu(plain), values(x))


def test_addresses():
    x = chainerx.arange(12).reshape(3, 4)
    assert x.offset == 0
    assert x.data_size >= x.nbytes
    for part in x[1:, 2:], x[::-1], x.T[2], x[1, 3]:
        assert part.data_ptr == x.data_ptr == part._debug_data_memory_address
        assert part.data_size == x.data_size
    assert x[1:, 2:].offset == 24
    assert x[::-1].offset == 32
    assert x.copy().data_ptr != x.data_ptr
    assert x[:, 1]._debug_flat_data == [1, 5, 9]


def test_raw_pointer():
    whole = array(np.arange(12, dtype='f').reshape(2, 6))
    for part in whole, whole[::-1, ::2], whole[1:, 3], whole[:0]:
        before = sys.getrefcount(part)
        x = _interop._fromrawpointer(
            part.data_ptr, part.shape, part.dtype, part.strides, whole.device,
            part.offset, part)
        assert sys.getrefcount(part) == before + 1
        assert x.strides == part.strides
        x += 1
        np.testing.assert_array_equal(values(x), values(part))
        del x
        assert sys.getrefcount(part) == before


@pytest.mark.gpu
def test_buffer_of_the_host():
    with pytest.raises(chainerx.ChainerxError):
        chainerx.frombuffer(np.zeros(3), 'float64')


def test_frombuffer():
    plain = chainerx.get_default_device().xp.arange(6, dtype='f').reshape(2, 3)
    x, part = chainerx.frombuffer(plain), chainerx.frombuffer(plain, 'f', 2, 4)
    plain += 1
    np.testing.assert_array_equal(values(x), np.arange(1, 7))
    np.testing.assert_array_equal(values(part), [2, 3])
    for given, count in (plain.T, -1), (plain, 7):
        with pytest.raises((ValueError, BufferError)):
            chainerx.frombuffer(given, 'f', count)


def test_dlpack():
    x = array(uniform(3))
    plain, again = x.device.xp.from_dlpack(x), chainerx.from_dlpack(x)
    x[0] = 7
    assert plain[0] == again[0].item() == 7
    with pytest.raises(chainerx.ChainerxError):
        x.device.xp.from_dlpack(x.require_grad())


def test_sharing_the_allocator_is_a_call():
    assert chainerx._cuda.cupy_share_allocator() is None
