"""Operators of variables with arrays and scalars, against the functions behind them."""
import operator
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast import functions as F
from chainer_fast._help import mistakes
from chainer_fast.functions.math import basic_math
from chainer_fast.variable import Variable
from tests._core import shortcut_cases
from tests._core.shortcut_cases import Kind, laid_out
from tests.ways import General, called_methods, same_bits

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
TYPES = [
    np.float64, np.float32, np.float16, np.longdouble, np.int64, np.uint8, np.bool_]
NUMBERS = [2., -.5, 0., 3., 1e300, 1e-40, float('inf'), float('nan')]


class Scalar(np.float64):
    """A number of a user's type."""


@st.composite
def scalars(draw):
    number = draw(st.sampled_from(NUMBERS))
    kind = draw(st.sampled_from([*TYPES, Scalar, float, int]))
    if kind in (np.int64, np.uint8, np.bool_, int):
        number = draw(st.sampled_from([0, 1, 2, 3]))
    with np.errstate(all='ignore'):
        return kind(number)


@st.composite
def operands(draw, shape):
    if draw(st.booleans()):
        return draw(scalars())
    shape = draw(st.sampled_from([shape, shape, shape[1:], (), (1,), (9,)]))
    dtype = draw(st.sampled_from(['f', 'd', 'e', 'i', 'D', '?', '>f4']))
    array = draw(shortcut_cases.arrays(shape, dtype, Kind.PLAIN))
    return np.asanyarray(laid_out(array, draw(st.sampled_from(shortcut_cases.LAYOUTS))))


def outcome(operate, x, other, reflected, reaction):
    """Return what an operator makes, its function, and gradients; and the warnings."""
    mistakes._warned.clear()
    leaf = Variable(x)
    with warnings.catch_warnings(record=True) as caught, np.errstate(
            over=reaction, invalid=reaction, divide=reaction):
        warnings.simplefilter('always')
        try:
            y = operate(other, leaf) if reflected else operate(leaf, other)
            function = y.creator_node
            y.grad = np.ones_like(y.array)
            y.backward()
        except Exception as e:
            return [type(e), str(e)], []
    found = [y.array, leaf.grad, *[node.data for node in function.inputs]]
    told = sorted([(w.category.__name__, str(w.message)) for w in caught])
    return [*found, type(function), function.label,
            getattr(function, 'value', None)], told


@settings(max_examples=1500, deadline=None)
@given(data=st.data())
def test_operators_are_the_functions(data):
    operate = data.draw(st.sampled_from(OPERATORS))
    shape = data.draw(st.sampled_from([(3, 4), (7,), ()]))
    x = np.asanyarray(laid_out(data.draw(shortcut_cases.arrays(
        shape, data.draw(st.sampled_from('ffde')), Kind.PLAIN)),
        data.draw(st.sampled_from(shortcut_cases.LAYOUTS))))
    arguments = (operate, x, data.draw(operands(shape)), data.draw(st.booleans()),
                 data.draw(st.sampled_from(['warn', 'raise', 'ignore'])))
    result, caught = outcome(*arguments)
    with General():
        expected, expected_warnings = outcome(*arguments)
    assert caught == expected_warnings
    assert len(result) == len(expected)
    for a, b in zip(result, expected, strict=True):
        if isinstance(b, np.ndarray):
            assert same_bits(a, b), (a, b)
        else:
            assert type(a) is type(b)
            assert a == b or a != a and b != b


X = np.linspace(-2, 2, 6, dtype='f').reshape(2, 3)


@pytest.mark.parametrize(('cls', 'operate', 'other'), [
    (basic_math.Add, operator.add, X), (basic_math.Sub, operator.sub, X),
    (basic_math.Mul, operator.mul, X), (basic_math.Div, operator.truediv, X),
    (basic_math.Add, operator.add, X.astype('d')), (basic_math.Mul, operator.mul, X[0]),
    (basic_math.AddConstant, operator.add, np.float32(2)),
    (basic_math.AddConstant, operator.sub, np.float64(2)),
    (basic_math.MulConstant, operator.mul, np.float16(2)),
    (basic_math.MulConstant, operator.truediv, np.float64(2)),
    (basic_math.PowVarConst, operator.pow, np.float64(2))])
