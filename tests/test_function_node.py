import collections
import copy
import pickle

import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast.functions.activation import tanh
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable


def leaf(*values, dtype='f', **kwargs):
    return Variable(np.array(values or (1., 2.), dtype), **kwargs)


class Scaled(chainer_fast.FunctionNode):
    """Two outputs; notes what its methods are given."""

    def __init__(self, factor=2):
        self.factor = factor
        self.calls = []

    def check_type_forward(self, in_types):
        self.calls.append(('check', len(in_types)))
        type_check.expect(in_types[0].dtype.kind == 'f')

    def forward(self, inputs):
        self.calls.append(('forward', inputs))
        self.retain_inputs((0,))
        self.retain_outputs((1,))
        return inputs[0] * self.factor, inputs[0] + self.factor

    def backward(self, indexes, grad_outputs):
        self.calls.append(('backward', indexes, grad_outputs))
        g0, g1 = grad_outputs
        return g0 * float(self.factor) if g1 is None else g1,


class TestApply:

    def test_outputs(self):
        x = leaf()
        function = Scaled()
        ys = function.apply((x,))
        assert type(ys) is tuple
        assert [type(y) for y in ys] == [Variable, Variable]
        assert [y.array.tolist() for y in ys] == [[2, 4], [3, 4]]
        assert [c[0] for c in function.calls] == ['check', 'forward']
        inputs = function.calls[1][1]
        assert type(inputs) is tuple
        assert inputs[0] is x.array

    def test_place_in_the_graph(self):
        x = leaf()
        h = x * 2
        function = Scaled()
        y, z = function.apply((h,))
        assert y.creator is z.creator is y.creator_node is function
        assert function.inputs == (h.node,)
        assert [r() for r in function.outputs] == [y.node, z.node]
        assert (function.rank, y.rank, z.rank) == (1, 2, 2)
        assert function.lazy_grad_sum is False
        assert function.stack is None

    def test_before(self):
        function = Scaled()
        assert function.inputs is None
        assert function.outputs is None
        assert function.rank == 0
        assert function.get_retained_inputs() == ()
        assert function.get_retained_outputs() == ()
        with pytest.raises(RuntimeError):
            function.output_data  # noqa: B018

    @pytest.mark.parametrize('sequence', [tuple, list, iter])
    def test_sequences_of_inputs(self, sequence):
        y, _ = Scaled().apply(sequence([leaf()]))
        assert y.array.tolist() == [2, 4]

    def test_arrays_as_inputs(self):
        function = Scaled()
        y, _ = function.apply((np.ones(2, 'f'),))
        assert not y.requires_grad
        assert function.inputs[0].requires_grad is False
        y, = tanh.Tanh().apply((np.ones(2, 'f'),))
        assert not y.requires_grad

    def test_requires_grad(self):
        x, c = leaf(), leaf(requires_grad=False)
        assert (x * c).requires_grad
        assert not (c * c).requires_grad
        assert not F.tanh(c).requires_grad
        assert F.concat([c, x], axis=0).requires_grad

    @pytest.mark.parametrize('wrong', [3., [1., 2.], 'x', np.float32(1)])
    def test_inputs_of_other_types(self, wrong):
        with pytest.raises(TypeError, match='forward input'):
            Scaled().apply((wrong,))
        with pytest.raises(TypeError):
            tanh.Tanh().apply((wrong,))

    def test_no_inputs(self):
        class Source(chainer_fast.FunctionNode):
            def forward(self, inputs):
                return np.ones(2, 'f'),

        y, = Source().apply(())
        assert y.rank == 1
        assert not y.requires_grad

    def test_absent_inputs_and_outputs(self):
        class Optional(chainer_fast.FunctionNode):
            def forward(self, inputs):
                self.retain_inputs((0, 1))
                return None, inputs[1]

            def backward(self, indexes, grad_outputs):
                absent, x = self.get_retained_inputs()
                assert absent is None
                return None, grad_outputs[1] * x

        x = leaf()
        function = Optional()
        none, y = function.apply((None, x))
        assert none.array is None
        assert function.inputs[0].shape is None
        y.grad = np.ones(2, 'f')
        y.backward()
        assert x.grad.tolist() == [1, 2]

    @pytest.mark.parametrize('result', [
        [np.ones(2)], np.ones(2), None, (1.,), (np.float32(1),), ([1],)], ids=repr)
    def test_wrong_results(self, result):
        class Wrong(Scaled):
            def forward(self, inputs):
                return result

        with pytest.raises(TypeError, match='must be a tuple'):
            Wrong().apply((leaf(),))

    def test_named_tuple_as_result(self):
        class Named(chainer_fast.FunctionNode):
            def forward(self, inputs):
                return collections.namedtuple('Pair', 'a b')(inputs[0], inputs[0])

        assert len(Named().apply((leaf(),))) == 2

    def test_no_results(self):
        class Sink(chainer_fast.FunctionNode):
            def forward(self, inputs):
                return ()

        function = Sink()
        assert function.apply((leaf(),)) == ()
        assert function.outputs == ()

    def test_type_check(self):
        function = Scaled()
        with pytest.raises(type_check.InvalidType, match='Scaled'):
            function.apply((leaf(dtype='i'),))
        with chainer_fast.using_config('type_check', False):
            function.apply((leaf(dtype='i'),))

    def test_no_forward(self):
        with pytest.raises(NotImplementedError):
            chainer_fast.FunctionNode().apply((leaf(),))

    def test_forward_by_device(self):
        class ByDevice(chainer_fast.FunctionNode):
            def forward_cpu(self, inputs):
                return inputs[0] * 5,

        y, = ByDevice().apply((leaf(),))
        assert y.array.tolist() == [5, 10]

    def test_without_a_graph(self):
        function = Scaled()
        with chainer_fast.no_backprop_mode():
            y, _ = function.apply((leaf(),))
        assert y.creator is None
        assert y.rank == 0
        assert y.requires_grad
        assert function.inputs is None

    def test_again(self):
        x, w = leaf(), leaf(3, 4)
        for function in Scaled(), tanh.Tanh():
            y = function.apply((x,))[0]
            z = function.apply((w,))[0]
            assert y.creator is z.creator is function
            assert function.inputs == (w.node,)
            assert function.outputs[0]() is z.node
            del z
            assert function.outputs[0]() is None
            assert y.creator is function

    def test_call(self):
        with pytest.raises(RuntimeError, match='apply'):
            Scaled()(leaf())


