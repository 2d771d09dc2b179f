"""Graphs of cuDNN, validated by the real frontend where it and cuDNN are installed.

That takes no driver and no card.
"""
import numpy as np
import pytest

from chainer_fast.backends._cudnn import convolution, graphs, library

WINDOWS = [  # ksize, stride, pad, dilate, lengths
    ((3, 3), (1, 1), (1, 1), (1, 1), (6, 5)),
    ((1, 1), (1, 1), (0, 0), (1, 1), (6, 5)),
    ((3, 2), (2, 1), (1, 0), (1, 2), (7, 6)),
    ((3, 3), (2, 2), (0, 0), (1, 1), (6, 6)),
    ((3,), (2,), (1,), (1,), (7,)),
    ((2, 3, 1), (1, 2, 1), (1, 1, 0), (2, 1, 1), (4, 5, 3)),
]


@pytest.fixture
def make(monkeypatch):
    """Return a function that makes a graph without a device."""
    cudnn = pytest.importorskip('cudnn')
    try:
        cudnn.backend_version()
    except RuntimeError as e:
        pytest.skip('the frontend does not find cuDNN: %s' % e)
    monkeypatch.setattr(library, '_module', cudnn)
    # Any handle will do, as long as nothing is planned with it.
    handle = cudnn.Handle(1) if hasattr(cudnn, 'Handle') else 1
    return lambda dtype, last: graphs.Graph(np.dtype(dtype), last, handle=handle)


@pytest.mark.parametrize('window', WINDOWS, ids=str)
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('last', [False, True])
@pytest.mark.parametrize('groups, cover_all', [(1, False), (2, True)])
def test_convolutions(make, window, dtype, last, groups, cover_all):
    ksize, stride, pad, dilate, lengths = window
    outs = tuple([
        (n + 2 * p - (k - 1) * d - 1 + cover_all * (s - 1)) // s + 1 for n, k, s, p, d
        in zip(lengths, ksize, stride, pad, dilate, strict=True)])
    x, W, gy = [np.empty(shape, dtype) for shape in (
        (2, 4, *lengths), (6, 4 // groups, *ksize), (2, 6, *outs))]
    geometry = convolution._geometry(
        x, W, W.shape, stride, pad, dilate, lengths, outs)
    for describe, *shapes in (
            (convolution._forward, x.shape, W.shape, gy.shape),
            (convolution._biased, x.shape, W.shape, gy.shape),
            (convolution._by_data, gy.shape, W.shape, x.shape),
            (convolution._by_filters, x.shape, gy.shape, W.shape)):
        graph = make(dtype, last)
        describe(graph, *shapes, *geometry)
        graph.native.validate()