def test_arrays_and_floats_of_numpy_take_the_shortcut(cls, operate, other):
    with called_methods(cls) as called:
        F.sum(operate(Variable(X), other)).backward()
    assert not called


@pytest.mark.parametrize(('cls', 'operate'), [
    (basic_math.Add, operator.add), (basic_math.Sub, operator.sub),
    (basic_math.Mul, operator.mul), (basic_math.Div, operator.truediv)])
@pytest.mark.parametrize('b', [X[0] + 4, X[:, :1] + 4, np.array(3, 'f')])
def test_broadcasts_take_the_shortcut(cls, operate, b):
    x, b = Variable(X), Variable(b)
    with called_methods(cls) as called:
        F.sum(operate(x, b) + operate(b, x + 4)).backward()
    assert not called
    assert b.grad.shape == b.shape


@pytest.mark.parametrize(('cls', 'operate', 'other'), [
    (basic_math.Sub, operator.sub, X), (basic_math.Div, operator.truediv, X),
    (basic_math.SubFromConstant, operator.sub, np.float64(2)),
    (basic_math.DivFromConstant, operator.truediv, 2.)])
def test_reflected_operators_take_the_shortcut(cls, operate, other):
    with called_methods(cls) as called:
        F.sum(operate(other, Variable(X + 3))).backward()
    assert not called


@pytest.mark.parametrize('compute', [
    lambda: Variable(X) + np.full(3, 1 + 1j),
    lambda: Variable(X.astype('e')) + np.full(3, 1 + 1j),
    lambda: Variable(np.full(3, -np.inf, 'f')) + np.full(3, 1e300),
    lambda: Variable(X.astype('e')) / np.float32(1e-40),
    lambda: Variable(0 * X) / np.float32(1e-40)])
def test_a_warning_is_given_once(compute):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        compute()
    told = [str(w.message) for w in caught]
    assert told
    assert len(set(told)) == len(told)


class Replacing:
    """An index that puts another array in the place of the variable's."""

    def __init__(self, variable):
        self.variable = variable

    def __index__(self):
        self.variable.array = np.zeros((1000, 1000), 'f')
        self.filled = [np.ones((1000, 1000), 'f') for _ in range(3)]
        return 500


def test_an_index_that_replaces_the_array():
    x = Variable(np.full((1000, 1000), 3, 'f'))
    y = x[Replacing(x):]
    assert y.shape == (500, 1000)
    assert (y.array == 3).all()


def test_elements_that_are_no_numbers():
    x = np.array([None, [1]], object)
    assert F.get_item(x, 0).array is None
    with pytest.raises(TypeError, match='tuple of ndarrays'):
        F.get_item(x, 1)


class Float(np.float32):
    """A number that tells another value than it has."""

    def __float__(self):
        return 5.


def test_numbers_of_other_types_are_left_to_numpy():
    assert (Variable(X) * Float(2)).array.tolist() == (X * 2).tolist()


@pytest.mark.parametrize('operate', [operator.mul, operator.truediv])
@pytest.mark.parametrize('other', [X + 4, X[0] + 4])
def test_an_operand_whose_shape_changed_meanwhile(operate, other):
    """Its gradient is summed to the shape that it has now, and fits no more."""
    def gradient():
        x = Variable(X.copy())
        h = x + 1.
        y = operate(h, other)
        h.array.resize((1, 1), refcheck=False)
        y.grad = np.ones_like(y.array)
        y.backward()

    with pytest.raises(ValueError) as error:
        gradient()
    with General(), pytest.raises(ValueError) as expected:
        gradient()
    assert str(error.value) == str(expected.value)
