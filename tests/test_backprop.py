"""Variable.backward, chainer_fast.backward and chainer_fast.grad."""
import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast.variable import Variable


def leaf(*values, requires_grad=True, dtype='f'):
    return Variable(np.array(values or (1., 2.), dtype), requires_grad=requires_grad)


def lists(*variables):
    """Gradients as lists."""
    return [None if v.grad is None else v.grad.tolist() for v in variables]


class Two(chainer_fast.FunctionNode):
    """Outputs ``2 x`` and ``x + 1``; notes the gradients that it is given."""

    def __init__(self):
        self.given = []

    def forward(self, inputs):
        return inputs[0] * 2, inputs[0] + 1

    def backward(self, indexes, grad_outputs):
        self.given.append([None if g is None else g.array.tolist()
                           for g in grad_outputs])
        g0, g1 = grad_outputs
        g = None if g0 is None else g0 * 2.
        return g1 if g is None else g if g1 is None else g + g1,


class NoGradient(chainer_fast.FunctionNode):

    def forward(self, inputs):
        return inputs[0] * 2,

    def backward(self, indexes, grad_outputs):
        return None,


class TestVariableBackward:

    def test_gradients_of_leaves(self):
        x, w = leaf(), leaf(3, 4)
        h = x * w
        y = h + x
        y.grad = np.array([1, 10], 'f')
        y.backward()
        assert lists(x, w, h, y) == [[4, 50], [1, 20], None, None]

    def test_retain_grad(self):
        x, w = leaf(), leaf(3, 4)
        h = x * w
        y = h + x
        y.grad = np.array([1, 10], 'f')
        y.backward(retain_grad=True)
        assert lists(x, w, h, y) == [[4, 50], [1, 20], [1, 10], [1, 10]]

    def test_gradients_of_leaves_add_up(self):
        x = leaf()
        x.grad = own = np.array([100, 200], 'f')
        y = x * 3
        for expected in [103, 203], [106, 206]:
            y.grad = np.ones(2, 'f')
            y.backward()
            assert x.grad.tolist() == expected
        assert own.tolist() == [100, 200]

    def test_gradients_in_between_do_not_count(self):
        x = leaf()
        h = x * 3
        y = h * 2
        h.grad = np.array([100, 200], 'f')
        y.grad = np.ones(2, 'f')
        y.backward()
        assert lists(x, h) == [[6, 6], [100, 200]]
        y.grad = np.ones(2, 'f')
        y.backward(retain_grad=True)
        assert lists(x, h) == [[12, 12], [2, 2]]

    def test_default_gradient_of_a_scalar(self):
        x = leaf()
        y = F.sum(x * 3)
        y.backward()
        assert lists(x) == [[3, 3]]
        assert y.grad is None
        x.cleargrad()
        y.backward(retain_grad=True)
        assert y.grad.tolist() == 1

    def test_default_gradient_of_one_element(self):
        x = leaf(2.)
        with pytest.warns(DeprecationWarning, match='only one element as a scalar'):
            (x * 3).backward()
        assert lists(x) == [[3]]

    def test_no_default_gradient_of_several_elements(self):
        x = leaf()
        for y in x * 3, F.relu(x):
            with pytest.raises((TypeError, AttributeError, IndexError)):
                y.backward()

    def test_loss_scale(self):
        x = leaf()
        y = F.sum(x * 3)
        y.backward(loss_scale=4.)
        assert lists(x) == [[12, 12]]
        assert x._loss_scale == 4.
        # It scales the default gradient only, and marks the leaves in any case.
        x.cleargrad()
        y.grad = np.array(2, 'f')
        y.backward(loss_scale=8.)
        assert lists(x) == [[6, 6]]
        assert x._loss_scale == 8.

    def test_loss_scale_keeps_the_dtype(self):
        x = leaf(dtype='e')
        F.sum(x * 3).backward(loss_scale=4.)
        assert x.grad.dtype == np.float16

    def test_of_a_leaf(self):
        x = leaf(1.)
        with pytest.warns(DeprecationWarning):
            x.backward()
        assert lists(x) == [[1]]
        x = leaf()
        x.grad = np.ones(2, 'f')
        x.backward()
        x.backward(retain_grad=True)
        assert lists(x) == [[1, 1]]
        x = leaf()
        x.backward()
        assert x.grad is None

    def test_requires_grad(self):
        x, w = leaf(), leaf(requires_grad=False)
        y = x * w
        y.grad = np.ones(2, 'f')
        y.backward()
        assert lists(x, w) == [[1, 2], None]

    def test_nothing_requires_grad(self):
        x = leaf(requires_grad=False)
        h = x * 2
        y = h * 2
        assert not y.requires_grad
        y.grad = np.ones(2, 'f')
        y.backward(retain_grad=True)
        assert lists(x, h, y) == [None, None, None]

    def test_unchained(self):
        x = leaf()
        h = x * 3
        y = h * 2
        h.unchain()
        y.grad = np.ones(2, 'f')
        y.backward()
        assert lists(x, h) == [None, [2, 2]]

    def test_one_variable_in_two_places(self):
        x = leaf()
        y = x * x
        y.grad = np.ones(2, 'f')
        y.backward()
        assert lists(x) == [[2, 4]]

    def test_functions_that_pass_a_gradient_on(self):
        # Nobody adds to the gradient that the user has given.
        x, w = leaf(), leaf()
        y = (x + w) + x
        y.grad = own = np.ones(2, 'f')
        y.backward(retain_grad=True)
        assert lists(x, w) == [[2, 2], [1, 1]]
        assert own.tolist() == [1, 1]
        assert y.grad is own
        x.grad += 100
        assert lists(w) == [[1, 1]]

    def test_no_gradient(self):
        x = leaf()
        y, = NoGradient().apply((x,))
        y.grad = np.ones(2, 'f')
        y.backward(loss_scale=2.)
        assert x.grad is None
        assert x._loss_scale is None

    def test_no_gradient_keeps_what_there_is(self):
        x = leaf()
        x.grad = np.ones(2, 'f')
        y, = NoGradient().apply((x * 1 + x,))
        y.grad = np.ones(2, 'f')
        y.backward()
        assert lists(x) == [[1, 1]]

    def test_unused_output(self):
        x = leaf()
        function = Two()
        _, y = function.apply((x,))
        y.grad = np.ones(2, 'f')
        y.backward()
        assert lists(x) == [[1, 1]]
        assert function.given == [[None, [1, 1]]]

    @pytest.mark.parametrize('retain_grad', [False, True])
    def test_output_with_a_gradient_that_nothing_leads_to(self, retain_grad):
        x = leaf()
        function = Two()
        y, z = function.apply((x,))
        y.grad = np.array([10, 20], 'f')
        z.grad = np.ones(2, 'f')
        z.backward(retain_grad=retain_grad)
        assert function.given == [[[10, 20], [1, 1]]]
        assert lists(x) == [[21, 41]]
        assert lists(y, z) == ([[10, 20], [1, 1]] if retain_grad else [None, None])

    def test_outputs_that_are_led_to(self):
        x = leaf()
        function = Two()
        y, z = function.apply((x,))
        total = y * 3 + z
        y.grad = np.array([100, 200], 'f')
        total.grad = np.ones(2, 'f')
        total.backward()
        assert function.given == [[[3, 3], [1, 1]]]
        assert lists(y) == [[100, 200]]

    def test_output_that_was_led_to_without_a_gradient(self):
        x = leaf()
        function = Two()
        y, z = function.apply((x,))
        total = NoGradient().apply((y,))[0] + z
        y.grad = np.array([100, 200], 'f')
        total.grad = np.ones(2, 'f')
        total.backward()
        assert function.given == [[None, [1, 1]]]
        assert lists(y) == [[100, 200]]

    def test_output_that_is_cut_off(self):
        x = leaf()
        function = Two()
        y, z = function.apply((x,))
        y.grad = np.array([100, 200], 'f')
        y.unchain()
        z.grad = np.ones(2, 'f')
        z.backward()
        assert function.given == [[None, [1, 1]]]
        assert lists(x, y) == [[1, 1], [100, 200]]

    def test_double_backprop(self):
        x = leaf(2., 3.)
        y = x * x * x
        y.grad = np.ones(2, 'f')
        y.backward(enable_double_backprop=True)
        assert lists(x) == [[12, 27]]
        gx = x.grad_var
        x.cleargrad()
        gx.grad = np.ones(2, 'f')
        gx.backward(enable_double_backprop=True)
        assert lists(x) == [[12, 18]]
        ggx = x.grad_var
        x.cleargrad()
        ggx.grad = np.ones(2, 'f')
        ggx.backward()
        assert lists(x) == [[6, 6]]

    def test_gradient_of_the_gradient_given(self):
        x = leaf(2., 3.)
        y = x * x
        gy = leaf()
        y.grad_var = gy
        y.backward(enable_double_backprop=True)
        gx = x.grad_var
        gx.grad = np.ones(2, 'f')
        gx.backward()
        assert lists(gy) == [[4, 6]]

    def test_gradients_have_no_graph_by_default(self):
        x = leaf()
        y = F.sum(F.tanh(x) * x)
        y.backward()
        assert x.grad_var.creator is None
        y.backward(enable_double_backprop=True)
        assert x.grad_var.creator is not None

    def test_without_backprop_mode_around_it(self):
        x = leaf()
        y = F.sum(x * x)
        with chainer_fast.no_backprop_mode():
            y.backward(enable_double_backprop=True)
        assert x.grad_var.creator is not None

    @pytest.mark.parametrize('lazy', [False, True])
    def test_sum_of_several(self, lazy):
        with chainer_fast.using_config('lazy_grad_sum', lazy):
            x = leaf()
            y = x * 1 + F.relu(x) + x * x + (-x) + x
        y.grad = np.ones(2, 'f')
        y.backward(enable_double_backprop=True)
        assert lists(x) == [[4, 6]]

    def test_function_applied_twice(self):
        # Its place in the graph is that of the last time.
        x, w = leaf(), leaf(3, 4)
        function = Two()
        function.apply((x,))
        _, z = function.apply((w,))
        assert function.inputs == (w.node,)
        z.grad = np.ones(2, 'f')
        z.backward()
        assert lists(x, w) == [None, [1, 1]]


