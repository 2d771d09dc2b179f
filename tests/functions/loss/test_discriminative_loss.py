import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.functions.loss import discriminative_loss
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

loss = F.discriminative_margin_based_clustering_loss
LABELS = np.array([[[1, 1, 2], [0, 3, 2]], [[1, 2, 2], [2, -1, 9]]])
X = gradients.uniform((2, 3, 2, 3), low=-3, high=3)


def expected(x, labels, delta_v, delta_d, clusters, norm):
    """The formulas, by cluster and image."""
    def size(v):
        return np.linalg.norm(v.ravel(), norm)

    batch = len(x)
    means = np.zeros((clusters, batch, clusters))
    variance = 0
    for c in range(clusters):
        spreads = []
        for b in range(batch):
            pixels = x[b][:, labels[b] == c + 1].T
            if len(pixels):
                means[c, b] = pixels.mean(axis=0)
            spreads += [
                max(size(p - means[c, b]) - delta_v, 0) ** 2 for p in pixels]
        variance += np.mean(spreads) / clusters if spreads else 0
    gaps = [
        max(2 * delta_d - size(means[c, b] - means[d, b]), 0) ** 2
        for b in range(batch) for c in range(clusters) for d in range(clusters)
        if c != d]
    sizes = [size(means[c]) / batch for c in range(clusters)]
    return variance, np.mean(gaps), np.mean(sizes)


@pytest.mark.parametrize('norm', [1, 2])
def test_values(device, norm):
    y = loss(device.send(X), device.send(LABELS), .2, 2, 3, norm, 2, 3, 4)
    for factor, term, value in zip(
            (2, 3, 4), y, expected(X, LABELS, .2, 2, 3, norm), strict=True):
        assert term.shape == ()
        compare.assert_allclose(term.array, factor * value, 1e-10)


@pytest.mark.parametrize('norm', [1, 2])
def test_gradients(device, norm):
    gradients.check(device, lambda x: loss(x, device.send(LABELS), .2, 2, 3, norm), X)


def test_norm_of_nothing_has_no_slope(device):
    # The third cluster is empty, and its mean is zero.
    x = Variable(device.send(X))
    for term in loss(x, device.send(np.minimum(LABELS, 2)), .2, 2, 3, 2):
        term.backward()
        assert np.isfinite(x.grad).all()


def test_one_cluster_is_far_from_no_other(device):
    x = Variable(device.send(X[:, :1]))
    _, distance, _ = loss(x, device.send(LABELS), .2, 2, 1)
    assert distance.array == 0


@pytest.mark.parametrize('delta_v, delta_d, infinite', [
    (-np.inf, 2, 0), (.2, np.inf, 1)])
def test_infinite_margins(device, delta_v, delta_d, infinite):
    # Pixels outside all clusters, and a cluster beside itself, have no margin.
    terms = loss(device.send(X), device.send(LABELS), delta_v, delta_d, 3)
    for number, (term, value) in enumerate(
            zip(terms, expected(X, LABELS, .2, 2, 3, 1), strict=True)):
        if number == infinite:
            assert float(term.array) == np.inf
        else:
            factor = .001 if number == 2 else 1
            compare.assert_allclose(term.array, factor * value, 1e-10)


@pytest.mark.parametrize('dtype', 'ef')
def test_dtypes(device, dtype):
    x = Variable(device.send(X.astype(dtype)))
    y = loss(x, device.send(LABELS), .2, 2, 3)
    sum(y).backward()
    assert {x.grad.dtype, *[term.dtype for term in y]} == {np.dtype(dtype)}


def test_halves_count_as_many_pixels_as_there_are(device):
    x, labels = np.ones((1, 1, 100000), 'e'), np.ones((1, 100000), 'i')
    *_, size = loss(device.send(x), device.send(labels), .1, 1, 1, gamma=1)
    assert size.array == 1


def test_errors(device):
    with pytest.raises(ValueError, match='norm'):
        loss(device.send(X), device.send(LABELS), .2, 2, 3, 3)
    with pytest.raises(ValueError, match='max_embedding_dim'):
        loss(device.send(X), device.send(LABELS), .2, 2, 0)
    with pytest.raises(AssertionError):
        loss(device.send(X), device.send(LABELS), .2, 2, 4)
    with pytest.raises(type_check.InvalidType):
        loss(device.send(X), device.send(LABELS[:, :1]), .2, 2, 3)


def test_defaults():
    f = discriminative_loss.DiscriminativeMarginBasedClusteringLoss()
    assert (f.delta_v, f.delta_d, f.max_embedding_dim) == (.5, 1.5, 10)
    assert (f.alpha, f.beta, f.gamma) == (1, 1, .001)
