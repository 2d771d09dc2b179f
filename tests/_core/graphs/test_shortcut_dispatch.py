"""When a shortcut steps aside for the methods of a function."""
import sys

import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast._core.graphs import graph
from chainer_fast.functions.activation import relu, tanh
from chainer_fast.variable import Variable
from tests.ways import called_methods

RELU, _ = graph.registered(relu.ReLU)


def leaf(values=(1., -2.), dtype='f'):
    return Variable(np.array(values, dtype))


def backward(y):
    y.grad = np.ones_like(y.array)
    y.backward()


def methods_used(cls, compute):
    with called_methods(cls) as called:
        backward(compute())
    return called


def relu_of_leaf():
    return F.relu(leaf())


def test_by_itself_the_shortcut_is_taken():
    assert methods_used(relu.ReLU, relu_of_leaf) == set()


def test_subclass_that_overrides_forward():
    class Doubled(relu.ReLU):
        def forward(self, inputs):
            y, = super().forward(inputs)
            return y * 2,

    x = leaf()
    y, = Doubled().apply((x,))
    assert y.array.tolist() == [2, 0]
    backward(y)
    assert x.grad.tolist() == [1, 0]


def test_subclass_that_overrides_backward():
    class Doubled(relu.ReLU):
        def backward(self, indexes, grad_outputs):
            gx, = super().backward(indexes, grad_outputs)
            return gx * 2.,

    x = leaf()
    y, = Doubled().apply((x,))
    backward(y)
    assert x.grad.tolist() == [2, 0]


class Looked(type):
    """Counts look-ups of the method ``backward`` of its classes."""

    count = 0

    def __getattribute__(cls, name):
        Looked.count += name == 'backward'
        return super().__getattribute__(name)


def test_methods_of_a_class_that_does_not_change_are_compared_once():
    class Same(relu.ReLU, metaclass=Looked):
        pass

    graph.declare(Same, RELU)
    Same().apply((leaf(),))
    before = Looked.count
    assert before > 0
    for _ in range(3):
        Same().apply((leaf(),))
    # In the general way nothing tells of changes before Python 3.12 does.
    once = graph.TRIED or sys.version_info >= (3, 12)
    assert Looked.count == (before if once else before + 3)
    before = Looked.count
    Same.label = 'changed'
    Same().apply((leaf(),))
    assert Looked.count == before + 1


def test_subclass_that_overrides_nothing():
    class Same(relu.ReLU):
        pass

    x = leaf()
    y, = Same().apply((x,))
    assert y.array.tolist() == [1, 0]
    backward(y)
    assert x.grad.tolist() == [1, 0]


def test_method_replaced_in_the_class(monkeypatch):
    original = relu.ReLU.forward

    def forward(self, inputs):
        y, = original(self, inputs)
        return y + 5,

    assert relu_of_leaf().array.tolist() == [1, 0]
    with monkeypatch.context() as patch:
        patch.setattr(relu.ReLU, 'forward', forward)
        assert relu_of_leaf().array.tolist() == [6, 5]
    assert relu_of_leaf().array.tolist() == [1, 0]
    assert methods_used(relu.ReLU, relu_of_leaf) == set()


def test_backward_replaced_after_the_application(monkeypatch):
    x = leaf()
    y = F.relu(x)
    monkeypatch.setattr(relu.ReLU, 'backward', lambda self, i, gys: (gys[0] * 3.,))
    backward(y)
    assert x.grad.tolist() == [3, 3]


@pytest.mark.parametrize('name', [
    'forward', 'backward', 'backward_accumulate', 'check_type_forward',
    '_check_data_type_forward'])
def test_any_method_replaced_in_the_class(monkeypatch, name):
    calls = []
    original = getattr(tanh.Tanh, name)

    def method(self, *args):
        calls.append(self)
        return original(self, *args)

    monkeypatch.setattr(tanh.Tanh, name, method)
    x = leaf((0., 0.))
    y = F.tanh(x)
    backward(y)
    assert calls == [y.creator_node]
    assert x.grad.tolist() == [1, 1]


def test_method_replaced_in_the_base_class(monkeypatch):
    calls = []
    original = chainer_fast.FunctionNode.apply

    def apply(self, inputs):
        calls.append(type(self).__name__)
        return original(self, inputs)

    monkeypatch.setattr(chainer_fast.FunctionNode, 'apply', apply)
    x = leaf()
    y = F.relu(x + x)
    assert calls == ['Add', 'ReLU']
    assert y.array.tolist() == [2, 0]


