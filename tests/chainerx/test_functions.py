"""What all routines that are functions of variables have in common."""
import numpy as np
import pytest

from chainer_fast import chainerx
from chainer_fast.chainerx import _functions
from tests.chainerx.checks import array, uniform, values

pytestmark = pytest.mark.usefixtures('place')

ROUTINES = [
    chainerx.relu, chainerx.sum, chainerx.mean, chainerx.softmax,
    lambda x: chainerx.linear(x, x), lambda x: chainerx.dot(x, x),
    chainerx.linalg.inv, lambda x: chainerx.linalg.svd(x)[1]]


@pytest.mark.parametrize('routine', ROUTINES)
def test_graphs_of_the_operand_are_those_of_the_result(routine):
    with chainerx.backprop_scope('a') as a, chainerx.backprop_scope('b') as b:
        x = array(uniform(3, 3)).require_grad(a).require_grad()
        y = routine(x)
        assert y.is_backprop_required(a)
        assert y.is_backprop_required()
        assert not y.is_backprop_required(b)
        y = chainerx.sum(y)
        first, = chainerx.grad([y], [x], a)
        np.testing.assert_array_equal(
            values(first), values(chainerx.grad([y], [x])[0]))


@pytest.mark.parametrize('routine', ROUTINES)
def test_nothing_is_recorded_while_the_graph_is_off(routine):
    x = array(uniform(3, 3)).require_grad()
    with chainerx.no_backprop_mode():
        y = routine(x)
    assert not y.is_backprop_required()


@pytest.mark.parametrize('axis, expected', [
    (None, None), (0, (0,)), (-1, (2,)), ((-1, 0), (2, 0)), ([1], (1,)), ((), ())])
def test_axes(axis, expected):
    assert _functions.axes(array(uniform(1, 1, 1)), axis) == expected


def test_arrays_of_two_devices():
    x = array(uniform(3, 3))
    other = chainerx.array(uniform(3, 3), device='native:1')
    with pytest.raises(chainerx.DeviceError):
        chainerx.linear(x, other)
    with pytest.raises(chainerx.DeviceError):
        chainerx.hinge(x, chainerx.array([0, 1, 2], device='native:1'))
