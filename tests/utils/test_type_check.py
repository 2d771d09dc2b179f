"""Checks of types: what they accept, and how they explain what they do not."""
import copy
import operator
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast.functions.connection import (
    convolution_2d,
    convolution_nd,
    deconvolution_2d,
    deconvolution_nd,
    linear,
)
from chainer_fast.functions.loss import softmax_cross_entropy
from chainer_fast.utils import type_check as T

X = T.Variable(7, 'x')
Y = T.Variable(2, 'y')
SHAPE = T.Variable((2, 3), 's')


def check(*conditions):
    """Return the message of a failing check, without the line for the traceback."""
    with pytest.raises(T.InvalidType) as e:
        T.expect(*conditions)
    return str(e.value)


# Expressions
#

@pytest.mark.parametrize('expression, text, value', [
    (X + Y, 'x + y', 9),
    (X + Y - 1, 'x + y - 1', 8),
    (X - (Y - 1), 'x - (y - 1)', 6),
    ((X + Y) * 3, '(x + y) * 3', 27),
    (X + Y * 3, 'x + y * 3', 13),
    (X / Y, 'x / y', 3.5),
    (X // Y % 2, 'x // y % 2', 1),
    (-X, '-x', -7),
    (+X, '+x', 7),
    (-(X + 1), '-(x + 1)', -8),
    (~Y ** 2, '~y ** 2', -5),
    ((-X) ** Y, '(-x) ** y', 49),
    (X ** -Y, 'x ** (-y)', 7 ** -2),
    (Y ** Y ** 3, 'y ** y ** 3', 2 ** 8),
    ((Y ** Y) ** 3, '(y ** y) ** 3', 64),
    (1 << Y, '1 << y', 4),
    ((X | Y) & 6 ^ 1, '(x | y) & 6 ^ 1', 7),
    (2 ** Y, '2 ** y', 4),
    (np.int64(3) * X, '3 * x', np.int64(21)),
    (SHAPE[0], 's[0]', 2),
    (SHAPE[-1:], 's[-1:]', (3,)),
    (SHAPE[::Y], 's[::y]', (2,)),
    (SHAPE[:X - 6], 's[:x - 6]', (2,)),
    (T.Variable(np.eye(2), 'a')[0, ..., None].shape, 'a[0, ..., None].shape', (2, 1)),
    (T.Variable({'k': 5}, 'd')['k'], "d['k']", 5),
    (T.Variable(sum, 'sum')([X, Y]), 'sum([x, y])', 9),
    (T.Constant('text').upper(), "'text'.upper()", 'TEXT'),
    (T.GetAttr(T.Constant(1j), T.Constant('imag')), '1j.imag', 1.0),
    (T.GetAttr(X, 3), 'getattr(x, 3)', None),
    (T.prod(SHAPE), 'prod(s)', 6),
], ids=str)
def test_expressions_print_and_evaluate(expression, text, value):
    assert str(expression) == text
    if value is not None:
        result = expression.eval()
        assert result == value
        assert type(result) is type(value)


_operators = st.sampled_from(
    [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod,
     operator.lshift, operator.rshift, operator.and_, operator.xor, operator.or_,
     operator.pow, operator.neg, operator.invert])


@given(st.recursive(
    st.integers(0, 3),
    lambda terms: st.tuples(_operators, terms, terms), max_leaves=6))
def test_text_means_the_same_to_python(tree):
    """The text of an expression, read by Python, gives the value of the expression."""
    def build(node):
        if isinstance(node, int):
            return T.Variable(node, 'v%d' % node)
        func, left, right = node
        if func in (operator.neg, operator.invert):
            return func(build(left))
        return func(build(left), build(right))

    expression = build(tree)
    names = {'v%d' % i: i for i in range(4)}
    results = []
    for compute in (expression.eval, lambda: eval(str(expression), names)):
        try:
            results.append(compute())
        except (ArithmeticError, ValueError, TypeError, MemoryError) as e:
            results.append(type(e))
    assert results[0] == results[1]


def test_an_expression_is_no_value():
    with pytest.raises(RuntimeError, match='eval'):
        bool(X == 7)
    with pytest.raises(RuntimeError, match='eval'):
        assert 2 in SHAPE
    with pytest.raises(TypeError, match='eval'):
        list(SHAPE)  # would never end: there is an SHAPE[i] for each i
    with pytest.raises(TypeError):
        hash(X)
    with pytest.raises(NotImplementedError):
        T.Expr(0).eval()


def test_errors_wait_for_evaluation():
    expression = X.no_such_attribute[0](1) + 1
    assert str(expression) == 'x.no_such_attribute[0](1) + 1'
    with pytest.raises(AttributeError):
        expression.eval()


def test_expressions_can_be_copied():
    assert str(copy.deepcopy(X + Y[0])) == 'x + y[0]'


# Failed checks
#

@pytest.mark.parametrize('condition, message', [
    (X == 8, 'Expect: x == 8\nActual: 7 != 8'),
    (X != 7, 'Expect: x != 7\nActual: 7 == 7'),
    (X < Y, 'Expect: x < y\nActual: 7 >= 2'),
    (X <= Y, 'Expect: x <= y\nActual: 7 > 2'),
    (Y > X, 'Expect: y > x\nActual: 2 <= 7'),
    (Y >= X + 1, 'Expect: y >= x + 1\nActual: 2 < 8'),
    (3 == X, 'Expect: x == 3\nActual: 7 != 3'),  # noqa: SIM300
    (3 > X, 'Expect: x < 3\nActual: 7 >= 3'),  # noqa: SIM300
    (SHAPE == (Y, 4), 'Expect: s == (y, 4)\nActual: (2, 3) != (2, 4)'),
    (T.Variable('f', 'k') == 'i', 'Expect: k == i\nActual: f != i'),
])
def test_message(condition, message):
    assert check(condition) == message


def test_the_first_failure_counts():
    assert check(X == 7, Y == 3, X == 1) == 'Expect: y == 3\nActual: 2 != 3'
    T.expect(X == 7, Y <= X, SHAPE == (2, 3))


def test_only_comparisons_can_be_expected():
    for condition in (False, X, None):
        with pytest.raises(AssertionError, match='comparison'):
            T.expect(condition)


def test_a_plain_truth_does_not_hide_what_is_wrong():
    assert check(True, X == 8) == 'Expect: x == 8\nActual: 7 != 8'


class _Function:
    def __init__(self, label):
        self.label = label


def test_message_names_the_function():
    with T.get_function_check_context(_Function('outer')):
        with T.get_function_check_context(_Function('inner')):
            assert check(X == 1) == (
                '\nInvalid operation is performed in: inner (Forward)\n\n'
                'Expect: x == 1\nActual: 7 != 1')
        assert 'in: outer (' in check(X == 1)
        assert str(T.InvalidType('a', 'b', 'own message')) == 'own message'
    assert check(X == 1).startswith('Expect')


def test_invalid_type_survives_pickling():
    with T.get_function_check_context(_Function('f')):
        error = T.InvalidType('what', 'instead')
    copied = pickle.loads(pickle.dumps(error))
    assert str(copied) == str(error)
    assert (copied.expect, copied.actual) == ('what', 'instead')


# Types of arrays
#

def test_get_types():
    data = np.zeros((4, 1), 'f'), np.zeros((), 'i8')
    types = T.get_types(data, 'in_types', False)
    assert isinstance(types, T.TypeInfoTuple)
    x, n = types
    assert x.shape.eval() == (4, 1)
    assert (x.ndim.eval(), x.size.eval(), n.size.eval()) == (2, 4, 1)
    T.expect(types.size() == 2, x.dtype == np.float32, n.dtype.kind == 'i',
             x.shape[1] == n.ndim + 1)
    assert check(x.dtype == np.float64) == (
        "Expect: in_types[0].dtype == <class 'numpy.float64'>\n"
        "Actual: float32 != <class 'numpy.float64'>")
    assert check(types.size() >= 3) == 'Expect: in_types.size >= 3\nActual: 2 < 3'


def test_get_types_takes_other_shapes():
    data = np.zeros((4, 1), 'f'),
    x, = T.get_types(data, 'in_types', False, shapes=[(2, 2)])
    assert x.shape.eval() == (2, 2)
    x, = T.get_light_types(data, shapes=[(2, 2)])
    assert (x.shape, x.ndim, x.dtype, x.size) == ((2, 2), 2, np.float32, 4)


def test_get_types_of_what_is_no_array():
    missing, = T.get_types((None,), 'in_types', True)
    assert (missing.shape.eval(), missing.dtype.eval()) == ((), None)
    with pytest.raises(AssertionError, match=r'in_types\[0\]'):
        T.get_types((None,), 'in_types', False)
    with pytest.raises(AssertionError, match=r'in_types\[1\].*list'):
        T.get_types((np.zeros(1), [0]), 'in_types', True, shapes=[(1,), (1,)])
    for get in (T.get_light_types, lambda data: T.get_types(data, 'in_types', True)):
        with pytest.raises(AssertionError, match='tuple'):
            get([np.zeros(1)])


def test_argument_names():
    types = T.get_types((np.zeros(2), np.zeros(3)), 'in_types', False)
    T._argname(types, ('x', 'b'))
    assert check(types[0].shape == types[1].shape).startswith(
        'Expect: x.shape == b.shape\n')
    with pytest.raises(T.InvalidType, match='number of arguments'):
        T._argname(types, ('x', 'W', 'b'))


def test_same_types():
    array = np.zeros(2)
    masked = np.ma.zeros(2)  # a subclass
    assert T.same_types()
    assert T.same_types(array, array)
    assert T.same_types(array, masked, array)
    assert not T.same_types(array, 1.0)
    assert not T.same_types(1.0, 1.0)
    assert not T.same_types(array, None)


def test_broadcast_shapes():
    T.expect_broadcast_shapes(SHAPE, T.Variable((3,), 't'), T.Variable((5, 1, 1), 'u'))
    T.expect_broadcast_shapes()
    with pytest.raises(T.InvalidType) as e:
        T.expect_broadcast_shapes(SHAPE, T.Variable((2,), 't'))
    assert str(e.value).splitlines()[1:] == ['s = (2, 3)', 't = (2,)']
    with T.light_mode:
        T.expect_broadcast_shapes((2, 3), (2, 1))
        with pytest.raises(T.InvalidType):
            T.expect_broadcast_shapes((2, 3), (2,))


# The light mode
#

def test_light_mode():
    data = np.zeros((4, 1), 'f'), None
    with T.light_mode:
        assert T.in_light_mode()
        types = T.get_light_types(data)
        assert types.size() == 2
        assert types[0] is data[0]
        T._argname(types, ('x', 'b'))
        assert T.make_variable(3, 'n') == 3
        assert T.eval((4, 1)) == (4, 1)
        assert T.prod((2, 3)) == 6
        T.expect(types[0].ndim == 2, True)
        with pytest.raises(T.InvalidType):
            T.expect(True, types[0].ndim == 3)
        with pytest.raises(T.InvalidType):
            T._argname(types, ('x',))
    assert not T.in_light_mode()
    assert str(T.make_variable(3, 'n') + 1) == 'n + 1'
    assert T.eval(X) == 7


def test_light_mode_is_left_after_an_error():
    with pytest.raises(ZeroDivisionError), T.light_mode:
        raise ZeroDivisionError
    assert not T.in_light_mode()


def test_light_mode_is_of_one_thread():
    seen = []
    with T.light_mode:
        thread = threading.Thread(target=lambda: seen.append(T.in_light_mode()))
        thread.start()
        thread.join()
        assert T.in_light_mode()
    assert seen == [False]


def test_the_usual_types_are_those_of_the_arrays():
    """A new object for each input of each function would take long."""
    x = np.zeros(2, 'f')
    swapped = x.astype('>f4')
    types = T.get_types((x, swapped), 'in_types', False)
    assert types[0].dtype.eval() is x.dtype
    assert types[1].dtype.eval() == x.dtype


@pytest.mark.parametrize('function', [
    convolution_2d.Convolution2DFunction(),
    convolution_nd.ConvolutionND(2),
    deconvolution_2d.Deconvolution2DFunction(),
    deconvolution_nd.DeconvolutionND(2),
    linear.LinearFunction(),
    softmax_cross_entropy.SoftmaxCrossEntropy()])
@pytest.mark.parametrize('count', [0, 1, 9])
def test_hints_do_not_replace_errors_of_too_few_or_too_many_inputs(function, count):
    with pytest.raises(T.InvalidType):
        function.apply((np.zeros((2, 3, 4, 4), np.float32),) * count)
