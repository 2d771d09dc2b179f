"""Gradients of routines of elements, and those of their gradients."""
import numpy
import pytest

from chainer_fast import chainerx, gradient_check
from tests.chainerx.checks import array as on_device
from tests.chainerx.checks import check, values

pytestmark = pytest.mark.usefixtures('place')

UNARY = [
    'negative', 'absolute', 'fabs', 'square', 'reciprocal', 'exp', 'exp2', 'expm1',
    'log', 'log2', 'log10', 'log1p', 'sqrt', 'erf', 'sin', 'cos', 'tan', 'arcsin',
    'arccos', 'arctan', 'sinh', 'cosh', 'tanh', 'arcsinh', 'arctanh']
BINARY = [
    'add', 'subtract', 'multiply', 'divide', 'remainder', 'fmod', 'power', 'maximum',
    'minimum', 'arctan2', 'squared_difference']


def array(elements):
    return on_device(numpy.asarray(elements, 'd'))


A = numpy.linspace(.23, .81, 6).reshape(2, 3)
B = numpy.array([1.2, 1.7, 2.3])


@pytest.mark.parametrize('name', UNARY)
def test_functions_of_one_array(name):
    check(getattr(chainerx, name), A)


@pytest.mark.parametrize('name', ['negative', 'absolute', 'arcsinh', 'sin', 'tanh'])
def test_functions_of_negative_numbers(name):
    check(getattr(chainerx, name), -A)


def test_arccosh():
    check(chainerx.arccosh, B)


@pytest.mark.parametrize('name', BINARY)
def test_functions_of_two_arrays(name):
    routine = getattr(chainerx, name)
    check(routine, A, B)
    check(routine, B, A)
    if name != 'power':
        check(routine, -B, A)
        check(routine, A, -B)


@pytest.mark.parametrize('name', BINARY)
def test_functions_of_an_array_and_a_number(name):
    routine = getattr(chainerx, name)
    for number in (2, .45) if name == 'power' else (2, .45, -1.3):
        check(lambda x: routine(x, number), B)  # noqa: B023
        check(lambda x: routine(number, x), B)  # noqa: B023


def test_bounds():
    check(lambda x: chainerx.clip(x, .3, .6), A)
    check(lambda x: x.clip(None, .6), A)


def test_one_array_twice():
    for name in BINARY:
        if name not in ('maximum', 'minimum', 'remainder', 'fmod'):
            check(lambda x: getattr(chainerx, name)(x, x), A)  # noqa: B023


def test_powers_of_no_base_and_a_negative_one():
    x = array([1., 2.]).require_grad()
    for base in 0, -2.:
        y = chainerx.power(base, x)
        assert y.is_backprop_required()
        numpy.testing.assert_array_equal(
            values(y), numpy.power(float(base), [1., 2.]))
        with numpy.errstate(all='ignore'):  # the logarithm of the base
            y.backward()
        assert x.grad.shape == (2,)


def test_results_in_a_graph_are_those_outside():
    operands = array([-7.5, 7.5, 6., -6., 0., .3]), array([2., -2., 3., -3., 4., .1])
    for name in BINARY[:-2]:
        if name == 'power':
            continue
        routine = getattr(chainerx, name)
        connected = [x.view().require_grad() for x in operands]
        numpy.testing.assert_array_equal(
            values(routine(*operands)), values(routine(*connected)))
        for number in 10, .3:
            numpy.testing.assert_array_equal(
                values(routine(operands[1], number)),
                values(routine(connected[1], number)))


@pytest.mark.parametrize('dtype', ['float16', 'float32'])
def test_gradients_have_the_dtypes_of_their_arrays(dtype):
    x = on_device(numpy.array([1., 2.], dtype)).require_grad()
    other = array([3., 4.]).require_grad()
    integers = on_device(numpy.array([1, 2]))
    y = x * integers * other + chainerx.arctan2(integers, x)
    assert y.dtype == 'float64'
    y.backward()
    assert x.grad.dtype == dtype
    assert other.grad.dtype == 'float64'


def test_what_has_no_gradient_is_in_no_graph():
    x = array([1., 2.]).require_grad()
    for y in (x // 2, chainerx.floor(x), chainerx.ceil(x), chainerx.sign(x), x < 1,
              chainerx.logical_not(x), chainerx.isnan(x)):
        assert not y.is_backprop_required()


def test_graphs_of_both_operands():
    with chainerx.backprop_scope('a') as a, chainerx.backprop_scope('b') as b:
        x, y = array([1., 2.]).require_grad(a), array([3., 4.]).require_grad(b)
        for z in x * y, chainerx.maximum(x, y), x - y:
            assert z.is_backprop_required(a)
            assert z.is_backprop_required(b)
        (x * y).backward(a)
        numpy.testing.assert_array_equal(
            values(x.get_grad(a)), [3., 4.])


def test_gradients_that_are_handed_on_stay_in_their_graph():
    x, gy = array([1., 2.]).require_grad(), array([3., 4.]).require_grad()
    y = x + 1
    y.set_grad(gy)
    chainerx.backward(y, enable_double_backprop=True)
    assert x.grad.is_backprop_required()
    (x.grad * x.grad).backward()
    numpy.testing.assert_array_equal(values(gy.grad), [6., 8.])


def test_sums_give_one_gradient_to_both_operands():
    x0, x1, gy, ggx0, ggx1 = numpy.random.RandomState(0).uniform(-1, 1, (5, 3))
    gradient_check.check_double_backward(
        lambda x0, x1: x0 + x1, (array(x0), array(x1)), array(gy),
        (array(ggx0), array(ggx1)), atol=1e-5)
