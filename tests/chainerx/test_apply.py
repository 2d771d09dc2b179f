import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import backend, chainerx, gradient_check
from chainer_fast.utils import type_check

X = np.array([1, 2], 'f')


def variable(values=X, **kwargs):
    return chainer_fast.Variable(backend.to_chx(np.array(values)), **kwargs)


class Product(chainer_fast.FunctionNode):
    """A user's function: forward takes plain arrays, backward those of ChainerX."""

    def __init__(self):
        self.factor = backend.to_chx(np.array(3, 'f'))

    def check_type_forward(self, in_types):
        type_check.expect(in_types[0].dtype.kind == 'f')

    def forward(self, inputs):
        assert all(type(x) is np.ndarray for x in (*inputs, self.factor))
        self.retain_inputs((0, 1))
        self.retain_outputs((0,))
        self.kept = inputs[0]
        a, b = inputs
        return np.asarray(a * b * self.factor), np.array([1, 2])

    def backward(self, indexes, grad_outputs):
        a, b = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        gy, none = grad_outputs
        assert none is None
        assert all(type(v.array) is chainerx.ndarray for v in (a, b, y, gy))
        assert type(self.factor) is type(self.kept) is chainerx.ndarray
        assert self.inputs[0].shape == a.shape
        ga, gb = b * gy * 3, a * gy * 3
        return ga, gb


def product(a, b):
    return Product().apply((a, b))[0]


def test_a_users_function():
    a, b = variable(), variable([3, 5.])
    b = variable(np.array([3, 5], 'f'))
    y, integers = Product().apply((a, b))
    assert not integers.requires_grad
    y.grad = backend.to_chx(X)
    y.backward()
    assert backend.from_chx(a.grad).tolist() == [9, 30]
    assert backend.from_chx(b.grad).tolist() == [3, 12]
    gradient_check.check_backward(
        product, (a.array, b.array), y.array, dtype='d')
    gradient_check.check_double_backward(
        product, (a.array, b.array), y.array, (b.array, a.array), dtype='d')


def test_its_forward_of_chainerx_comes_first():
    class Twice(chainer_fast.FunctionNode):
        def forward_chainerx(self, inputs):
            x, = inputs
            assert x.is_backprop_required()
            return chainerx.add(x, x),
    x = variable()
    y, = Twice().apply((x,))
    F.sum(y).backward()
    assert backend.from_chx(x.grad).tolist() == [2, 2]


def test_fallback():
    class Asked(Product):
        def forward_chainerx(self, inputs):
            return chainer_fast.Fallback
    y, _ = Asked().apply((variable(), variable()))
    assert backend.from_chx(y.array).tolist() == [3, 12]


def test_types_are_checked():
    with pytest.raises(type_check.InvalidType):
        product(variable(np.array([1, 2]), requires_grad=False), variable())


@pytest.mark.parametrize('f', [F.add, product])
def test_arrays_are_not_mixed(f):
    for a, b in ((variable(), X), (X, variable())):
        with pytest.raises(TypeError, match='mixed'):
            f(a, b)


def test_other_graphs():
    with chainerx.backprop_scope('a') as a:
        x = backend.to_chx(X.copy()).require_grad(a)
        y = product(x, x).raw_array
        assert y.is_backprop_required(a)
        assert not y.is_backprop_required()
        y.backward(a, enable_double_backprop=True)
        g = x.get_grad(a)
        assert backend.from_chx(g).tolist() == [6, 12]
        assert g.is_backprop_required(a)
        x.cleargrad(a)
        g.backward(a)
        assert backend.from_chx(x.get_grad(a)).tolist() == [6, 6]


def test_old_style_functions():
    class Square(chainer_fast.Function):
        def forward(self, inputs):
            return inputs[0] ** 2,

        def backward(self, inputs, grad_outputs):
            assert type(inputs[0]) is type(grad_outputs[0]) is np.ndarray
            return 2 * inputs[0] * grad_outputs[0],
    x = variable()
    F.sum(Square()(x)).backward()
    assert backend.from_chx(x.grad).tolist() == [2, 4]


def test_inputs_and_outputs_that_are_none():
    class Some(chainer_fast.FunctionNode):
        def forward(self, inputs):
            assert inputs[0] is None
            return None, inputs[1] * 2

        def backward(self, indexes, grad_outputs):
            assert (indexes, grad_outputs[0]) == ((1,), None)
            return None, 2 * grad_outputs[1]
    x = variable()
    none, y = Some().apply((None, x))
    assert none.array is None
    F.sum(y).backward()
    assert backend.from_chx(x.grad).tolist() == [2, 2]


def test_noise_that_is_returned_is_an_array_of_chainerx():
    mean, ln_var = [
        variable(np.zeros((2, 3), 'f')) for _ in range(2)]
    y, eps = F.gaussian(mean, ln_var, return_eps=True)
    assert type(eps) is chainerx.ndarray and eps.shape == (2, 3)
    again = F.gaussian(mean, ln_var, eps=eps)
    np.testing.assert_array_equal(
        chainerx.to_numpy(again.array), chainerx.to_numpy(y.array))


@pytest.mark.parametrize('function', [
    lambda x: F.dropout(x, return_mask=True)[1],
    lambda x: F.rrelu(x, return_r=True)[1],
    lambda x: F.max_pooling_1d(x[None, None], 2, return_indices=True)[1],
    lambda x: F.argmax_crf1d(F.stack([x, x]), [x[None]])[1][0]])
def test_arrays_that_come_with_results_are_of_chainerx(function):
    np.random.seed(0)
    expected = function(chainer_fast.Variable(X))
    np.random.seed(0)
    found = function(variable())
    assert type(found) is chainerx.ndarray
    np.testing.assert_array_equal(chainerx.to_numpy(found), expected)
