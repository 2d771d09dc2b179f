"""Arrays shared with other libraries by DLPack."""
import gc
import weakref

import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F

torch = pytest.importorskip('torch')
jnp = pytest.importorskip('jax.numpy')

DTYPES = 'float16', 'float32', 'float64', 'int32', 'int64', 'uint8', 'bool'


def make(dtype='float32'):
    return chainer_fast.Variable(np.arange(6).reshape(2, 3).astype(dtype))


@pytest.mark.parametrize('dtype', DTYPES)
def test_torch_shares_the_memory(dtype):
    x = make(dtype)
    tensor = torch.from_dlpack(x)
    assert tensor.shape == (2, 3) and str(tensor.dtype) == 'torch.' + dtype
    tensor[0, 1] = 0
    assert not x.array[0, 1]
    y = chainer_fast.from_dlpack(tensor)
    assert isinstance(y, chainer_fast.Variable) and not y.requires_grad
    assert y.dtype == dtype and np.shares_memory(y.array, x.array)
    y.array[1, 1] = 0
    assert not tensor[1, 1] and not x.array[1, 1]


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'int32', 'uint8', 'bool'])
def test_jax_shares_the_memory(dtype):
    x = make(dtype)
    # JAX shares memory that is aligned, and copies other.
    start = np.zeros(64 + x.array.nbytes, 'uint8')
    offset = -start.ctypes.data % 64
    aligned = start[offset:offset + x.array.nbytes].view(dtype).reshape(2, 3)
    aligned[:] = x.array
    array = jnp.from_dlpack(chainer_fast.Variable(aligned))
    assert array.dtype == dtype
    assert array.unsafe_buffer_pointer() == aligned.ctypes.data
    y = chainer_fast.from_dlpack(array)
    assert y.array.ctypes.data == aligned.ctypes.data
    assert not y.array.flags.writeable      # JAX says so
    np.testing.assert_array_equal(y.array, x.array)


def test_strides_are_kept():
    x = chainer_fast.Variable(np.arange(24.).reshape(4, 6)[::2, ::-1].T)
    with pytest.raises(BufferError, match='negative strides'):
        torch.from_dlpack(x)
    x = chainer_fast.Variable(np.arange(24.).reshape(4, 6)[::2, ::3].T)
    tensor = torch.from_dlpack(x)
    assert tensor.stride() == (3, 12)
    np.testing.assert_array_equal(tensor.numpy(), x.array)
    back = chainer_fast.from_dlpack(tensor)
    assert back.array.strides == x.array.strides


def test_a_variable_of_a_graph_is_shared_without_the_graph():
    x = make()
    y = F.exp(x)
    tensor = torch.from_dlpack(y)
    assert not tensor.requires_grad
    with pytest.raises(BufferError, match='Variable|Tensor'):
        chainer_fast.from_dlpack(tensor.clone().requires_grad_())


def test_memory_lives_as_long_as_somebody_uses_it():
    array = np.arange(3.)
    alive = weakref.ref(array)
    tensor = torch.from_dlpack(chainer_fast.Variable(array))
    del array
    gc.collect()
    assert alive() is not None and tensor.sum() == 3
    del tensor
    gc.collect()
    assert alive() is None


def test_bfloat16_is_refused():
    with pytest.raises(BufferError, match='bfloat16'):
        chainer_fast.from_dlpack(torch.zeros(2, dtype=torch.bfloat16))


def test_training_goes_on_in_shared_memory():
    link = chainer_fast.links.Linear(3, 2)
    weight = torch.from_dlpack(link.W)
    optimizer = chainer_fast.optimizers.SGD(.1).setup(link)
    before = weight.clone()
    link.cleargrads()
    F.sum(link(make())).backward()
    optimizer.update()
    assert not torch.equal(weight, before)
    np.testing.assert_array_equal(weight.numpy(), link.W.array)