class TestRetained:

    def test_inputs_and_outputs(self):
        x = leaf()
        function = Scaled()
        y, z = function.apply((x,))
        assert function.get_retained_inputs()[0] is x
        assert function.get_retained_outputs()[0] is z
        absent, kept = function.output_data
        assert absent is None
        assert kept is z.array
        assert x.node.data is x.array
        assert y.node.data is None
        assert z.node.data is z.array
        array = x.array
        del x
        again, = function.get_retained_inputs()
        assert again.array is array
        assert again.node is function.inputs[0]

    def test_any_order(self):
        class Several(chainer_fast.FunctionNode):
            def forward(self, inputs):
                self.retain_inputs([2, 0])
                self.retain_outputs((1, 0))
                return inputs[0] + 1, inputs[1] + 1, inputs[2] + 1

        xs = leaf(), leaf(), leaf()
        function = Several()
        ys = function.apply(xs)
        a, b = function.get_retained_inputs()
        assert a is xs[2]
        assert b is xs[0]
        a, b = function.get_retained_outputs()
        assert a is ys[1]
        assert b is ys[0]
        assert xs[1].node.data is None

    def test_nothing(self):
        y = leaf() + 1
        assert y.creator.get_retained_inputs() == ()
        assert y.creator.get_retained_outputs() == ()

    def test_by_a_kernel(self):
        x = leaf()
        y = F.tanh(x)
        function = y.creator
        assert function.get_retained_outputs()[0] is y
        assert function.get_retained_inputs() == ()
        assert len(function.output_data) == 1
        assert function.output_data[0] is y.array
        y = x * x
        assert [v is x for v in y.creator.get_retained_inputs()] == [True, True]

    def test_after_unchaining(self):
        y = F.tanh(leaf())
        function = y.creator
        function.unchain()
        assert function.get_retained_outputs() == ()
        assert function.inputs is None
        assert function.outputs is None

    def test_output_is_released_when_not_retained(self):
        function = Scaled()
        y, z = function.apply((leaf(),))
        array = z.array
        del y, z
        again, = function.get_retained_outputs()
        assert again.array is array
        assert again.creator is function
        assert function.outputs[0]() is None
        assert function.outputs[1]() is again.node


