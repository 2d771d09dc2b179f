"""Errors for gradients that do not fit."""
import numpy as np
import pytest

import chainer_fast
from chainer_fast import _backprop_utils, variable
from chainer_fast import functions as F
from chainer_fast.variable import Variable


def leaf(shape=(2,), dtype='f'):
    return Variable(np.ones(shape, dtype))


class Faulty(chainer_fast.FunctionNode):
    """Doubles; its gradients are what it was given."""

    label = 'faulty one'

    def __init__(self, *gradients):
        self.gradients = gradients

    def forward(self, inputs):
        return inputs[0] * 2,

    def backward(self, indexes, grad_outputs):
        return self.gradients


def differentiate(function, *inputs):
    y, = function.apply(inputs)
    y.grad = np.ones_like(y.array)
    y.backward()


@pytest.fixture
def debug():
    with chainer_fast.using_config('debug', True):
        yield


@pytest.mark.parametrize(('gradients', 'message'), [
    ((), '0 != expected 1'), ((None, None, None), '3 != expected 1')])
@pytest.mark.parametrize('is_debug', [False, True])
def test_number(gradients, message, is_debug):
    x = leaf((2, 3))
    with chainer_fast.using_config('debug', is_debug), pytest.raises(
            ValueError, match='number of gradients returned from backward is '
            'incorrect: ' + message) as caught:
        differentiate(Faulty(*gradients), x)
    text = str(caught.value)
    assert 'Faulty (faulty one)' in text
    assert 'input 0: shape=(2, 3) dtype=float32' in text
    assert 'output 0: shape=(2, 3) dtype=float32' in text


def test_either_of_two_numbers():
    # As many as there are inputs, or as are wanted.
    x, y = leaf(), Variable(np.ones(2, 'f'), requires_grad=False)
    for gradients in (leaf(), None), (leaf(),):
        x.cleargrad()
        differentiate(Faulty(*gradients), x, y)
        assert x.grad.tolist() == [1, 1]


def test_output_that_is_gone():
    class TwoOutputs(Faulty):
        def forward(self, inputs):
            return inputs[0], inputs[0]

    _, y = TwoOutputs().apply((leaf(),))
    y.grad = np.ones(2, 'f')
    del _
    with pytest.raises(ValueError, match='output 0: not available'):
        y.backward()


@pytest.mark.parametrize(('shape', 'dtype', 'error', 'message'), [
    ((3,), 'f', ValueError, r'Shape of data and grad mismatch\ngrad: \(3,\) != '
     r'data: \(2,\)'),
    ((2, 1), 'f', ValueError, r'grad: \(2, 1\) != data: \(2,\)'),
    ((2,), 'd', TypeError, r'Dtype of data and grad mismatch\ngrad: float64 != '
     r'data: float32'),
    ((2,), 'i', TypeError, 'grad: int32 != data: float32')])
def test_gradient_of_a_leaf(shape, dtype, error, message):
    x = leaf()
    with pytest.raises(error, match=message) as caught:
        differentiate(Faulty(leaf(shape, dtype)), x)
    assert 'Faulty (faulty one)' in str(caught.value)
    assert x.grad is None


def test_shape_of_many_axes():
    shape = (1, 2, 1, 2, 1, 2)
    x = leaf(shape)
    differentiate(Faulty(leaf(shape)), x)
    assert x.grad.shape == shape
    with pytest.raises(ValueError, match='Shape'):
        differentiate(Faulty(leaf(shape[:5])), x)


def test_type_of_a_leaf_s_gradient():
    class Other:
        """An array of another kind, as far as the check can tell."""
        dtype = np.dtype('f')
        shape = (2,)

    x = leaf()
    gradient = leaf()
    y, = Faulty(gradient).apply((x,))
    gradient.array = Other()
    y.grad = np.ones(2, 'f')
    with pytest.raises(TypeError, match='Type of data and grad mismatch'):
        y.backward()


def test_gradients_in_between_are_checked_in_debug_mode_only():
    x = leaf()
    middle = x + 0
    y, = Faulty(leaf((3,))).apply((middle,))
    y.grad = np.ones(2, 'f')
    with pytest.raises(ValueError, match='mismatch'):
        y.backward()        # found out at the leaf
    middle.unchain()
    with chainer_fast.using_config('debug', True), pytest.raises(
            ValueError, match=r'shape of gradients returned from backward is '
            r'incorrect: input-index=0, actual \(3,\) != expected \(2,\)'):
        y.backward()


@pytest.mark.usefixtures('debug')
def test_type_in_debug_mode():
    with pytest.raises(ValueError, match='type of gradients returned from backward is '
                       "incorrect: <class 'numpy.ndarray'> != expected a Variable"):
        differentiate(Faulty(np.ones(2, 'f')), leaf())


@pytest.mark.usefixtures('debug')
def test_nan_in_debug_mode():
    function = Faulty(Variable(np.array([1, np.nan], 'f')))
    with pytest.raises(RuntimeError, match='NaN is detected on backward computation of '
                       'faulty one'):
        differentiate(function, leaf())


@pytest.mark.usefixtures('debug')
def test_message_tells_where_the_function_was_applied():
    def apply_it_here():
        return Faulty(None, None, None).apply((leaf(),))[0]

    y = apply_it_here()
    y.grad = np.ones(2, 'f')
    with pytest.raises(ValueError, match='apply_it_here') as caught:
        y.backward()
    assert str(caught.value).count('Stacktrace of the function is below') == 1


@pytest.mark.usefixtures('debug')
def test_exception_of_backward_tells_where_too():
    class Raises(Faulty):
        def backward(self, indexes, grad_outputs):
            raise KeyError('key', 2)

    with pytest.raises(KeyError, match='Stacktrace') as caught:
        differentiate(Raises(), leaf())
    assert caught.value.args[0].startswith('key\n')
    assert caught.value.args[1] == 2


