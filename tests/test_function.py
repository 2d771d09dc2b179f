"""Old-style functions, and the switches for backpropagation."""
import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import chainer_fast
from chainer_fast import Function, Variable
from chainer_fast.function import FunctionAdapter
from chainer_fast.utils import type_check


class Multiply(Function):

    def check_type_forward(self, in_types):
        type_check.expect(in_types.size() == 2, in_types[0].dtype.kind == 'f')

    def forward(self, inputs):
        a, b = inputs
        return a * b,

    def backward(self, inputs, grad_outputs):
        self.seen = inputs, grad_outputs
        (a, b), (gy,) = inputs, grad_outputs
        return gy * b, gy * a


class Retaining(Function):
    """Gives its inputs out, and retains what it is told to."""

    def __init__(self, inputs=None, outputs=None):
        self.which = inputs, outputs

    def forward(self, inputs):
        if self.which[0] is not None:
            self.retain_inputs(self.which[0])
        if self.which[1] is not None:
            self.retain_outputs(self.which[1])
        return tuple([x + 0 for x in inputs])

    def backward(self, inputs, grad_outputs):
        self.seen = inputs, grad_outputs
        return grad_outputs


def variables(*values):
    return [Variable(np.array(value, 'f')) for value in values]


# Forward and backward
#

def test_call():
    a, b = variables([2, 3], [5, 7])
    f = Multiply()
    y = f(a, b)
    np.testing.assert_array_equal(y.array, [10, 21])
    assert y.requires_grad
    y.grad = np.array([1, 10], 'f')
    y.backward()
    np.testing.assert_array_equal(a.grad, [5, 70])
    np.testing.assert_array_equal(b.grad, [2, 30])
    inputs, grad_outputs = f.seen
    assert type(inputs) is type(grad_outputs) is tuple
    assert inputs[0] is a.array
    assert all(type(array) is np.ndarray for array in (*inputs, *grad_outputs))


def test_call_on_arrays():
    y = Multiply()(np.ones(2), np.ones(2))
    assert not y.requires_grad
    assert y.creator is not None


def test_outputs_of_a_call():
    a, b = variables([1], [2])
    assert isinstance(Retaining()(a), Variable)
    assert len(Retaining()(a, b)) == 2


def test_gradients_that_are_missing():
    class First(Function):
        def forward(self, inputs):
            return inputs[0] + 0, inputs[1] + 0

        def backward(self, inputs, grad_outputs):
            assert grad_outputs[0] is None
            return grad_outputs[1], None

    a, b = variables([1], [2])
    _, y = First()(a, b)
    y.grad = y.array
    y.backward()
    assert a.grad == [2]
    assert b.grad is None


def test_default_backward():
    class Opaque(Function):
        def forward_cpu(self, inputs):
            return inputs[0] * 2,

    x, = variables([1])
    y = Opaque()(x)
    y.grad = y.array
    y.backward()
    assert x.grad is None
    assert Function().backward_gpu((1, 2), (3,)) == (None, None)


def test_dispatch():
    class Both(Function):
        def forward_cpu(self, inputs):
            return 'forward', inputs

        def backward_cpu(self, inputs, grad_outputs):
            return 'backward', inputs, grad_outputs

    arrays = np.ones(1),
    assert Both().forward(arrays) == ('forward', arrays)
    assert Both().backward(arrays, arrays) == ('backward', arrays, arrays)


def test_dispatch_to_gpu(monkeypatch):
    class Array:
        pass

    class Both(Function):
        def forward_gpu(self, inputs):
            return 'forward'

        def backward_gpu(self, inputs, grad_outputs):
            return 'backward'

    monkeypatch.setattr(chainer_fast.backends.cuda, 'ndarray', Array)
    assert Both().forward((None, Array())) == 'forward'
    assert Both().backward((None,), (Array(),)) == 'backward'
    with pytest.raises(NotImplementedError, match='Both .* forward_cpu'):
        Both().forward((np.ones(1),))


def test_nothing_written():
    with pytest.raises(NotImplementedError):
        Function()(np.ones(1))


def test_types_are_checked():
    with pytest.raises(type_check.InvalidType, match='Multiply'):
        Multiply()(np.ones(1))
    with pytest.raises(type_check.InvalidType, match=r'in_types\[0\].dtype.kind == f'):
        Multiply()(np.ones(1, 'i'), np.ones(1))


@pytest.mark.parametrize('gradient, error', [
    (3, TypeError), (np.ones(2, 'f'), ValueError), (np.ones(1, 'd'), TypeError)])
def test_wrong_gradients(gradient, error):
    class Wrong(Function):
        def forward(self, inputs):
            return inputs[0] + 0,

        def backward(self, inputs, grad_outputs):
            return gradient,

    x, = variables([1])
    y = Wrong()(x)
    y.grad = y.array
    with pytest.raises(error, match='Wrong'):
        y.backward()


def test_old_style_gradients_have_no_history():
    a, b = variables([2, 3], [5, 7])
    y = Multiply()(a, b)
    ga, = chainer_fast.grad(
        [y], [a], [Variable(np.ones(2, 'f'))], enable_double_backprop=True)
    with pytest.raises(RuntimeError, match='twice-differentiate.*"Multiply"'):
        chainer_fast.grad([ga], [b])
    ga.grad = np.ones(2, 'f')
    with pytest.raises(RuntimeError, match='twice-differentiate.*"Multiply"'):
        ga.backward()


# What is retained
#

