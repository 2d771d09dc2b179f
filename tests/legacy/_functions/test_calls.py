"""Calls of functions in the form of Chainer 1, and in that of today."""
import pickle

import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import legacy

X = np.random.RandomState(0).uniform(-1, 1, (4, 6)).astype(np.float32)
T = np.array([0, 2, -1, 1], np.int32)
IMAGE = np.random.RandomState(1).uniform(-1, 1, (2, 3, 8, 8)).astype(np.float32)
W = np.random.RandomState(2).uniform(-1, 1, (4, 3, 3, 3)).astype(np.float32)


def array(y):
    return y[0].array if isinstance(y, tuple) else y.array


@pytest.mark.parametrize('call, today', [
    (lambda: F.dropout(X, .5, False), lambda: F.identity(X)),
    (lambda: F.dropout(X, train=False), lambda: F.identity(X)),
    (lambda: F.relu(X, True), lambda: F.relu(X)),
    (lambda: F.softmax(X, False), lambda: F.softmax(X)),
    (lambda: F.softmax(X, True, 0), lambda: F.softmax(X, 0)),
    (lambda: F.log_softmax(X, False), lambda: F.log_softmax(X)),
    (lambda: F.softmax_cross_entropy(X, T, False, False, True, np.ones(6, 'f')),
     lambda: F.softmax_cross_entropy(X, T, False, True, np.ones(6, 'f'))),
    (lambda: F.sigmoid_cross_entropy(X, T[:, None] + 0 * X.astype(int), True, False),
     lambda: F.sigmoid_cross_entropy(X, T[:, None] + 0 * X.astype(int), False)),
    (lambda: F.average_pooling_nd(IMAGE, 2, 2, 0, True),
     lambda: F.average_pooling_nd(IMAGE, 2, 2, 0)),
    (lambda: F.convolution_2d(IMAGE, W, None, 2, 0, True, True),
     lambda: F.convolution_2d(IMAGE, W, None, 2, 0, True)),
    (lambda: F.convolution_nd(IMAGE, W, None, 2, 0, False, True),
     lambda: F.convolution_nd(IMAGE, W, None, 2, 0, True)),
])
def test_the_call_tells(call, today, enable, used):
    expected = array(today())
    enable()
    np.testing.assert_array_equal(array(call()), expected)
    assert used()
    np.testing.assert_array_equal(array(today()), expected)


@pytest.mark.parametrize('call', [
    lambda: F.convolution_2d(IMAGE, W, None, 2, 0, True),
    lambda: F.convolution_nd(IMAGE, W, None, 2, 0, True),
    lambda: F.softmax_cross_entropy(X, T, False),
    lambda: F.max_pooling_2d(IMAGE, 3, 2, 0, True, True),
    lambda: F.split_axis(X, 1, 0),
    lambda: F.matmul(X[0], X[1], transb=True),
    lambda: F.dropout(X, .5, mask=np.ones_like(X)),
])
def test_what_works_today_does_unless_a_version_is_named(call, enable, used):
    expected = call()
    enable()
    now = call()
    assert type(now) is type(expected)
    np.testing.assert_array_equal(array(now), array(expected))
    assert not used()


@pytest.mark.parametrize('call, today', [
    (lambda: F.convolution_2d(IMAGE, W, None, 2, 0, True),
     lambda: F.convolution_2d(IMAGE, W, None, 2, 0)),
    (lambda: F.softmax_cross_entropy(X, T, False),
     lambda: F.softmax_cross_entropy(X, T)),
    (lambda: F.softmax_cross_entropy(X, T, True, False),
     lambda: F.softmax_cross_entropy(X, T, False)),
    (lambda: F.max_pooling_2d(IMAGE, 3, 2, 0, True, True),
     lambda: F.max_pooling_2d(IMAGE, 3, 2, 0, True)),
    (lambda: F.split_axis(X, 1, 0), lambda: F.identity(X)),
    (lambda: F.matmul(X[0], X[1], transb=True),
     lambda: F.identity(np.outer(X[0], X[1]))),
])
def test_version_1_named(call, today, enable):
    expected = today()
    enable('v1')
    now = call()
    assert not isinstance(now, tuple)
    np.testing.assert_array_equal(array(now), array(expected))


def test_configuration_holds_inside_only(enable):
    enable('v1')
    seen = []

    class Hook(chainer_fast.FunctionHook):
        def forward_preprocess(self, function, inputs):
            seen.append((chainer_fast.config.use_cudnn, chainer_fast.config.train,
                         chainer_fast.config.cudnn_deterministic))

    before = (chainer_fast.config.use_cudnn, chainer_fast.config.train)
    with Hook():
        F.convolution_2d(IMAGE, W, use_cudnn=False, deterministic=True)
        F.zoneout(X, X, train=False)
    assert seen[0] == ('never', True, True)
    assert not any(train for _, train, _ in seen[1:])
    assert (chainer_fast.config.use_cudnn, chainer_fast.config.train) == before


def test_two_values_for_one_argument(enable):
    enable('v1')
    with pytest.raises(TypeError, match='dropout got two values for train'):
        F.dropout(X, .5, True, train=True)
    with pytest.raises(TypeError, match='nonsense'):
        F.relu(X, use_cudnn=True, nonsense=1)


def test_functions_are_pickled_by_name(enable):
    data = pickle.dumps(F.relu)
    enable('v1')
    assert pickle.loads(data) is F.relu
    assert pickle.dumps(F.relu) == data


def test_nothing_is_left(enable):
    def state():
        return {(name, key): value for name, module in (
            ('F', F), ('L', chainer_fast.links), ('chainer', chainer_fast))
            for key, value in vars(module).items()}

    legacy.enable('v1')     # loads what it patches
    legacy.disable()
    before = state()
    legacy.enable('v1')
    assert state() != before
    legacy.disable()
    assert state() == before
