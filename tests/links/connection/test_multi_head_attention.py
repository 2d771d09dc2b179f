import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import gradient_check
from chainer_fast import links as L
from chainer_fast.utils import type_check
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients
from tests.links.connection import checks

uniform = gradients.uniform


def affine(layer, x):
    y = x @ to_cpu(layer.W.array).T
    return y if layer.b is None else y + to_cpu(layer.b.array)


def reference(link, query, key, value, mask):
    """What the link computes, one vector at a time."""
    q, k, v = [affine(layer, x) for layer, x in (
        (link.query, query), (link.key, key), (link.value, value))]
    size = q.shape[2] // link.n_heads
    y = np.zeros_like(q)
    for i in range(len(q)):
        for head in range(link.n_heads):
            part = slice(head * size, (head + 1) * size)
            for place in range(q.shape[1]):
                scores = k[i, :, part] @ q[i, place, part] / np.sqrt(size)
                weights = np.exp(scores) * mask[i, head, place]
                y[i, place, part] = weights / weights.sum() @ v[i, :, part]
    return affine(link.out, y)


def fill(link):
    for i, param in enumerate(link.params()):
        param.array[...] = link.device.send(uniform(param.shape, 30 + i, 'f'))


@pytest.mark.parametrize('kind', ['none', 'places', 'batch', 'heads'])
@pytest.mark.parametrize('nobias', [False, True])
def test_values(device, nobias, kind):
    link = device.send(L.MultiHeadAttention(
        2, 3, 6, nobias=nobias, key_size=4, value_size=5))
    fill(link)
    query, key, value = [
        uniform(shape, i, 'f')
        for i, shape in enumerate([(2, 3, 3), (2, 5, 4), (2, 5, 5)])]
    shape = {'none': (), 'places': (3, 5), 'batch': (2, 3, 5),
             'heads': (2, 2, 3, 5)}[kind]
    mask = np.random.RandomState(1).rand(*shape) < .7 if shape else None
    y = link(*device.send((query, key, value)),
             mask=None if mask is None else device.send(mask))
    whole = np.ones((2, 2, 3, 5), bool) if mask is None else np.broadcast_to(
        mask[:, None] if kind == 'batch' else mask, (2, 2, 3, 5))
    assert whole.any(axis=3).all()
    assert y.dtype == np.float32
    compare.assert_allclose(
        y.array, reference(link, query, key, value, whole), rtol=1e-4, atol=1e-5)


def test_arguments_that_are_left_out(device):
    link = device.send(L.MultiHeadAttention(2, 4))
    x, key = device.send((uniform((2, 3, 4), 0, 'f'), uniform((2, 5, 4), 1, 'f')))
    compare.assert_array_equal(link(x).array, link(x, x, x).array)
    compare.assert_array_equal(link(x, key).array, link(x, key, key).array)


def test_places_that_are_masked_have_no_influence(device):
    link = device.send(L.MultiHeadAttention(2, 4))
    x = uniform((2, 3, 4), 0, 'f')
    mask = device.send(np.tri(3, dtype=bool))
    y = link(device.send(x), mask=mask).array
    x[:, 2] = 100
    compare.assert_allclose(
        link(device.send(x), mask=mask).array[:, :2], y[:, :2], rtol=1e-5)


def test_a_place_without_any_other_gets_the_mean(device):
    link = device.send(L.MultiHeadAttention(2, 4, nobias=True))
    x = device.send(uniform((1, 3, 4), 0, 'f'))
    y = link(x, mask=device.send(np.zeros((3, 3), bool)))
    mean = link.out(F.mean(link.value(x, n_batch_axes=2), axis=1))
    for place in range(3):
        compare.assert_allclose(y.array[:, place], mean.array, rtol=1e-4, atol=1e-6)


def test_dropout_is_of_the_weights(device):
    link = device.send(L.MultiHeadAttention(2, 4, dropout=.5))
    x = device.send(uniform((2, 30, 4), 0, 'f'))
    with chainer_fast.using_config('train', False):
        expected = link(x).array
        compare.assert_array_equal(link(x).array, expected)
    device.seed(0)
    dropped = link(x).array
    assert (dropped != expected).any()
    link.dropout = 0
    compare.assert_allclose(link(x).array, expected)


def test_sizes_at_the_first_call(device):
    link = L.MultiHeadAttention(2, None, 6)
    assert not link.query.W.is_initialized
    device.send(link)
    x, key, value = device.send(tuple(
        uniform(shape, 0, 'f') for shape in [(2, 3, 3), (2, 5, 4), (2, 5, 5)]))
    assert link(x, key, value).shape == (2, 3, 6)
    assert [part.W.shape for part in (link.query, link.key, link.value, link.out)] == [
        (6, 3), (6, 4), (6, 5), (6, 6)]


@pytest.mark.parametrize('dtype', 'efd')
def test_dtypes(device, dtype):
    with chainer_fast.using_config('dtype', np.dtype(dtype)):
        link = device.send(L.MultiHeadAttention(2, 4))
    x = device.send(uniform((2, 3, 4), 0, dtype))
    y = link(x, mask=device.send(np.tri(3, dtype=bool)))
    assert y.dtype == dtype
    assert bool(np.isfinite(to_cpu(y.array)).all())


def test_gradients_and_snapshot(device):
    xs = uniform((2, 3, 4)), uniform((2, 5, 4), 1)
    checks.check_gradients(device, lambda: L.MultiHeadAttention(2, 4), *xs)
    checks.check_snapshot(device, lambda: L.MultiHeadAttention(2, 4), *[
        x.astype('f') for x in xs])


def test_double_backward(device):
    with chainer_fast.using_config('dtype', np.dtype('d')):
        link = device.send(L.MultiHeadAttention(2, 4))
    mask = device.send(np.tri(3, dtype=bool))
    x, gy, ggx = device.send(tuple(uniform((2, 3, 4), i) for i in range(3)))
    gradient_check.check_double_backward(
        lambda x: link(x, mask=mask), x, gy, ggx, rtol=1e-3, atol=1e-4)


def test_errors():
    with pytest.raises(ValueError, match='multiple of n_heads, but is 4, .*=3'):
        L.MultiHeadAttention(3, 4)
    with pytest.raises(ValueError, match='out_size must be given'):
        L.MultiHeadAttention(2, None)
    link = L.MultiHeadAttention(2, 4)
    x = uniform((2, 3, 4), 0, 'f')
    with pytest.raises(type_check.InvalidType, match=r'key.ndim == 3'):
        link(x, x[0])
    with pytest.raises(type_check.InvalidType, match='bool'):
        link(x, mask=np.ones((3, 3), 'f'))
    with pytest.raises(type_check.InvalidType):
        link(x, x, x[:, :2])
