"""Links made in the form of Chainer 1, and in that of today."""
import numpy as np
import pytest

from chainer_fast import initializers, legacy
from chainer_fast import links as L

W = np.random.RandomState(0).uniform(-1, 1, (5, 6)).astype(np.float32)
FILTERS = np.random.RandomState(1).uniform(-1, 1, (4, 3, 3, 3)).astype(np.float32)


def parameters(make):
    np.random.seed(0)
    return {name: p.array for name, p in make().namedparams()}


def check_same(make, today):
    found, expected = parameters(make), parameters(today)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-6, err_msg=name)


def lecun(wscale):
    return initializers.LeCunNormal(wscale ** 0.5)


@pytest.mark.parametrize('make, today', [
    (lambda: L.Linear(6, 5, wscale=4), lambda: L.Linear(6, 5, initialW=lecun(4))),
    (lambda: L.Linear(6, 5, 4), lambda: L.Linear(6, 5, initialW=lecun(4))),
    (lambda: L.Linear(6, 5, 1., 3), lambda: L.Linear(6, 5, initial_bias=3)),
    (lambda: L.Linear(6, 5, np.float32(4), 0, True),
     lambda: L.Linear(6, 5, True, lecun(4))),
    (lambda: L.Linear(6, 5, wscale=4, nobias=True),
     lambda: L.Linear(6, 5, True, lecun(4))),
    (lambda: L.Linear(6, 5, 4, initialW=W), lambda: L.Linear(6, 5, initialW=2 * W)),
    (lambda: L.Linear(6, 5, wscale=4, initialW=3), lambda: L.Linear(6, 5, initialW=6)),
    (lambda: L.Linear(6, 5, wscale=4, initialW=initializers.Uniform(1)),
     lambda: L.Linear(6, 5, initialW=initializers.Uniform(2))),
    (lambda: L.Linear(6, 5, bias=2, initial_bias=np.arange(5)),
     lambda: L.Linear(6, 5, initial_bias=np.arange(5))),
    (lambda: L.Convolution2D(3, 4, 3, 1, 1, 9, 2),
     lambda: L.Convolution2D(3, 4, 3, 1, 1, initialW=lecun(9), initial_bias=2)),
    (lambda: L.Deconvolution2D(3, 4, 3, 2, 1, 9, 2, False, (9, 9), False, None, 5),
     lambda: L.Deconvolution2D(
         3, 4, 3, 2, 1, outsize=(9, 9), initialW=lecun(9), initial_bias=5)),
    (lambda: L.ConvolutionND(2, 3, 4, 3, 1, 0, FILTERS),
     lambda: L.ConvolutionND(2, 3, 4, 3, nobias=True, initialW=FILTERS)),
    (lambda: L.ConvolutionND(2, 3, 4, 3, 1, 0, FILTERS, 1),
     lambda: L.ConvolutionND(2, 3, 4, 3, initialW=FILTERS, initial_bias=1)),
    (lambda: L.DeconvolutionND(2, 3, 4, 3, 1, 0, (9, 9)),
     lambda: L.DeconvolutionND(2, 3, 4, 3, outsize=(9, 9))),
    (lambda: L.DeconvolutionND(2, 3, 4, 3, use_cudnn=True, initial_bias=None),
     lambda: L.DeconvolutionND(2, 3, 4, 3, nobias=True)),
    (lambda: L.MLPConvolution2D(3, (4, 2), 3, 1, 0, 9, abs, True, None, 1),
     lambda: L.MLPConvolution2D(3, (4, 2), 3, conv_init=lecun(9), bias_init=1)),
    (lambda: L.Maxout(6, 3, 2, wscale=4), lambda: L.Maxout(6, 3, 2, lecun(4))),
])
def test_old_form(make, today, enable, used):
    enable()
    check_same(make, today)
    assert used()


@pytest.mark.parametrize('make', [
    lambda: L.Linear(6, 5, True), lambda: L.Linear(6, 5, False, W),
    lambda: L.Linear(6, 5, 0), lambda: L.Linear(6, 5, 0, W),
    lambda: L.Linear(6, 5, np.True_), lambda: L.Linear(6, 5, None, W),
    lambda: L.Convolution2D(3, 4, 3, 1, 1, True, FILTERS),
    lambda: L.ConvolutionND(2, 3, 4, 3), lambda: L.Maxout(6, 3, 2, 0.5),
    lambda: L.NStepLSTM(1, 2, 3, 0.5, initialW=1),
    lambda: L.BatchNormalization(3, .9, 1e-5, None, True, False),
])
def test_form_of_today(make, enable, used):
    expected = parameters(make)
    enable()
    found = parameters(make)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)
    assert not used()


def test_version_tells_a_scale_of_1_from_a_flag(enable):
    make, today = lambda: L.Linear(6, 5, 1, 3), lambda: L.Linear(6, 5, True, 3)
    enable('v1')
    check_same(make, lambda: L.Linear(6, 5, initial_bias=3))
    legacy.disable()
    enable()
    check_same(make, today)


def test_size_found_at_the_first_call(enable):
    enable()
    np.random.seed(0)
    link = L.Linear(None, 5, wscale=4)
    link(np.ones((2, 6), np.float32))
    np.testing.assert_allclose(
        link.W.array, parameters(lambda: L.Linear(6, 5, wscale=4))['/W'], rtol=1e-6)


def test_subclass(enable, used):
    class Narrow(L.Linear):
        def __init__(self, size):
            super().__init__(size, size, wscale=4, bias=1)

    enable()
    assert Narrow(3).b.array.tolist() == [1, 1, 1]
    assert used() == {'chainer.links.Linear(wscale=)': 1,
                      'chainer.links.Linear(bias=)': 1}


def test_unknown_argument(enable):
    enable()
    with pytest.raises(TypeError, match='nonsense'):
        L.Linear(2, 3, wscale=1, nonsense=2)
