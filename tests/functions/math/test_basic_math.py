"""Operators between variables, arrays and scalars."""
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast import functions as F
from chainer_fast import grad, gradient_check
from chainer_fast.functions.math import basic_math
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
each_operator = pytest.mark.parametrize('op', OPERATORS, ids=lambda op: op.__name__)


def uniform(shape, dtype='d', seed=0):
    return np.asarray(np.random.RandomState(seed).uniform(.5, 1.5, shape), dtype)


@each_operator
@settings(max_examples=25, deadline=None)
@given(shapes=hnp.mutually_broadcastable_shapes(
    num_shapes=2, max_dims=3, max_side=3, min_side=0), dtype=st.sampled_from('efd'))
def test_two_variables_follow_numpy(device, op, shapes, dtype):
    x0, x1 = (uniform(shape, dtype, i) for i, shape in enumerate(shapes.input_shapes))
    v0, v1 = Variable(device.send(x0)), Variable(device.send(x1))
    y = op(v0, v1)
    compare.assert_array_equal(y.array, op(x0, x1))
    assert y.dtype == dtype
    y.grad = np.ones_like(y.array)
    y.backward()
    for v in v0, v1:
        assert isinstance(v.grad, device.xp.ndarray)
        assert (v.grad.shape, v.grad.dtype) == (v.shape, v.dtype)


@each_operator
@pytest.mark.parametrize('shapes', [((3, 2), (3, 2)), ((), ()), ((3, 1), (1, 2)),
                                    ((2,), (3, 2)), ((3, 2), ()), ((0, 2), (1, 2))])
def test_gradients_of_two_variables(device, op, shapes):
    xs = uniform(shapes[0]), uniform(shapes[1], seed=1)
    gy = device.send(uniform(np.broadcast(*xs).shape, seed=2))
    ggs = uniform(shapes[0], seed=3), uniform(shapes[1], seed=4)
    gradient_check.check_backward(op, device.send(xs), gy, rtol=1e-4, atol=1e-4)
    gradient_check.check_double_backward(
        lambda a, b: op(a, b) ** 2, device.send(xs), gy, device.send(ggs), rtol=1e-3,
        atol=1e-3)


@each_operator
@pytest.mark.parametrize('of', [0, 1])
def test_second_gradient_of_one_operand(device, op, of):
    # The other gradient of the gradient function is absent here.
    x0 = Variable(device.send(uniform((3, 2))))
    x1 = Variable(device.send(uniform((2,), seed=1)))
    y = op(x0, x1)
    v = (x0, x1)[of]
    gy, ggx = device.send((uniform((3, 2), seed=2), uniform(v.shape, seed=3)))
    y.grad = gy
    y.backward(enable_double_backprop=True)
    gx = v.grad_var
    x0.cleargrad()
    x1.cleargrad()
    gx.grad = ggx
    gx.backward()
    for w in x0, x1:
        if w.grad is not None:
            assert w.grad.shape == w.shape

    def gradient(values):
        a, b = Variable(values[0]), Variable(values[1])
        z = op(a, b)
        z.grad = gy
        z.backward()
        return ((a, b)[of].grad * ggx).sum()

    eps = 1e-6
    for i, w in enumerate((x0, x1)):
        expected = np.zeros(w.shape)
        for k in np.ndindex(w.shape):
            low, high = ([x0.array.copy(), x1.array.copy()] for _ in range(2))
            low[i][k] -= eps
            high[i][k] += eps
            expected[k] = (gradient(high) - gradient(low)) / (2 * eps)
        actual = np.zeros(w.shape) if w.grad is None else w.grad
        compare.assert_allclose(actual, expected, rtol=1e-5, atol=1e-7)


@each_operator
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(3, 2), (), (0,)])
@pytest.mark.parametrize('value', [2, .5, True, np.float64(1.5), np.float32(.25),
                                   np.int64(3), np.float16(2)])
def test_scalars_take_the_dtype_of_the_variable(device, op, dtype, shape, value):
    x = uniform(shape, dtype)
    tolerance = {'e': 2e-3, 'f': 1e-6, 'd': 1e-12}[dtype]
    for f in (lambda v: op(v, value), lambda v: op(value, v)):
        v = Variable(device.send(x))
        y = f(v)
        assert y.dtype == dtype
        assert isinstance(y.array, device.xp.ndarray)
        compare.assert_allclose(
            y.array, f(x.astype('d')), rtol=tolerance, atol=tolerance)
        y.grad = np.ones_like(y.array)
        y.backward(enable_double_backprop=True)
        assert v.grad.dtype == dtype
        assert isinstance(v.grad, device.xp.ndarray)
        gx = v.grad_var
        v.cleargrad()
        if gx.creator is not None:
            gx.grad = np.ones_like(gx.array)
            gx.backward()
            assert v.grad is None or v.grad.dtype == dtype


