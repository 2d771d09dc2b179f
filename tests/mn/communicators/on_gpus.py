"""A model on the GPU of a rank, and what its gradients have to be."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast.backends import cuda

SHAPES = [(3, 4), (7,), (), (2, 3, 4, 5), (500,)]


class Model(chainer.Chain):
    """Parameters of some shapes and dtypes, and one without data."""

    def __init__(self, dtypes='f'):
        super().__init__()
        with self.init_scope():
            for i, shape in enumerate(SHAPES):
                self.add_param('p%d' % i, shape, dtypes[i % len(dtypes)])
            self.lazy = chainer.Parameter()


def gradients(rank, dtypes):
    """The gradients of a rank, of which sums and means are numbers of float16."""
    random = np.random.RandomState(rank)
    return [np.asarray(random.randint(-64, 64, shape) * 3, dtypes[i % len(dtypes)])
            for i, shape in enumerate(SHAPES)]


def mean_gradients(size, dtypes):
    """What each gradient has to be."""
    every = [gradients(rank, dtypes) for rank in range(size)]
    return [sum([np.float64(array) for array in arrays]) / size
            for arrays in zip(*every, strict=True)]


def params_of(model):
    return [param for _, param in sorted(model.namedparams()) if param.is_initialized]


def prepare(communicator, dtypes='f'):
    """Return a model on the GPU of this rank, with its gradients."""
    cuda.get_device_from_id(communicator.intra_rank).use()
    model = Model(dtypes)
    model.to_device('@cupy:%d' % communicator.intra_rank)
    for param, grad in zip(
            params_of(model), gradients(communicator.rank, dtypes), strict=True):
        param.grad = cuda.to_gpu(grad)
    return model


def check(model, size, dtypes='f', rtol=1e-6):
    for param, expected in zip(
            params_of(model), mean_gradients(size, dtypes), strict=True):
        assert param.grad.dtype == param.dtype
        rounded = max(rtol, 2e-3 if param.dtype == np.float16 else 0)
        np.testing.assert_allclose(
            cuda.to_cpu(param.grad), expected, rtol=rounded, atol=rounded)


@pytest.fixture(autouse=True)
def current_device():
    """Other tests are on the first GPU."""
    with cuda.Device(0):
        yield