@pytest.mark.parametrize('inputs, outputs', [
    (None, (0, 1)), ((), ()), ([1], [0]), ((0, 1), (1,)), ((0,), (-1,))])
def test_retaining(inputs, outputs):
    def kept(arrays):
        return [array is not None for array in arrays]

    def expected(indexes):
        return [i in indexes or i - 2 in indexes for i in range(2)]

    a, b = variables([1], [2])
    f = Retaining(inputs, outputs)
    y, z = f(a, b)
    y.grad = y.array
    del a, b, z
    y.backward()
    assert kept(f.seen[0]) == expected((0, 1) if inputs is None else inputs)
    assert type(f.output_data) is tuple
    assert kept(f.output_data) == expected(outputs)


def test_no_retained_outputs():
    f = Retaining()
    with pytest.raises(RuntimeError, match='retained'):
        f.output_data  # noqa: B018
    y = f(*variables([1]))
    with pytest.raises(RuntimeError, match='retained'):
        f.output_data  # noqa: B018
    assert y.creator is f


def test_retain_after_backward():
    f = Function()
    with pytest.warns(DeprecationWarning, match='retain_after_backward'):
        f.retain_outputs((0,), retain_after_backward=True)
    f.retain_outputs((0,))


# The function and its node
#

def test_properties_before_the_call():
    f = Multiply()
    assert isinstance(f.node, FunctionAdapter)
    assert f.node is f.node
    assert f.node.function is f
    assert f.node.label == f.node._impl_name == f.label == 'Multiply'
    assert (f.inputs, f.outputs, f.stack, f.rank) == (None, None, None, 0)
    assert not f.local_function_hooks


def test_properties_after_the_call():
    a, b = variables([1], [2])
    f, g = Multiply(), Multiply()
    y = f(a, b)
    z = g(y, b)
    assert (f.rank, g.rank, z.rank) == (0, 1, 2)
    assert f.inputs == (a.node, b.node)
    assert [reference() for reference in f.outputs] == [y.node]
    assert y.creator is f
    assert y.creator_node is f.node
    with chainer_fast.using_config('debug', True):
        f = Multiply()
        y = f(a, b)
        assert f.stack is y.creator_node.stack is not None


def test_label():
    class Named(Multiply):
        label = 'name'

    y = Named()(*variables([1], [2]))
    assert y.creator_node.label == 'name'
    assert y.creator_node._impl_name == 'Named'


def test_init_need_not_be_called():
    class Own(Multiply):
        def __init__(self, value):
            self.value = value

    assert Own(3)(*variables([1], [2])).creator.value == 3


def test_the_graph_owns_the_function():
    a, b = variables([1], [2])
    y = Multiply()(a, b)
    assert isinstance(y.creator, Multiply)
    f, node = y.creator, weakref.ref(y.creator_node)
    del y
    assert node() is None
    assert f.inputs is None


def test_no_reference_cycles():
    gc.disable()
    try:
        f = Multiply()
        f.node  # noqa: B018
        references = [weakref.ref(f), weakref.ref(f.node)]
        del f
        y = Multiply()(*variables([1], [2]))
        references += [weakref.ref(y.creator), weakref.ref(y.creator_node)]
        del y
        assert [reference() for reference in references] == [None] * 4
    finally:
        gc.enable()


def test_unchain():
    a, b = variables([1], [2])
    f = Retaining()
    y, z = f(a, b)
    f.unchain()
    assert y.creator is None
    assert z.creator is None
    assert f.inputs is None


@pytest.mark.parametrize('called', [False, True])
@pytest.mark.parametrize('clone', [
    copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_copies(called, clone):
    f = Retaining((0,), (1,))
    f.node  # noqa: B018
    if called:
        y = f(*variables([1], [2]))
        assert y[0].creator is f
    g = clone(f)
    assert g.which == ((0,), (1,))
    assert g.node is not f.node
    assert g.node.function is g


def test_hooks():
    class Hook(chainer_fast.FunctionHook):
        calls = 0

        def forward_preprocess(self, function, in_data):
            assert function.function is f
            self.calls += 1

    f, hook = Multiply(), Hook()
    f.add_hook(hook)
    f.add_hook(Hook(), name='other')
    assert list(f.local_function_hooks) == ['FunctionHook', 'other']
    f(*variables([1], [2]))
    assert hook.calls == 1
    f = Multiply()
    f.add_hook(hook)
    f.delete_hook('FunctionHook')
    assert not f.local_function_hooks
    with pytest.raises(KeyError):
        f.delete_hook('FunctionHook')


# Switches
#

def has_graph():
    return Multiply()(*variables([1], [2])).creator is not None


def test_backprop_modes():
    assert has_graph()
    with chainer_fast.no_backprop_mode():
        assert not has_graph()
        with chainer_fast.force_backprop_mode():
            assert has_graph()
            with chainer_fast.no_backprop_mode():
                assert not has_graph()
            assert has_graph()
        assert not has_graph()
    assert has_graph()
    with chainer_fast.force_backprop_mode():
        assert has_graph()


def test_backprop_mode_ends_with_an_error():
    with pytest.raises(ZeroDivisionError), chainer_fast.no_backprop_mode():
        raise ZeroDivisionError
    assert chainer_fast.config.enable_backprop


def test_backprop_mode_is_of_one_thread():
    seen = []
    with chainer_fast.no_backprop_mode():
        thread = threading.Thread(target=lambda: seen.append(has_graph()))
        thread.start()
        thread.join()
        assert not has_graph()
    assert seen == [True]
