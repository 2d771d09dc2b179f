"""After an exception everything is as it was before; and passes within passes."""
import warnings

import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast.variable import Variable


def leaf(*values):
    return Variable(np.array(values or (1., 2.), 'f'))


class Fail(Exception):
    pass


class Interrupt(BaseException):
    pass


class Doubles(chainer_fast.FunctionNode):
    """Raises an exception in one of its methods."""

    def __init__(self, where=None, error=Fail):
        self.where = where
        self.error = error

    def fail(self, where):
        if self.where == where:
            raise self.error

    def check_type_forward(self, in_types):
        self.fail('check')

    def forward(self, inputs):
        self.retain_inputs((0,))
        self.fail('forward')
        return inputs[0] * 2,

    def backward(self, indexes, grad_outputs):
        self.fail('backward')
        return grad_outputs[0] * 2.,


class Hook(chainer_fast.FunctionHook):
    name = 'failing'

    def __init__(self, where=None, label='Doubles', error=Fail):
        self.where = where
        self.label = label
        self.error = error

    def fail(self, where, function):
        if self.where == where and function.label == self.label:
            raise self.error

    def forward_preprocess(self, function, in_data):
        self.fail('forward_preprocess', function)

    def forward_postprocess(self, function, in_data):
        self.fail('forward_postprocess', function)

    def backward_preprocess(self, function, in_data, out_grad):
        self.fail('backward_preprocess', function)

    def backward_postprocess(self, function, in_data, out_grad):
        self.fail('backward_postprocess', function)


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    yield
    assert chainer_fast.config._own('enable_backprop', 'unset') == 'unset'
    assert chainer_fast.get_function_hooks() == {}
    x = leaf()
    y = F.sum(x * x)
    assert y.creator is not None
    y.backward()
    assert x.grad.tolist() == [2, 4]


each_error = pytest.mark.parametrize('error', [Fail, Interrupt])


@each_error
@pytest.mark.parametrize('where', ['check', 'forward'])
def test_application(where, error):
    x = leaf()
    node = x.node
    function = Doubles(where, error)
    with pytest.raises(error):
        function.apply((x,))
    assert function.inputs is None
    assert function.outputs is None
    assert node.data is None
    # The same object may try again.
    function.where = None
    y, = function.apply((x,))
    assert y.creator is function


@pytest.mark.parametrize('where', ['forward_preprocess', 'forward_postprocess'])
def test_hook_of_an_application(where):
    function = Doubles()
    with pytest.raises(Fail), Hook(where):
        function.apply((leaf(),))
    assert function.inputs is None


def start():
    """A graph with gradients everywhere, and what these are."""
    x, w = leaf(), leaf(3., 4.)
    h = x * w
    y, = Doubles().apply((h,))
    z = y + w
    for v, number in (x, 10), (w, 20), (h, 30), (z, 1):
        v.grad = np.full(2, number, 'f')
    return [x, w, h, z], [(v.grad, v.grad.copy()) for v in (x, w, h, z)]


def check_kept(variables, gradients):
    for v, (array, copy) in zip(variables, gradients, strict=True):
        assert v.grad is array
        np.testing.assert_array_equal(array, copy)


def fails(error, call, **where):
    """Let the function in the middle fail, or the hook."""
    with pytest.raises(error):
        if 'hook' in where:
            with Hook(where['hook'], where.get('label', 'Doubles'), error):
                call()
        else:
            call()


PLACES = [{}, {'hook': 'backward_preprocess'}, {'hook': 'backward_postprocess'},
          {'hook': 'backward_postprocess', 'label': '_ * _'}]


@each_error
@pytest.mark.parametrize('place', PLACES, ids=str)
@pytest.mark.parametrize('double', [False, True])
def test_backward(error, place, double):
    variables, gradients = start()
    x, w, h, z = variables
    function = z.creator.inputs[0].creator
    function.where = None if place else 'backward'
    function.error = error
    fails(error, lambda: z.backward(enable_double_backprop=double), **place)
    check_kept(variables, gradients)
    # Once more, and this time well.
    function.where = None
    z.backward(enable_double_backprop=double)
    assert x.grad.tolist() == [10 + 2 * 3, 10 + 2 * 4]
    assert w.grad.tolist() == [20 + 1 + 2 * 1, 20 + 1 + 2 * 2]
    assert h.grad.tolist() == [30, 30]
    assert z.grad is None


@each_error
@pytest.mark.parametrize('place', PLACES, ids=str)
def test_backward_of_several(error, place):
    variables, gradients = start()
    x, w, h, z = variables
    function = z.creator.inputs[0].creator
    function.where = None if place else 'backward'
    function.error = error
    fails(error, lambda: chainer_fast.backward([z, h]), **place)
    check_kept(variables, gradients)
    function.where = None
    chainer_fast.backward([z, h])
    assert x.grad.tolist() == [10 + 3 * 32, 10 + 4 * 32]
    assert h.grad is None
    assert z.grad is None


@each_error
@pytest.mark.parametrize('place', PLACES, ids=str)
def test_grad(error, place):
    variables, gradients = start()
    x, w, h, z = variables
    function = z.creator.inputs[0].creator
    function.where = None if place else 'backward'
    function.error = error
    fails(error, lambda: chainer_fast.grad([z], [x, w], set_grad=True), **place)
    check_kept(variables, gradients)


def test_gradient_taken_from_a_second_output():
    class Two(Doubles):
        def forward(self, inputs):
            return inputs[0] * 2, inputs[0] * 3

    function = Two('backward')
    y, z = function.apply((leaf(),))
    y.grad = np.ones(2, 'f')
    z.grad = np.ones(2, 'f')
    own = z.grad
    with pytest.raises(Fail):
        y.backward()
    assert z.grad is own
    function.where = None
    y.backward()
    assert z.grad is None