class TestBackward:

    def test_several_outputs(self):
        x = leaf()
        h = x * 2
        y, z = h * 3, h * 4
        y.grad = np.array([1, 10], 'f')
        z.grad = np.array([1, 1], 'f')
        chainer_fast.backward([y, z])
        assert lists(x, h, y, z) == [[14, 68], None, None, None]

    def test_each_function_once(self):
        x = leaf()
        function = Two()
        y, z = function.apply((x,))
        chainer_fast.backward([y, z], [leaf(), leaf(5, 5)])
        assert function.given == [[[1, 2], [5, 5]]]
        assert lists(x) == [[7, 9]]

    def test_outputs_behind_one_another(self):
        x = leaf()
        y = x * 2
        z = y * 3
        y.grad = z.grad = np.ones(2, 'f')
        chainer_fast.backward((z, y))
        assert lists(x, y, z) == [[8, 8], None, None]

    def test_given_gradients_leave_the_own_ones_alone(self):
        x = leaf()
        y = x * 2
        y.grad = np.array([100, 100], 'f')
        chainer_fast.backward([y], [leaf()])
        assert lists(x, y) == [[2, 4], [100, 100]]

    def test_given_gradients_may_be_arrays_or_missing(self):
        x = leaf()
        y = x * 2
        chainer_fast.backward([y, y * 3], [np.ones(2, 'f'), None])
        assert lists(x) == [[2, 2]]
        chainer_fast.backward([y], [None])
        assert lists(x) == [[2, 2]]

    def test_an_output_named_twice(self):
        x = leaf()
        y = x * 2
        chainer_fast.backward([y, y], [leaf(), leaf()])
        assert lists(x) == [[4, 8]]
        y.grad = np.ones(2, 'f')
        with pytest.warns(RuntimeWarning, match='duplicate'):
            chainer_fast.backward([y, y])
        assert lists(x) == [[6, 10]]

    def test_no_default_gradient(self):
        x = leaf()
        y = F.sum(x)
        z = F.sum(x)
        z.grad = np.array(1, 'f')
        with pytest.warns(RuntimeWarning, match='without grad'):
            chainer_fast.backward([y, z])
        assert lists(x, z) == [[1, 1], None]

    def test_leaf_as_an_output(self):
        x = leaf()
        x.grad = np.ones(2, 'f')
        chainer_fast.backward([x])
        assert lists(x) == [[1, 1]]
        chainer_fast.backward([x], [leaf()])
        assert lists(x) == [[2, 3]]

    def test_nothing(self):
        chainer_fast.backward([])

    @pytest.mark.parametrize('double', [False, True])
    def test_double_backprop(self, double):
        x = leaf()
        chainer_fast.backward(
            [x * x], [np.ones(2, 'f')], enable_double_backprop=double)
        assert (x.grad_var.creator is not None) == double

    @pytest.mark.parametrize('arguments', [
        (leaf(),), (3,), ([3],), ([leaf().array],), ([leaf()], leaf()),
        ({leaf().node: 1},)])
    def test_types(self, arguments):
        with pytest.raises(TypeError):
            chainer_fast.backward(*arguments)

    def test_other_errors(self):
        x = leaf()
        with pytest.raises(ValueError, match='same length'):
            chainer_fast.backward([x], [x, x])
        with pytest.raises(ValueError, match='retain_grad'):
            chainer_fast.backward([x], retain_grad=True)
        with pytest.raises(ValueError, match='loss_scale'):
            chainer_fast.backward([x], loss_scale=2.)
        with pytest.raises(TypeError, match="'typo'"):
            chainer_fast.backward([x], typo=2.)