@each_operator
@pytest.mark.parametrize('value', [2, 1.5])
@pytest.mark.parametrize('reflected', [False, True])
def test_gradients_beside_a_scalar(device, op, value, reflected):
    def f(x):
        return op(value, x) if reflected else op(x, value)

    x = uniform((3, 2))
    gy = device.send(uniform((3, 2), seed=1))
    ggx = uniform((3, 2), seed=2)
    gradient_check.check_backward(f, device.send(x), gy, rtol=1e-4, atol=1e-4)
    gradient_check.check_double_backward(
        lambda x: f(x) ** 2, device.send(x), gy, device.send(ggx), rtol=1e-3, atol=1e-3)


@each_operator
def test_arrays_take_the_dtype_of_the_variable(device, op):
    x = uniform((3, 2), 'f')
    for other in uniform((3, 2), 'd', 1), uniform((2,), 'e', 1), np.array(2.), \
            np.array([1, 2]):
        v, array = Variable(device.send(x)), device.send(other)
        for y, expected in (
                (op(v, array), op(x, other.astype('f'))),
                (op(array, v), op(other.astype('f'), x))):
            assert y.dtype == np.float32
            compare.assert_allclose(y.array, expected, rtol=1e-6)


@each_operator
def test_dtypes_of_variables_must_agree(device, op):
    with pytest.raises(type_check.InvalidType, match='float32 != float64'):
        op(
            Variable(device.send(uniform((2,), 'f'))),
            Variable(device.send(uniform((2,), 'd'))))


@each_operator
def test_shapes_must_broadcast(device, op):
    with pytest.raises(type_check.InvalidType):
        op(
            Variable(device.send(uniform((3, 2)))),
            Variable(device.send(uniform((3, 3)))))


@each_operator
@pytest.mark.parametrize('other', [None, [1., 2.], (1., 2.), object(), 'a', {}])
def test_operands_of_other_types_are_refused(device, op, other):
    x = Variable(device.send(uniform((2,))))
    for f in (lambda: op(x, other), lambda: op(other, x)):
        with pytest.raises(TypeError):
            f()


def test_the_error_names_the_type(device):
    with pytest.raises(TypeError, match='list'):
        Variable(device.send(uniform((2,)))) + [1, 2]


@pytest.mark.parametrize('op', [operator.mul, operator.truediv, operator.pow])
def test_products_need_floats(device, op):
    x = Variable(device.send(np.array([1, 2])), requires_grad=False)
    with pytest.raises(type_check.InvalidType):
        op(x, x)


def test_integers_stay_integers(device):
    x = Variable(device.send(np.array([1, -2, 3], np.int32)), requires_grad=False)
    for y, expected in ((x + 1.5, [2, -1, 4]), (x - 1, [0, -3, 2]), (x * 2, [2, -4, 6]),
                        (x + x, [2, -4, 6]), (-x, [-1, 2, -3]),
                        (x + 2 ** 40, [1, -2, 3])):
        assert y.dtype == np.int32
        compare.assert_array_equal(y.array, expected)


def test_subtraction_of_an_unsigned_scalar(device):
    y = Variable(device.send(np.array([1.], 'f'))) - np.uint8(3)
    compare.assert_array_equal(y.array, [-2])


