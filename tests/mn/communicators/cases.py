"""What tests of communicators share."""
import contextlib

import numpy as np
import pytest

import chainer_fast as chainer

DTYPES = '?bBhHiIlLefdFD'

#: Arrays without elements, without dimensions, and with more than a header has.
SHAPES = [(), (0,), (1,), (5,), (3, 4), (2, 0, 3), (2, 1, 3, 1, 2), (1, 2) * 4, (2000,)]


def numbers(seed, shape, dtype):
    """Return numbers of which float16 holds sums exactly."""
    return np.asarray(np.random.RandomState(seed).randint(0, 20, shape), dtype)


def strided(x):
    """Return an array of the same numbers with steps backward and gaps in memory."""
    wide = np.zeros([2 * n for n in x.shape], x.dtype)
    view = wide[(slice(None, None, -2),) * x.ndim]
    view[...] = x
    return view


@contextlib.contextmanager
def raises_if(condition, *args, **kwargs):
    """As ``pytest.raises`` if the condition holds: one process agrees with itself."""
    if not condition:
        yield None
        return
    with pytest.raises(*args, **kwargs) as error:
        yield error


class Model(chainer.Chain):
    """A model with a parameter that gets its data later."""

    def __init__(self, shape=(3, 2), dtype='f', lazy=None):
        super().__init__()
        with self.init_scope():
            self.W = chainer.Parameter(np.zeros(shape, dtype))
            self.child = Child()
            self.lazy = chainer.Parameter(0)
        if lazy is not None:
            self.lazy.initialize(lazy)


class Child(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.half = chainer.Parameter(np.zeros((2,), np.float16))
            self.single = chainer.Parameter(np.zeros((4, 3), np.float32))


# -- gradients


def fill_gradients(model, rank):
    """Give a model gradients of a rank; return what the other ranks have, too."""
    for i, (_, param) in enumerate(sorted(model.namedparams())):
        if param.is_initialized:
            param.grad = numbers(100 * rank + i, param.shape, param.dtype)


def check_means(model, size):
    for i, (path, param) in enumerate(sorted(model.namedparams())):
        if not param.is_initialized:
            continue
        xs = [numbers(100 * rank + i, param.shape, 'd') for rank in range(size)]
        assert param.grad.dtype == param.dtype
        np.testing.assert_allclose(
            param.grad, sum(xs) / size, rtol=1e-3 if param.dtype == 'e' else 1e-6,
            err_msg=path)


def check_multi_node_mean_grad(comm):
    """Check what communicators on MPI do with gradients."""
    for dtype in 'efd':
        model = Model(dtype=dtype, lazy=(1000, 3))
        for _ in range(2):
            fill_gradients(model, comm.rank)
            comm.multi_node_mean_grad(model)
            check_means(model, comm.size)
    _check_memory(comm)
    _check_missing(comm)
    _check_differences(comm)
    _check_debug(comm)


def _check_memory(comm):
    """Gradients stay in their arrays, of any stride, or get others if need be."""
    model = Model()
    fill_gradients(model, comm.rank)
    model.W.grad = strided(model.W.grad)
    model.child.single.grad = model.child.single.grad.T.copy().T
    grads = {path: param.grad for path, param in model.namedparams(False)}
    comm.multi_node_mean_grad(model)
    check_means(model, comm.size)
    for path, param in model.namedparams(False):
        assert param.grad is grads[path]

    row = np.array([comm.rank, 1], 'f')
    model.W.grad = np.broadcast_to(row, model.W.shape)
    comm.multi_node_mean_grad(model)
    mean = (comm.size - 1) / 2
    np.testing.assert_allclose(model.W.grad, np.full(model.W.shape, [mean, 1]))
    np.testing.assert_array_equal(row, [comm.rank, 1])

    # The mean of large numbers of float16 is one, and their sum is not.
    model.child.half.grad = np.full(2, 60000, 'e')
    comm.multi_node_mean_grad(model)
    np.testing.assert_array_equal(model.child.half.grad, np.full(2, 60000, 'e'))


def _check_missing(comm):
    model = Model()
    model.cleargrads()
    comm.multi_node_mean_grad(model)
    assert all(param.grad is None for param in model.params(False))
    comm.multi_node_mean_grad(model, zero_fill=True)
    assert not model.lazy.is_initialized
    assert (model.W.grad == 0).all()
    assert (model.child.half.grad == 0).all()

    model.cleargrads()
    if comm.rank == 0:
        model.W.grad = np.full(model.W.shape, comm.size, 'f')
    comm.multi_node_mean_grad(model, zero_fill=True)
    np.testing.assert_allclose(model.W.grad, np.ones(model.W.shape))

    comm.multi_node_mean_grad(chainer.Chain())


def _check_differences(comm):
    """All processes get the error, and no gradient has changed."""
    many = comm.size > 1
    model = Model()
    fill_gradients(model, 0)
    if comm.rank > 0:
        model.child.half.cleargrad()
    before = model.W.grad.copy()
    with raises_if(many, ValueError, match=(
            r'/child/half: rank 0 has float16 \(2,\), ranks? [-0-9]* ha.* no gradient'
            '(.|\n)*zero_fill=True')):
        comm.multi_node_mean_grad(model)
    assert model.W.grad is not before
    if many:
        np.testing.assert_array_equal(model.W.grad, before)

    model = Model(shape=(3, 2 + comm.rank))
    model.W.grad = np.zeros(model.W.shape, 'f')
    with raises_if(
            many, ValueError, match=r'/W: rank 0 has float32 \(3, 2\), rank 1 has'):
        comm.multi_node_mean_grad(model, zero_fill=True)
    assert model.child.half.grad is None or not many

    model = Model(lazy=(2,) if comm.rank == 0 else None)
    with raises_if(many, ValueError, match='/lazy: .*no data yet'):
        comm.multi_node_mean_grad(model, zero_fill=True)

    # The processes go on together.
    assert comm.allreduce_obj(1) == comm.size


def _check_debug(comm):
    model = Model()
    fill_gradients(model, 0)
    if comm.rank == comm.size - 1:
        model.W.grad[0, 0] = np.nan
    comm.multi_node_mean_grad(model)
    with chainer.using_config('debug', True), pytest.raises(
            ValueError, match='Parameters diverged after allreduce.*W'):
        comm.multi_node_mean_grad(model)