def gradients(outputs, inputs, *args, **kwargs):
    return [None if g is None else g.array.tolist()
            for g in chainer_fast.grad(outputs, inputs, *args, **kwargs)]


class TestGrad:

    def test_of_leaves_and_others(self):
        x, w = leaf(), leaf(3, 4)
        h = x * w
        y = h * h
        assert gradients([y], [x, h]) == [[18, 64], [6, 16]]
        assert lists(x, w, h, y) == [None] * 4

    def test_default_gradients_are_ones(self):
        x = leaf()
        assert gradients([x * 2, x * 3], [x], [None, leaf(10, 20)]) == [[32, 62]]
        assert gradients([F.sum(x * 2)], [x]) == [[2, 2]]

    def test_own_gradients_do_not_count(self):
        x = leaf()
        h = x * 2
        y = h * 3
        for v in x, h, y:
            v.grad = np.array([100, 100], 'f')
        assert gradients([y], [x, h]) == [[6, 6], [3, 3]]
        assert lists(x, h, y) == [[100, 100]] * 3

    def test_unrelated_input(self):
        x, w = leaf(), leaf()
        assert gradients([x * 2], [x, w]) == [[2, 2], None]
        assert gradients([x * 2], [w], None, [leaf()]) == [[1, 2]]

    def test_an_input_named_twice(self):
        x = leaf()
        assert gradients([x * 2], [x, x]) == [[2, 2]] * 2

    def test_an_output_named_twice(self):
        # The last gradient counts.
        x = leaf()
        y = x * 3
        assert gradients([y, y], [x], [leaf(), leaf(10, 20)]) == [[30, 60]]

    def test_input_that_is_an_output(self):
        x = leaf()
        y = x * 2
        assert gradients([x], [x]) == [[1, 1]]
        assert gradients([x, y], [x], [leaf(), leaf(3, 3)]) == [[7, 8]]
        assert gradients([y * 3, y], [y]) == [[4, 4]]

    def test_grad_inputs_are_added_to(self):
        x = leaf()
        h = x * 2
        y = h * 3
        assert gradients([y], [x, h], [leaf()], [leaf(), leaf(10, 20)]) == [
            [27, 54], [13, 26]]
        assert gradients([y], [x, h], None, [None, np.ones(2, 'f')]) == [
            [8, 8], [4, 4]]

    def test_arrays_that_the_user_holds_are_not_written(self):
        x = leaf()
        given = [np.ones(2, 'f') for _ in range(3)]
        chainer_fast.grad([x * 2 + x, x], [x], given[:2], given[2:])
        for array in given:
            assert array.tolist() == [1, 1]

    def test_set_grad(self):
        x, w = leaf(), leaf()
        w.grad = np.ones(2, 'f')
        h = x * 3
        found, none = chainer_fast.grad([h * h], [x, w], set_grad=True)
        assert x.grad_var is found
        assert none is None
        assert lists(x, w, h) == [[18, 36], None, None]

    def test_retain_grad_of_what_lies_between(self):
        x, w = leaf(), leaf()
        w.grad = np.ones(2, 'f')
        h, other = x * 3, w * 2
        y = h * h + other
        other.grad = np.array([7, 7], 'f')
        chainer_fast.grad([y], [x], retain_grad=True)
        assert lists(x, w, h, other, y) == [
            None, [1, 1], [6, 12], [7, 7], [1, 1]]

    def test_retain_grad_of_outputs_and_inputs(self):
        x = leaf()
        h = x * 2
        y = h * 3
        chainer_fast.grad([y], [y], retain_grad=True)
        assert lists(x, h, y) == [None, None, [1, 1]]
        chainer_fast.grad([y], [h], retain_grad=True)
        assert lists(x, h, y) == [None, [3, 3], [1, 1]]
        z = leaf() * 5
        chainer_fast.grad([z, h], [h], [leaf(), leaf()], retain_grad=True)
        assert lists(h, z) == [[1, 2], [1, 2]]

    def test_loss_scale(self):
        x = leaf()
        assert gradients([x * 2], [x], loss_scale=10.) == [[20, 20]]
        # Of default gradients only.
        assert gradients([x * 2], [x], [leaf()], loss_scale=10.) == [[2, 4]]
        half = leaf(dtype='e')
        g, = chainer_fast.grad([half * 2], [half], loss_scale=10.)
        assert g.dtype == np.float16
        assert x._loss_scale is None

    def test_only_what_lies_between_is_visited(self):
        visited = []

        class Log(chainer_fast.FunctionHook):
            def backward_preprocess(self, function, in_data, out_grad):
                visited.append(function.label)

        x, w = leaf(), leaf()
        y = F.tanh(x * 2) + F.relu(w * 3)
        with Log():
            chainer_fast.grad([y], [w])
        assert visited == ['_ + _', 'ReLU', '_ * 3']
        visited.clear()
        h = F.relu(w)
        y = F.tanh(h) + x
        with Log():
            chainer_fast.grad([y], [h])
        assert visited == ['_ + _', 'Tanh']

    def test_input_that_requires_no_gradient(self):
        # It gets one where a function is differentiated anyway.
        x, w = leaf(requires_grad=False), leaf()
        assert gradients([x * 3], [x]) == [[3, 3]]
        y = x * 3 * 2
        assert gradients([y], [x]) == [None]
        assert gradients([x * w * 2], [x]) == [None]
        assert gradients([x * w * 2], [x, w]) == [[2, 4], [2, 4]]
        h = x * 2
        assert gradients([h * w], [x]) == [None]
        assert gradients([h * w], [x, w, h]) == [[2, 4], [2, 4], [1, 2]]

    def test_cut_off_input(self):
        x = leaf()
        h = x * 3
        y = h * 2
        h.unchain()
        assert gradients([y], [x, h]) == [None, [2, 2]]

    def test_no_gradient(self):
        x = leaf()
        y, = NoGradient().apply((x * 2,))
        assert gradients([y], [x]) == [None]
        assert gradients([y + x], [x]) == [[1, 1]]

    def test_some_outputs_of_a_function(self):
        x = leaf()
        function = Two()
        y, z = function.apply((x,))
        y.grad = np.ones(2, 'f')
        assert gradients([z], [x]) == [[1, 1]]
        assert gradients([y, z], [x], [leaf(), leaf()]) == [[3, 6]]
        assert function.given == [[None, [1, 1]], [[1, 2], [1, 2]]]

    def test_double_backprop(self):
        x = leaf(2., 3.)
        y = x * x * x
        g, = chainer_fast.grad([y], [x], enable_double_backprop=True)
        gg, = chainer_fast.grad([g], [x], enable_double_backprop=True)
        assert gg.array.tolist() == [12, 18]
        assert gradients([gg], [x]) == [[6, 6]]
        g, = chainer_fast.grad([y], [x])
        assert g.creator is None

    def test_gradient_with_respect_to_a_gradient(self):
        x, gy = leaf(2., 3.), leaf()
        g, = chainer_fast.grad([x * x], [x], [gy], enable_double_backprop=True)
        assert gradients([g], [gy]) == [[4, 6]]

    def test_types(self):
        x = leaf()
        for arguments in [(x, [x]), ([x], x), ([x], [x], x), ([x], [x], None, x),
                          ([x.array], [x]), ([x], [x.array])]:
            with pytest.raises(TypeError):
                chainer_fast.grad(*arguments)

    def test_lengths(self):
        x = leaf()
        with pytest.raises(ValueError, match='grad_outputs must be of the same length'):
            chainer_fast.grad([x], [x], [x, x])
        with pytest.raises(ValueError, match='grad_inputs must be of the same length'):
            chainer_fast.grad([x], [x], None, [])
        # What the lists hold is looked at later.
        with pytest.raises(ValueError, match='same length'):
            chainer_fast.grad([], [None], [x])


