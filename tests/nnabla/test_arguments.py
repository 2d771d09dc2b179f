"""Arguments of ``grad``: what nnabla 1.39 admits, or documents that it does."""
import numpy as np
import pytest

from chainer_fast import Parameter, Variable
from chainer_fast import functions as F
from chainer_fast.nnabla import grad
from tests import compare
from tests.nnabla.variables import W, X, assert_zero

# -- outputs and inputs

@pytest.mark.parametrize('wrap', [
    lambda v: v, lambda v: [v], lambda v: (v,), lambda v: {1: v}.values(),
    lambda v: iter([v])], ids=['one', 'list', 'tuple', 'view', 'iterator'])
def test_one_variable_or_several(wrap, xw):
    x, w = xw
    found = grad(wrap(x * x * w), wrap(x))
    assert type(found) is list
    compare.assert_allclose(found[0].array, 2 * X * W)


def test_gradients_of_a_sum(xw):
    x, w = xw
    found = grad([x * x * w, F.sum(x)], [x, w])
    compare.assert_allclose(found[0].array, 2 * X * W + 1)
    compare.assert_allclose(found[1].array, X * X)


@pytest.mark.parametrize('value', [None, 3, 'x', np.ones(3), [np.ones(3)], ['x'],
                                   np.ones(()), [None]], ids=repr)
@pytest.mark.parametrize('place', [0, 1])
def test_what_is_no_variable(value, place, xw):
    arguments = [xw[0] * 2, xw[0]]
    arguments[place] = value
    name = ('outputs', 'inputs')[place]
    with pytest.raises(ValueError, match=name + ' must be a Variable or a sequence'):
        grad(*arguments)


def test_no_outputs_or_inputs(xw):
    x, w = xw
    assert grad([x * w], []) == []
    assert_zero(grad([], [x])[0], x)


def test_an_output_without_an_array():
    with pytest.raises(ValueError, match='initialize the parameter'):
        grad(Parameter(), Variable(X))


def test_an_input_without_an_array(xw):
    gradient, = grad(xw[0] * 2, Parameter())
    assert gradient.array == 0
    assert gradient.dtype.kind == 'f'


def test_repeated_inputs(xw):
    x, w = xw
    for gradient in grad([x * w], [x, x]):
        compare.assert_allclose(gradient.array, W)


def test_repeated_outputs(xw):
    x, w = xw
    y = x * w
    compare.assert_allclose(grad([y, y], [x], [1, 10])[0].array, 11 * W)
    compare.assert_allclose(grad([y, F.sum(x), y], [x, y])[0].array, 2 * W + 1)
    gradient, = grad([y, y], x, [None, w])
    compare.assert_allclose(gradient.array, (1 + W) * W)
    compare.assert_allclose(grad(gradient, w)[0].array, 1 + 2 * W)


def test_an_output_that_is_an_input(xw):
    x, w = xw
    y = x * w
    z = F.sin(y)
    gx, gy = grad([y, z], [x, y], [2, 1])
    compare.assert_allclose(gy.array, 2 + np.cos(X * W))
    compare.assert_allclose(gx.array, (2 + np.cos(X * W)) * W)
    compare.assert_allclose(grad([x], [x], 5)[0].array, 5)


def test_values_in_between(xw):
    x, w = xw
    h = x * w
    gh, gx = grad(F.sin(h), [h, x])
    compare.assert_allclose(gh.array, np.cos(X * W))
    compare.assert_allclose(gx.array, np.cos(X * W) * W)


# -- gradients of outputs

@pytest.mark.parametrize('given, expected', [
    (None, 1), (2, 2), (2.5, 2.5), (True, 1), (np.float32(2), 2), (np.int64(3), 3),
    ([2], 2), ([None], 1), ((2,), 2), (W, W), ([W], W), (W.astype('f'), W),
    (np.array([1, 2, 3], 'i'), [1, 2, 3]), (np.array([True, False, True]), [1, 0, 1]),
], ids=str)
def test_grad_outputs(device, given, expected, xw):
    x, _ = xw
    given = device.send(list(given) if isinstance(given, tuple) else given)
    gradient, = grad(x * x, x, given)
    compare.assert_allclose(gradient.array, 2 * X * expected)
    assert gradient.dtype == 'd'


@pytest.mark.parametrize('wrap', [lambda v: v, lambda v: [v]])
def test_variables_as_grad_outputs(wrap, xw):
    x, w = xw
    gradient, = grad(x * x, x, wrap(w))
    compare.assert_allclose(gradient.array, 2 * X * W)
    # Differentiable by the weights as well: products with the Jacobian matrix.
    compare.assert_allclose(grad(gradient, w, 3)[0].array, 6 * X)


def test_one_for_each_output(xw):
    x, w = xw
    outputs = [x * x, F.sum(x), w * x, x * 4]
    gradient, = grad(outputs, x, [None, 3, w, W])
    compare.assert_allclose(gradient.array, 2 * X + 3 + W * W + 4 * W)


def test_a_number_of_another_device_or_dtype(device):
    x = Variable(device.send(X.astype('f')))
    gradient, = grad(x * x, x, W)       # an array of NumPy
    assert gradient.dtype == 'f'
    assert gradient.device == x.device
    gradient, = grad(x * x, x, Variable(device.send(W)))
    assert gradient.dtype == 'f'
    compare.assert_allclose(gradient.array, 2 * X * W)


@pytest.mark.parametrize('given', [
    [], [1, 2, 3], (1,), 2, W, Variable(W)], ids=['[]', '3', '1', 'n', 'a', 'v'])
def test_wrong_lengths(given):
    x = Variable(X)
    with pytest.raises(ValueError, match='one element for each of outputs'):
        grad([x * 2, x * 3], [x], given)


@pytest.mark.parametrize('given', [
    np.ones(2), np.ones((1, 3)), np.ones(()), Variable(np.ones(2)),
    Variable(np.ones((3, 1)))], ids=str)
@pytest.mark.parametrize('wrap', [lambda v: v, lambda v: [v]])
def test_wrong_shapes(wrap, given):
    x = Variable(X)
    with pytest.raises(ValueError, match=r'shape.*grad_outputs\[0\]'):
        grad(x * 2, x, wrap(given))


@pytest.mark.parametrize('given', [
    'a', ['a'], [[1, 2, 3]], {}, 1j, np.array([1j, 1, 1]), np.array(['a'] * 3),
    np.array([None] * 3), (v for v in [2]), Parameter()], ids=range(10))
def test_wrong_types(given):
    x = Variable(X)
    with pytest.raises(ValueError, match='grad_outputs must be'):
        grad(x * 2, x, given)


def test_the_callers_array_is_not_shared(xw):
    x, _ = xw
    given = np.ones(3)
    gradient, = grad(x, x, given)
    given[:] = 7
    compare.assert_array_equal(gradient.array, 1)
