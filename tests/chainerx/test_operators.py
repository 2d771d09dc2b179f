"""Operators: they are the routines, reflected and in place."""
import operator

import numpy
import pytest

from chainer_fast import chainerx
from tests.chainerx import checks

pytestmark = pytest.mark.usefixtures('place')

OPERATORS = {
    operator.add: 'add', operator.sub: 'subtract', operator.mul: 'multiply',
    operator.truediv: 'divide', operator.floordiv: 'floor_divide',
    operator.mod: 'remainder', operator.pow: 'power', operator.and_: 'bitwise_and',
    operator.or_: 'bitwise_or', operator.xor: 'bitwise_xor',
    operator.lshift: 'left_shift', operator.rshift: 'right_shift',
    operator.lt: 'less', operator.le: 'less_equal', operator.gt: 'greater',
    operator.ge: 'greater_equal', operator.eq: 'equal', operator.ne: 'not_equal'}
IN_PLACE = {
    operator.iadd: 'add', operator.isub: 'subtract', operator.imul: 'multiply',
    operator.ifloordiv: 'floor_divide', operator.imod: 'remainder',
    operator.ipow: 'power', operator.iand: 'bitwise_and', operator.ior: 'bitwise_or',
    operator.ixor: 'bitwise_xor', operator.ilshift: 'left_shift',
    operator.irshift: 'right_shift'}
BITS = {'bitwise_and', 'bitwise_or', 'bitwise_xor', 'left_shift', 'right_shift'}


def same(found, expected):
    assert found.dtype == expected.dtype
    numpy.testing.assert_array_equal(
        checks.values(found), checks.values(expected))


@pytest.mark.parametrize('method', OPERATORS, ids=OPERATORS.values())
def test_operators_are_the_routines(method):
    name = OPERATORS[method]
    routine = getattr(chainerx, name)
    for dtype in ('int8', 'int32') if name in BITS else ('int8', 'float32'):
        x = chainerx.array(numpy.array([[1, 2, 3], [4, 5, 6]], dtype))
        y = chainerx.array(numpy.array([3, 1, 2], dtype))
        same(method(x, y), routine(x, y))
        same(method(x, x), routine(x, x))
        for number in 2, numpy.int64(2):
            same(method(x, number), routine(x, number))
            same(method(number, x), routine(number, x))


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('connected', [False, True])
def test_arithmetic_with_numbers(connected, dtype):
    for shape in (2, 3), ():
        x = chainerx.array(numpy.full(shape, 3.7, dtype))
        if connected:
            x.require_grad()
        for method in (operator.add, operator.sub, operator.mul, operator.truediv):
            routine = getattr(chainerx, OPERATORS[method])
            for number in 3, .3, -2, True, numpy.float64(.3):
                if number is True and method is not operator.mul:
                    continue
                for operands in (x, number), (number, x):
                    found = method(*operands)
                    assert found.dtype == dtype
                    assert found.is_backprop_required() == connected
                    same(found, routine(*operands))


def test_unary_operators():
    x = chainerx.array(numpy.array([-1., 2.], 'f'))
    same(-x, chainerx.negative(x))
    same(abs(x), chainerx.absolute(x))


@pytest.mark.parametrize('method', IN_PLACE, ids=IN_PLACE.values())
def test_operators_in_place(method):
    name = IN_PLACE[method]
    for other in 2, chainerx.array(numpy.array([1, 2, 3], 'int16')):
        x = chainerx.array(numpy.array([[1, 2, 3], [4, 5, 6]], 'int8'))
        view, before = x.view(), x.copy()
        assert method(x, other) is x
        assert x.dtype == 'int8'
        same(view, x)
        same(x, getattr(chainerx, name)(before, other).astype('int8'))


def test_quotients_in_place():
    x = chainerx.array(numpy.array([1., 2.], 'f'))
    x /= chainerx.array(numpy.array([2, 4]))
    same(x, chainerx.array(numpy.array([.5, .5], 'f')))


@pytest.mark.parametrize('method', [*IN_PLACE, operator.itruediv])
def test_nothing_in_a_graph_is_changed(method):
    connected = chainerx.ones((2,), 'float32').require_grad()
    for x, y in ((connected, 1.), (connected, chainerx.ones((2,), 'float32')),
                 (chainerx.ones((2,), 'float32'), connected)):
        before = checks.values(x)
        with pytest.raises(chainerx.ChainerxError):
            method(x, y)
        numpy.testing.assert_array_equal(checks.values(x), before)


@pytest.mark.parametrize('method', [*IN_PLACE, operator.itruediv])
def test_results_of_another_kind_are_not_written(method):
    integers = chainerx.array(numpy.array([1, 2], 'int8'))
    bools = chainerx.array(numpy.array([True, False]))
    for x, y in ((integers, 1.5), (integers, chainerx.ones((2,), 'float32')),
                 (bools, integers)):
        with pytest.raises(chainerx.DtypeError):
            method(x, y)


def test_shapes_in_place():
    x = chainerx.ones((2,), 'float32')
    for shape in (3,), (1, 2):
        with pytest.raises(chainerx.DimensionError):
            x += chainerx.ones(shape, 'float32')


@pytest.mark.parametrize('connected', [False, True])
def test_arrays_of_numpy_are_refused(connected):
    x, y = chainerx.ones((2,), 'float32'), numpy.ones(2, 'f')
    if connected:
        x.require_grad()
    for method in (operator.add, operator.sub, operator.mul, operator.lt, operator.eq,
                   operator.ne):
        for operands in (x, y), (y, x):
            with pytest.raises(TypeError, match='cannot be combined'):
                method(*operands)
    with pytest.raises(TypeError, match='cannot be combined'):
        x -= y
    with pytest.raises(TypeError):
        y -= x
    assert x != 'text' and x != None  # noqa: E711


def test_invert():
    same(~chainerx.array([1, -3]), chainerx.array([-2, 2]))
    same(~chainerx.array([True, False]), chainerx.array([False, True]))
    with pytest.raises(chainerx.DtypeError):
        ~chainerx.ones((2,), 'float32')


def test_numbers_of_numpy_leave_it_to_the_array():
    x = chainerx.ones((2,), 'float32').require_grad()
    y = numpy.float64(3) - x
    assert isinstance(y, chainerx.ndarray)
    assert y.dtype == 'float32'
    assert y.is_backprop_required()


def test_arrays_remain_keys():
    x = chainerx.ones((2,), 'float32')
    assert {x: 1}[x] == 1
    assert x != None  # noqa: E711