class TestUnchain:

    @pytest.mark.parametrize('make', [Scaled, tanh.Tanh])
    def test_both_ways(self, make):
        x = leaf()
        function = make()
        ys = function.apply((x,))
        function.unchain()
        assert [y.creator for y in ys] == [None] * len(ys)
        assert function.inputs is None
        assert function.outputs is None
        ys[0].grad = np.ones(2, 'f')
        ys[0].backward()
        assert x.grad is None
        function.unchain()
        # It may be applied again.
        y = function.apply((x,))[0]
        assert y.creator is function

    def test_before_being_applied(self):
        Scaled().unchain()


class TestBackward:

    def test_arguments(self):
        x = leaf()
        function = Scaled()
        y, z = function.apply((x,))
        y.grad = np.ones(2, 'f')
        y.backward()
        name, indexes, (g0, g1) = function.calls[-1]
        assert (name, indexes, g1) == ('backward', (0,), None)
        assert type(g0) is Variable
        assert g0.array.tolist() == [1, 1]

    def test_only_wanted_inputs(self):
        class Sum(chainer_fast.FunctionNode):
            def forward(self, inputs):
                return sum(inputs),

            def backward(self, indexes, grad_outputs):
                self.indexes = indexes
                return grad_outputs * len(indexes)

        function = Sum()
        xs = leaf(), leaf(requires_grad=False), leaf()
        y, = function.apply(xs)
        y.grad = np.ones(2, 'f')
        y.backward()
        assert function.indexes == (0, 2)
        assert xs[1].grad is None
        chainer_fast.grad([y], [xs[2]])
        assert function.indexes == (2,)

    def test_default_is_none(self):
        class Constant(chainer_fast.FunctionNode):
            def forward(self, inputs):
                return inputs[0] * 0,

        x = leaf()
        y, = Constant().apply((x,))
        y.grad = np.ones(2, 'f')
        y.backward()
        assert x.grad is None

    def test_accumulate_calls_backward(self):
        function = Scaled()
        function.apply((leaf(),))
        g, = function.backward_accumulate((0,), (leaf(), None), (None,))
        assert g.array.tolist() == [2, 4]
        g, = function.backward_accumulate((0,), (leaf(), None), (leaf(10, 10),))
        assert g.array.tolist() == [12, 14]

    def test_accumulate_without_gradients(self):
        class NoGradient(Scaled):
            def backward(self, indexes, grad_outputs):
                return None, None

        function = NoGradient()
        function.apply((leaf(), leaf()))
        old = leaf()
        assert function.backward_accumulate((1,), (None, None), (old,)) == (old,)
        assert function.backward_accumulate((1,), (None, None), (None,)) == (None,)

    def test_accumulate_checks_the_number(self):
        class Wrong(Scaled):
            def backward(self, indexes, grad_outputs):
                return None, None, None

        function = Wrong()
        function.apply((leaf(),))
        with pytest.raises(ValueError, match='number of gradients'):
            function.backward_accumulate((0,), (None, None), (None,))

    def test_overridden_accumulate(self):
        class Fused(Scaled):
            def backward_accumulate(self, indexes, grad_outputs, grad_inputs):
                self.given = grad_inputs
                g = grad_outputs[0] * 2.
                return g if grad_inputs[0] is None else grad_inputs[0] + g,

        x = leaf()
        function = Fused()
        y, _ = function.apply((x,))
        side = F.identity(F.identity(y)) + F.identity(x)
        side.grad = np.ones(2, 'f')
        side.backward()
        assert x.grad.tolist() == [3, 3]


class Hook(chainer_fast.FunctionHook):

    name = 'hook'

    def __init__(self):
        self.calls = []

    def added(self, function):
        self.calls.append(('added', function))

    def deleted(self, function):
        self.calls.append(('deleted', function))

    def forward_preprocess(self, function, in_data):
        self.calls.append(('forward_preprocess', function))

    def forward_postprocess(self, function, in_data):
        self.calls.append(('forward_postprocess', function))

    def backward_preprocess(self, function, in_data, out_grad):
        self.calls.append(('backward_preprocess', function))
        self.seen = in_data, out_grad

    def backward_postprocess(self, function, in_data, out_grad):
        self.calls.append(('backward_postprocess', function))


