"""Initial weights as links drew them up to Chainer 1.8."""
import numpy as np
import pytest

from chainer_fast import initializers
from chainer_fast import links as L

W = np.arange(12, dtype=np.float32).reshape(4, 3)


def weights(make):
    np.random.seed(1)
    return {name: p.array for name, p in make().namedparams()}


def drawn(scale, *shape):
    return np.random.normal(0, scale, shape).astype(np.float32)


@pytest.mark.parametrize('make, name, scale, shape', [
    (lambda: L.Linear(3, 4, wscale=2), '/W', 2 / 3 ** .5, (4, 3)),
    (lambda: L.Linear(3, 4, 2., .5), '/W', 2 / 3 ** .5, (4, 3)),
    (lambda: L.Convolution2D(3, 4, (2, 3), wscale=2), '/W', 2 / 18 ** .5, (4, 3, 2, 3)),
    (lambda: L.Deconvolution2D(5, 3, (2, 3)), '/W', 1 / 30 ** .5, (5, 3, 2, 3)),
    (lambda: L.Deconvolution2D(5, 3, 2, 1, 0, 3., 1.), '/W', 3 / 20 ** .5,
     (5, 3, 2, 2)),
    (lambda: L.Bilinear(3, 4, 5, True), '/W', 1 / 60 ** .5, (3, 4, 5)),
    (lambda: L.Maxout(3, 4, 2, wscale=2), '/linear/W', 2 / 3 ** .5, (8, 3)),
    (lambda: L.LSTM(3, 4), '/upward/W', 1 / 3 ** .5, (16, 3)),
])
def test_scale(make, name, scale, shape, enable):
    enable('v1.8')
    found = weights(make)
    np.random.seed(1)
    np.testing.assert_allclose(found[name], drawn(scale, *shape), rtol=3e-7)


def test_bilinear_of_chainer_1_4(enable):
    enable('v1.4')
    found = weights(lambda: L.Bilinear(3, 4, 5))
    np.random.seed(1)
    np.testing.assert_allclose(found['/W'], drawn(12 ** -.5, 3, 4, 5), rtol=3e-7)
    np.testing.assert_allclose(found['/V1'], drawn(3 ** -.5, 3, 5), rtol=3e-7)


def test_order_of_draws(enable):
    enable('v1.5')
    found = weights(lambda: L.LSTM(None, 4))
    assert '/lateral/W' in found
    found = weights(lambda: L.LSTM(3, 4))
    np.random.seed(1)
    for name, size in (('/upward/W', 3), ('/lateral/W', 4)):
        np.testing.assert_allclose(found[name], drawn(size ** -.5, 16, size), rtol=3e-7)
    found = weights(lambda: L.Bilinear(3, 4, 5))
    np.random.seed(1)
    for name, scale, shape in (('/W', 60, (3, 4, 5)), ('/V1', 3, (3, 5)),
                               ('/V2', 4, (4, 5))):
        np.testing.assert_allclose(found[name], drawn(scale ** -.5, *shape), rtol=3e-7)


def test_size_found_at_the_first_call(enable):
    enable('v1.8')
    lstm = L.LSTM(None, 4)
    np.random.seed(1)
    lstm(np.zeros((2, 3), np.float32))
    np.random.seed(1)
    np.testing.assert_array_equal(lstm.upward.W.array, drawn(3 ** -.5, 16, 3))
    assert lstm.upward_init is None


def test_what_is_given_stays(enable):
    enable('v1.8')
    np.testing.assert_array_equal(L.Linear(3, 4, wscale=2, initialW=W).W.array, W)
    filters = W.reshape(4, 3, 1, 1)
    for cls, sizes in ((L.Convolution2D, (3, 4)), (L.Deconvolution2D, (4, 3))):
        link = cls(*sizes, 1, wscale=2, initialW=filters)
        np.testing.assert_array_equal(link.W.array, filters)
    lstm = L.LSTM(3, 4, initializers.One(), initializers.Zero())
    assert lstm.lateral.W.array.sum() == 64 and not lstm.upward.W.array.any()


@pytest.mark.parametrize('named', ['v1.9', 'v1'])
def test_later_releases(named, enable):
    enable(named)
    found = weights(lambda: L.Linear(3, 4, wscale=4))
    np.random.seed(1)
    np.testing.assert_allclose(found['/W'], drawn(2 / 3 ** .5, 4, 3), rtol=1e-6)
    found = weights(lambda: L.Deconvolution2D(5, 3, 2))
    np.random.seed(1)
    np.testing.assert_allclose(found['/W'], drawn(12 ** -.5, 5, 3, 2, 2), rtol=1e-6)


def test_report(enable, used):
    enable('v1.8')
    L.Linear(3, 4)
    assert not used()
    L.Deconvolution2D(3, 4, 2)
    assert used() == {'initial weights of Chainer 1.8': 1}
