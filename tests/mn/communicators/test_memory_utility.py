"""Arrays as MPI takes them, and gradients in a buffer."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast.mn.communicators import _memory_utility
from tests.compare import assert_array_equal


@pytest.mark.mpi
@pytest.mark.parametrize('dtype', 'bilfd?')
def test_buffers_of_arrays(device, dtype):
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    array = device.send(np.full((2, 3), comm.rank + 1, dtype))
    comm.Bcast(_memory_utility.array_to_buffer_object(array), root=0)
    assert_array_equal(array, np.ones((2, 3)))


@pytest.mark.mpi
def test_buffers_of_a_type(device):
    from mpi4py import MPI
    array = device.send(np.ones(2, 'f'))
    memory, kind = _memory_utility.array_to_buffer_object(array, MPI.BYTE)
    assert (memory.nbytes, kind) == (8, MPI.BYTE)


@pytest.mark.mpi
def test_arrays_that_mpi_does_not_take(device):
    array = device.send(np.ones((2, 3), 'f'))
    with pytest.raises(ValueError, match=r'contiguous .* strides \(4, 12\)'):
        _memory_utility.array_to_buffer_object(array.T)


@pytest.mark.host
@pytest.mark.mpi
def test_elements_that_mpi_has_no_type_for():
    with pytest.raises(ValueError, match='no type for elements of object'):
        _memory_utility.array_to_buffer_object(np.zeros(2, object))


class Model(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.b = chainer.Parameter(np.zeros(2, 'f'))
            self.a = chainer.Parameter(np.zeros((2, 3), 'e'))
            self.lazy = chainer.Parameter()
        self.cleargrads()


def named(link):
    return sorted(link.namedparams())


def test_parameters_with_gradient(device):
    model = device.send(Model())
    model.a.grad = device.send(np.ones((2, 3), 'e'))
    assert _memory_utility.params_with_grad(named(model)) == [model.a]
    assert model.b.grad is None
    assert _memory_utility.params_with_grad(named(model), True) == [model.a, model.b]
    assert_array_equal(model.b.grad, np.zeros(2))


def test_gradients_keep_their_arrays(device):
    model = device.send(Model())
    arrays = [device.send(np.arange(6, dtype='e').reshape(2, 3)),
              device.send(np.arange(2, dtype='f'))]
    model.a.grad, model.b.grad = arrays
    params = _memory_utility.params_with_grad(named(model))
    buffer = device.xp.empty(_memory_utility.size_of(params), 'f')
    _memory_utility.pack_grads(params, buffer)
    assert_array_equal(buffer, [0, 1, 2, 3, 4, 5, 0, 1])
    _memory_utility.unpack_grads(buffer, params, .5)
    assert model.a.grad is arrays[0] and model.b.grad is arrays[1]
    assert_array_equal(model.a.grad, np.arange(6).reshape(2, 3) / 2)
    assert_array_equal(model.b.grad, [0, .5])


def test_gradients_that_cannot_be_written_to(device):
    """Broadcast arrays, and one array for two parameters."""
    link = chainer.Link()
    for name in 'abc':
        link.add_param(name, (3,), 'f')
    link = device.send(link)
    shared = device.send(np.arange(3, dtype='f'))
    link.a.grad = device.xp.broadcast_to(device.send(np.ones(1, 'f')), 3)
    link.b.grad = link.c.grad = shared
    params = _memory_utility.params_with_grad(named(link))
    buffer = device.xp.arange(9, dtype='f')
    _memory_utility.unpack_grads(buffer, params, 2.)
    assert_array_equal(link.a.grad, [0, 2, 4])
    assert_array_equal(link.b.grad, [6, 8, 10])
    assert_array_equal(link.c.grad, [12, 14, 16])
    assert_array_equal(shared, [0, 1, 2])


def test_gradients_with_the_channels_last(device):
    """The order in memory is that of the raw array."""
    link = chainer.Link()
    with link.init_scope():
        link.W = chainer.Parameter(
            np.zeros((2, 3, 4, 5), 'f'),
            layout=chainer.memory_layouts.CUDNN_CHANNEL_LAST_W)
    link = device.send(link)
    link.W._set_grad(device.send(
        np.arange(120, dtype='f').reshape(link.W.raw_array.shape)), layout_check=False)
    params = _memory_utility.params_with_grad(named(link))
    buffer = device.xp.empty(120, 'f')
    _memory_utility.pack_grads(params, buffer)
    assert_array_equal(buffer, np.arange(120))
    _memory_utility.unpack_grads(buffer, params)


@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_gradients_that_are_not_finite(device, value):
    model = device.send(Model())
    model.b.grad = device.send(np.array([1, value], 'f'))
    _memory_utility.check_finite(model)
    with chainer.using_config('debug', True), pytest.raises(
            ValueError, match='diverged .* gradients of /b are not finite'):
        _memory_utility.check_finite(model)


@pytest.mark.host
def test_gradients_of_chainerx_that_are_not_finite():
    model = Model()
    model.b.grad = np.array([1, np.inf], 'f')
    model.to_device('native:0')
    with chainer.using_config('debug', True), pytest.raises(
            ValueError, match='diverged .* gradients of /b are not finite'):
        _memory_utility.check_finite(model)


@pytest.mark.gpu
def test_pinned_memory(device):
    memory = _memory_utility.PinnedMemory()
    first = memory.array(5, np.float32)
    first[...] = 1
    again = memory.array(2, np.float64)
    assert (again.shape, again.dtype) == ((2,), np.float64)
    assert np.shares_memory(first, again)
    assert not np.shares_memory(first, memory.array(6, np.float32))
    assert memory.array(0, np.float32).shape == (0,)
