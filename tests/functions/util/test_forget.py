import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


def pair(x, y):
    return x * y + x, F.tanh(y)


def test_values_and_gradients(device):
    xs = gradients.uniform((2, 3)), gradients.uniform((2, 3), 1)
    kept = pair(*map(Variable, device.send(xs)))
    for forgotten, expected in zip(F.forget(pair, *device.send(xs)), kept, strict=True):
        compare.assert_array_equal(forgotten.array, expected.array)
    gradients.check(device, lambda *xs: F.forget(pair, *xs), *xs, double=False)


def test_what_happens_inside_is_not_kept(device):
    inner = []

    def f(x):
        inner.append(F.exp(x))
        return inner[0] * 2

    y = F.forget(f, Variable(device.send(np.zeros(2))))
    assert inner[0].creator is None
    assert y.creator.label == 'Forget'


def test_one_output_of_two(device):
    x, y = Variable(device.send(np.array(2.))), Variable(device.send(np.array(3.)))
    F.forget(pair, x, y)[0].backward()
    assert (x.grad, y.grad) == (4, 2)


def test_variables_of_the_function_itself_get_gradients(device):
    w, x = Variable(device.send(np.array(3.))), Variable(device.send(np.array(2.)))
    F.forget(lambda v: v * w, x).backward()
    assert (w.grad, x.grad) == (2, 3)


def test_arrays_alone(device):
    """Chainer makes variables of arrays that require gradients."""
    w, x = Variable(device.send(np.array(3.))), device.send(np.array(2.))
    y = F.forget(lambda v: v * w, x)
    assert y.requires_grad
    y.backward()
    assert w.grad == 2
    constant = Variable(x, requires_grad=False)
    assert not F.forget(lambda v: v * w, constant).requires_grad


def test_integers_alone(device):
    w = Variable(device.send(np.ones((3, 2))))
    F.sum(F.forget(
        lambda ids: F.embed_id(ids, w), device.send(np.array([0, 2, 2])))).backward()
    compare.assert_array_equal(w.grad, [[1, 1], [0, 0], [2, 2]])


@pytest.mark.parametrize('f, message', [
    (lambda: 1, 'int'), (lambda: (1,), '1st.*int'),
    (lambda: (Variable(np.zeros(1)),) * 2 + ('a',), '3rd.*str'),
    (lambda: (Variable(np.zeros(1)),) * 10 + ('a',), '11th.*str'),
    (lambda: (Variable(np.zeros(1)),) * 21 + ('a',), '22nd.*str')])
def test_only_variables_are_returned(f, message):
    with pytest.raises(RuntimeError, match=message):
        F.forget(f)


def test_a_function_is_wanted():
    with pytest.raises(TypeError):
        F.forget(1)


def test_no_second_gradient(device):
    x = Variable(device.send(np.zeros(())))
    y = F.forget(F.exp, x)
    with pytest.raises(RuntimeError):
        y.backward(enable_double_backprop=True)