class OldStyle(chainer_fast.Function):

    def forward(self, inputs):
        return inputs[0] * 2,

    def backward(self, inputs, grad_outputs):
        return grad_outputs[0] * 2,


def test_old_style_function_once_but_not_twice():
    x = leaf()
    y = OldStyle()(x)
    y.grad = np.ones(2, 'f')
    y.backward(enable_double_backprop=True)
    assert lists(x) == [[2, 2]]
    g = x.grad_var
    for differentiate in (
            lambda: g.backward(), lambda: chainer_fast.grad([g], [x]),
            lambda: chainer_fast.backward([g * 1], [np.ones(2, 'f')])):
        g.grad = np.ones(2, 'f')
        with pytest.raises(RuntimeError, match='twice-differentiate an old style'):
            differentiate()


@pytest.mark.parametrize('lazy', [False, True])
@pytest.mark.parametrize('set_grad', [False, True])
def test_sums_of_gradients_are_in_no_graph_unless_asked_for(lazy, set_grad):
    x = chainer_fast.Variable(np.ones(3, 'f'))
    with chainer_fast.using_config('lazy_grad_sum', lazy):
        y = F.exp(x) * x
        plain, = chainer_fast.grad([y], [x], set_grad=set_grad)
        assert plain.creator_node is None
        again, = chainer_fast.grad([y], [x], enable_double_backprop=True)
        assert again.creator_node is not None
