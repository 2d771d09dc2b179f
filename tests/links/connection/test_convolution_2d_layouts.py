"""Convolution2D in the compute mode 'cudnn_fast', which keeps the channels last."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import memory_layouts, testing
from chainer_fast.backends import cuda
from tests.doubles.host_cudnn.fixtures import frontend  # noqa: F401

pytestmark = pytest.mark.gpu

LAST_X = memory_layouts.CUDNN_CHANNEL_LAST_X
LAST_W = memory_layouts.CUDNN_CHANNEL_LAST_W


def make(layout, groups=1):
    with chainer_fast.using_config('compute_mode', layout and 'cudnn_fast'):
        link = L.Convolution2D(4, 6, (3, 2), stride=(2, 1), pad=1, groups=groups)
    random = np.random.RandomState(0)
    W, b, x = [random.uniform(-1, 1, shape).astype('f')
               for shape in (link.W.shape, (6,), (2, 4, 5, 3))]
    if layout:
        # Parameters are as they would be with the standard layout.
        link.W.raw_array[...] = W.transpose(0, 2, 3, 1)
    else:
        link.W.array[...] = W
    link.b.array[...] = b
    return link, x


def step(link, x, layout):
    if layout:
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    x = chainer_fast.Variable(cuda.to_gpu(x), layout=layout)
    y = link(x)
    assert (y.layout, y.shape) == (layout, (2, 6, 3, 4))
    link.cleargrads()
    F.sum(y.as_layout(None) ** 2).backward()
    return x, y


def gradient(v):
    """Return a gradient in the standard layout; with another, it is not public."""
    return v.grad if v.layout is None else v._grad_var.as_layout(None).array


@pytest.mark.parametrize('groups', [1, 2])
def test_channels_last(frontend, groups):  # noqa: F811
    found, expected = [], []
    for layout, results in (LAST_X, found), (None, expected):
        link, x = make(layout, groups)
        link.to_device('@cupy:0')
        x, y = step(link, x, layout)
        results += [y.as_layout(None).array,
                    *[gradient(v) for v in (x, link.W, link.b)]]
        if layout:
            # Nothing is copied in between.
            assert y.raw_array.flags.c_contiguous
            assert link.W._grad_var.layout == LAST_W
            assert link.W._grad_var.raw_array.flags.c_contiguous
    for a, b in zip(found, expected, strict=True):
        testing.assert_allclose(a, b, 1e-5, 1e-5)


def test_double_backward(frontend):  # noqa: F811
    results = []
    for layout in LAST_X, None:
        link, x = make(layout)
        link.to_device('@cupy:0')
        x = chainer_fast.Variable(cuda.to_gpu(x)).as_layout(layout)
        y = link(x).as_layout(None)
        gy = cuda.cupy.ones_like(y.array)
        # Gradients are not added up in layouts, so that each has one way back.
        for wanted, other in (link.W, x), (x, link.W):
            found, = chainer_fast.grad(
                [y], [wanted], [chainer_fast.Variable(gy)], enable_double_backprop=True)
            again, = chainer_fast.grad([F.sum(found.as_layout(None) ** 2)], [other])
            results.append(again.as_layout(None).array)
    for a, b in zip(results[:2], results[2:], strict=True):
        testing.assert_allclose(a, b, 1e-4, 1e-4)


def test_without_cudnn(frontend):  # noqa: F811
    link, x = make(LAST_X)
    link.to_device('@cupy:0')
    x = chainer_fast.Variable(cuda.to_gpu(x)).as_layout(LAST_X)
    with chainer_fast.using_config('use_cudnn', 'never'), \
            pytest.raises(RuntimeError, match='cudnn_fast'):
        link(x)
