"""The methods of DLPack, as NumPy's consumers and producers of all versions call them.
"""
import numpy as np
import pytest

import chainer_fast
from chainer_fast.backends import layouts
from tests import compare


def make(dtype='float32'):
    return chainer_fast.Variable(np.arange(6).reshape(2, 3).astype(dtype))


class Old:
    """An array with the methods of NumPy before 2.1, which have one keyword."""

    def __init__(self, array):
        self.array = array
        self.strides = array.strides

    def __dlpack__(self, *, stream=None):
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def copy(self):
        return Old(self.array.copy())


class Elsewhere:
    def __init__(self, device):
        self.device = device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **kwargs):
        raise AssertionError('not to be asked')


def test_numpy_shares_the_memory():
    x = make()
    assert x.__dlpack_device__() == (1, 0)
    assert np.shares_memory(np.from_dlpack(x), x.array)
    y = chainer_fast.from_dlpack(x)
    assert np.shares_memory(y.array, x.array) and not y.requires_grad


def test_from_device_to_device(device):
    x = device.send(make())
    on_gpu = device.xp is not np
    assert x.__dlpack_device__() == ((2, 0) if on_gpu else (1, 0))
    y = chainer_fast.from_dlpack(x)
    assert isinstance(y.array, device.xp.ndarray) and y.device == x.device
    x.array[0, 0] = 9
    compare.assert_array_equal(y.array, np.float32([[9, 1, 2], [3, 4, 5]]))


@pytest.mark.gpu
def test_from_a_gpu_to_the_processor(device):
    x = device.send(make())
    with pytest.raises(BufferError, match=r'\(2, 0\) of DLPack, not on \(1, 0\)'):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    capsule = x.__dlpack__(dl_device=(1, 0))

    class Copied:
        def __dlpack__(self, **kwargs):
            return capsule

        def __dlpack_device__(self):
            return 1, 0

    y = np.from_dlpack(Copied())
    np.testing.assert_array_equal(y, np.arange(6).reshape(2, 3))


@pytest.mark.host
def test_copy():
    x = make()
    for copy, shared in (None, True), (False, True), (True, False):
        class Asking:
            def __dlpack__(self, wanted=copy, **kwargs):
                return x.__dlpack__(copy=wanted)

            def __dlpack_device__(self):
                return x.__dlpack_device__()

        y = chainer_fast.from_dlpack(Asking())
        assert np.shares_memory(y.array, x.array) == shared
        np.testing.assert_array_equal(y.array, x.array)


def test_device():
    x = make()
    assert x.__dlpack__(dl_device=(1, 0), copy=False) is not None
    with pytest.raises(BufferError, match=r'\(1, 0\) of DLPack, not on \(2, 0\)'):
        x.__dlpack__(dl_device=(2, 0))


@pytest.mark.parametrize('version', [None, (0, 8), (1, 0), (9, 0)])
def test_producers_without_the_new_keywords(version, monkeypatch):
    old = Old(np.arange(3.))
    monkeypatch.setattr(chainer_fast.Variable, 'array', old)
    x = make()
    assert x.__dlpack__(max_version=version, copy=False, dl_device=(1, 0)) is not None
    assert x.__dlpack__(max_version=version, copy=True) is not None


def test_uninitialized_parameter():
    link = chainer_fast.links.Linear(None, 2)
    for ask in link.W.__dlpack__, link.W.__dlpack_device__:
        with pytest.raises(BufferError, match='parameter W has no array .* initialize'):
            ask()


def test_other_layouts_are_refused():
    x = chainer_fast.Variable(
        np.zeros((1, 2, 2, 3), 'float32'), layout=None)
    x = x.as_layout(chainer_fast.memory_layouts.CUDNN_CHANNEL_LAST_X)
    with pytest.raises(RuntimeError, match='as_layout'):
        x.__dlpack__()
    assert layouts.get_semantic_shape(x) == (1, 2, 2, 3)


@pytest.mark.parametrize('device', [(4, 0), (7, 1), (8, 0)])
def test_devices_of_others_are_refused(device):
    with pytest.raises(BufferError, match='neither NumPy nor CuPy'):
        chainer_fast.from_dlpack(Elsewhere(device))


@pytest.mark.parametrize('x', [[1., 2.], 3., None, 'x'])
def test_what_is_no_array_is_refused(x):
    with pytest.raises(TypeError, match='from_dlpack takes arrays'):
        chainer_fast.from_dlpack(x)


@pytest.mark.host
def test_arrays_on_a_gpu_need_cupy(monkeypatch):
    monkeypatch.setattr(
        chainer_fast.backends.cuda, 'available', False)
    with pytest.raises(RuntimeError, match='CUDA'):
        chainer_fast.from_dlpack(Elsewhere((2, 0)))


def test_read_only():
    array = np.arange(3.)
    array.flags.writeable = False
    x = chainer_fast.Variable(array)
    with pytest.raises(BufferError, match='read-?only'):
        x.__dlpack__()
    if np.lib.NumpyVersion(np.__version__) >= '2.1.0':
        y = chainer_fast.from_dlpack(x)
        assert np.shares_memory(y.array, array) and not y.array.flags.writeable
    writeable = x.__dlpack__(copy=True)
    assert writeable is not None