def test_method_replaced_in_the_instance():
    x = leaf()
    function = tanh.Tanh()
    function.forward = lambda inputs: (inputs[0] * 7,)
    y, = function.apply((x,))
    assert y.array.tolist() == [7, -14]

    function = tanh.Tanh()
    y, = function.apply((x,))
    function.backward = lambda indexes, gys: (gys[0] * 5.,)
    backward(y)
    assert x.grad.tolist() == [5, 5]


def test_instance_attributes_of_other_names_do_no_harm():
    def compute():
        function = relu.ReLU()
        function.remark = 'seen'
        return function.apply((leaf(),))[0]

    assert methods_used(relu.ReLU, compute) == set()


class Log(chainer_fast.FunctionHook):
    name = 'log'

    def __init__(self):
        self.calls = []

    def forward_preprocess(self, function, in_data):
        self.calls.append('forward ' + function.label)

    def backward_preprocess(self, function, in_data, out_grad):
        self.calls.append('backward ' + function.label)


def test_hooks_of_the_thread():
    log = Log()
    with log:
        assert methods_used(relu.ReLU, relu_of_leaf) == {'forward', 'backward'}
    assert log.calls[:2] == ['forward ReLU', 'backward ReLU']


def test_hook_of_one_function():
    x = leaf()
    log = Log()
    function = relu.ReLU()
    function.add_hook(log)
    y, = function.apply((x,))
    backward(y)
    assert log.calls == ['forward ReLU', 'backward ReLU']

    log = Log()
    y = F.relu(x)
    y.creator.add_hook(log)
    backward(y)
    assert log.calls == ['backward ReLU']
    y.creator.delete_hook('log')
    backward(y)
    assert log.calls == ['backward ReLU']


def test_hook_that_comes_in_the_middle_of_a_pass():
    log = Log()

    class Starts(chainer_fast.FunctionNode):
        def forward(self, inputs):
            return inputs

        def backward(self, indexes, grad_outputs):
            chainer_fast.get_function_hooks()['log'] = log
            return grad_outputs

    y, = Starts().apply((F.relu(leaf()),))
    try:
        backward(y)
    finally:
        del chainer_fast.get_function_hooks()['log']
    assert 'backward ReLU' in log.calls


def test_debug_mode():
    with chainer_fast.using_config('debug', True):
        assert methods_used(relu.ReLU, relu_of_leaf) == {'forward', 'backward'}
        with np.errstate(invalid='ignore'), pytest.raises(RuntimeError, match='NaN'):
            F.sqrt(leaf())


def test_lazy_sums():
    def compute():
        x = leaf()
        return x * x + x * 2

    with chainer_fast.using_config('lazy_grad_sum', True):
        y = compute()
        backward(y)


def test_double_backprop_is_done_by_the_methods():
    x = leaf()
    y = F.tanh(x)
    y.grad = np.ones(2, 'f')
    with called_methods(tanh.Tanh) as called:
        y.backward(enable_double_backprop=True)
    assert called == {'backward'}
    assert x.grad_var.creator is not None


def test_no_graph_without_backprop():
    with chainer_fast.no_backprop_mode(), called_methods(relu.ReLU) as called:
        y = relu_of_leaf()
    assert called == set()
    assert y.creator is None
    assert y.rank == 0
    assert y.requires_grad


def test_result_of_arrays_alone():
    y, = relu.ReLU().apply((np.ones(2, 'f'),))
    assert not y.requires_grad
    assert y.creator.inputs[0].requires_grad is False


def test_operators_of_a_subclass_of_variable():
    class Loud(Variable):
        def __add__(self, other):
            return 'loud'

    assert Loud(np.ones(2, 'f')) + 1 == 'loud'
    y = Loud(np.ones(2, 'f')) * 2
    assert type(y) is Variable


def test_operator_replaced_in_variable(monkeypatch):
    monkeypatch.setattr(Variable, '__mul__', lambda self, other: 'replaced')
    assert leaf() * 2 == 'replaced'


def test_shortcuts_are_registered_by_class():
    class Mine(relu.ReLU):
        pass

    graph.declare(Mine, RELU)

    def compute():
        return Mine().apply((leaf(),))[0]

    assert methods_used(relu.ReLU, compute) == set()
    Mine.backward = lambda self, indexes, gys: (gys[0] * 2.,)
    x = leaf()
    y, = Mine().apply((x,))
    backward(y)
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(TypeError):
        graph.declare(Mine, 'relu')