def test_no_stack_without_debug_mode():
    assert F.relu(leaf()).creator.stack is None


# The step by itself, which is part of the interface.

class Accumulating(Faulty):

    def backward_accumulate(self, indexes, grad_outputs, grad_inputs):
        self.given = grad_inputs
        return self.gradients


def step(function, *inputs, sums, lazy=False, is_debug=False):
    variables = [leaf() if x is None else x for x in inputs]
    function.apply(tuple(variables))
    function.lazy_grad_sum = lazy
    grad_inputs = {x.node: g for x, g in zip(variables, sums, strict=True)}
    _backprop_utils.backprop_step(
        function, tuple(range(len(inputs))), (leaf(),), grad_inputs, is_debug)
    return [g if len(g) > 1 else [v.array.tolist() for v in g]
            for g in grad_inputs.values()]


def test_step_sums_up():
    x = leaf()
    assert step(Faulty(leaf(), None), None, None, sums=([], [])) == [[[1, 1]], []]
    assert step(Faulty(leaf(), None), None, None, sums=([leaf()], [leaf()])) == [
        [[2, 2]], [[1, 1]]]
    assert step(Faulty(leaf()), x, sums=([leaf(), leaf()],)) == [[[3, 3]]]


def test_step_in_debug_mode_compares_dtypes():
    with pytest.raises(ValueError, match='dtype of gradients returned from backward '
                       'is incorrect: input-index=1, actual float64 != expected '
                       'float32'):
        step(Faulty(None, leaf(dtype='d')), None, None, sums=([], [leaf()]),
             is_debug=True)


def test_step_with_lazy_sums():
    first, second = leaf(), leaf()
    sums, = step(Faulty(second), None, sums=([first],), lazy=True)
    assert sums[0] is first
    assert sums[1] is second


def test_step_of_a_function_that_accumulates():
    old, new = leaf(), leaf()
    function = Accumulating(new, None)
    assert step(function, None, None, sums=([old], [])) == [[[1, 1]], []]
    assert function.given == (old, None) or function.given[0] is old
    assert function.given[1] is None


def test_step_of_one_variable_in_two_places():
    x = leaf()
    old = leaf()
    function = Accumulating(leaf(), leaf())
    function.apply((x, x))
    sums = {x.node: [old]}
    _backprop_utils.backprop_step(function, (0, 1), (leaf(),), sums, False)
    assert function.given[0] is old
    assert function.given[1] is None
    assert [g.array.tolist() for g in sums[x.node]] == [[2, 2]]


def test_step_needs_as_many_sums_as_targets():
    with pytest.raises(ValueError, match='number of gradients returned from '
                       'backward_accumulate is incorrect: 1 != expected 2'):
        step(Accumulating(leaf()), None, None, sums=([], []))


# The check by itself, which engines built on Chainer call.

@pytest.mark.parametrize('gradient, error, message', [
    (np.ones(2, 'f'), None, ''),
    (np.ones(2), TypeError, 'Dtype of data and grad mismatch\ngrad: float64 != '
     'data: float32'),
    (np.ones(3, 'f'), ValueError, r'Shape of data and grad mismatch\ngrad: \(3,\) != '
     r'data: \(2,\)'),
    ([1., 1.], TypeError, 'array .ndarray.*, not .*list'),
    (None, TypeError, 'not .*NoneType'),
    (leaf(), TypeError, 'not .*Variable')])
def test_check_by_itself(gradient, error, message):
    x = leaf()
    creator = F.relu(x).creator_node
    for function in creator, None:
        for target in x, x.node:
            def check(function=function, target=target):
                return variable._check_grad_type(
                    function, target, target is not x, gradient)
            if error is None:
                assert check() is None
                continue
            with pytest.raises(error, match=message) as caught:
                check()
            if function and isinstance(gradient, np.ndarray):
                assert 'backward method of ReLU' in str(caught.value)
            else:
                assert 'backward method' not in str(caught.value)


def test_check_by_itself_without_the_data():
    node = leaf().node
    variable._check_grad_type(None, node, True, np.ones(2, 'f'))
    with pytest.raises(ValueError, match='Shape'):
        variable._check_grad_type(None, node, True, np.ones(3, 'f'))
    parameter = chainer_fast.Parameter(0)
    variable._check_grad_type(None, parameter, False, np.ones(3))


@pytest.mark.parametrize('is_twice', [False, True])
@pytest.mark.parametrize(('shape', 'dtype', 'is_debug', 'error'), [
    ((2,), 'd', False, TypeError), ((2,), 'd', True, TypeError),
    ((2,), 'e', False, TypeError), ((2,), 'i', True, TypeError),
    # Debug mode looks at all shapes.
    ((3,), 'f', False, ValueError)])
def test_gradient_that_is_asked_for_comes_as_it_is(
        shape, dtype, is_debug, error, is_twice):
    x, g = leaf(), leaf(shape, dtype)
    with chainer_fast.using_config('debug', is_debug):
        y, = Faulty(g).apply((x,))
        if is_twice:
            y = y + Faulty(g).apply((x,))[0]
        for keywords in {}, {'retain_grad': True}, {'enable_double_backprop': True}:
            found, = chainer_fast.grad([y], [x], [leaf()], **keywords)
            assert found.dtype == dtype
            assert found.array.tolist() == (g.array * (1 + is_twice)).tolist()
        # A variable that is to keep the gradient refuses it.
        with pytest.raises(error, match='mismatch'):
            chainer_fast.grad([y], [x], [leaf()], set_grad=True)
        y.grad = np.ones(2, 'f')
        with pytest.raises(error, match='mismatch'):
            y.backward()
        assert x.grad is None
