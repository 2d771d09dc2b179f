"""Losses of pairs and triples of samples."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

A, B, C = [gradients.uniform((5, 3), seed) for seed in range(3)]
SIMILAR = np.array([0, 1, 1, 0, 0])
reduce = pytest.mark.parametrize('reduce', ['mean', 'no'])


def contrastive(a, b, margin):
    d = np.linalg.norm(a - b, axis=1)
    return np.where(SIMILAR, d ** 2, np.maximum(margin - d, 0) ** 2) / 2


def triplet(a, b, c, margin):
    return np.maximum(((a - b) ** 2 - (a - c) ** 2).sum(axis=1) + margin, 0)


CASES = [
    (lambda device, *xs, **kw: F.contrastive(*xs, device.send(SIMILAR), 1.3, **kw),
    (A, B), contrastive(A, B, 1.3)),
    (lambda device, *xs, **kw: F.triplet(*xs, .4, **kw), (A, B, C),
    triplet(A, B, C, .4)), ]
each = pytest.mark.parametrize('f, xs, losses', CASES)


@each
@reduce
def test_values_and_gradients(device, f, xs, losses, reduce):
    expected = losses.mean() if reduce == 'mean' else losses
    compare.assert_allclose(f(device, *device.send(xs), reduce=reduce).array, expected)
    gradients.check(device, lambda *xs: f(device, *xs, reduce=reduce), *xs)


@each
@reduce
@pytest.mark.parametrize('dtype', 'ef')
def test_dtypes(device, f, xs, losses, reduce, dtype):
    vs = [Variable(device.send(x.astype(dtype))) for x in xs]
    y = f(device, *vs, reduce=reduce)
    assert y.dtype == dtype
    for g in grad([y], vs, enable_double_backprop=True) + grad([y], vs):
        assert g.dtype == dtype


def test_halves_may_have_squares_that_are_none(device):
    a, b = np.full((2, 3), 300, 'e'), np.zeros((2, 3), 'e')
    v = Variable(device.send(a))
    F.contrastive(v, device.send(b), device.send(np.array([0, 0])), 700).backward()
    distance = np.sqrt(3) * 300
    compare.assert_allclose(v.grad, (1 - 700 / distance) * 300 / 2, 1e-2)


def test_equal_samples_are_not_pushed(device):
    v = Variable(device.send(A))
    g, = grad(
        [F.contrastive(v, device.send(A.copy()), device.send(SIMILAR))], [v],
        enable_double_backprop=True)
    compare.assert_array_equal(g.array, 0)
    gg, = grad([F.sum(g * g)], [v])
    assert np.isfinite(gg.array).all()


def test_rows_may_be_images(device):
    a, b, c = [gradients.uniform((2, 3, 4), seed) for seed in range(3)]
    assert F.triplet(*device.send((a, b, c)), reduce='no').shape == (2, 4)
    gradients.check(device, F.triplet, a, b, c)


@each
def test_errors(device, f, xs, losses):
    with pytest.raises(ValueError, match='reduce'):
        f(device, *device.send(xs), reduce='sum')
    with pytest.raises(type_check.InvalidType):
        f(device, device.send(xs[0][:, :2]), *device.send(xs[1:]))
    with pytest.raises(type_check.InvalidType):
        f(device, *device.send([x[:0] for x in xs]))
    with pytest.raises(type_check.InvalidType):
        f(device, device.send(xs[0].astype('f')), *device.send(xs[1:]))


@pytest.mark.parametrize('margin', [0, -1])
def test_margins_are_positive(device, margin):
    with pytest.raises(ValueError, match='margin'):
        F.contrastive(*device.send((A, B, SIMILAR)), margin)
    with pytest.raises(ValueError, match='margin'):
        F.triplet(*device.send((A, B, C)), margin)


@pytest.mark.parametrize('y', [SIMILAR[:4], SIMILAR[:, None], SIMILAR.astype('f')])
def test_labels_of_other_types(device, y):
    with pytest.raises(type_check.InvalidType):
        F.contrastive(*device.send((A, B, y)))


@pytest.mark.parametrize('dtype', 'ef')
@pytest.mark.parametrize('reduce', ['mean', 'no'])
@pytest.mark.parametrize('margin', [
    np.float64(2), np.int32(2), np.array(2.), np.array([2.]), np.float16(2)])
@pytest.mark.parametrize('name', ['contrastive', 'triplet'])
def test_margins_of_numpy_are_as_those_of_python(name, margin, reduce, dtype):
    arrays = [np.cos(np.arange(i, i + 12)).reshape(4, 3).astype(dtype)
              for i in range(3)]
    if name == 'contrastive':
        arrays[2] = np.array([0, 1, 0, 1], 'i')
    outcomes = []
    for each in 2, margin:
        xs = [Variable(x) for x in arrays]
        y = getattr(F, name)(*xs, each, reduce)
        F.sum(y).backward()
        outcomes.append([y.array, *[x.grad for x in xs[:2]]])
    for expected, found in zip(*outcomes, strict=True):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected)