class TestHooks:

    def test_calls(self):
        hook = Hook()
        function = Scaled()
        function.add_hook(hook)
        assert function.local_function_hooks == {'hook': hook}
        assert function._n_local_function_hooks == 1
        x = leaf()
        y, z = function.apply((x,))
        y.grad = np.ones(2, 'f')
        y.backward()
        function.delete_hook('hook')
        assert hook.calls == [(name, function) for name in (
            'added', 'forward_preprocess', 'forward_postprocess', 'backward_preprocess',
            'backward_postprocess', 'deleted')]
        in_data, out_grad = hook.seen
        assert in_data[0] is x.array
        assert out_grad[0].tolist() == [1, 1]
        assert out_grad[1] is None

    def test_names(self):
        function = Scaled()
        first, second = Hook(), Hook()
        function.add_hook(first)
        with pytest.raises(KeyError, match='already exists'):
            function.add_hook(second)
        function.add_hook(second, 'second')
        assert list(function.local_function_hooks.items()) == [
            ('hook', first), ('second', second)]
        with pytest.raises(KeyError, match='does not exist'):
            function.delete_hook('third')
        with pytest.raises(TypeError, match='FunctionHook'):
            function.add_hook(3)

    def test_after_those_of_the_thread(self):
        order = []

        class Named(chainer_fast.FunctionHook):
            def __init__(self, name):
                self.name = name

            def forward_preprocess(self, function, in_data):
                order.append(self.name)

        function = Scaled()
        function.add_hook(Named('own'))
        with Named('b'), Named('a'):
            function.apply((leaf(),))
        assert order == ['b', 'a', 'own']

    def test_each_function_has_its_own(self):
        a, b = Scaled(), Scaled()
        a.add_hook(Hook())
        assert b._n_local_function_hooks == 0
        assert not b.local_function_hooks


class TestAttributes:

    def test_label(self):
        assert Scaled().label == 'Scaled'
        assert Scaled()._impl_name == 'Scaled'
        assert (leaf() + 2).creator.label == '_ + 2'

    def test_layouts(self):
        function = Scaled()
        function.apply((leaf(),))
        assert function.input_layouts == (None,)
        assert function.output_layouts == (None, None)
        function.output_layouts = [None, 3]
        assert function.output_layouts == (None, 3)

    def test_any_others(self):
        function = Scaled()
        function.remark = 'kept'
        assert vars(function)['remark'] == 'kept'
        assert function.is_elementwise is False
        assert function.chainerx_device is None

    def test_no_super_init_is_needed(self):
        class Careless(chainer_fast.FunctionNode):
            def __init__(self):
                pass

            def forward(self, inputs):
                return inputs

        y, = Careless().apply((leaf(),))
        assert y.array.tolist() == [1, 2]

    def test_outputs_can_be_set(self):
        x = leaf()
        y = F.tanh(x)
        function = y.creator
        function.outputs = None
        assert function.outputs is None
        assert y.creator is function
        function.inputs = None
        assert function.inputs is None


class TestCopies:

    def test_pickle_before_being_applied(self):
        function = Scaled(5)
        for again in (pickle.loads(pickle.dumps(function)), copy.copy(function),
                      copy.deepcopy(function)):
            assert again.factor == 5
            assert again.inputs is None
            y, _ = again.apply((leaf(),))
            assert y.array.tolist() == [5, 10]

    def test_no_pickle_afterwards(self):
        y = F.tanh(leaf())
        with pytest.raises(TypeError, match='pickle'):
            pickle.dumps(y.creator)


def test_stack_in_debug_mode():
    with chainer_fast.using_config('debug', True):
        y = F.tanh(leaf())
    assert 'test_stack_in_debug_mode' in ''.join(y.creator.stack.format())
    y = F.tanh(leaf())
    assert y.creator.stack is None


def test_configuration_changed_by_forward():
    class Closes(chainer_fast.FunctionNode):
        def forward(self, inputs):
            chainer_fast.config.enable_backprop = False
            return inputs

    try:
        y, = Closes().apply((leaf(),))
    finally:
        del chainer_fast.config.enable_backprop
    assert y.creator is None


def test_there_is_one_fallback():
    fallback = chainer_fast.Fallback
    assert b'cchainer_fast\nFallback' in pickle.dumps(fallback, 0)
    assert pickle.loads(pickle.dumps(fallback)) is fallback
    assert copy.copy(fallback) is fallback
    assert copy.deepcopy(fallback) is fallback
    assert repr(fallback) == 'Fallback'