@pytest.mark.parametrize('shape', [(3, 2), ()])
def test_floor_division(device, shape):
    x = Variable(device.send(np.asarray(uniform(shape) * 5, 'f')))
    for y, expected in ((x // 2, x.array // 2), (7 // x, 7 // x.array),
                        (x // x, np.ones(shape)),
                        (device.send(np.full(shape, 9., 'f')) // x, 9 // x.array)):
        assert y.creator is None
        assert y.dtype == np.float32
        compare.assert_array_equal(y.array, expected)


def test_division_by_zero(device):
    x = Variable(device.send(uniform((2,))))
    with pytest.raises(ZeroDivisionError):
        x / 0
    y = F.sum(0 ** x)
    with pytest.warns(RuntimeWarning, match='divide by zero encountered in log'), (
            np.errstate(invalid='ignore')):
        y.backward()


@pytest.mark.parametrize('shapes', [((3, 2), (3, 2), (3, 2)), ((), (), ()),
                                    ((1, 3), (), (2, 1)), ((), (2, 1), (3,)),
                                    ((3,), (1,), (1,), (2, 1))])
def test_add_of_several(device, shapes):
    xs = tuple(uniform(shape, seed=i) for i, shape in enumerate(shapes))
    expected = sum(xs)
    y = F.add(*device.send(xs))
    compare.assert_allclose(y.array, expected)
    assert isinstance(y.array, device.xp.ndarray)
    gradient_check.check_backward(
        F.add, device.send(xs), device.send(uniform(y.shape)), rtol=1e-4, atol=1e-4)


def test_add_leaves_its_operands_alone(device):
    xs = device.send([np.ones((2,), 'f') for _ in range(4)])
    F.add(*xs)
    assert all((x == 1).all() for x in xs)
    assert F.add(xs[0]).array is xs[0]


def test_add_refuses_mixed_dtypes(device):
    x = uniform((2,), 'f')
    with pytest.raises(type_check.InvalidType):
        F.add(*device.send((x, x, x.astype('d'))))


def test_power_of_a_negative_base(device):
    x = Variable(device.send(np.array([-2., 3.], 'f')))
    y = F.sum(x ** 3)
    y.backward(enable_double_backprop=True)
    compare.assert_array_equal(x.grad, [12, 27])
    gx = F.sum(x.grad_var)
    x.cleargrad()
    gx.backward()
    compare.assert_array_equal(x.grad, [-12, 18])


def test_gradient_function_of_abs_checks_its_shape(device):
    with pytest.raises(type_check.InvalidType):
        basic_math.AbsoluteGrad(np.ones(3, 'f')).apply(device.send((np.ones(2, 'f'),)))


@pytest.mark.parametrize('value, text', [
    (2, '2'), (0, '0'), (-2, '(-2)'), (2., '2.0'), (-2., '(-2.0)'),
    (np.float32(2), '2.0'), (np.float16(-3), '(-3.0)'), (True, 'True'),
    (np.array([1, 2]), 'constant array'), (Variable(np.ones(2)), 'constant array')])
def test_text_of_a_constant(value, text):
    assert basic_math._convert_value_to_string(value) == text


def test_text_of_what_is_no_constant():
    with pytest.raises(ValueError, match='NoneType'):
        basic_math._convert_value_to_string(None)


@pytest.mark.parametrize('function, label', [
    (basic_math.Neg(), '__neg__'), (basic_math.Absolute(), '|_|'),
    (basic_math.Add(), '_ + _'), (basic_math.AddConstant(2), '_ + 2'),
    (basic_math.Sub(), '_ - _'), (basic_math.SubFromConstant(-2), '(-2) - _'),
    (basic_math.Mul(), '_ * _'), (basic_math.MulConstant(2.), '_ * 2.0'),
    (basic_math.Div(), '_ / _'), (basic_math.DivFromConstant(2), '2 / _'),
    (basic_math.PowVarVar(), '_ ** _'), (basic_math.PowVarConst(2), '_ ** 2'),
    (basic_math.PowConstVar(2), '2 ** _'), (basic_math.MultiAdd(), 'MultiAdd')])
def test_labels(function, label):
    assert function.label == label
    assert type(function).__module__ == basic_math.__name__


@pytest.mark.parametrize('expression, cls, value', [
    (lambda x: x - 2, basic_math.AddConstant, -2),
    (lambda x: 2 - x, basic_math.SubFromConstant, 2),
    (lambda x: x / 4, basic_math.MulConstant, .25),
    (lambda x: 4 / x, basic_math.DivFromConstant, 4),
    (lambda x: x ** 2, basic_math.PowVarConst, 2),
    (lambda x: 2 ** x, basic_math.PowConstVar, 2)])
def test_constants_are_attributes(device, expression, cls, value):
    creator = expression(Variable(device.send(uniform((2,))))).creator
    assert type(creator) is cls
    assert creator.value == value


def test_array_constants_of_functions(device):
    x, c = uniform((3, 2), 'f'), uniform((3, 2), 'd', 1)
    for cls, expected in ((basic_math.AddConstant, x + c),
                          (basic_math.MulConstant, x * c),
                          (basic_math.SubFromConstant, c - x),
                          (basic_math.DivFromConstant, c / x),
                          (basic_math.PowVarConst, x ** c),
                          (basic_math.PowConstVar, c ** x)):
        v = Variable(device.send(x))
        y, = cls(device.send(c)).apply((v,))
        assert y.dtype == np.float32
        compare.assert_allclose(y.array, expected, rtol=1e-5)
        y.grad = device.send(np.ones_like(x))
        y.backward()
        assert v.grad.dtype == np.float32


def test_matrix_product_operator(device):
    x, w = uniform((3, 2), 'f'), uniform((2, 4), 'd', 1)
    x_sent, w_sent = device.send((x, w))
    for y in (
            Variable(x_sent) @ w_sent,
            x_sent.astype('d') @ Variable(w_sent.astype('f')),
            Variable(x_sent) @ Variable(w_sent.astype('f'))):
        assert y.dtype == np.float32
        compare.assert_allclose(y.array, x @ w, rtol=1e-5)


@pytest.mark.parametrize('exponent, expected', [
    (2, [[0, 4], [2, 2], [0, 0], [0, 0]]), (3, [[0, 12], [0, 12], [6, 6], [0, 0]])])
def test_higher_derivatives_of_powers_at_zero(device, exponent, expected):
    x = Variable(device.send(np.array([0., 2.])))
    y = x ** exponent
    for each in expected:
        y, = grad([y], [x], enable_double_backprop=True)
        compare.assert_array_equal(y.array, each)
