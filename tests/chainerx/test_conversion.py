import copy
import pickle

import numpy as np
import pytest

from chainer_fast import chainerx
from tests.chainerx.checks import array, check, uniform, values

pytestmark = pytest.mark.usefixtures('place')


def test_array_of_numbers():
    for given in (1, 1.5, True, [1, 2], [[1., 2]], (True, False), np.int8(3)):
        expected = np.array(given)
        for found in chainerx.array(given), chainerx.asarray(given):
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            np.testing.assert_array_equal(values(found), expected)
    assert chainerx.array([1, 2], 'float16').dtype == 'float16'
    for given in 1j, 'a', np.zeros(2, 'uint16'):
        with pytest.raises(chainerx.DtypeError):
            chainerx.array(given)


def test_memory():
    plain = chainerx.get_default_device().xp.arange(6).reshape(2, 3)[:, 1:]
    shared, own = chainerx.asarray(plain), chainerx.array(plain)
    plain += 1
    assert shared.strides == plain.strides
    assert own.is_contiguous
    np.testing.assert_array_equal(values(shared) - 1, values(own))
    assert chainerx.asarray(plain, 'float32').is_contiguous


def test_array_of_array():
    x = array(uniform(2, 3))
    assert chainerx.asarray(x) is x
    assert chainerx.asarray(x, 'float64', x.device) is x
    assert chainerx.array(x) is not x
    assert chainerx.asarray(x, 'float32').dtype == 'float32'
    y = chainerx.array(x, device='native:1')
    assert y.device.name == 'native:1'
    np.testing.assert_array_equal(values(y), values(x))
    assert y.copy().device is chainerx.array(y).device is y.device
    assert chainerx.array(array(np.ones(3, '?')), 'float16').dtype == 'float16'


def test_contiguous():
    x = array(uniform(2, 3))
    assert chainerx.ascontiguousarray(x) is x
    assert chainerx.ascontiguousarray(x.T).is_contiguous
    assert chainerx.ascontiguousarray(chainerx.array(1)).shape == (1,)


@pytest.mark.parametrize('function', [
    chainerx.copy, chainerx.array, lambda x: x.view(), lambda x: x.to_device(x.device),
    lambda x: x.to_device('native:1').to_device(x.device),
    lambda x: x.astype('float32').astype('float64'),
    lambda x: chainerx.asarray(x, 'float32').astype('float64')])
def test_gradients(function):
    check(function, uniform(2, 3).astype('float32').astype('float64'))


def test_gradient_comes_to_the_device_of_the_array():
    with chainerx.backprop_scope('g') as g:
        for graph in None, g:
            x = array(uniform(3)).require_grad(graph)
            y = x.to_device('native:1')
            y.backward(graph)
            for grad in x.get_grad(graph), chainerx.grad([y], [x], graph)[0]:
                assert grad.device is x.device
                np.testing.assert_array_equal(values(grad), np.ones(3))


def test_integers_are_in_no_graph():
    assert not array(uniform(3)).require_grad().astype('int32')._is_connected()


def test_astype():
    x = array(uniform(3))
    assert x.astype('float64', copy=False) is x
    assert x.astype('float64') is not x
    with pytest.raises(chainerx.DtypeError):
        x.astype('complex64')


def test_numbers():
    for value in 3, 2.5, True:
        x = chainerx.full((1, 1), value)
        assert type(x.item()) is type(value)
        assert (x.item(), float(x), int(x), bool(x)) == (
            value, float(value), int(value), True)
    for shape in (0,), (2,):
        for function in float, int, bool, chainerx.ndarray.item:
            with pytest.raises(chainerx.DimensionError):
                function(chainerx.zeros(shape))


def test_lists():
    assert chainerx.array([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert chainerx.array(2.5).require_grad().tolist() == 2.5


def test_length():
    x = array(uniform(2, 3))
    assert len(x) == len(list(x)) == 2
    assert [row.shape for row in x] == [(3,), (3,)]
    for function in len, list:
        with pytest.raises(TypeError):
            function(chainerx.array(1))


def test_repr():
    x = chainerx.array([[0, 1.25], [2, 3]], 'float32')
    name = x.device.name
    assert repr(x) == str(x) == (
        "array([[0.  , 1.25],\n       [2.  , 3.  ]], shape=(2, 2), dtype=float32, "
        "device='%s')" % name)
    assert repr(chainerx.array([], 'bool')) == (
        "array([], shape=(0,), dtype=bool, device='%s')" % name)
    with chainerx.backprop_scope('g') as g:
        x.require_grad().require_grad(g)
        assert repr(x).endswith("backprop_ids=['<default>', 'g'])")
    assert repr(x).endswith("backprop_ids=['<default>', '<expired>'])")
    assert '...' in repr(chainerx.zeros(2000))


def test_pickles_and_deep_copies():
    x = array(uniform(2, 3)).T.require_grad()
    for y in copy.deepcopy(x), pickle.loads(pickle.dumps(x)):
        assert (y.dtype, y.device) == (x.dtype, x.device)
        np.testing.assert_array_equal(values(y), values(x))
        y += 1
    assert (values(y) != values(x)).all()
    y = pickle.loads(pickle.dumps(chainerx.zeros(2, 'int8', 'native:1')))
    assert (y.device.name, y.dtype) == ('native:1', 'int8')