def test_gradient_that_does_not_fit_a_leaf():
    class Wrong(Doubles):
        def backward(self, indexes, grad_outputs):
            return leaf(1., 2., 3.),

    x, w = leaf(), leaf()
    y, = Wrong().apply((x,))
    z = y * w
    z.grad = np.ones(2, 'f')
    with pytest.raises(ValueError, match='mismatch'):
        z.backward()
    assert x.grad is None
    assert w.grad is None
    assert z.grad.tolist() == [1, 1]


def test_warning_as_an_error_in_a_kernel():
    x = leaf(1.)
    h = x * 1
    z = h * 2 + h
    z.grad = np.array([2e38], 'f')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(RuntimeWarning, match='overflow'):
            z.backward()
    assert x.grad is None
    assert z.grad.tolist() == [np.float32(2e38)]


def test_application_without_a_graph():
    with pytest.raises(Fail), chainer_fast.no_backprop_mode():
        Doubles('forward').apply((leaf(),))


def test_bad_arguments_change_nothing():
    x = leaf()
    x.grad = np.ones(2, 'f')
    with pytest.raises(TypeError):
        chainer_fast.grad([x], [3])
    with pytest.raises(TypeError):
        chainer_fast.backward([x, 3])
    with pytest.raises(ValueError, match='mismatch'):
        x.grad = np.ones(3, 'f')
    with pytest.raises(AttributeError):
        x.array = 3
    assert x.grad.tolist() == [1, 1]
    assert x.array.tolist() == [1, 2]


# Passes within passes.

class Reenters(Doubles):
    """Computes its gradient by another pass."""

    def backward(self, indexes, grad_outputs):
        inner = Variable(self.get_retained_inputs()[0].array)
        assert not chainer_fast.config.enable_backprop
        with chainer_fast.force_backprop_mode():
            y = inner * 2
            y.grad = grad_outputs[0].array
            y.backward(enable_double_backprop=True)
        assert not chainer_fast.config.enable_backprop
        with chainer_fast.using_config('enable_backprop', True):
            g, = chainer_fast.grad([inner * 2], [inner], [grad_outputs[0].array])
        np.testing.assert_array_equal(g.array, inner.grad)
        return Variable(inner.grad),


def test_pass_within_a_pass():
    x = leaf()
    y, = Reenters().apply((x * 3,))
    z = y * y
    z.grad = np.ones(2, 'f')
    z.backward()
    assert x.grad.tolist() == [72, 144]


def test_pass_within_a_pass_over_the_same_leaf():
    class Again(Doubles):
        def backward(self, indexes, grad_outputs):
            other.grad = np.ones(2, 'f')
            other.backward()
            return super().backward(indexes, grad_outputs)

    x = leaf()
    with chainer_fast.force_backprop_mode():
        other = x * 5
    y, = Again().apply((x,))
    y.grad = np.ones(2, 'f')
    y.backward()
    # The outer pass had looked at the gradient of the leaf before.
    assert x.grad.tolist() == [2, 2]


def test_failure_within_a_pass_within_a_pass():
    class Inner(Doubles):
        def backward(self, indexes, grad_outputs):
            with chainer_fast.force_backprop_mode():
                inner, = Doubles('backward').apply((leaf(),))
            inner.grad = np.ones(2, 'f')
            with pytest.raises(Fail):
                inner.backward(enable_double_backprop=True)
            assert not chainer_fast.config.enable_backprop
            return super().backward(indexes, grad_outputs)

    x = leaf()
    y, = Inner().apply((x,))
    y.grad = np.ones(2, 'f')
    y.backward()
    assert x.grad.tolist() == [2, 2]


def test_pass_within_a_hook():
    class Probe(Hook):
        def backward_preprocess(self, function, in_data, out_grad):
            if function.label == 'Doubles':
                with chainer_fast.force_backprop_mode():
                    inner = leaf()
                    F.sum(inner * inner).backward()
                    self.result = inner.grad

    x = leaf()
    y, = Doubles().apply((x,))
    y.grad = np.ones(2, 'f')
    with Probe() as probe:
        y.backward()
    assert x.grad.tolist() == [2, 2]
    assert probe.result.tolist() == [2, 4]


@pytest.mark.parametrize('method', ['backward_preprocess', 'backward_postprocess'])
@pytest.mark.parametrize('what', ['outputs', 'inputs', 'all'])
def test_unchaining_in_a_hook(method, what):
    def unchain(self, function, in_data, out_grad):
        if function.label != 'Doubles':
            return
        if what == 'outputs':
            for reference in function.outputs:
                reference().unchain()
        elif what == 'inputs':
            for node in function.inputs:
                node.unchain()
        else:
            function.inputs[0].get_variable().unchain_backward()

    hook = type('Unchains', (Hook,), {method: unchain})
    x = leaf()
    h = x * 3
    y, = Doubles().apply((h,))
    z = y + 1
    z.grad = np.ones(2, 'f')
    with hook():
        z.backward()
    if what == 'outputs':
        assert x.grad.tolist() == [6, 6]
    else:
        # The way back is cut where the gradient arrives: a leaf has it.
        assert x.grad is None
        assert h.grad.tolist() == [2, 2]


def test_unchaining_in_backward():
    class Unchains(Doubles):
        def backward(self, indexes, grad_outputs):
            gradients = super().backward(indexes, grad_outputs)
            self.unchain()
            return *gradients, None     # those of all inputs

    x = leaf()
    y, = Unchains().apply((x, np.ones(2, 'f')))
    z = y * 2
    z.grad = np.ones(2, 'f')
    z.backward()
    assert x.grad.tolist() == [4, 4]
    assert y.creator is None
